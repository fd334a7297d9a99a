//! The choice of the stream whose message is sent next (RFC 8260 §3).

/// The stream scheduler. It runs before chunks get TSNs; the path scheduler selects among chunks that have them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StreamScheduler {
    /// Messages are sent in the order in which they were given (RFC 8260 §3.1).
    #[default]
    FirstCome,
    /// The streams take turns: a message each, or a chunk each if messages are interleaved (§3.2).
    RoundRobin,
    /// The streams take turns, and a packet has new data of one stream only (§3.3).
    RoundRobinPacket,
    /// The stream with the lowest value is sent first; equal ones take turns (§3.4).
    Priority,
    /// Each stream with data gets the same rate (§3.5).
    FairBandwidth,
    /// Each stream with data gets a rate in proportion to its value (§3.6).
    WeightedFair,
}

impl StreamScheduler {
    /// True if messages are sent in the order in which they were given.
    pub(crate) fn keeps_order(self) -> bool {
        self == StreamScheduler::FirstCome
    }

    /// True if a packet has new data of one stream only.
    pub(crate) fn fills_packets(self) -> bool {
        self == StreamScheduler::RoundRobinPacket
    }

    /// True if values are priorities.
    pub(crate) fn is_by_priority(self) -> bool {
        self == StreamScheduler::Priority
    }

    /// True if values are weights.
    pub(crate) fn is_weighted(self) -> bool {
        self == StreamScheduler::WeightedFair
    }

    /// True if the streams share the rate, whatever the sizes of messages.
    pub(crate) fn is_by_work(self) -> bool {
        matches!(self, StreamScheduler::FairBandwidth | StreamScheduler::WeightedFair)
    }
}
