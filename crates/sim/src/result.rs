//! The results of one run and of several.

mod path;

pub use anabranch_sctp::association::{PathCounters, SackCounters};
pub use anabranch_wireless::StationCounters;
pub use path::{Measure, PathQuantity, PathResult};

use anabranch_base::{ByteCount, Duration};

use crate::observe::Host;

/// The result of one replication.
#[derive(Clone, Debug, PartialEq)]
pub struct RunResult {
    /// The seed.
    pub seed: u64,
    /// The simulated time at its end.
    pub time: Duration,
    /// The number of events that the engine handled: arrivals, time-outs and scenario events.
    pub events: u64,
    /// Link crossings, in both directions.
    pub packets: u64,
    /// Packets sent by hosts.
    pub end_to_end_packets: u64,
    /// The flows, in the scenario's order; a flow in both directions has two entries.
    pub flows: Vec<FlowResult>,
    /// The links, in the scenario's order.
    pub links: Vec<LinkResult>,
    /// The stations of the mesh: all nodes on the first radio, then all on the next.
    pub stations: Vec<StationResult>,
}

/// The result of one direction of a flow.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowResult {
    /// The name; for the reverse direction of a flow in both directions it ends with `/reverse`.
    pub name: String,
    /// `sctp` or `udp`.
    pub protocol: &'static str,
    /// The sending host.
    pub from: Host,
    /// User data delivered in total; for AppStripe by all associations together, and at most the transfer.
    pub delivered: ByteCount,
    /// Bits of user data per second that were delivered once and in order, after the warm-up.
    pub goodput_bps: f64,
    /// The time from the start to the delivery of the last byte; `None` without a transfer, or if it is not complete.
    pub completion: Option<Duration>,
    /// When the first data was delivered, from the start of the run.
    pub first_data: Option<Duration>,
    /// For how long the sender had data and congestion window but no receive window; for AppStripe, the longest of
    /// its associations.
    pub blocked: Duration,
    /// The longest time without a delivery between the flow's start and its end.
    pub longest_stall: Duration,
    /// The most data that the receiver held and could not deliver; for AppStripe, the most of any association,
    /// because each has its own receive buffer.
    pub reorder_bytes_max: ByteCount,
    /// The time from `send` to delivery; `None` if nothing was delivered.
    pub delay: Option<DelayResult>,
    /// The bytes that its hosts sent after the warm-up; for a flow in both directions, those of both.
    pub wire_bytes_sent: WireBytes,
    /// The bytes that both hosts sent after the warm-up, per delivered byte (the T-R ratio, M-MET-4): user data, or whole
    /// packets where `charge` is `packet`. A flow in both directions has one ratio. `None` if nothing was delivered.
    pub tr_ratio: Option<f64>,
    /// Packets with user data that arrived for the first time after the warm-up (M-MET-2); `None` if its protocol does
    /// not count them.
    pub goodput_packets: Option<u64>,
    /// The acknowledgements of the flow, as its two ends counted them over all its associations; `None` if its protocol
    /// has no SACKs.
    pub sacks: Option<SackCounters>,
    /// Why the transport failed, if it did; for an incomplete AppStripe flow, why one of its associations failed.
    pub failure: Option<String>,
    /// The flow's paths, in its order.
    pub paths: Vec<PathResult>,
}

/// Percentiles of the time from `send` to delivery.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DelayResult {
    /// The delay that half of the messages did not exceed.
    pub p50: Duration,
    /// The delay that 95 % did not exceed.
    pub p95: Duration,
    /// The delay that 99 % did not exceed.
    pub p99: Duration,
    /// The longest delay.
    pub max: Duration,
}

/// The bytes that the hosts of a flow sent, each packet once with its IP header, however many links it crossed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WireBytes {
    /// The bytes of the host that sends its data.
    pub sender: ByteCount,
    /// The bytes of the host that receives it.
    pub receiver: ByteCount,
}

/// The counters of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkResult {
    /// The name.
    pub name: String,
    /// The forward direction.
    pub forward: DirectionResult,
    /// The reverse direction.
    pub reverse: DirectionResult,
}

/// The counters of a station.
#[derive(Clone, Debug, PartialEq)]
pub struct StationResult {
    /// The name of its node.
    pub name: String,
    /// The name of its radio.
    pub radio: String,
    /// The counters.
    pub counters: StationCounters,
    /// The part of the time in which it sent.
    pub airtime: f64,
}

/// The counters of a direction of a link: `offered + duplicated = packets + lost + queue_drops + in_flight`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DirectionResult {
    /// Packets that arrived at its other end.
    pub packets: u64,
    /// Packets that entered it.
    pub offered: u64,
    /// Packets lost by the loss rule, because the link was down, or because they were too large.
    pub lost: u64,
    /// Packets that its queue refused.
    pub queue_drops: u64,
    /// Packets that its queue marked.
    pub marked: u64,
    /// Second copies that it made.
    pub duplicated: u64,
    /// Packets that it damaged.
    pub corrupted: u64,
    /// Packets on it at the end.
    pub in_flight: u64,
    /// Packets that waited for transmission, averaged over time.
    pub mean_queue_packets: f64,
    /// The amount it transmitted, as a fraction of what it could have transmitted.
    pub utilisation: f64,
}
