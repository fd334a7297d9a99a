//! The interface of policies for when a SACK is due.

use std::fmt;

use anabranch_base::Duration;

/// What one packet with DATA chunks brought, all its chunks taken together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PacketNews {
    /// Every chunk in it had arrived before.
    pub duplicates_only: bool,
    /// TSNs are missing below the highest one, now that the packet has been read.
    pub has_gap: bool,
    /// TSNs were missing before the packet, and none is now.
    pub closed_gap: bool,
    /// At least one chunk was not accepted, for want of room or of reach.
    pub dropped: bool,
    /// At least one chunk had the I bit: its sender wants to know at once (RFC 7053).
    pub immediate: bool,
    /// This end has sent SHUTDOWN, and answers each packet with data at once (RFC 9260 §9.2).
    pub shutting_down: bool,
    /// How many paths may carry data now.
    pub paths: usize,
}

/// When the SACK for a packet is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// With the next packet out.
    Now,
    /// This long after the first unreported packet: a timer that runs already is not restarted.
    After(Duration),
}

/// Decides when a SACK is sent (M-SCTP-11).
pub trait AckTiming: fmt::Debug + Send {
    /// A packet with data was read.
    fn on_packet(&mut self, news: &PacketNews) -> When;

    /// A SACK left, for whatever reason.
    fn on_sack_sent(&mut self);

    /// Packets with data since the last SACK, those with nothing but duplicates included.
    fn packets_since_sack(&self) -> u32;

    /// The flags of a SACK that leaves now, to be read before [`AckTiming::on_sack_sent`]; the standard has
    /// none (RFC 9260 §3.3.4).
    fn flags(&self) -> u8 {
        0
    }
}
