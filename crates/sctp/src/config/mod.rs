//! Everything that can be set on an association, and the table of settings by which users set it. What the values do
//! is with the policies and the association.

mod buffer_split;
mod check;
mod growth;
mod message_limit;
mod mtu;
mod names;
mod profiles;
mod settings;
mod sizes;
mod tuned;

pub use buffer_split::BufferSplit;
pub use check::ConfigError;
pub use growth::Growth;
pub use message_limit::MessageLimit;
pub use mtu::{MtuBounds, MtuDiscovery};
pub use profiles::{PROFILES, Profile};
pub use settings::{setting, settings};
pub use sizes::IpVersion;

use anabranch_base::{ByteCount, Duration, Ecn, Seed};

use crate::policy::acknowledge::DacWire;
use crate::policy::congestion::reno::RenoRules;
use crate::policy::loss_detection::cmt::CmtRules;
use crate::policy::registry::StandardRules;
use crate::wire::Checksum;

/// The settings of an association. The profiles are frozen: research rests on the RFCs' values, and a name says what a
/// transfer used.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The name of the profile that these settings began from; what is changed beside it does not change it.
    pub profile: &'static str,
    /// What a chunk weighs against cwnd, flight and partial_bytes_acked; choose with `unit`.
    pub charge: Charge,
    /// What windows are counted and grown in.
    pub unit: Unit,
    /// What a chunk weighs against the receive window, at both ends.
    pub rwnd_charge: Charge,
    /// What lies between IP and SCTP.
    pub encapsulation: Encapsulation,
    /// Whether packets carry a CRC32c.
    pub checksum: Checksum,
    /// The ECN codepoint with which the packets of an open association leave; those of its handshake leave with Not-ECT.
    /// Marks that come back are counted and recorded, and nothing else follows from them.
    pub codepoint: Ecn,
    /// The size of an IP packet that every path carries, or the largest that is tried.
    pub mtu: ByteCount,
    /// Which of the two it is.
    pub mtu_discovery: MtuDiscovery,
    /// User data in one DATA chunk; `None` for what fits.
    pub payload: Option<ByteCount>,

    /// How SACKs are read path by path: a name in the registry.
    pub loss_detection: String,
    /// Which of CMT's rules hold where `loss_detection` is `cmt`; see [`Config::set_cmt`].
    pub cmt: CmtRules,
    /// How windows grow and shrink: a name in the registry.
    pub congestion_control: String,
    /// How far windows may grow: a name in the registry.
    pub window_management: String,
    /// How far each path's window may grow where `window_management` is `static`, in full packets, in the order of the
    /// paths; together no more than the peer's receive buffer (M-CWM-3).
    pub window_limits: Vec<u32>,
    /// What follows from a loss: a name in the registry.
    pub loss_response: String,
    /// Which path carries new data: a name in the registry.
    pub scheduler: String,
    /// Where a chunk goes after a time-out: a name in the registry.
    pub retransmission: String,
    /// Where a chunk goes after missing reports: a name in the registry.
    pub fast_retransmission: String,
    /// What is advertised and what is made of it: a name in the registry.
    pub flow_control: String,

    /// The receive buffer, shared by all paths; if it grows, its initial size.
    pub receive_buffer: ByteCount,
    /// How far it grows by itself; `None` for a fixed one.
    pub receive_growth: Option<Growth>,
    /// How much user data may wait to be acknowledged; less of it in chunks of a few bytes, which cost more than themselves.
    pub send_buffer: ByteCount,
    /// How large a message may be.
    pub message_limit: MessageLimit,
    /// Which of the two each path has a part of.
    pub buffer_split: BufferSplit,
    /// The streams this end asks for.
    pub outbound_streams: u16,
    /// The streams this end lets the peer open.
    pub inbound_streams: u16,

    /// How many missing reports make a chunk lost.
    pub missing_reports: u8,
    /// When a SACK is sent.
    pub sack: SackSettings,
    /// Which packets may be answered late: a name in the registry.
    pub ack_timing: String,
    /// How a SACK says for how many packets it stands, at both ends (M-CMT-4).
    pub dac_wire: DacWire,
    /// The bounds of the retransmission time-out.
    pub rto: RtoSettings,
    /// The congestion window of a fresh path.
    pub initial_window: InitialWindow,
    /// The slow-start threshold of a fresh path; `None` for the peer's receive buffer.
    pub initial_ssthresh: Option<ByteCount>,
    /// The least ssthresh after a loss, in units.
    pub window_floor: u64,
    /// The window at which idle decay stops, in units.
    pub idle_floor: u64,
    /// How windows grow in slow start: a policy's name.
    pub slow_start: String,
    /// Growth needs an advance of the cumulative TSN.
    pub growth_needs_advance: bool,
    /// partial_bytes_acked never passes cwnd while the window is not fully used.
    pub clamp_partial_bytes: bool,
    /// ssthresh takes the window's value before idle decay.
    pub idle_keeps_ssthresh: bool,
    /// cwnd may not be passed by a last packet (M-SCTP-3).
    pub strict_window: bool,
    /// Which SACKs let one fast-retransmit packet pass cwnd.
    pub fast_retransmit_exemption: Exemption,
    /// How many packets one event may let out on a path.
    pub max_burst: MaxBurst,

    /// When a path or the association is given up, and how idle paths are probed.
    pub failover: Failover,
    /// Paths to addresses that the application gave carry data without verification (RFC 9260 §5.4).
    pub trusts_given_addresses: bool,
    /// This end announces addresses that its host gains and loses, and accepts such changes from the peer (RFC 5061),
    /// once both ends have offered it: authenticated by AUTH (RFC 4895), or by the seal.
    pub dynamic_addresses: bool,
    /// How long a state cookie is good.
    pub cookie_lifetime: Duration,
    /// How often INIT or COOKIE-ECHO is sent again before giving up.
    pub max_init_retransmits: u32,
}

