//! The settings of queues that drop or mark packets before they are full.

use anabranch_base::setting::Named;
use anabranch_base::{ByteCount, Duration};

use super::QueueLimit;

/// Random early detection (M-RED-1). Thresholds are in packets, and may have fractions.
#[derive(Clone, Debug, PartialEq)]
pub struct RedConfig {
    /// The capacity.
    pub limit: QueueLimit,
    /// The average length from which packets are marked by chance.
    pub min: f64,
    /// The average length from which all packets are marked.
    pub max: f64,
    /// The weight of a new length in the average.
    pub weight: f64,
    /// The probability of a mark just below `max`.
    pub max_probability: f64,
    /// The size of the packets that an idle line could have sent.
    pub mean_packet: ByteCount,
    /// True if packets whose transport understands marks are marked where others are dropped.
    pub ecn: bool,
    /// True if the length at hand counts besides its average.
    pub rule: RedRule,
}

/// The rule that decides on marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedRule {
    /// The average length (M-RED-1).
    Plain,
    /// The average length and the length at hand (M-RED-2).
    Enhanced,
}

impl Named for RedRule {
    const WHAT: &'static str = "rule of RED";
    const NAMES: &'static [(&'static str, RedRule)] =
        &[("plain", RedRule::Plain), ("enhanced", RedRule::Enhanced)];
}

impl RedConfig {
    /// YE's settings at routers where nothing else is said.
    pub const DEFAULT: RedConfig = RedConfig {
        limit: QueueLimit::Packets(100),
        min: 5.0,
        max: 10.0,
        weight: 0.002,
        max_probability: 0.5,
        mean_packet: ByteCount::new(1_500),
        ecn: true,
        rule: RedRule::Plain,
    };
}

/// Controlled delay (RFC 8289).
#[derive(Clone, Debug, PartialEq)]
pub struct CoDelConfig {
    /// The capacity.
    pub limit: QueueLimit,
    /// The delay that is accepted.
    pub target: Duration,
    /// For how long the delay must be longer before a packet is dropped: the longest usual round trip.
    pub interval: Duration,
    /// True if packets whose transport understands marks are marked where others are dropped.
    pub ecn: bool,
}

impl CoDelConfig {
    /// RFC 8289 §4.4: 5 ms of 100 ms.
    pub const DEFAULT: CoDelConfig = CoDelConfig {
        limit: QueueLimit::Packets(1_000),
        target: Duration::from_millis(5),
        interval: Duration::from_millis(100),
        ecn: true,
    };
}

/// Proportional integral controller enhanced (RFC 8033).
#[derive(Clone, Debug, PartialEq)]
pub struct PieConfig {
    /// The capacity.
    pub limit: QueueLimit,
    /// The delay that it aims at.
    pub target: Duration,
    /// The interval at which the drop probability is computed.
    pub update: Duration,
    /// For how long nothing is dropped after a time without a queue.
    pub max_burst: Duration,
    /// True if packets whose transport understands marks are marked where others are dropped, as long as drops are rare.
    pub ecn: bool,
}

impl PieConfig {
    /// RFC 8033 §4.1, §4.2, §4.4.
    pub const DEFAULT: PieConfig = PieConfig {
        limit: QueueLimit::Packets(1_000),
        target: Duration::from_millis(15),
        update: Duration::from_millis(15),
        max_burst: Duration::from_millis(150),
        ecn: true,
    };
}

/// Flow queueing with controlled delay (RFC 8290).
#[derive(Clone, Debug, PartialEq)]
pub struct FqCoDelConfig {
    /// The capacity of all queues together.
    pub limit: QueueLimit,
    /// The number of queues. Flows are distributed among them by a hash.
    pub flows: u64,
    /// The number of bytes a queue sends in its turn.
    pub quantum: ByteCount,
    /// The accepted delay in each queue.
    pub target: Duration,
    /// For how long the delay must be longer before a packet is dropped.
    pub interval: Duration,
    /// True if the queue marks packets whose transport supports marks, where it drops others.
    pub ecn: bool,
}

impl FqCoDelConfig {
    /// RFC 8290 §5.2.
    pub const DEFAULT: FqCoDelConfig = FqCoDelConfig {
        limit: QueueLimit::Packets(10_240),
        flows: 1_024,
        quantum: ByteCount::new(1_514),
        target: Duration::from_millis(5),
        interval: Duration::from_millis(100),
        ecn: true,
    };
}
