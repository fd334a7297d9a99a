//! How congestion windows grow and shrink. One controller serves all paths of an association, because coupled rules
//! need the windows of the other paths. The windows themselves belong to the paths: a controller only gives the
//! amount of a change, or, if it keeps a model of each path, the windows themselves.

pub mod bbr;
pub mod coupled;
pub mod cubic;
pub mod pacing;
pub mod reno;
pub mod westwood;

use std::fmt::Debug;

use anabranch_base::{BitRate, ByteCount, Duration, Time};

use super::{PathId, View};

/// A packet with data that left on a path.
#[derive(Clone, Copy, Debug)]
pub struct SentData {
    /// When it left.
    pub at: Time,
    /// Its number among the packets of the association.
    pub departure: u64,
    /// Its weight against the window.
    pub bytes: ByteCount,
    /// Whether it carries a chunk that was sent before.
    pub retransmission: bool,
}

/// A chunk that was taken for lost.
#[derive(Clone, Copy, Debug)]
pub struct LostData {
    /// When it was taken for lost.
    pub at: Time,
    /// The number of the packet in which it left, among the packets of the association.
    pub departure: u64,
    /// Its weight against the window.
    pub bytes: ByteCount,
}

/// What one SACK newly acknowledged on one path.
#[derive(Clone, Copy, Debug)]
pub struct Acked {
    /// When the SACK arrived.
    pub at: Time,
    /// The weight of the chunks acknowledged for the first time.
    pub bytes: ByteCount,
    /// Whether the path's point of in-order delivery moved, as the loss detection defines it.
    pub advanced: bool,
    /// Whether the profile allows growth: the path advanced, or growth needs no advance (M-SCTP-4).
    pub may_grow: bool,
    /// The path's flight when the SACK arrived.
    pub flight_before: ByteCount,
    /// Whether the window [was fully used](super::PathSample::was_fully_used) when the SACK arrived.
    pub is_fully_used: bool,
    /// Whether nothing is left in flight on the path.
    pub emptied: bool,
    /// Whether the path is in fast recovery, where its window does not grow (RFC 9260 §7.2.4 rule 4).
    pub in_recovery: bool,
    /// Whether the SACK acknowledged a chunk of the path's current round of packets.
    pub ends_round: bool,
    /// The last of these packets to have left, of those that left only once: its number among the packets of the
    /// association.
    pub newest: Option<u64>,
    /// A new round-trip time, if this SACK gave one.
    pub rtt: Option<Duration>,
    /// The [way there](super::OneWay::way) of the last of these packets that left only once, if there is one.
    pub way: Option<Duration>,
}

/// Why a window shrinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CutCause {
    /// Chunks were reported missing often enough (RFC 9260 §7.2.4).
    Missing,
    /// The T3-rtx timer expired (RFC 9260 §7.2.3).
    Timeout,
    /// The T3-rtx timer expired again before any chunk was acknowledged.
    TimeoutAgain,
    /// The peer reported a congestion mark.
    EcnEcho,
    /// The T3-rtx timer expired before all that was outstanding at the last report of a mark was acknowledged (M-ECN-4).
    TimeoutAfterEcn,
    /// Nothing was sent for one RTO (RFC 9260 §7.2.1).
    Idle,
}

/// A path's window after a cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutWindow {
    /// The new congestion window.
    pub cwnd: ByteCount,
    /// The new slow-start threshold.
    pub ssthresh: ByteCount,
}

/// A path's window as a controller wants it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenWindow {
    /// The congestion window.
    pub cwnd: ByteCount,
    /// Whether the path was never filled so far: then its window counts as one in slow start.
    pub is_starting: bool,
}

/// A rule for the growth and the cuts of congestion windows.
pub trait CongestionControl: Debug + Send {
    /// `path` was added.
    fn add_path(&mut self, path: PathId);

    /// `path` was removed.
    fn remove_path(&mut self, path: PathId);

    /// Whether the control gives windows as a whole, by [`take_window`](CongestionControl::take_window), from a model of each
    /// path. Then it hears of paths that [were given less](CongestionControl::on_withheld), and neither slow start nor
    /// [`increase`](CongestionControl::increase) is asked.
    /// The answer never changes.
    fn gives_windows(&self) -> bool {
        false
    }

    /// Whether the control takes some losses for none of congestion, as those that keep a model of a path do. Then it hears of
    /// [lost chunks](CongestionControl::on_lost). The answer never changes.
    fn tells_losses_apart(&self) -> bool {
        self.gives_windows()
    }

