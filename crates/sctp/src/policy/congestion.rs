//! The growth and the cuts of congestion windows: by a rule, which gives the amount of each change, or by a model of
//! each path, which gives the windows as a whole. One control serves all paths of an association, because coupled rules
//! need the windows of the other paths. The windows themselves belong to the paths.

pub mod bbr;
pub mod coupled;
pub mod cubic;
pub mod pacing;
mod path_model;
pub mod reno;
pub mod westwood;
mod window_rule;

use anabranch_base::{ByteCount, Duration, Time};

pub use path_model::{GivenWindow, PathModel};
pub use window_rule::{LossDifferentiation, WindowCoupling, WindowRule};

use super::{PathId, View};

/// A packet with data that left on a path.
#[derive(Clone, Copy, Debug)]
pub struct SentData {
    /// When it left.
    pub at: Time,
    /// The number among the packets of the association.
    pub departure: u64,
    /// The weight against the window.
    pub bytes: ByteCount,
    /// True if it carries a chunk that was sent before.
    pub retransmission: bool,
}

/// A chunk that was declared lost.
#[derive(Clone, Copy, Debug)]
pub struct LostData {
    /// When it was declared lost.
    pub at: Time,
    /// The number of the packet in which it left, among the packets of the association.
    pub departure: u64,
    /// The weight against the window.
    pub bytes: ByteCount,
}

/// The data of one path that one SACK newly acknowledged.
#[derive(Clone, Copy, Debug)]
pub struct Acked {
    /// When the SACK arrived.
    pub at: Time,
    /// The weight of the chunks acknowledged for the first time.
    pub bytes: ByteCount,
    /// True if the path's point of in-order delivery moved, as the loss detection defines it.
    pub advanced: bool,
    /// True if the profile allows growth: the path advanced, or growth needs no advance (M-SCTP-4).
    pub may_grow: bool,
    /// The path's flight when the SACK arrived.
    pub flight_before: ByteCount,
    /// True if the window was fully used when the SACK arrived.
    pub is_fully_used: bool,
    /// True if nothing is left in flight on the path.
    pub emptied: bool,
    /// True if the path is in fast recovery, where its window does not grow (RFC 9260 §7.2.4 rule 4).
    pub in_recovery: bool,
    /// True if the SACK acknowledged a chunk of the path's current round of packets.
    pub ends_round: bool,
    /// The last of these packets to have left, of those that left only once: its number among the packets of the
    /// association.
    pub newest: Option<u64>,
    /// A new round-trip time, if this SACK gave one.
    pub rtt: Option<Duration>,
    /// The [one-way delay](super::OneWay::delay) of the last of these packets that left only once, if there is one.
    pub delay: Option<Duration>,
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

/// The congestion control of an association.
#[derive(Debug)]
pub enum CongestionControl {
    /// A rule that gives each change of a window. Slow start is a [policy of its own](super::slow_start).
    Rule(Box<dyn WindowRule>),
    /// A model of each path, which gives windows as a whole.
    Model(Box<dyn PathModel>),
}

impl CongestionControl {
    /// The control by `rule`.
    pub fn rule(rule: impl WindowRule + 'static) -> CongestionControl {
        CongestionControl::Rule(Box::new(rule))
    }

    /// The control by `model`.
    pub fn model(model: impl PathModel + 'static) -> CongestionControl {
        CongestionControl::Model(Box::new(model))
    }

    /// `path` was added.
    pub fn add_path(&mut self, path: PathId) {
        match self {
            CongestionControl::Rule(rule) => rule.add_path(path),
            CongestionControl::Model(model) => model.add_path(path),
        }
    }

    /// `path` was removed.
    pub fn remove_path(&mut self, path: PathId) {
        match self {
            CongestionControl::Rule(rule) => rule.remove_path(path),
            CongestionControl::Model(model) => model.remove_path(path),
        }
    }

    /// A chunk that left on `path` was declared lost. Called for each chunk, after
    /// [`decrease`](CongestionControl::decrease) for the loss.
    pub fn on_lost(&mut self, path: PathId, lost: &LostData, view: &View<'_>) {
        match self {
            CongestionControl::Rule(rule) => rule.on_lost(path, lost, view),
            CongestionControl::Model(model) => model.on_lost(path, lost, view),
        }
    }

    /// The window of `path` after a cut for `cause`. A model leaves the threshold as it is.
    pub fn decrease(&mut self, path: PathId, cause: CutCause, view: &View<'_>) -> CutWindow {
        match self {
            CongestionControl::Rule(rule) => rule.decrease(path, cause, view),
            CongestionControl::Model(model) => {
                CutWindow { cwnd: model.on_cut(path, cause, view), ssthresh: view.path(path).ssthresh }
            }
        }
    }

    /// Returns true if a loss on `path` is chance and cuts no window. To a model, every loss is a sample.
    pub(crate) fn is_chance(&self, path: PathId, view: &View<'_>) -> bool {
        match self {
            CongestionControl::Rule(rule) => {
                rule.loss_differentiation().is_some_and(|losses| losses.is_chance(path, view))
            }
            CongestionControl::Model(_) => false,
        }
    }

    /// Returns true if some losses do not count as congestion: a model weighs all its samples of a path, and a rule may
    /// have a part for [loss differentiation](WindowRule::loss_differentiation).
    pub fn tells_losses_apart(&self) -> bool {
        match self {
            CongestionControl::Rule(rule) => rule.loss_differentiation().is_some(),
            CongestionControl::Model(_) => true,
        }
    }

    /// The first other path that was found to have the bottleneck of `path`, if the control looks for such paths.
    pub fn shares_with(&self, path: PathId) -> Option<PathId> {
        match self {
            CongestionControl::Rule(rule) => rule.shares_with(path),
            CongestionControl::Model(model) => model.shares_with(path),
        }
    }
}

impl Acked {
    /// Returns true if this SACK lets slow start grow the window: the profile allows it, and the window was fully used (RFC
    /// 9260 §7.2.1).
    pub(crate) fn grows_slow_start(&self) -> bool {
        self.may_grow && self.is_fully_used
    }
}
