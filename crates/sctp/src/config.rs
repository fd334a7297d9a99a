//! Everything that can be set on an association, and the table of settings through which users set it. The policies
//! and the association define what the values do.

mod buffer_split;
mod check;
mod coupling;
mod ecn;
mod growth;
mod message_limit;
mod mtu;
mod names;
mod out_of_order;
mod profiles;
mod settings;
mod sizes;
mod tuned;

pub use crate::policy::ConfigError;
pub use crate::policy::congestion::reno::EcnWindow;
pub use buffer_split::BufferSplit;
pub use coupling::Coupling;
pub use ecn::EcnUse;
pub use growth::Growth;
pub use message_limit::MessageLimit;
pub use mtu::{MtuBounds, MtuDiscovery};
pub use out_of_order::OutOfOrder;
pub use profiles::{PROFILES, Profile};
pub use settings::{setting, settings};
pub use sizes::IpVersion;

use anabranch_base::{ByteCount, Duration, Ecn, Seed};

use crate::policy::acknowledge::DacWire;
use crate::policy::congestion::reno::{IdleThreshold, RenoRules};
use crate::policy::loss_detection::cmt::CmtRules;
use crate::policy::registry::{OwnSettings, Registry, StandardRules};
use crate::wire::Checksum;

/// The settings of an association. The profiles never change: research depends on the RFCs' values, and a profile's
/// name tells what a transfer used.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The name of the profile that these settings started from. It stays when other settings change.
    pub profile: &'static str,
    /// What a chunk weighs against cwnd, flight and partial_bytes_acked; choose with `unit`.
    pub charge: Charge,
    /// The unit in which windows are counted and grown.
    pub unit: Unit,
    /// What a chunk weighs against the receive window, at both ends.
    pub rwnd_charge: Charge,
    /// The layer between IP and SCTP.
    pub encapsulation: Encapsulation,
    /// True if packets carry a CRC32c.
    pub checksum: Checksum,
    /// The ECN codepoint of all packets of an open association, for tests of what hands codepoints on. With Not-ECT,
    /// `ecn` decides.
    pub codepoint: Ecn,
    /// The size of an IP packet that every path carries, or the largest size that is tried.
    pub mtu: ByteCount,
    /// Which of the two meanings `mtu` has.
    pub mtu_discovery: MtuDiscovery,
    /// The user data in one DATA chunk; `None` for as much as fits.
    pub payload: Option<ByteCount>,

    /// How SACKs are interpreted path by path: a name in the registry.
    pub loss_detection: String,
    /// Which of CMT's rules hold where `loss_detection` is `cmt`; see [`Config::set_cmt`].
    pub cmt: CmtRules,
    /// How windows grow and shrink: a name in the registry.
    pub congestion_control: String,
    /// True if paths that are found to share a bottleneck grow together.
    pub coupled: Coupling,
    /// How far windows may grow: a name in the registry.
    pub window_management: String,
    /// How far each path's window may grow where `window_management` is `static`, in full packets, in the order of the
    /// paths; together no more than the peer's receive buffer (M-CWM-3).
    pub window_limits: Vec<u32>,
    /// What the sender does after a loss: a name in the registry.
    pub loss_response: String,
    /// The settings of policies' own.
    pub own: OwnSettings,
    /// True if chunks are sent again in the idle period of a small window (M-SWS-1).
    pub small_window_recovery: bool,
    /// True if windows of a path go on from half of what filled it for another association of the endpoint, up to ten minutes ago.
    pub remember_paths: bool,
    /// Which path carries new data: a name in the registry.
    pub scheduler: String,
    /// Where a chunk goes after a time-out: a name in the registry.
    pub retransmission: String,
    /// Where a chunk goes after missing reports: a name in the registry.
    pub fast_retransmission: String,

    /// The receive buffer, shared by all paths; if it grows, its initial size; if it has two levels, the first one.
    pub receive_buffer: ByteCount,
    /// Where data is held that waits for missing chunks: in the receive buffer, or in a second level of it.
    pub out_of_order: OutOfOrder,
    /// How far the receive buffer grows by itself; `None` for a fixed size.
    pub receive_growth: Option<Growth>,
    /// The amount of user data that may wait to be acknowledged. Chunks of a few bytes cost more memory than they carry, so
    /// less user data may wait in them.
    pub send_buffer: ByteCount,
    /// How large a message may be.
    pub message_limit: MessageLimit,
    /// Which of the two buffers is split among the paths.
    pub buffer_split: BufferSplit,
    /// The streams this end asks for.
    pub outbound_streams: u16,
    /// The streams this end lets the peer open.
    pub inbound_streams: u16,

    /// How congestion marks are reported and answered, if the peer supports ECN too.
    pub ecn: EcnUse,
    /// The window after the report of a mark.
    pub ecn_window: EcnWindow,
    /// True if this end marks some of its first packets on each path itself, to learn whether marks come back.
    pub ecn_test: bool,
    /// True if packets that begin with a retransmission may be marked (YE; RFC 3168 §6.1.5 has them leave without ECT).
    pub ect_retransmissions: bool,
    /// True if every report of a mark is answered, and not only one that cuts the window: a lost answer is repaired by the
    /// next one (M-ECN-5).
    pub cwr_always: bool,

    /// The number of missing reports make a chunk lost.
    pub missing_reports: u8,
    /// When the receiver sends a SACK.
    pub sack: SackSettings,
    /// True if the chunk that uses up the peer's window asks for a SACK without delay (RFC 7053).
    pub sack_immediately: bool,
    /// Which packets the receiver may acknowledge late, unless [`SackSettings::when`] says it: a name in the registry.
    pub ack_timing: String,
    /// What `ack_timing` becomes where [CMT's delayed acknowledgements](CmtRules::delayed_ack) are used: a name in the
    /// registry.
    pub cmt_ack_timing: String,
    /// What a SACK reports: a name in the registry.
    pub sack_content: String,
    /// How a SACK encodes the number of packets it answers, at both ends (M-CMT-4).
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
    /// True if a window grows only when the cumulative TSN advances.
    pub growth_needs_advance: bool,
    /// True if partial_bytes_acked is limited to cwnd while the window is not fully used.
    pub clamp_partial_bytes: bool,
    /// What becomes of ssthresh before idle decay.
    pub idle_ssthresh: IdleThreshold,
    /// True if a cut raises a window below `window_floor` to that floor, as the RFCs literally say (M-SCTP-7 rule 1).
    pub cut_may_raise: bool,
    /// True if the last packet must also fit into cwnd (M-SCTP-3).
    pub strict_window: bool,
    /// Which SACKs allow one fast-retransmit packet to pass cwnd.
    pub fast_retransmit_exemption: Exemption,
    /// The number of packets one event may send on a path.
    pub max_burst: MaxBurst,

    /// When a path or the association fails, and how idle paths are probed.
    pub failover: Failover,
    /// True if paths to addresses that the application gave carry data without verification (RFC 9260 §5.4).
    pub trusts_given_addresses: bool,
    /// True if this end announces addresses that its host gains and loses, and accepts such changes from the peer
    /// (RFC 5061), once both ends have offered it: authenticated by AUTH (RFC 4895), or by the seal.
    pub dynamic_addresses: bool,
    /// The time a state cookie is valid.
    pub cookie_lifetime: Duration,
    /// How often INIT or COOKIE-ECHO is sent again before giving up.
    pub max_init_retransmits: u32,
}

