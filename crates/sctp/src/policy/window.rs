//! Limits on congestion windows in one shared receive buffer, for any congestion control (M-CWM-1).
//!
//! Windows whose sum exceeds the buffer delay each other: the rules here keep Σ cwnd ≤ the peer's receive buffer at
//! every growth. Cuts are never limited.

pub mod dynamic;
pub mod limits;
pub mod live;
pub mod none;
mod shared;

use std::fmt::Debug;

use anabranch_base::ByteCount;

use super::{PathId, PathSample, View};

/// The answer to a request for growth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The growth of cwnd that is allowed.
    pub by: ByteCount,
    /// The path whose window shrinks for it, possibly the same path, and by how much.
    pub taken: Option<(PathId, ByteCount)>,
}

/// A rule that limits the congestion windows.
pub trait WindowLimit: Debug + Send {
    /// The part of the `wanted` growth that `path` gets. In congestion avoidance the growth is at most its
    /// [`largest_step`](WindowLimit::largest_step).
    fn grant(&mut self, path: PathId, wanted: ByteCount, view: &View<'_>) -> Grant;

    /// The most that the window of `path` grows at one event of congestion avoidance. It is a unit: a rule divides the
    /// room packet by packet, and a control without such a bound on its growth (OLIA, BERP) would take several from
    /// another path at once.
    fn largest_step(&self, path: &PathSample) -> ByteCount {
        path.unit
    }

    /// The most that the windows of all paths may have together when paths are added; if they have more, the windows
    /// of the new paths are cut to equal parts.
    fn room(&self, _view: &View<'_>) -> ByteCount {
        ByteCount::MAX
    }

    /// The bound on the windows. The value is constant.
    fn bound(&self) -> WindowBound {
        WindowBound::Rule
    }

    /// New limits from a plan; paths that are not in `limits` have none.
    fn set_limits(&mut self, limits: &[(PathId, ByteCount)]);
}

/// The bound on the windows of an association.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowBound {
    /// No bound.
    None,
    /// A limit for each path, given from outside.
    Limits,
    /// A rule.
    Rule,
}

/// Plans the best division of the peer's receive buffer from the paths' measurements so far (M-CWM-4).
pub trait Planner: Debug + Send {
    /// A limit for each path that carries data; no limits while there are too few measurements.
    fn plan(&mut self, view: &View<'_>) -> Vec<(PathId, ByteCount)>;
}

impl Grant {
    /// No growth.
    pub const REFUSED: Grant = Grant { by: ByteCount::ZERO, taken: None };

    /// Growth by `by` for which no other path's window shrinks.
    pub const fn free(by: ByteCount) -> Grant {
        Grant { by, taken: None }
    }
}
