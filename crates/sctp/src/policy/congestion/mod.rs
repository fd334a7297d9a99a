//! How congestion windows grow and shrink. One controller serves all paths of an association, because
//! coupled rules need the others' windows. The windows themselves live with the paths: a controller only
//! says by how much.

pub mod pacing;
pub mod reno;

use std::fmt::Debug;

use anabranch_base::{BitRate, ByteCount, Duration, Time};

use super::{PathId, View};

/// A packet with data that left on a path.
#[derive(Clone, Copy, Debug)]
pub struct SentData {
    /// When it left.
    pub at: Time,
    /// What it weighs against the window.
    pub bytes: ByteCount,
    /// Whether something in it was sent before.
    pub retransmission: bool,
}

/// What one SACK newly acknowledged on one path.
#[derive(Clone, Copy, Debug)]
pub struct Acked {
    /// When the SACK arrived.
    pub at: Time,
    /// The weight of the chunks acknowledged for the first time.
    pub bytes: ByteCount,
    /// Whether the path's point of in-order delivery moved, as the path order defines it.
    pub advanced: bool,
    /// The path's flight when the SACK arrived.
    pub flight_before: ByteCount,
    /// Whether nothing is left in flight on the path.
    pub emptied: bool,
    /// A fresh round-trip time, if this SACK gave one.
    pub rtt: Option<Duration>,
}

/// Why a window shrinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Chunks were reported missing often enough (RFC 9260 §7.2.4).
    Missing,
    /// The T3-rtx timer expired (RFC 9260 §7.2.3).
    Timeout,
    /// It expired again before anything was acknowledged.
    TimeoutAgain,
    /// The peer echoed a congestion mark.
    EcnEcho,
    /// Nothing was sent for one RTO (RFC 9260 §7.2.1).
    Idle,
}

/// A path's window after a cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The new congestion window.
    pub cwnd: ByteCount,
    /// The new slow-start threshold.
    pub ssthresh: ByteCount,
}

/// A rule for the growth and the cuts of congestion windows.
pub trait CongestionControl: Debug + Send {
    /// A path appeared.
    fn add_path(&mut self, path: PathId);

    /// A path was given up.
    fn remove_path(&mut self, path: PathId);

    /// A packet with data left.
    fn on_sent(&mut self, _path: PathId, _sent: &SentData, _view: &View<'_>) {}

    /// By how much the rule wants the path's cwnd to grow. Not asked while the path is in fast recovery.
    fn increase(&mut self, path: PathId, acked: &Acked, view: &View<'_>) -> ByteCount;

    /// The window may not grow as wanted: it keeps the right to, for when there is room (M-CWM-2).
    fn on_refused(&mut self, _path: PathId, _acked: &Acked, _view: &View<'_>) {}

    /// The path's window after `cause`. Its cwnd is never larger than before.
    fn decrease(&mut self, path: PathId, cause: Cause, view: &View<'_>) -> Window;

    /// How fast packets may leave, where packets are paced; `None` for as fast as the window lets them.
    fn pacing_rate(&self, path: PathId, view: &View<'_>) -> Option<BitRate> {
        pacing::window_rate(view.path(path))
    }
}