/// What counts as the weight of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charge {
    /// The user data.
    User,
    /// The chunk with its header and padding.
    Chunk,
    /// The IP packet that carries the chunk alone.
    Packet,
}

/// The unit in which windows are counted and grown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// The path's MTU.
    Mtu,
    /// The largest DATA chunk that the path carries (RFC 9260: PMDCS).
    Pmdcs,
    /// The bytes that [`Config::charge`] charges for a full chunk: a window of whole units is then a window of whole
    /// packets, whatever the charge (M-SCTP-18: "choose them together").
    FullChunk,
    /// This number of bytes. With every unit, windows are exact to the byte; the unit is the step by which they grow,
    /// the window after a time-out, and the unit of the floors.
    Bytes(ByteCount),
}

/// The layer between IP and SCTP.
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
    /// The bytes that sealing adds to a packet: session id and packet number with 8 bytes each, and a tag of 16
    /// bytes.
    pub const SEAL: ByteCount = ByteCount::new(32);
}

/// When the receiver sends a SACK (RFC 9260 §6.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SackSettings {
    /// The number of packets with data that a SACK answers; 1 switches delayed SACKs off.
    pub every: u32,
    /// The longest delay of a SACK after the first unreported packet; at most 500 ms.
    pub delay: Duration,
    /// Whether each packet that a driver reads at once is answered by its own SACK, or all by one SACK.
    pub batch: SackBatch,
    /// Which packets are acknowledged immediately.
    pub when: SackWhen,
}

