//! How far congestion windows may grow in one shared receive buffer, whatever the controller wants (M-CWM-1).
//!
//! Windows whose sum exceeds the buffer stall one another: the rules here hold Σ cwnd ≤ the peer's receive buffer at
//! every growth. Cuts are never bounded.

pub mod dynamic;
pub mod limits;
pub mod live;
pub mod none;
mod shared;

use std::fmt::Debug;

use anabranch_base::ByteCount;

use super::{PathId, View};

/// The answer to a wish for growth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// By how much cwnd may grow.
    pub by: ByteCount,
    /// Which path's window gives way, the same one's perhaps, and by how much.
    pub taken: Option<(PathId, ByteCount)>,
}

/// A rule that bounds the congestion windows.
pub trait WindowLimit: Debug + Send {
    /// How much of the `wanted` growth, at most one unit, `path` gets.
    fn grant(&mut self, path: PathId, wanted: ByteCount, view: &View<'_>) -> Grant;

    /// What the windows of fresh paths may be together; where they would be more, each is cut to its part.
    fn room(&self, _view: &View<'_>) -> ByteCount {
        ByteCount::MAX
    }

    /// New limits from a plan; paths that are not named have none.
    fn set_limits(&mut self, limits: &[(PathId, ByteCount)]);
}

/// Plans how the peer's receive buffer is divided best, from the paths' measurements so far (M-CWM-4).
pub trait Planner: Debug + Send {
    /// A limit for each path that carries data. None at all while too little is known to plan.
    fn plan(&mut self, view: &View<'_>) -> Vec<(PathId, ByteCount)>;
}

impl Grant {
    /// No growth.
    pub const REFUSED: Grant = Grant { by: ByteCount::ZERO, taken: None };

    /// Growth that no other path pays for.
    pub const fn free(by: ByteCount) -> Grant {
        Grant { by, taken: None }
    }
}
