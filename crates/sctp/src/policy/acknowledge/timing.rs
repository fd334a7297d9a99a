//! The interface of policies for when a SACK is due.

use std::fmt;

use anabranch_base::Duration;

/// The effect of one packet with DATA chunks, for all its chunks together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PacketNews {
    /// Every chunk in it had arrived before.
    pub duplicates_only: bool,
    /// After the packet, TSNs below the highest one are missing.
    pub has_gap: bool,
    /// TSNs were missing before the packet, and none is missing after it.
    pub closed_gap: bool,
    /// At least one chunk was not accepted, because the buffer was full or its TSN was too high.
    pub dropped: bool,
    /// At least one chunk had the I bit: its sender wants a SACK without delay (RFC 7053).
    pub immediate: bool,
    /// This end has sent SHUTDOWN, and answers each packet with data at once (RFC 9260 §9.2).
    pub shutting_down: bool,
    /// The number of paths that may carry data now.
    pub paths: usize,
}

/// The time at which the SACK for a packet is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// With the next packet that leaves.
    Now,
    /// This long after the first unreported packet. A timer that already runs is not restarted.
    After(Duration),
}

/// Decides when a SACK is sent (M-SCTP-11).
pub trait AckTiming: fmt::Debug + Send {
    /// A packet with data was read.
    fn on_packet(&mut self, news: &PacketNews) -> When;

    /// A SACK left, for any reason.
    fn on_sack_sent(&mut self);

    /// The packets with data since the last SACK, including those with only duplicates.
    fn packets_since_sack(&self) -> u32;

    /// The flags of a SACK that leaves now, read before [`AckTiming::on_sack_sent`]; the standard has none (RFC 9260
    /// §3.3.4).
    fn flags(&self) -> u8 {
        0
    }
}