/// Which packets are acknowledged immediately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SackWhen {
    /// Those that [`Config::ack_timing`] says.
    Standard,
    /// None because of a gap (M-IPCC-8).
    AnyOrder,
}

/// How packets that a driver reads from the network at once are answered. The core answers whenever it is polled; the
/// endpoint reads this setting ([`Endpoint::handle_train`](crate::endpoint::Endpoint::handle_train)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SackBatch {
    /// Each packet separately: a SACK is sent as soon as one is due.
    Each,
    /// The packets together, by one SACK at the end.
    Whole,
}

/// The bounds of the retransmission time-out (RFC 9260 §6.3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RtoSettings {
    /// The value before the first measurement.
    pub initial: Duration,
    /// The lower bound.
    pub min: Duration,
    /// The upper bound.
    pub max: Duration,
    /// The least value of four times RTTVAR, before the bounds: how much later than usual an acknowledgement may
    /// arrive on a path with constant round trips when its queue begins to fill. Zero in the RFC.
    pub variation: Duration,
    /// The lower bound while losses are repaired that the loss response takes for no congestion; `None` for `min`.
    pub min_recovery: Option<Duration>,
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

/// Which SACKs allow one packet of retransmissions to pass cwnd (M-SCTP-7 rule 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exemption {
    /// The SACK that starts fast recovery.
    Entry,
    /// Each SACK that marks a chunk.
    Each,
}

/// A bound on the packets that one event sends (M-SCTP-10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaxBurst {
    /// The most packets that an event sends on a path.
    pub packets: u32,
    /// How the bound works.
    pub rule: BurstRule,
}

/// How the bound on bursts works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BurstRule {
    /// Every event is bounded; cwnd does not change.
    Event,
    /// Only events that acknowledge retransmitted data are bounded.
    AfterRetransmission,
    /// During the event, cwnd counts as at most the flight plus the burst (RFC 9260 §6.1 D).
    Rfc,
    /// Packets leave at the controller's rate, in trains of this number of packets, or of as many as the rate carries
    /// in a millisecond if that is more; cwnd does not change.
    Paced,
}

/// When a path or the association fails (RFC 9260 §8.1–8.3, RFC 7829).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failover {
    /// After this number of errors in a row, a path has potentially failed: data goes to other paths, and HEARTBEATs
    /// probe it at once. RFC 7829's PotentiallyFailed.Max.Retrans is one less. 0 and values above `path_max` switch
    /// the state off.
    pub potentially_failed: u32,
    /// A path is inactive after more errors in a row than this.
    pub path_max: u32,
    /// The association fails after more errors in a row than this.
    pub association_max: u32,
    /// The time between HEARTBEATs on an idle path, to which RTO and jitter are added; with [`Duration::MAX`] idle
    /// paths are not probed.
    pub heartbeat: Duration,
    /// The number of HEARTBEATs for path verification leave in one RTO.
    pub heartbeat_max_burst: u32,
    /// True if a path that is silent for 1.5 srtt + 25 ms while another path delivers has potentially failed at once,
    /// and failed paths are probed twice a second. What was lost during an outage then leaves at the first answer, whatever the
    /// time-out has grown to; lost chunks keep their room in the peer's window; and a time-out that follows another leaves
    /// the slow-start threshold as it is.
    pub quick: bool,
}

