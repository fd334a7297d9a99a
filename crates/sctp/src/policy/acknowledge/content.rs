//! The interface of policies for the content of a SACK.

use std::fmt;

use anabranch_base::ByteCount;

use crate::seq::Tsn;
use crate::wire::GapBlock;

/// The TSNs that a SACK may report.
pub struct Arrived<'a> {
    /// Every TSN up to this one has arrived.
    pub cumulative: Tsn,
    /// Every block of TSNs beyond `cumulative`, as offsets from it, ascending.
    pub gaps: &'a mut dyn Iterator<Item = GapBlock>,
    /// The TSNs that arrived again since the last SACK.
    pub duplicates: &'a [Tsn],
}

/// The TSNs that a SACK reports. The next SACK reuses its memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// Blocks as offsets from the cumulative TSN, ascending and not adjacent.
    pub gaps: Vec<GapBlock>,
    /// TSNs that arrived again.
    pub duplicates: Vec<Tsn>,
}

/// Decides what a SACK reports (M-SCTP-11).
pub trait SackContent: fmt::Debug + Send {
    /// Replaces `listed` by the content of a SACK chunk of at most `limit` bytes, including its header.
    fn fill(&mut self, arrived: Arrived<'_>, limit: ByteCount, listed: &mut Listed);

    /// The flags that mark this kind of content; the standard has none (RFC 9260 §3.3.4).
    fn flags(&self) -> u8 {
        0
    }
}
