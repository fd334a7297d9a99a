//! Retransmission policies: the path for a lost chunk (M-SCTP-16, M-CMT-6). A policy is called again at each
//! opportunity, so that it follows changes of the paths.

pub mod alternate;
pub mod asap;
pub mod best;
pub(crate) mod in_order_arrival;
pub mod same;
mod tie;

use std::fmt::Debug;

use super::{PathId, View};
use crate::seq::Tsn;

/// A chunk that is marked for retransmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LostChunk {
    /// The TSN.
    pub tsn: Tsn,
    /// The path on which it was sent last.
    pub path: PathId,
    /// The way it was found lost.
    pub by: LostBy,
}

/// The way a chunk was found lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LostBy {
    /// Missing reports.
    MissingReports,
    /// The acknowledgement of the last chunk that a small window allowed (M-SWS-1).
    SmallWindow,
    /// The T3-rtx timer, or the failure of its path.
    Timeout,
    /// Nothing was acknowledged for two round trips: it leaves again as a probe (RFC 8985 §7).
    Probe,
}

/// The destination of a lost chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    /// To this path, as soon as its window has room.
    Now(PathId),
    /// To both paths, to each as soon as its window has room. The chunk is in flight on the path that has room first.
    /// The copy for the other path is cancelled if the chunk is acknowledged before that path has room.
    Both(PathId, PathId),
    /// The chunk waits.
    Wait,
}

/// A rule that chooses where lost chunks are sent again.
pub trait RetransmissionPolicy: Debug + Send {
    /// The destination of `lost`.
    fn destination(&mut self, lost: &LostChunk, view: &View<'_>) -> Destination;
}