impl Failover {
    /// No path and no peer ever fails, and idle paths are not probed: for studies of lossy networks, where errors in
    /// a row happen by chance. Unverified paths are still probed.
    pub const OFF: Failover = Failover {
        potentially_failed: 0,
        path_max: u32::MAX,
        association_max: u32::MAX,
        heartbeat: Duration::MAX,
        heartbeat_max_burst: 1,
        quick: false,
    };

    /// Returns true if a path with `errors` errors in a row has potentially failed, if it has not failed.
    pub fn suspects_after(&self, errors: u32) -> bool {
        self.potentially_failed > 0 && errors >= self.potentially_failed
    }
}

/// Returns true if the congestion control of this name [tells losses
/// apart](crate::policy::congestion::CongestionControl::tells_losses_apart); not if `registry` has none.
pub fn tells_losses_apart(control: &str, registry: &Registry) -> bool {
    let rules = Config::default().rules(Seed::from_number(0));
    registry.congestion_controls.build(control, &rules).is_ok_and(|control| control.tells_losses_apart())
}

impl Config {
    /// The values that the standard rules need. Rules that draw random numbers use children of `seed`.
    pub fn rules(&self, seed: Seed) -> StandardRules {
        StandardRules {
            reno: RenoRules {
                window_floor: self.window_floor,
                idle_floor: self.idle_floor,
                clamp_partial_bytes: self.clamp_partial_bytes,
                idle_ssthresh: self.idle_ssthresh,
                cut_may_raise: self.cut_may_raise || self.cmt.ns2.cut_may_raise(),
                decay_lifts: self.cmt.ns2.decay_lifts(),
                ecn_window: self.ecn_window,
            },
            is_paced: self.max_burst.rule == BurstRule::Paced,
            missing_reports: self.missing_reports,
            cmt: self.cmt,
            window_limits: self.window_limits.clone(),
            sack_every: self.sack.every,
            sack_delay: self.sack.delay,
            dac_wire: self.dac_wire,
            rto_min: self.rto.min,
            rto_max: self.rto.max,
            own: self.own.clone(),
            seed,
        }
    }

    /// Sends new data on all paths by these `rules` of CMT (M-CMT-1 to -5), or by the rules of RFC 9260 if `rules`
    /// has none.
    pub fn set_cmt(&mut self, rules: CmtRules) {
        self.set_sender_cmt(rules);
        let timing = if rules.delayed_ack { &self.cmt_ack_timing } else { "standard" };
        self.ack_timing = timing.to_owned();
    }

    /// Like [`set_cmt`](Config::set_cmt), for the data that this end sends: the timing of the SACKs that it sends
    /// stays.
    pub fn set_sender_cmt(&mut self, rules: CmtRules) {
        self.cmt = rules;
        let detection = match rules {
            CmtRules { by_time: true, .. } => "rack",
            CmtRules { by_departure: true, .. } => "departure",
            CmtRules::NONE => "association",
            _ => "cmt",
        };
        detection.clone_into(&mut self.loss_detection);
    }

    /// Returns true if the receive buffer has two levels, if the peer's has too (M-IPCC-7).
    pub fn has_two_levels(&self) -> bool {
        self.out_of_order != OutOfOrder::InBuffer
    }

    /// What the receiver advertises and how the sender uses it: a name in the registry.
    pub fn flow_control(&self) -> &'static str {
        if self.has_two_levels() { "two-level" } else { "standard" }
    }

    /// The timing of SACKs that holds: a name in the registry.
    pub fn sack_timing(&self) -> &str {
        match self.sack.when {
            SackWhen::Standard => &self.ack_timing,
            SackWhen::AnyOrder => "any-order",
        }
    }
}