/// What a chunk weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charge {
    /// Its user data.
    User,
    /// The chunk with its header and padding.
    Chunk,
    /// The IP packet that carries it alone.
    Packet,
}

/// What windows are counted and grown in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// The path's MTU.
    Mtu,
    /// The largest DATA chunk that the path carries (RFC 9260: PMDCS).
    Pmdcs,
    /// The bytes that [`Config::charge`] charges for a full chunk, so that a window of whole units is a window of whole
    /// packets whatever is charged (M-SCTP-18: "choose them together").
    FullChunk,
    /// This number of bytes. Windows are kept to the byte with every unit; this is the step by which they grow, what a
    /// time-out leaves, and what floors are multiples of.
    Bytes(ByteCount),
}

/// What lies between IP and SCTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encapsulation {
    /// Nothing.
    None,
    /// UDP (RFC 6951): 8 bytes.
    Udp,
    /// UDP and the seal around the whole SCTP packet: 8 bytes and [`Encapsulation::SEAL`].
    Sealed,
}

impl Encapsulation {
    /// What sealing adds to a packet: session id and packet number, 8 bytes each, and a tag of 16.
    pub const SEAL: ByteCount = ByteCount::new(32);
}

/// When a SACK is sent (RFC 9260 §6.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SackSettings {
    /// The number of packets with data that a SACK answers; 1 switches delayed SACKs off.
    pub every: u32,
    /// The longest delay of a SACK after the first unreported packet; at most 500 ms.
    pub delay: Duration,
    /// Whether packets that a driver reads at once are answered each, or all by one SACK.
    pub batch: SackBatch,
}

/// How packets are answered that a driver reads from the network at once. The core answers whenever it is polled: this is
/// for the driver to know ([`Endpoint::answers_batches`](crate::endpoint::Endpoint::answers_batches)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SackBatch {
    /// Each by itself: a SACK is sent as soon as one is due.
    Each,
    /// All together, by one SACK at the end.
    Whole,
}

/// The bounds of the retransmission time-out (RFC 9260 §6.3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RtoSettings {
    /// Before anything was measured.
    pub initial: Duration,
    /// Never less.
    pub min: Duration,
    /// Never more.
    pub max: Duration,
    /// The least value of four times RTTVAR, before the bounds: how late a path with constant round trips may be when
    /// its queue begins to fill. Zero in the RFC.
    pub variation: Duration,
}

/// The congestion window of a fresh path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialWindow {
    /// RFC 2960: two units.
    TwoUnits,
    /// RFC 4960 and RFC 9260: min(4 units, max(2 units, a number of bytes)), with another number for an IPv6 peer.
    Between {
        /// For an IPv4 peer.
        ipv4: ByteCount,
        /// For an IPv6 peer.
        ipv6: ByteCount,
    },
    /// RFC 6928: min(10 units, max(2 units, 14,600 bytes)).
    TenUnits,
    /// A number of bytes.
    Bytes(ByteCount),
}

