//! The results of one run and of several.

use anabranch_base::{ByteCount, Duration};

use crate::observe::{Host, PathState};

/// The result of one replication.
#[derive(Clone, Debug, PartialEq)]
pub struct RunResult {
    /// Its seed.
    pub seed: u64,
    /// The simulated time at its end.
    pub time: Duration,
    /// What the engine handled: arrivals, time-outs and scenario events.
    pub events: u64,
    /// Link crossings, both ways.
    pub packets: u64,
    /// Packets sent by hosts.
    pub end_to_end_packets: u64,
    /// The flows, in the scenario's order; one that goes both ways has two entries.
    pub flows: Vec<FlowResult>,
    /// The links, in the scenario's order.
    pub links: Vec<LinkResult>,
}

/// The result of one direction of a flow.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowResult {
    /// Its name; that of the way back of a flow in both directions ends with `/reverse`.
    pub name: String,
    /// `sctp` or `udp`.
    pub protocol: &'static str,
    /// The sending host.
    pub from: Host,
    /// User data delivered, all in all; by the associations of AppStripe together, and no more than the transfer.
    pub delivered: ByteCount,
    /// Bits of user data delivered per second, in order and once, after the warm-up.
    pub goodput_bps: f64,
    /// From the start to the last byte's delivery; `None` without a transfer, or for one that is not done.
    pub completion: Option<Duration>,
    /// When the first data was delivered, from the start of the run.
    pub first_data: Option<Duration>,
    /// How long the sender had data and congestion window but no receive window; of AppStripe's associations, the one
    /// that was blocked longest.
    pub blocked: Duration,
    /// The longest time without a delivery between the flow's start and its end.
    pub longest_stall: Duration,
    /// The most that was held at the receiver and could not be delivered; of AppStripe's associations, by the one that
    /// held most, as each has a receive buffer of its own.
    pub reorder_bytes_max: ByteCount,
    /// From `send` to delivery; `None` when nothing was delivered.
    pub delay: Option<DelayResult>,
    /// How the flow was acknowledged, over all its associations; `None` where it is not.
    pub sacks: Option<SackResult>,
    /// Why the transport gave up, if it did; where AppStripe is not complete, why one of its associations did.
    pub failure: Option<String>,
    /// The flow's paths, in its order.
    pub paths: Vec<PathResult>,
}

/// Percentiles of the time from `send` to delivery.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DelayResult {
    /// Half took no longer.
    pub p50: Duration,
    /// 95 of 100 took no longer.
    pub p95: Duration,
    /// 99 of 100 took no longer.
    pub p99: Duration,
    /// None took longer.
    pub max: Duration,
}

/// How one direction of an SCTP flow was acknowledged. Its paths have a SACK in common, which may report what arrived
/// on several of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackResult {
    /// SACKs that the receiver sent.
    pub sent: u64,
    /// Those of them that left because their delay ran out.
    pub sent_by_timer: u64,
    /// SACKs that the sender received and that were not older than one before.
    pub received: u64,
    /// Those of them that newly acknowledged chunks of more than one path.
    pub received_for_several_paths: u64,
}

impl SackResult {
    /// Those of both together.
    pub(crate) fn and(self, other: SackResult) -> SackResult {
        SackResult {
            sent: self.sent + other.sent,
            sent_by_timer: self.sent_by_timer + other.sent_by_timer,
            received: self.received + other.received,
            received_for_several_paths: self.received_for_several_paths + other.received_for_several_paths,
        }
    }
}

/// The result of one path of a flow.
#[derive(Clone, Debug, PartialEq)]
pub struct PathResult {
    /// Its name.
    pub name: String,
    /// Its state at the end, as the sender sees it.
    pub state: PathState,
    /// Packets sent on this path.
    pub sent_packets: u64,
    /// User data sent on this path, including retransmissions.
    pub sent_bytes: ByteCount,
    /// Chunks that were sent again here.
    pub retransmitted_chunks: u64,
    /// Packets of the sender that were lost on the way.
    pub lost_packets: u64,
    /// Chunks marked lost by missing reports.
    pub fast_retransmits: u64,
    /// Expiries of the T3-rtx timer.
    pub timeouts: u64,
    /// How often it was left because it was silent while another delivered.
    pub suspicions: u64,
    /// The congestion window, averaged over time.
    pub mean_cwnd_bytes: f64,
    /// The mean of the round-trip times measured; `None` without one.
    pub mean_rtt_s: Option<f64>,
    /// Bits of user data a second that arrived here first, after the warm-up.
    pub goodput_bps: f64,
    /// How long there was no data.
    pub app_limited: Duration,
    /// How long the congestion window was full.
    pub cwnd_limited: Duration,
    /// How long the receive window was too small.
    pub rwnd_limited: Duration,
    /// How long both had room, and the scheduler sent nothing.
    pub scheduler_limited: Duration,
    /// How long it carried no data.
    pub down: Duration,
}

/// What a link did.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkResult {
    /// Its name.
    pub name: String,
    /// There.
    pub forward: DirectionResult,
    /// And back.
    pub reverse: DirectionResult,
}

/// What a direction of a link did: `offered + duplicated = packets + lost + queue_drops + in_flight`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DirectionResult {
    /// Packets that arrived at its other end.
    pub packets: u64,
    /// Packets that arrived at it.
    pub offered: u64,
    /// Packets lost lost by the loss rule or while the link was down.
    pub lost: u64,
    /// Packets that found its queue full.
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
    /// The share of what it could have transmitted that it did.
    pub utilisation: f64,
}