    /// A packet with data left on `path`.
    fn on_sent(&mut self, _path: PathId, _sent: &SentData, _view: &View<'_>) {}

    /// A SACK newly acknowledged data of `path`. Called for every such SACK, in slow start and in fast recovery too,
    /// before [`increase`](CongestionControl::increase).
    fn on_acked(&mut self, _path: PathId, _acked: &Acked, _view: &View<'_>) {}

    /// A chunk that left on `path` was taken for lost. Called for each chunk, after
    /// [`decrease`](CongestionControl::decrease) for the loss, if the control [tells losses
    /// apart](CongestionControl::tells_losses_apart).
    fn on_lost(&mut self, _path: PathId, _lost: &LostData, _view: &View<'_>) {}

    /// Sending ended although the window and the pacer of `path` allowed more: nothing waits, or a scheduler or the peer's
    /// window kept it from this one of several paths. Called if the control [gives
    /// windows](CongestionControl::gives_windows).
    fn on_withheld(&mut self, _path: PathId, _view: &View<'_>) {}

    /// The window that `path` is to have from now on, if it is a new one; asked after each SACK and each packet with data. It
    /// grows as far as the window management allows.
    fn take_window(&mut self, _path: PathId, _view: &View<'_>) -> Option<GivenWindow> {
        None
    }

    /// Whether the window of `path` grows by the chosen [slow start](super::slow_start). A control without slow start
    /// always returns `false`, and then [`increase`](CongestionControl::increase) returns all growth.
    fn is_in_slow_start(&self, path: PathId, view: &View<'_>) -> bool {
        view.path(path).is_below_threshold()
    }

    /// The wanted growth of the path's cwnd in congestion avoidance. It is not called in slow start or in fast
    /// recovery.
    fn increase(&mut self, path: PathId, acked: &Acked, view: &View<'_>) -> ByteCount;

    /// The growth that [`increase`](CongestionControl::increase) wanted was refused: the window may grow by it later,
    /// when there is room (M-CWM-2).
    fn on_refused(&mut self, _path: PathId, _acked: &Acked, _view: &View<'_>) {}

    /// Whether windows may also [shrink without a loss](CongestionControl::take_yielded). The answer never changes.
    fn yields_window(&self) -> bool {
        false
    }

    /// By how much the window of `path` shrinks without a loss, in favour of other paths. It is asked after
    /// [`increase`](CongestionControl::increase) wanted no growth, if the control [yields](CongestionControl::yields_window).
    fn take_yielded(&mut self, _path: PathId, _view: &View<'_>) -> ByteCount {
        ByteCount::ZERO
    }

    /// Whether a loss on `path` is chance, and not congestion. Then its window is not cut, and no recovery begins.
    fn is_chance(&self, _path: PathId, _view: &View<'_>) -> bool {
        false
    }

    /// The window of `path` after a cut for `cause`. Its cwnd is normally not larger than before. If it is larger,
    /// the window grows to it, as far as the window management allows.
    fn decrease(&mut self, path: PathId, cause: CutCause, view: &View<'_>) -> CutWindow;

    /// A cut of the window of `path` proved spurious. Its window, `before` the cut, is given back as far as the window
    /// management allows, if the control does not [give windows](CongestionControl::gives_windows).
    fn on_undone(&mut self, _path: PathId, _before: CutWindow, _view: &View<'_>) {}

    /// Whether the windows of all paths grow together by a rule of the control's own, wherever their bottlenecks are. The answer
    /// never changes.
    fn is_coupled(&self) -> bool {
        false
    }

    /// From now on `path` takes `share` of what one flow takes at a bottleneck, because paths of the association share it.
    /// Called if the control [gives windows](CongestionControl::gives_windows).
    fn take_share(&mut self, _path: PathId, _share: f64) {}

    /// The first other path that was found to have the bottleneck of `path`, if the control looks for such paths.
    fn shares_with(&self, _path: PathId) -> Option<PathId> {
        None
    }

    /// How fast packets may leave on `path` outside slow start if packets are paced; `None` for as fast as the window
    /// allows.
    fn pacing_rate(&self, path: PathId, view: &View<'_>) -> Option<BitRate> {
        pacing::window_rate(view.path(path), pacing::AVOIDANCE)
    }
}

impl Acked {
    /// Whether this SACK lets slow start grow the window: the profile allows it, and the window was fully used (RFC
    /// 9260 §7.2.1).
    pub fn grows_slow_start(&self) -> bool {
        self.may_grow && self.is_fully_used
    }
}

#[cfg(test)]
pub(crate) mod tests {
    pub(crate) use crate::policy::testing::acked_bytes as acked;
}