/// Which SACKs let one packet of retransmissions pass cwnd (M-SCTP-7 rule 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exemption {
    /// The one that enters fast recovery.
    Entry,
    /// Each that marks a chunk.
    Each,
}

/// A bound on the packets that one event lets out (M-SCTP-10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaxBurst {
    /// The packets that an event lets out on a path.
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
    /// Packets leave at the controller's rate, in trains of this number or of what the rate carries in a millisecond,
    /// whichever is more; cwnd does not change.
    Paced,
}

/// When a path or the association is given up (RFC 9260 §8.1–8.3, RFC 7829).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failover {
    /// The number of errors in a row at which a path has potentially failed: data goes elsewhere, and HEARTBEATs probe
    /// it at once. RFC 7829's PotentiallyFailed.Max.Retrans is one less; 0 and values above `path_max` switch the state
    /// off.
    pub potentially_failed: u32,
    /// A path is inactive after more errors in a row than this.
    pub path_max: u32,
    /// The association is given up after more than this.
    pub association_max: u32,
    /// The time between HEARTBEATs on an idle path, to which RTO and jitter are added; with [`Duration::MAX`] idle
    /// paths are not probed.
    pub heartbeat: Duration,
    /// How many HEARTBEATs for path verification leave in one RTO.
    pub heartbeat_max_burst: u32,
    /// A path that is silent for 1.5 srtt + 25 ms while another delivers has potentially failed at once, and failed paths
    /// are probed twice a second.
    pub quick: bool,
}

impl Failover {
    /// No path and no peer is ever given up, and idle paths are not probed: for studies of lossy networks, in which
    /// errors in a row are chance. Unverified paths are still probed.
    pub const OFF: Failover = Failover {
        potentially_failed: 0,
        path_max: u32::MAX,
        association_max: u32::MAX,
        heartbeat: Duration::MAX,
        heartbeat_max_burst: 1,
        quick: false,
    };

    /// Whether a path with `errors` errors in a row has potentially failed, if it has not failed.
    pub fn suspects_after(&self, errors: u32) -> bool {
        self.potentially_failed > 0 && errors >= self.potentially_failed
    }
}

impl Config {
    /// The numbers that the standard rules are built from; those that draw do so from children of `seed`.
    pub fn rules(&self, seed: Seed) -> StandardRules {
        StandardRules {
            reno: RenoRules {
                window_floor: self.window_floor,
                idle_floor: self.idle_floor,
                clamp_partial_bytes: self.clamp_partial_bytes,
                idle_keeps_ssthresh: self.idle_keeps_ssthresh,
            },
            // M-SCTP-4: with CMT's window update "advance" means the path's own, whatever the profile.
            growth_needs_advance: self.growth_needs_advance || self.updates_windows_by_path(),
            missing_reports: self.missing_reports,
            cmt: self.cmt,
            window_limits: self.window_limits.clone(),
            sack_every: self.sack.every,
            sack_delay: self.sack.delay,
            dac_wire: self.dac_wire,
            rto_min: self.rto.min,
            rto_max: self.rto.max,
            seed,
        }
    }

    /// New data on all paths by these rules of CMT (M-CMT-1 to -5): without any, by the standard's.
    pub fn set_cmt(&mut self, rules: CmtRules) {
        self.set_sender_cmt(rules);
        // Timing that follows the number of paths has CMT's where it is wanted.
        let has_both = self.ack_timing == "dac-on-several-paths";
        if !(has_both && rules.delayed_ack) {
            self.ack_timing = if rules.delayed_ack { "dac" } else { "standard" }.to_owned();
        }
    }

    /// The same for what this end sends: the timing of its SACKs stays as it is, which is the other half.
    pub fn set_sender_cmt(&mut self, rules: CmtRules) {
        self.cmt = rules;
        self.loss_detection = if rules == CmtRules::NONE { "association" } else { "cmt" }.to_owned();
    }

    fn updates_windows_by_path(&self) -> bool {
        self.loss_detection == "cmt" && self.cmt.window_update
    }
}
