//! A scenario as values: everything that a file may say, with every default filled in. It knows no text and
//! no file.

use anabranch_base::{BitRate, ByteCount, Duration, Time};
use anabranch_link::config::{Change, LinkConfig};

/// Paths, what happens to them, and what is sent over them.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// What it shows; empty where the file does not say.
    pub title: String,
    /// How long and how often it runs.
    pub run: Run,
    /// The links, copies made, in order of the file. At least one.
    pub links: Vec<Link>,
    /// The paths, copies made. At least one.
    pub paths: Vec<Path>,
    /// What happens to the links, in order of time, equal times in order of the file.
    pub events: Vec<Event>,
    /// Who sends, copies made. At least one.
    pub flows: Vec<Flow>,
}

/// How long and how often a scenario runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The limit of simulated time; `None` when it ends with the last transfer.
    pub time: Option<Duration>,
    /// Left out of goodput.
    pub warmup: Duration,
    /// The first replication's seed.
    pub seed: u64,
    /// How many replications, with seeds `seed`, `seed + 1`, …
    pub runs: u64,
}

/// Two one-way pipes, there and back.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Its name; a copy's ends with its number.
    pub name: String,
    /// The way there.
    pub forward: LinkConfig,
    /// The way back.
    pub reverse: LinkConfig,
}

/// Links in a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// Its name; a copy's ends with its number.
    pub name: String,
    /// Indices into [`Scenario::links`], in order of the way there. At least one.
    pub links: Vec<usize>,
}

/// What happens to a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// When.
    pub at: Time,
    /// Index into [`Scenario::links`].
    pub link: usize,
    /// To which directions of it.
    pub direction: Direction,
    /// What.
    pub change: Change,
}

/// A direction of a link or of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the first host to the second.
    Forward,
    /// Back.
    Reverse,
    /// Both.
    Both,
}

/// Who sends what over which paths.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// Its name; a copy's ends with its number.
    pub name: String,
    /// How it is carried.
    pub protocol: Protocol,
    /// Indices into [`Scenario::paths`], each once. At least one; exactly one for UDP.
    pub paths: Vec<usize>,
    /// When it begins, the stagger of copies added.
    pub start: Time,
    /// How much is sent in all; `None` while time lasts.
    pub transfer: Option<ByteCount>,
    /// Which host sends.
    pub direction: Direction,
    /// When it sends how much.
    pub traffic: Traffic,
}

/// How a flow is carried.
#[derive(Clone, Debug, PartialEq)]
pub enum Protocol {
    /// By an SCTP association.
    Sctp(Box<Sctp>),
    /// By datagrams that nobody acknowledges.
    Udp,
}

impl Protocol {
    /// Whether it is an association on each path, as [`Multipath::AppStripe`] has it.
    pub fn is_appstripe(&self) -> bool {
        matches!(self, Protocol::Sctp(sctp) if sctp.multipath == Multipath::AppStripe)
    }
}

/// When a flow sends how much.
#[derive(Clone, Debug, PartialEq)]
pub enum Traffic {
    /// As much as the transport takes.
    Bulk,
    /// One message after another, evenly.
    Cbr(Messages),
    /// Evenly for `on`, then nothing for `off`, and again.
    OnOff {
        /// The rate and size while on.
        messages: Messages,
        /// How long it sends.
        on: Duration,
        /// How long it does not.
        off: Duration,
    },
    /// With exponential times between messages.
    Poisson(Messages),
}

/// Messages at a mean rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Messages {
    /// User data a second.
    pub rate: BitRate,
    /// User data in each.
    pub size: ByteCount,
}

/// The settings of an association, `[flow.sctp]`. Names of policies are strings: a registry knows them.
#[derive(Clone, Debug, PartialEq)]
pub struct Sctp {
    /// The bundle of defaults that the others were filled in from.
    pub profile: String,
    /// What a chunk weighs against cwnd.
    pub charge: Charge,
    /// What windows are counted and grown in.
    pub unit: Unit,
    /// What a chunk weighs against the receive window.
    pub rwnd_charge: Charge,
    /// What lies between IP and SCTP.
    pub encapsulation: Encapsulation,
    /// How several paths are used.
    pub multipath: Multipath,
    /// Which rules of concurrent multipath transfer hold, where that is how they are used.
    pub cmt: Cmt,
    /// How windows grow and shrink.
    pub congestion_control: String,
    /// Which path carries new data.
    pub scheduler: String,
    /// Where a chunk goes after a time-out.
    pub retransmission: String,
    /// Where a chunk goes after missing reports.
    pub fast_retransmission: String,
    /// The receive buffer, shared by all paths; where it grows, what it begins with.
    pub receive_buffer: ByteCount,
    /// How far it grows by itself; `None` for a fixed one.
    pub receive_growth: Option<Growth>,
    /// How much may wait to be acknowledged.
    pub send_buffer: ByteCount,
    /// Which of the two each path has a part of.
    pub buffer_split: BufferSplit,
    /// How far windows may grow.
    pub window_management: WindowManagement,
    /// What follows from a loss.
    pub loss_response: String,
    /// How many missing reports make a chunk lost.
    pub missing_reports: u8,
    /// A SACK at every so many packets.
    pub sack_every: u32,
    /// And so long after the first unreported one at the latest.
    pub sack_delay: Duration,
    /// Whether a driver that reads several packets at once lets one SACK answer them: real ones only, a simulated
    /// packet comes alone.
    pub sack_batch: bool,
    /// How it says for how many packets it stands.
    pub dac_wire: DacWire,
    /// The time-out before anything was measured.
    pub rto_initial: Duration,
    /// The least time-out.
    pub rto_min: Duration,
    /// The largest time-out.
    pub rto_max: Duration,
    /// Four times the variation counts as so much at least.
    pub rto_variation: Duration,
    /// The window of a fresh path; `None` for what the profile's RFC says.
    pub initial_window: Option<ByteCount>,
    /// The slow-start threshold of a fresh path; `None` for the peer's receive buffer.
    pub initial_ssthresh: Option<ByteCount>,
    /// ssthresh after a loss is never lower than so many units.
    pub window_floor: u64,
    /// The size of an IP packet, or the largest that is tried.
    pub mtu: ByteCount,
    /// Whether each path's largest packet is searched up to that.
    pub mtu_discovery: MtuDiscovery,
    /// User data in one DATA chunk; `None` for what fits.
    pub payload: Option<ByteCount>,
    /// How many packets one event lets out on a path.
    pub max_burst: MaxBurst,
    /// cwnd may not be passed by a last packet (M-SCTP-3).
    pub strict_window: bool,
    /// Whether messages are delivered in the order in which they were sent.
    pub ordered: bool,
    /// When paths and the peer are given up.
    pub failover: Failover,
    /// How the association opens.
    pub handshake: Handshake,
}

