//! How far congestion windows may grow in one shared receive buffer, whatever the controller wants.

pub mod none;

use std::fmt::Debug;

use anabranch_base::ByteCount;

use super::{PathId, View};

/// The answer to a wish for growth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// By how much cwnd may grow.
    pub by: ByteCount,
    /// Which path gives up as much, if the sum is limited.
    pub taken_from: Option<PathId>,
}

/// A rule that bounds the congestion windows.
pub trait WindowLimit: Debug + Send {
    /// How much of the `wanted` growth `path` gets.
    fn grant(&mut self, path: PathId, wanted: ByteCount, view: &View<'_>) -> Grant;

    /// New limits from a plan; paths that are not named have none.
    fn set_limits(&mut self, limits: &[(PathId, ByteCount)]);
}
