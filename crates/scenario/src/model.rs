//! A scenario as values, with every default filled in.

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
use anabranch_sctp::wire::PathRole;

/// A scenario: links, paths, events, and the flows over them.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// The title; empty where the file has none.
    pub title: String,
    /// The duration and the number of replications.
    pub run: RunSettings,
    /// The links with their copies, in order of the file.
    pub links: Vec<Link>,
    /// The channels of the mesh; empty without nodes.
    pub radios: Vec<Radio>,
    /// The stations of the mesh. A scenario has links, nodes, or both.
    pub nodes: Vec<Node>,
    /// The paths with their copies, at least one: first those over links, then those across the mesh.
    pub paths: Vec<Path>,
    /// The changes of links, in order of time, equal times in order of the file.
    pub events: Vec<Event>,
    /// The changes of nodes, in the same order.
    pub node_events: Vec<NodeEvent>,
    /// The flows with their copies, at least one.
    pub flows: Vec<Flow>,
    /// The policies that the scenario was read with, and runs with.
    pub registry: Registry,
}

/// The duration of a scenario and its number of replications.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSettings {
    /// The limit of simulated time; `None` to run until the last transfer ends.
    pub time: Option<Duration>,
    /// The time at the start that goodput leaves out.
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

/// A forward and a reverse one-way pipe.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The name; a copy's has its number appended.
    pub name: String,
    /// The forward direction.
    pub forward: LinkConfig,
    /// The reverse direction.
    pub reverse: LinkConfig,
}

/// Links in a row, or a path across the mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// The name; a copy's has its number appended.
    pub name: String,
    /// Indices into [`Scenario::links`], in forward order; empty for a path across the mesh only.
    pub links: Vec<usize>,
    /// The path across the mesh.
    pub air: Option<Air>,
    /// The role in SCTP flows.
    pub role: PathRole,
}

/// A change of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The time of the event.
    pub at: Time,
    /// Index into [`Scenario::links`].
    pub link: usize,
    /// The directions of the link that change.
    pub direction: Direction,
    /// The change.
    pub change: Change,
}

/// A direction of a link or of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the first host to the second.
    Forward,
    /// From the second host to the first.
    Reverse,
    /// Both directions.
    Both,
}

/// A flow: its paths, its transport and its traffic.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// The name; a copy's has its number appended.
    pub name: String,
    /// The transport.
    pub protocol: Protocol,
    /// Indices into [`Scenario::paths`], each once. At least one; exactly one for UDP.
    pub paths: Vec<usize>,
    /// The start, with the stagger of copies added.
    pub start: Time,
    /// The size of the transfer; `None` for a flow without end.
    pub transfer: Option<ByteCount>,
    /// The direction of the data.
    pub direction: Direction,
    /// The traffic pattern.
    pub traffic: Traffic,
}

/// The transport of a flow.
#[derive(Clone, Debug, PartialEq)]
pub enum Protocol {
    /// An SCTP association.
    Sctp(Box<Sctp>),
    /// Datagrams without acknowledgements.
    Udp,
    /// A TCP connection; over several paths, Multipath TCP.
    Tcp(Box<Tcp>),
}

impl Protocol {
    /// Returns true for an association on each path ([`Multipath::AppStripe`]).
    pub fn is_appstripe(&self) -> bool {
        matches!(self, Protocol::Sctp(sctp) if sctp.multipath == Multipath::AppStripe)
    }
}

/// The traffic pattern of a flow.
#[derive(Clone, Debug, PartialEq)]
pub enum Traffic {
    /// As much as the transport takes.
    Bulk,
    /// Messages at a constant rate.
    Cbr(Messages),
    /// Messages at a constant rate for `on`, none for `off`, repeated.
    OnOff {
        /// The rate and size while on.
        messages: Messages,
        /// The length of the on period.
        on: Duration,
        /// The length of the off period.
        off: Duration,
    },
    /// Messages with exponentially distributed times between them.
    Poisson(Messages),
}

/// Messages at a mean rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Messages {
    /// User data per second.
    pub rate: BitRate,
    /// User data per message.
    pub size: ByteCount,
}

/// The settings of an association, `[flow.sctp]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Sctp {
    /// The settings of the protocol as written; [`association`](Sctp::association) applies `multipath` to them.
    pub config: Config,
    /// The use of several paths.
    pub multipath: Multipath,
    /// True if messages are delivered in the order sent.
    pub ordered: bool,
    /// The opening of the association.
    pub handshake: HandshakeMode,
}

impl Sctp {
    /// The configuration of the association that this scenario describes. Packets carry their checksum; a driver whose
    /// packets cannot be damaged may leave it out.
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

    /// The limits of windows, by the policies of `registry`.
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

/// The limits of windows that share a receive buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WindowManagement {
    /// No limits but those of the congestion control.
    None,
    /// The limits of the rule of this name.
    Rule(String),
    /// Limits planned from the paths of the scenario.
    Planned,
    /// These limits in packets, one for each path of the flow (M-CWM-3).
    Limits(Vec<u32>),
}

/// The use of several paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Multipath {
    /// One path, the others after it fails (RFC 9260).
    Off,
    /// Every path at once: concurrent multipath transfer.
    Cmt,
    /// Every path at once, each with its own sequence numbers and congestion control (IPCC, YE chapter 6).
    Ipcc,
    /// One association for each path, each with the whole transfer: the flow is complete when together they have
    /// delivered its size (M-CMT-8). A baseline for comparison, not an application.
    AppStripe,
}

/// The opening of an association.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandshakeMode {
    /// The four-way handshake.
    On,
    /// Open from the start, with all paths confirmed.
    Off,
}
