//! The growth of a congestion window up to its threshold. Slow start is a separate policy, so that a congestion control
//! implements only congestion avoidance.

pub(crate) mod half_of_acked;
pub(crate) mod hystart_plus_plus;
pub mod unit;

use std::fmt::Debug;

use anabranch_base::{BitRate, ByteCount};

use super::congestion::{Acked, pacing};
use super::{PathId, View};

/// One step of slow start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlowStartStep {
    /// The wanted growth of cwnd.
    pub by: ByteCount,
    /// True if slow start ends: after the growth the path continues in congestion avoidance.
    pub is_over: bool,
}

/// A rule for the growth of windows below their thresholds. [Models](super::congestion::PathModel) do without it.
pub trait SlowStart: Debug + Send {
    /// `path` was added.
    fn add_path(&mut self, _path: PathId) {}

    /// `path` was removed.
    fn remove_path(&mut self, _path: PathId) {}

    /// A SACK newly acknowledged data of `path`. Called for every such SACK, in congestion avoidance and in fast
    /// recovery too, before [`increase`](SlowStart::increase).
    fn on_acked(&mut self, _path: PathId, _acked: &Acked, _view: &View<'_>) {}

    /// The wanted growth of the path's cwnd. It is called while the path [is in slow
    /// start](super::congestion::WindowRule::is_in_slow_start) and not in fast recovery.
    fn increase(&mut self, path: PathId, acked: &Acked, view: &View<'_>) -> SlowStartStep;

    /// The pacing rate of `path` in slow start; `None` for as fast as the window allows.
    fn pacing_rate(&self, path: PathId, view: &View<'_>) -> Option<BitRate> {
        pacing::window_rate(view.path(path), pacing::DOUBLING)
    }
}

impl SlowStartStep {
    /// Growth by `by`; slow start ends at the threshold.
    pub const fn grow(by: ByteCount) -> SlowStartStep {
        SlowStartStep { by, is_over: false }
    }
}
