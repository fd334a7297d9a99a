//! The two ends of a flow: what hosts run. An end is a transport with an application on top; it takes packets and gives
//! packets, and the network between is elsewhere.

mod address;
mod draft;
mod hints;
mod sctp;
#[cfg(test)]
mod stop_and_wait;
mod udp;

pub use draft::Draft;
pub use hints::hints;

use std::any::Any;
use std::fmt::Debug;

use anabranch_base::{ByteCount, Duration, Ecn, Machine, Time};
use anabranch_link::Round;
use bytes::Bytes;

use crate::observe::PathState;
use crate::result::SackResult;

/// One end of a flow: a transport and the application above it.
///
/// It is driven as a machine: packets that came are handled, and packets that are to leave are polled. Beside that it is
/// opened, tells what it delivered to its application, and reports what each path carried. What a transport does not have
/// keeps its default.
pub trait Transport: Machine<Input = Inbound, Output = Outbound> + Any + Debug + Send {
    /// Begins to open the connection by packets; the other end answers. A transport without connections is open already.
    fn open(&mut self, _now: Time) {}

    /// Opens this end and the other one at once, without a packet.
    fn join(&mut self, _now: Time, _other: &mut dyn Transport) {}

    /// From now on the end sends nothing and hears nothing: its flow is complete without it. What was counted can still
    /// be read.
    fn fall_silent(&mut self) {}

    /// What was delivered to the application at this end and was not taken yet.
    fn deliveries(&mut self) -> &mut Vec<Delivered>;

    /// What has arrived and cannot be delivered.
    fn held(&self) -> ByteCount {
        ByteCount::ZERO
    }

    /// Why the transport gave up, if it did: then nothing more comes of this end.
    fn failure(&self) -> Option<&str> {
        None
    }

    /// Whether the end sends without acknowledgements, and has sent all it had: what did not arrive never will.
    fn is_spent(&self) -> bool {
        false
    }

    /// From now on changes of paths are kept until they are taken.
    fn watch_paths(&mut self) {}

    /// The paths whose windows or times changed since the last call, by the flow's number of each.
    fn take_changed_paths(&mut self) -> Vec<(usize, PathView)> {
        Vec::new()
    }

    /// What this end, as a sender, says of a path of the flow at `now`.
    fn report(&self, now: Time, path: usize) -> PathReport;

    /// User data that arrived for the first time on a path of the flow, after the warm-up; `None` where the transport
    /// does not tell paths apart.
    fn received_on(&self, _path: usize) -> Option<ByteCount> {
        None
    }

    /// How long the end had data and congestion window but no receive window.
    fn blocked(&self, _now: Time) -> Duration {
        Duration::ZERO
    }

    /// The receive buffer as it is now, where there is one.
    fn receive_buffer(&self) -> Option<ByteCount> {
        None
    }

    /// The SACKs that this end sent and received; `None` where there are none.
    fn sacks(&self) -> Option<SackResult> {
        None
    }
}

/// A path as its sender sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathView {
    /// Whether it carries data.
    pub state: PathState,
    /// The congestion window.
    pub cwnd: ByteCount,
    /// The slow-start threshold.
    pub ssthresh: ByteCount,
    /// What is in flight.
    pub flight: ByteCount,
    /// The smoothed round-trip time, once measured.
    pub srtt: Option<Duration>,
    /// The retransmission time-out.
    pub rto: Duration,
}

/// What a path carried since the run began, as its sender counted it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathReport {
    /// The path's state now.
    pub state: PathState,
    /// Packets that left.
    pub sent_packets: u64,
    /// User data that left, retransmissions included.
    pub sent_bytes: ByteCount,
    /// Chunks, or segments, that were sent again.
    pub retransmitted_chunks: u64,
    /// Chunks that were marked lost by missing reports.
    pub fast_retransmits: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// How often the path was left because it was silent while another delivered.
    pub suspicions: u64,
    /// The congestion window, averaged over time.
    pub mean_cwnd_bytes: f64,
    /// The mean of the round-trip times measured; `None` without one.
    pub mean_rtt_s: Option<f64>,
    /// How long there was no data.
    pub app_limited: Duration,
    /// How long the congestion window was full.
    pub cwnd_limited: Duration,
    /// How long the receive window was too small.
    pub rwnd_limited: Duration,
    /// How long both had room, and the scheduler sent nothing.
    pub scheduler_limited: Duration,
    /// How long the path carried no data.
    pub down: Duration,
}

impl PathReport {
    /// Of a path in this state that has carried nothing.
    pub fn empty(state: PathState) -> PathReport {
        PathReport {
            state,
            sent_packets: 0,
            sent_bytes: ByteCount::ZERO,
            retransmitted_chunks: 0,
            fast_retransmits: 0,
            timeouts: 0,
            suspicions: 0,
            mean_cwnd_bytes: 0.0,
            mean_rtt_s: None,
            app_limited: Duration::ZERO,
            cwnd_limited: Duration::ZERO,
            rwnd_limited: Duration::ZERO,
            scheduler_limited: Duration::ZERO,
            down: Duration::ZERO,
        }
    }
}

/// A packet that leaves an end.
#[derive(Clone, Debug)]
pub struct Outbound {
    /// Which of the flow's paths it takes.
    pub path: usize,
    /// Its size with the headers of IP and UDP.
    pub size: ByteCount,
    /// Its ECN codepoint.
    pub ecn: Ecn,
    /// The round of the path's window, by its number, where it carries data.
    pub round: Option<u64>,
    /// Whether links may cut it in pieces.
    pub may_fragment: bool,
    /// Whether it carries something that was sent before.
    pub retransmission: bool,
    /// What follows the headers of IP and UDP.
    pub bytes: Bytes,
}

/// A packet that reached an end.
#[derive(Clone, Debug)]
pub struct Inbound {
    /// By which of the flow's paths.
    pub path: usize,
    /// Its ECN codepoint, as the last queue left it.
    pub ecn: Ecn,
    /// When it left the other end.
    pub sent: Time,
    /// What follows the headers of IP and UDP.
    pub bytes: Bytes,
    /// Whether a bit was turned over on the way.
    pub is_damaged: bool,
    /// Whether it is a second copy.
    pub is_duplicate: bool,
}

/// What an application received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivered {
    /// How much.
    pub bytes: ByteCount,
    /// The time since it was sent.
    pub delay: Duration,
}

/// The round of an outbound packet as links tell rounds apart: windows are numbered through the network.
pub fn round_of(end: usize, outbound: &Outbound) -> Option<Round> {
    let window = (end as u64) << 16 | outbound.path as u64;
    outbound.round.map(|number| Round { window, number })
}
