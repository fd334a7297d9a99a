//! The interface of policies for what a SACK lists.

use std::fmt;

use anabranch_base::ByteCount;

use crate::seq::Tsn;
use crate::wire::GapBlock;

/// What could be listed.
pub struct Arrived<'a> {
    /// Every TSN up to this one has arrived.
    pub cumulative: Tsn,
    /// Every block of TSNs beyond it, as offsets from it, ascending.
    pub gaps: &'a mut dyn Iterator<Item = GapBlock>,
    /// The TSNs that arrived once more since the last SACK.
    pub duplicates: &'a [Tsn],
}

/// What is listed. Its memory is used again from SACK to SACK.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// Blocks as offsets from the cumulative TSN, ascending and apart.
    pub gaps: Vec<GapBlock>,
    /// TSNs that arrived once more.
    pub duplicates: Vec<Tsn>,
}

/// Decides what a SACK lists (M-SCTP-11).
pub trait SackContent: fmt::Debug + Send {
    /// Replaces `listed` by what goes into a SACK chunk of at most `limit` bytes, its header included.
    fn fill(&mut self, arrived: Arrived<'_>, limit: ByteCount, listed: &mut Listed);

    /// The flags that mark this kind of list; the standard has none (RFC 9260 §3.3.4).
    fn flags(&self) -> u8 {
        0
    }
}
