//! The observations of a run in progress.

use anabranch_base::{BitRate, ByteCount, Duration, Ecn, Time};
use anabranch_link::{Backlog, LossCause};
use bytes::Bytes;

pub use anabranch_wireless::{FrameKind, FrameSeen, RoutingEvent};

/// The choice of observations. Nothing by default, because observations cost time and memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Watch {
    /// Windows and times of every path at the sending host, at each change.
    pub paths: bool,
    /// Queues, at each change.
    pub queues: bool,
    /// For how long each packet waited before its transmission on a link.
    pub waits: bool,
    /// Packets at the hosts, and where packets were lost.
    pub packets: bool,
    /// The deliveries to applications.
    pub deliveries: bool,
    /// The frames of radio stations, and their routing.
    pub frames: bool,
}

/// One observation. The observations of one run are in order of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// The time.
    pub at: Time,
    /// The observation.
    pub what: Seen,
}

/// An observation. Flows, paths and links are indices into the scenario's lists.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    /// A path of a flow, as its sender sees it.
    Path(PathSeen),
    /// A queue.
    Queue(QueueSeen),
    /// A packet that began its transmission on a link.
    Wait(WaitSeen),
    /// A packet.
    Packet(PacketSeen),
    /// User data that was delivered to its application.
    Delivery(DeliverySeen),
    /// A frame of a radio station, at its end, or what routing did.
    Frame(FrameEvent),
}

/// A path as its sender sees it, after a change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathSeen {
    /// The flow.
    pub flow: usize,
    /// The path.
    pub path: usize,
    /// The host that sees it.
    pub host: Host,
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

/// The measurements of a path by its sender; TCP makes none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PathMeasurements {
    /// The way there of the packet that was acknowledged last, with what it waited in queues.
    pub delay: Option<Duration>,
    /// The least way there.
    pub least_way: Option<Duration>,
    /// The highest delivery rate of the last round trips, in the weight of chunks against cwnd.
    pub rate: Option<BitRate>,
    /// The highest delivery rate of all, which decays.
    pub peak_rate: Option<BitRate>,
}

/// The state of a path, as its sender sees it (RFC 9260 §8.2, RFC 7829). Which of the active paths carries data is not a
/// state, except for a path that was declared secondary or a backup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PathState {
    /// It has not answered yet.
    Unconfirmed,
    /// It is confirmed and has not failed.
    Active,
    /// Likewise; it was declared secondary, and the ordinary paths are not full.
    Spare,
    /// Likewise; it was declared a backup, and waits while another path is active.
    Standby,
    /// It has not answered several times in a row, and data goes to other paths (RFC 7829).
    PotentiallyFailed,
    /// It has not answered many times in a row, and only probes go to it.
    Inactive,
    /// It was removed: one of its two addresses is lost.
    Removed,
}

/// A queue, after a change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueueSeen {
    /// The link.
    pub link: usize,
    /// The direction of the link: that of packets from this host.
    pub from: Host,
    /// The queue after the change.
    pub view: QueueView,
}

/// A packet at a link, seen when its transmission has begun or a little later. Queues that do not keep the order of packets
/// (`fq-codel`) show none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WaitSeen {
    /// The link.
    pub link: usize,
    /// The direction of the link: that of packets from this host.
    pub from: Host,
    /// For how long it waited for the line, without propagation and jitter.
    pub waited: Duration,
}

/// The state of a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct QueueView {
    /// The packets that wait.
    pub backlog: Backlog,
    /// The average number of waiting packets by which the queue decides (RED); `None` for a queue without one.
    pub average: Option<f64>,
    /// Packets that it marked so far.
    pub marked: u64,
}

/// One of the two hosts of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Host {
    /// The host that sends in the forward direction.
    First,
    /// The other host.
    Second,
}

