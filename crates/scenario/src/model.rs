//! A scenario as values: everything that a file may say, with every default filled in.

mod mesh;
mod tcp;

pub use mesh::{Air, Node, NodeEvent, Radio};
pub use tcp::{Tcp, TcpControl, TcpGrowth, TcpRecovery, TcpScheduler, TcpTimeoutPlace};

use anabranch_base::{BitRate, ByteCount, Duration, Seed, Time};
use anabranch_link::config::{Change, LinkConfig};
use anabranch_policies::ipcc;
use anabranch_sctp::config::Config;
use anabranch_sctp::policy::Registry;
use anabranch_sctp::policy::loss_detection::cmt::CmtRules;
use anabranch_sctp::policy::window::WindowBound;

/// Paths, what happens to them, and what is sent over them.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// What it shows; empty where the file does not say.
    pub title: String,
    /// The time and how often it runs.
    pub run: RunSettings,
    /// The links, copies made, in order of the file.
    pub links: Vec<Link>,
    /// The channels of the mesh; none without nodes.
    pub radios: Vec<Radio>,
    /// The stations of the mesh. There are links, nodes, or both.
    pub nodes: Vec<Node>,
    /// The paths, copies made: those over links, and after them those across the mesh. At least one.
    pub paths: Vec<Path>,
    /// What happens to the links, in order of time, equal times in order of the file.
    pub events: Vec<Event>,
    /// Which nodes disappear and are there again, in the same order.
    pub node_events: Vec<NodeEvent>,
    /// The flows, copies made. At least one.
    pub flows: Vec<Flow>,
    /// The policies that its names stand for: those it was read with are those it runs with.
    pub registry: Registry,
}

/// The time and how often a scenario runs.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSettings {
    /// The limit of simulated time; `None` when it ends with the last transfer.
    pub time: Option<Duration>,
    /// Left out of goodput.
    pub warmup: Duration,
    /// The first replication's seed.
    pub seed: u64,
    /// The number of replications, with seeds `seed`, `seed + 1`, …
    pub runs: u64,
}

impl Default for RunSettings {
    /// One replication, until the last transfer ends.
    fn default() -> RunSettings {
        RunSettings { time: None, warmup: Duration::ZERO, seed: 1, runs: 1 }
    }
}

/// Two one-way pipes, there and back.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The name; a copy's ends with its number.
    pub name: String,
    /// The way there.
    pub forward: LinkConfig,
    /// The way back.
    pub reverse: LinkConfig,
}

/// Links in a row, or a way across the mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// The name; a copy's ends with its number.
    pub name: String,
    /// Indices into [`Scenario::links`], in order of the way there. At least one, but for a path across the mesh, which
    /// has none.
    pub links: Vec<usize>,
    /// The way across the mesh.
    pub air: Option<Air>,
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

/// A flow: which paths, which transport, which traffic.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// The name; a copy's ends with its number.
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
    /// By datagrams without acknowledgements.
    Udp,
    /// By a TCP connection; over several paths by Multipath TCP.
    Tcp(Box<Tcp>),
}

impl Protocol {
    /// Returns true if it is an association on each path, as [`Multipath::AppStripe`] has it.
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
        /// The time it sends.
        on: Duration,
        /// The time it does not.
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

/// The settings of an association, `[flow.sctp]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Sctp {
    /// Those of the protocol itself, as they are written: what `multipath` makes of them is
    /// [`association`](Sctp::association).
    pub config: Config,
    /// How several paths are used.
    pub multipath: Multipath,
    /// True if messages are delivered in the order in which they were sent.
    pub ordered: bool,
    /// How the association opens.
    pub handshake: HandshakeMode,
}

impl Sctp {
    /// The settings of an association as the scenario wants it. Packets carry their checksum; a driver whose packets
    /// cannot be damaged may leave it out.
    pub fn association(&self) -> Config {
        let mut config = self.config.clone();
        let rules = match self.multipath {
            Multipath::Cmt => config.cmt,
            Multipath::Ipcc => CmtRules::NONE,
            Multipath::Off | Multipath::AppStripe => {
                "primary".clone_into(&mut config.scheduler);
                CmtRules::NONE
            }
        };
        config.set_cmt(rules);
        if self.multipath == Multipath::Ipcc {
            ipcc::choose(&mut config);
        }
        config
    }

    /// How far windows may grow, by the policies of `registry`.
    pub fn window_management(&self, registry: &Registry) -> WindowManagement {
        let Config { window_limits, window_management, .. } = &self.config;
        if !window_limits.is_empty() {
            return WindowManagement::Limits(window_limits.clone());
        }
        let rules = self.config.rules(Seed::from_number(0));
        let bound = registry.window_limits.build(window_management, &rules).map(|limit| limit.bound());
        match bound {
            Ok(WindowBound::None) => WindowManagement::None,
            Ok(WindowBound::Limits) => WindowManagement::Planned,
            Ok(WindowBound::Rule) | Err(_) => WindowManagement::Rule(window_management.clone()),
        }
    }
}

/// How far windows may grow in the receive buffer that they share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WindowManagement {
    /// As far as the congestion control wants.
    None,
    /// By the rule of this name.
    Rule(String),
    /// By limits that are planned from what the scenario says of the paths.
    Planned,
    /// By these limits, in packets, one for each path of the flow (M-CWM-3).
    Limits(Vec<u32>),
}

/// How several paths are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Multipath {
    /// One of them, the others when it fails (RFC 9260).
    Off,
    /// All at once: concurrent multipath transfer.
    Cmt,
    /// All at once, each with sequence numbers and a congestion control of its own (IPCC, YE chapter 6).
    Ipcc,
    /// As many associations as there are paths, each over one of them and with the whole transfer: the flow is complete
    /// when they have delivered as much together (M-CMT-8). It is a measure to compare with, and no application.
    AppStripe,
}

/// How an association opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandshakeMode {
    /// By the four-way handshake.
    On,
    /// It is open from the start, all paths confirmed.
    Off,
}
