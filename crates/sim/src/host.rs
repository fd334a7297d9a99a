//! The two ends of a flow, which run on hosts. An end is a transport with an application on top; it receives packets
//! and sends packets. The network between the ends is elsewhere.

mod address;
mod draft;
mod sctp;
#[cfg(test)]
mod stop_and_wait;
mod tcp;
mod udp;

pub(crate) use draft::Draft;
pub use tcp::following_data;

use std::any::Any;
use std::fmt::Debug;

use anabranch_base::{ByteCount, Duration, Ecn, Machine, Time};
use anabranch_link::Round;
use anabranch_scenario::model::Protocol;
use anabranch_sctp::association::{PathCounters, SackCounters};
use bytes::Bytes;

use crate::observe::{PathMeasurements, PathState};
use crate::unfit::Unfit;

/// One end of a flow: a transport and the application above it.
///
/// It is driven as a machine: packets that arrived are handled, and packets to send are polled. In addition, the
/// network opens it, takes what it delivered to its application, and reads what each path carried. Methods that do
/// not apply to a transport keep their default.
pub(crate) trait Transport: Machine<Input = Inbound, Output = Outbound> + Any + Debug + Send {
    /// Starts to open the connection with packets; the other end answers. A transport without connections is always
    /// open.
    fn open(&mut self, _now: Time) {}

    /// Opens this end and the other one at once, without a packet.
    fn join(&mut self, _now: Time, _other: &mut dyn Transport) {}

    /// Stops the end: from now on it sends and handles nothing, because its flow is complete without it. The counters
    /// can still be read.
    fn fall_silent(&mut self) {}

    /// The data that was delivered to the application at this end and was not taken yet.
    fn deliveries(&mut self) -> &mut Vec<Delivered>;

    /// The data that has arrived and cannot be delivered.
    fn held(&self) -> ByteCount {
        ByteCount::ZERO
    }

    /// Why the transport failed, if it did; then it delivers nothing more.
    fn failure(&self) -> Option<&str> {
        None
    }

    /// Returns true if the end sends without acknowledgements, and has sent everything: what has not arrived will never
    /// arrive.
    fn is_spent(&self) -> bool {
        false
    }

    /// From now on, keeps changes of paths until they are taken.
    fn watch_paths(&mut self) {}

    /// The paths whose windows or times changed since the last call, with the flow's number of each path.
    fn take_changed_paths(&mut self) -> Vec<(usize, PathView)> {
        Vec::new()
    }

    /// The counters of this end, as a sender, for a path of the flow at `now`.
    fn report(&self, now: Time, path: usize) -> PathReport;

    /// The data that arrived for the first time on a path of the flow, after the warm-up; `None` if the transport
    /// does not distinguish paths.
    fn received_on(&self, _path: usize) -> Option<Received> {
        None
    }

    /// For how long the end had data and congestion window but no receive window.
    fn blocked(&self, _now: Time) -> Duration {
        Duration::ZERO
    }

    /// The current receive buffer, if there is one.
    fn receive_buffer(&self) -> Option<ByteCount> {
        None
    }

    /// The SACKs that this end sent and received; `None` if the transport has none.
    fn sacks(&self) -> Option<SackCounters> {
        None
    }
}

/// The data that arrived for the first time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Received {
    /// User data.
    pub bytes: ByteCount,
    /// Packets with such data.
    pub packets: u64,
}

/// A path as its sender sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PathView {
    /// True if it carries data.
    pub state: PathState,
    /// The congestion window.
    pub cwnd: ByteCount,
    /// The slow-start threshold.
    pub ssthresh: ByteCount,
    /// The flight.
    pub flight: ByteCount,
    /// The smoothed round-trip time, once measured.
    pub srtt: Option<Duration>,
    /// The retransmission time-out.
    pub rto: Duration,
    /// The delays and rates that its sender measured.
    pub measured: PathMeasurements,
}

/// The traffic of a path since the start of the run, as its sender counted it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PathReport {
    /// The current state of the path.
    pub state: PathState,
    /// The counters of this end, as far as its transport has them. TCP's chunks are segments.
    pub counters: PathCounters,
    /// The congestion window, averaged over time.
    pub mean_cwnd_bytes: f64,
    /// The mean of the round-trip times measured; `None` without one.
    pub mean_rtt_s: Option<f64>,
    /// The least of them.
    pub min_rtt_s: Option<f64>,
    /// For how long there was no data.
    pub app_limited: Duration,
    /// For how long the congestion window was full.
    pub cwnd_limited: Duration,
    /// For how long the receive window was too small.
    pub rwnd_limited: Duration,
    /// For how long both windows had room, and the scheduler sent nothing.
    pub scheduler_limited: Duration,
    /// For how long the path carried no data.
    pub down: Duration,
    /// The number of the first other path that was found to share its bottleneck.
    pub shares_with: Option<usize>,
}

impl Draft<'_> {
    /// The ends for the flow's protocol: at the first host, and at the second.
    ///
    /// # Errors
    /// The settings of the transport contradict each other.
    pub(crate) fn ends(&self) -> Result<[Box<dyn Transport>; 2], Unfit> {
        match &self.flow.protocol {
            Protocol::Udp => Ok(udp::ends(self)),
            Protocol::Sctp(settings) => sctp::ends(self, settings),
            Protocol::Tcp(settings) => Ok(tcp::ends(self, settings)),
        }
    }
}

impl PathReport {
    /// The report of a path in `state` that has carried nothing.
    pub(crate) fn empty(state: PathState) -> PathReport {
        PathReport {
            state,
            counters: PathCounters::default(),
            mean_cwnd_bytes: 0.0,
            mean_rtt_s: None,
            min_rtt_s: None,
            app_limited: Duration::ZERO,
            cwnd_limited: Duration::ZERO,
            rwnd_limited: Duration::ZERO,
            scheduler_limited: Duration::ZERO,
            down: Duration::ZERO,
            shares_with: None,
        }
    }
}

/// A packet that leaves an end.
#[derive(Clone, Debug)]
pub(crate) struct Outbound {
    /// The flow's path that it takes.
    pub path: usize,
    /// The size with IP and UDP headers.
    pub size: ByteCount,
    /// The ECN codepoint.
    pub ecn: Ecn,
    /// The number of the round of the path's window, if it carries data.
    pub round: Option<u64>,
    /// True if links may fragment it.
    pub may_fragment: bool,
    /// True if it carries a chunk that was sent before.
    pub retransmission: bool,
    /// The bytes after the IP and UDP headers.
    pub bytes: Bytes,
}

/// A packet that reached an end.
#[derive(Clone, Debug)]
pub(crate) struct Inbound {
    /// The flow's path on which it arrived.
    pub path: usize,
    /// The ECN codepoint after the last queue.
    pub ecn: Ecn,
    /// When it left the other end.
    pub sent: Time,
    /// The bytes after the IP and UDP headers.
    pub bytes: Bytes,
    /// True if a bit changed on a link.
    pub is_damaged: bool,
    /// True if it is a second copy.
    pub is_duplicate: bool,
}

/// A delivery to an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Delivered {
    /// The number of bytes.
    pub bytes: ByteCount,
    /// The time since it was sent.
    pub delay: Duration,
}

/// The round of an outbound packet in the form that links use: windows are numbered across the network.
pub(crate) fn round_of(end: usize, outbound: &Outbound) -> Option<Round> {
    let window = (end as u64) << 16 | outbound.path as u64;
    outbound.round.map(|number| Round { window, number })
}