/// A packet at one step on its path.
#[derive(Clone, Debug, PartialEq)]
pub struct PacketSeen {
    /// The flow.
    pub flow: usize,
    /// The path.
    pub path: usize,
    /// The host that sent it.
    pub from: Host,
    /// The step.
    pub step: Step,
    /// The size on the link.
    pub size: ByteCount,
    /// The ECN codepoint at this step.
    pub ecn: Ecn,
    /// The bytes after IP and, with encapsulation, UDP: the SCTP packet or the datagram's payload; of TCP only the header,
    /// and [`following_data`](crate::following_data) says how many bytes of data follow it.
    pub bytes: Bytes,
    /// True if it carries a chunk that was sent before.
    pub retransmission: bool,
}

/// A step of a packet on its path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// It left its host.
    Sent,
    /// It reached the other host.
    Arrived {
        /// The time since it left.
        delay: Duration,
    },
    /// It was lost.
    Lost {
        /// The link or the mesh.
        site: LossSite,
        /// The reason.
        cause: LossCause,
    },
}

/// Where a packet was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossSite {
    /// On a link, by its index.
    Link(usize),
    /// In the mesh of a radio, by its index.
    Radio(usize),
}

/// A frame on air, or what routing did, in the mesh of a radio.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameEvent {
    /// The radio.
    pub radio: usize,
    /// The event.
    pub event: MeshEvent,
}

/// An event in a mesh.
#[derive(Clone, Debug, PartialEq)]
pub enum MeshEvent {
    /// A frame has left the air.
    Frame(FrameSeen, Option<FramePacket>),
    /// A route was looked for, found or lost.
    Routing(RoutingEvent),
}

/// The flow's packet in a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct FramePacket {
    /// The flow.
    pub flow: usize,
    /// The path.
    pub path: usize,
    /// The host that sent it.
    pub from: Host,
    /// The bytes, as those of [`PacketSeen::bytes`].
    pub bytes: Bytes,
}

/// User data that was delivered to its application.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeliverySeen {
    /// The flow.
    pub flow: usize,
    /// The host that sent it.
    pub from: Host,
    /// The number of bytes.
    pub bytes: ByteCount,
    /// The time since it was given to the transport.
    pub delay: Duration,
}

impl Watch {
    /// Everything.
    pub const ALL: Watch =
        Watch { paths: true, queues: true, waits: true, packets: true, deliveries: true, frames: true };
}

impl PathState {
    /// The states, in the order of a path's life.
    pub const ALL: [PathState; PathState::Removed as usize + 1] = [
        PathState::Unconfirmed,
        PathState::Active,
        PathState::Spare,
        PathState::Standby,
        PathState::PotentiallyFailed,
        PathState::Inactive,
        PathState::Removed,
    ];

    /// The state as a word for documents and tables.
    pub const fn name(self) -> &'static str {
        match self {
            PathState::Unconfirmed => "unconfirmed",
            PathState::Active => "active",
            PathState::Spare => "spare",
            PathState::Standby => "standby",
            PathState::PotentiallyFailed => "potentially-failed",
            PathState::Inactive => "inactive",
            PathState::Removed => "removed",
        }
    }

    /// The meaning of the state, for descriptions of tables.
    pub const fn meaning(self) -> &'static str {
        match self {
            PathState::Unconfirmed => "its address has not answered yet",
            PathState::Active => "confirmed and not failed",
            PathState::Spare => "likewise, a secondary path that waits while the ordinary paths are not full",
            PathState::Standby => "likewise, a backup that waits while another path is active",
            PathState::PotentiallyFailed => "silent or timed out, data goes to other paths",
            PathState::Inactive => "failed, only probes go to it",
            PathState::Removed => "one of its addresses is lost",
        }
    }
}

impl Host {
    /// Both hosts, in order.
    pub const BOTH: [Host; 2] = [Host::First, Host::Second];

    /// The other host.
    pub const fn other(self) -> Host {
        match self {
            Host::First => Host::Second,
            Host::Second => Host::First,
        }
    }
}