/// How far a receive buffer grows by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Growth {
    /// It is never larger.
    pub limit: ByteCount,
    /// All associations of an end together grow by no more.
    pub endpoint: ByteCount,
}

/// How far windows may grow in the receive buffer that they share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WindowManagement {
    /// By the rule of this name; `static` is by limits that are planned from what the scenario says of the paths.
    Rule(String),
    /// By these limits, in packets, one for each path of the flow (M-CWM-3).
    Limits(Vec<u32>),
}

/// What a chunk weighs (M-SCTP-18).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charge {
    /// Its user data.
    User,
    /// The chunk with its header and padding.
    Chunk,
    /// The IP packet that carries it alone.
    Packet,
}

/// What windows are counted and grown in (M-SCTP-18).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// The path's MTU.
    Mtu,
    /// The largest DATA chunk that the path carries.
    Pmdcs,
    /// Single bytes.
    Bytes,
}

/// What lies between IP and SCTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encapsulation {
    /// Nothing.
    None,
    /// UDP (RFC 6951).
    Udp,
    /// UDP, and the seal around the SCTP packet.
    Sealed,
}

/// Whether the largest packet of each path is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MtuDiscovery {
    /// It is given.
    Off,
    /// It is (RFC 8899).
    On,
}

/// How several paths are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Multipath {
    /// One of them, the others when it fails (RFC 9260).
    Off,
    /// All at once: concurrent multipath transfer.
    Cmt,
    /// As many associations as there are paths, each over one of them and with the whole transfer: the flow is complete
    /// when they have delivered as much together (M-CMT-8). It is a measure to compare with, and no application.
    AppStripe,
}

/// The rules of concurrent multipath transfer; with none of them, it is plain striping (M-CMT-1 to -5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cmt {
    /// A chunk is missing when a later one of its own path arrived.
    pub split_fast_retransmit: bool,
    /// A window grows when its own path's lowest outstanding chunk arrived.
    pub window_update: bool,
    /// SACKs are delayed whatever the order of arrival.
    pub delayed_ack: bool,
}

/// How a SACK says for how many packets it stands (M-CMT-4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DacWire {
    /// In the two high bits of its flags.
    Bits76,
    /// By its flags as a plain number, as ns-2 does.
    Plain,
}

/// Which buffers are split evenly among the paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferSplit {
    /// None: the paths share both.
    None,
    /// The send buffer.
    Sender,
    /// The receive buffer.
    Receiver,
    /// Both.
    Both,
}

/// A bound on the packets that one event lets out (M-SCTP-10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaxBurst {
    /// So many packets a path.
    pub packets: u32,
    /// How the bound works.
    pub rule: BurstRule,
}

/// How the bound on bursts works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BurstRule {
    /// Every event is bounded; cwnd is left alone.
    Event,
    /// Only events that acknowledge retransmitted data are.
    AfterRetransmission,
    /// For the event, cwnd counts as no more than flight and the burst (RFC 9260 §6.1 D).
    Rfc,
    /// Packets leave as fast as the window is carried in a round trip, in trains of so many at least.
    Paced,
}

/// When paths and the peer are given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failover {
    /// Never: no path fails, and idle ones are not probed.
    Off,
    /// As RFC 9260 §8 says.
    On {
        /// Data leaves a path after so many errors in a row (RFC 7829), if that is not 0 or more than `path_max`.
        potentially_failed: u32,
        /// A path is inactive after more errors in a row than this.
        path_max: u32,
        /// The association is given up after more than this.
        association_max: u32,
        /// The time between HEARTBEATs on an idle path.
        heartbeat: Duration,
        /// Whether data leaves a path that is silent for 1.5 round trips and 25 ms while another delivers, and failed
        /// paths are probed twice a second.
        quick: bool,
    },
}

/// How an association opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handshake {
    /// By the four-way handshake.
    On,
    /// It is open from the start, all paths confirmed.
    Off,
}
