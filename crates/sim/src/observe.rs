//! The observations of a run in progress.

use anabranch_base::{ByteCount, Duration, Ecn, Time};
use anabranch_link::{Backlog, LossCause};
use bytes::Bytes;

/// What is to be noted. Nothing by default: looking costs time and memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Watch {
    /// Windows and times of every path at the sending host, at each change.
    pub paths: bool,
    /// Queues, at each change.
    pub queues: bool,
    /// Packets at the hosts and where they were lost.
    pub packets: bool,
    /// What reaches an application.
    pub deliveries: bool,
}

/// Something that was seen. Those of one run come in order of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// When.
    pub at: Time,
    /// What.
    pub what: Seen,
}

/// What can be seen. Flows, paths and links are indices into the scenario's lists.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    /// A path of a flow, as its sender sees it.
    Path(PathSeen),
    /// A queue.
    Queue(QueueSeen),
    /// A packet.
    Packet(PacketSeen),
    /// User data that reached its application.
    Delivery(DeliverySeen),
}

/// A path as the sender sees it, after something changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathSeen {
    /// Whose.
    pub flow: usize,
    /// Which.
    pub path: usize,
    /// Which of the two hosts sees it so.
    pub host: Host,
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

/// Whether a path carries data, as its sender sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PathState {
    /// It has not answered yet.
    Unconfirmed,
    /// It carries data.
    Active,
    /// It has not answered a few times, and is avoided (RFC 7829).
    PotentiallyFailed,
    /// It has not answered many times, and is probed only.
    Inactive,
    /// One of its two addresses is gone.
    Removed,
}

/// A queue, after something changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueueSeen {
    /// Whose.
    pub link: usize,
    /// Of which of its two directions: that of packets sent by this host.
    pub from: Host,
    /// What waits.
    pub backlog: Backlog,
}

/// One of the two hosts of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Host {
    /// Where forward traffic begins.
    First,
    /// Where it ends.
    Second,
}

/// A packet at one step of its way.
#[derive(Clone, Debug, PartialEq)]
pub struct PacketSeen {
    /// Whose.
    pub flow: usize,
    /// On which path.
    pub path: usize,
    /// The host that sent it.
    pub from: Host,
    /// How far it came.
    pub step: Step,
    /// Its size on the link.
    pub size: ByteCount,
    /// Its ECN codepoint at this step.
    pub ecn: Ecn,
    /// What it carries, behind IP and, where there is encapsulation, UDP: the SCTP packet or the datagram's
    /// payload.
    pub bytes: Bytes,
    /// Whether it carries a chunk that was sent before.
    pub retransmission: bool,
}

/// How far a packet came.
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
        /// On this link.
        link: usize,
        /// For this reason.
        cause: LossCause,
    },
}

/// User data that reached its application.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeliverySeen {
    /// Whose.
    pub flow: usize,
    /// The host that sent it.
    pub from: Host,
    /// How much.
    pub bytes: ByteCount,
    /// The time since it was given to the transport.
    pub delay: Duration,
}

impl Watch {
    /// Everything.
    pub const ALL: Watch = Watch { paths: true, queues: true, packets: true, deliveries: true };
}

impl PathState {
    /// The state in a word, as documents and tables name it.
    pub const fn name(self) -> &'static str {
        match self {
            PathState::Unconfirmed => "unconfirmed",
            PathState::Active => "active",
            PathState::PotentiallyFailed => "potentially-failed",
            PathState::Inactive => "inactive",
            PathState::Removed => "removed",
        }
    }
}

impl Host {
    /// Both, in their order.
    pub const BOTH: [Host; 2] = [Host::First, Host::Second];

    /// The other one.
    pub const fn other(self) -> Host {
        match self {
            Host::First => Host::Second,
            Host::Second => Host::First,
        }
    }
}
