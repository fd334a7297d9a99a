//! The settings of an association, and the table through which users set them. The policies and the association define
//! their effects.

mod buffer_split;
mod check;
mod coupling;
mod ecn;
mod growth;
mod message_limit;
mod mtu;
mod names;
mod nr_gaps;
mod out_of_order;
mod profiles;
mod settings;
mod sizes;
mod stream_scheduler;
mod tuned;

pub use crate::policy::ConfigError;
pub use crate::policy::congestion::reno::EcnWindow;
pub use buffer_split::BufferSplit;
pub use coupling::Coupling;
pub use ecn::EcnUse;
pub use growth::Growth;
pub use message_limit::MessageLimit;
pub use mtu::{MtuBounds, MtuDiscovery};
pub use nr_gaps::NrGaps;
pub use out_of_order::OutOfOrder;
pub use profiles::{PROFILES, Profile};
pub use settings::{setting, settings};
pub use sizes::IpVersion;
pub use stream_scheduler::StreamScheduler;

use anabranch_base::{ByteCount, Duration, Ecn, Seed};

use crate::policy::acknowledge::DacWire;
use crate::policy::congestion::reno::{IdleThreshold, RenoRules};
use crate::policy::loss_detection::cmt::CmtRules;
use crate::policy::registry::{OwnSettings, Registry, StandardRules};
use crate::wire::Checksum;

/// The settings of an association. The profiles never change: research depends on the RFCs' values, and the name of a
/// profile identifies the settings of a transfer.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The name of the profile on which these settings are based. Changing other settings does not change it.
    pub profile: &'static str,
    /// The weight of a chunk against cwnd, flight and partial_bytes_acked; choose with `unit`.
    pub charge: Charge,
    /// The unit in which windows are counted and grown.
    pub unit: Unit,
    /// The weight of a chunk against the receive window, at both ends.
    pub rwnd_charge: Charge,
    /// The layer between IP and SCTP.
    pub encapsulation: Encapsulation,
    /// True if packets carry a CRC32c.
    pub checksum: Checksum,
    /// The ECN codepoint of all packets of an open association, for tests of the path of codepoints through drivers.
    /// With Not-ECT, `ecn` decides.
    pub codepoint: Ecn,
    /// The size of an IP packet that every path carries, or the largest size that MTU discovery tries.
    pub mtu: ByteCount,
    /// Which of the two meanings `mtu` has.
    pub mtu_discovery: MtuDiscovery,
    /// The user data in one DATA chunk; `None` for as much as fits.
    pub payload: Option<ByteCount>,

    /// The loss detection, which interprets SACKs path by path: a name in the registry.
    pub loss_detection: String,
    /// Which of CMT's rules hold where `loss_detection` is `cmt`; see [`Config::set_cmt`].
    pub cmt: CmtRules,
    /// The congestion control: a name in the registry.
    pub congestion_control: String,
    /// True if paths that are found to share a bottleneck grow together.
    pub coupled: Coupling,
    /// The limit of the growth of windows: a name in the registry.
    pub window_management: String,
    /// The largest window of each path if `window_management` is `static`, in full packets, in the order of the paths;
    /// together at most the peer's receive buffer (M-CWM-3).
    pub window_limits: Vec<u32>,
    /// The response of the sender to a loss: a name in the registry.
    pub loss_response: String,
    /// The settings that belong to single policies.
    pub own: OwnSettings,
    /// True if chunks are sent again in the idle period of a small window (M-SWS-1).
    pub small_window_recovery: bool,
    /// True if the window of a path starts from half of the window that filled it for another association of the
    /// endpoint, up to ten minutes ago.
    pub remember_paths: bool,
    /// The scheduler, which selects the path of new data: a name in the registry.
    pub scheduler: String,
    /// The policy that selects the path of a chunk after a time-out: a name in the registry.
    pub retransmission: String,
    /// The policy that selects the path of a chunk after missing reports: a name in the registry.
    pub fast_retransmission: String,

    /// The receive buffer, shared by all paths; if it grows, its initial size; if it has two levels, the first one.
    pub receive_buffer: ByteCount,
    /// The storage of data that waits for missing chunks: the receive buffer, or a second level of it.
    pub out_of_order: OutOfOrder,
    /// The limits of automatic growth of the receive buffer; `None` for a fixed size.
    pub receive_growth: Option<Growth>,
    /// The size of the send buffer: the largest amount of unacknowledged user data. It is less in chunks of a few
    /// bytes, which cost more memory than they carry.
    pub send_buffer: ByteCount,
    /// The limit of the size of a message.
    pub message_limit: MessageLimit,
    /// Which of the two buffers is split among the paths.
    pub buffer_split: BufferSplit,
    /// The number of outbound streams that this end requests.
    pub outbound_streams: u16,
    /// The number of inbound streams that this end accepts.
    pub inbound_streams: u16,
    /// The number of streams of a direction up to which the peer's requests add some (RFC 6525).
    pub most_streams: u16,

    /// The reports of congestion marks and the answers to them, if the peer supports ECN too.
    pub ecn: EcnUse,
    /// The window after the report of a mark.
    pub ecn_window: EcnWindow,
    /// True if this end marks some of its first packets on each path itself, to test whether marks are reported.
    pub ecn_test: bool,
    /// True if packets that begin with a retransmission may be marked (YE; RFC 3168 §6.1.5 sends them without ECT).
    pub ect_retransmissions: bool,
    /// True if every report of a mark is answered, and not only one that cuts the window: a lost answer is repaired by the
    /// next one (M-ECN-5).
    pub cwr_always: bool,

    /// The number of missing reports after which a chunk is lost.
    pub missing_reports: u8,
    /// When the receiver sends a SACK.
    pub sack: SackSettings,
    /// True if the chunk that uses up the peer's window requests a SACK without delay (RFC 7053).
    pub sack_immediately: bool,
    /// True if the last chunk before the sender waits requests a SACK without delay (RFC 7053): the chunk that fills the
    /// window of its path or the peer's, and the last one of the queue, also before a shutdown.
    pub sack_before_waiting: bool,
    /// The rule for delayed SACKs, unless [`SackSettings::when`] overrides it: a name in the registry.
    pub ack_timing: String,
    /// The replacement of `ack_timing` where [CMT's delayed acknowledgements](CmtRules::delayed_ack) are used: a name
    /// in the registry.
    pub cmt_ack_timing: String,
    /// The content of a SACK: a name in the registry.
    pub sack_content: String,
    /// The encoding of the number of packets that a SACK answers, at both ends (M-CMT-4).
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
    /// The growth of windows in slow start: a policy's name.
    pub slow_start: String,
    /// True if a window grows only when the cumulative TSN advances.
    pub growth_needs_advance: bool,
    /// True if partial_bytes_acked is limited to cwnd while the window is not fully used.
    pub clamp_partial_bytes: bool,
    /// The change of ssthresh before idle decay.
    pub idle_ssthresh: IdleThreshold,
    /// True if a cut raises a window below `window_floor` to that floor, as the RFCs literally demand (M-SCTP-7 rule
    /// 1).
    pub cut_may_raise: bool,
    /// True if the last packet must also fit into cwnd (M-SCTP-3).
    pub strict_window: bool,
    /// The SACKs that allow one fast-retransmit packet to exceed cwnd.
    pub fast_retransmit_exemption: Exemption,
    /// The number of packets that one event may send on a path.
    pub max_burst: MaxBurst,

    /// The failure detection of paths and of the association, and the probes of idle paths.
    pub failover: Failover,
    /// True if paths to addresses that the application gave carry data without verification (RFC 9260 §5.4).
    pub trusts_given_addresses: bool,
    /// True if this end announces addresses that its host gains and loses, and accepts such changes from the peer
    /// (RFC 5061), once both ends have offered it: authenticated by AUTH (RFC 4895), or by the seal.
    pub dynamic_addresses: bool,
    /// True if messages may be given up: this end offers FORWARD-TSN and understands the peer's (RFC 3758).
    pub partial_reliability: bool,
    /// True if a message that is in flight when its lifetime ends is given up only when it is lost, as FreeBSD does; false if
    /// it is given up as soon as its acknowledgement is overdue. RFC 3758 allows both.
    pub give_up_at_loss: bool,
    /// True if this end offers I-DATA, which lets messages of other streams interrupt a long one (RFC 8260).
    pub interleaving: bool,
    /// The choice of the stream whose message is sent next.
    pub stream_scheduler: StreamScheduler,
    /// True if NR-SACKs are sent in place of SACKs, if the peer understands them
    /// (draft-natarajan-tsvwg-sctp-nrsack).
    pub nr_sack: bool,
    /// The gap blocks of NR-SACKs that are final.
    pub nr_gaps: NrGaps,
    /// True if a message that fills half of the receive buffer before it is complete is received in
    /// [parts](crate::association::Part), so that it may be larger than the buffer (RFC 9260 §6.9). Not with a peer that
    /// agreed on credits for single streams, which bound its messages.
    pub partial_delivery: bool,
    /// True if streams are reset and added while the association is open, if the peer agrees (RFC 6525).
    pub stream_reconfiguration: bool,
    /// True if this end offers credits for single streams, which its driver implements. Without a driver that does, the
    /// setting has no effect.
    pub stream_credits: bool,
    /// True if test packets may be sent, and arriving ones are passed on ([`Association::send_test`]).
    ///
    /// [`Association::send_test`]: crate::association::Association::send_test
    pub test_packets: bool,
    /// The time a state cookie is valid.
    pub cookie_lifetime: Duration,
    /// The number of retransmissions of INIT or COOKIE-ECHO before giving up.
    pub max_init_retransmits: u32,
    /// The upper bound of the retransmission time-out of INIT (RFC 6458 §8.1.3: sinit_max_init_timeo); `None` for that of
    /// the others.
    pub max_init_rto: Option<Duration>,
}

/// The definition of a chunk's weight.
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
    /// packets, for every charge (M-SCTP-18: "choose them together").
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
    /// UDP and the seal around the whole SCTP packet: 8 bytes and `Encapsulation::SEAL`.
    Sealed,
}

impl Encapsulation {
    /// The bytes that sealing adds to a packet: session id and packet number with 8 bytes each, and a tag of 16
    /// bytes.
    pub(crate) const SEAL: ByteCount = ByteCount::new(32);
}

/// When the receiver sends a SACK (RFC 9260 §6.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SackSettings {
    /// The number of packets with data that a SACK answers; 1 switches delayed SACKs off.
    pub every: u32,
    /// The longest delay of a SACK after the first unreported packet; at most 500 ms.
    pub delay: Duration,
    /// The number of SACKs for packets that a driver reads at once: one each, or one for all.
    pub batch: SackBatch,
    /// The packets that are acknowledged immediately.
    pub when: SackWhen,
}

/// The packets that are acknowledged immediately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SackWhen {
    /// As [`Config::ack_timing`] decides.
    Standard,
    /// Packets after a gap are not acknowledged immediately (M-IPCC-8).
    AnyOrder,
}

/// The SACKs for packets that a driver reads from the network at once. An association answers whenever it is polled;
/// the endpoint reads this setting ([`Endpoint::handle_train`](crate::endpoint::Endpoint::handle_train)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SackBatch {
    /// One for each packet: a SACK is sent as soon as one is due.
    Each,
    /// One for all packets, at the end.
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
    /// The least value of four times RTTVAR, before the bounds: the tolerance for a queue that begins to fill on a path
    /// with constant round trips. Zero in the RFC.
    pub variation: Duration,
    /// The lower bound during the repair of losses that the loss response does not attribute to congestion; `None` for
    /// `min`.
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

/// The SACKs that allow one packet of retransmissions to exceed cwnd (M-SCTP-7 rule 3).
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
    /// The maximum number of packets that an event sends on a path.
    pub packets: u32,
    /// The rule of the bound.
    pub rule: BurstRule,
}

/// The rule of the bound on bursts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BurstRule {
    /// Every event is bounded; cwnd does not change.
    Event,
    /// Only events that acknowledge retransmitted data are bounded.
    AfterRetransmission,
    /// During the event, cwnd counts as at most the flight plus the burst (RFC 9260 §6.1 D).
    Rfc,
    /// Packets are sent at the controller's rate, in trains of this number of packets, or of the packets sent at that
    /// rate in a millisecond if that is more; cwnd does not change.
    Paced,
}

/// The failure detection of paths and of the association (RFC 9260 §8.1–8.3, RFC 7829).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failover {
    /// The number of consecutive errors after which a path has potentially failed: data moves to other paths, and
    /// HEARTBEATs probe it at once. RFC 7829's PotentiallyFailed.Max.Retrans is one less. 0 and values above `path_max`
    /// switch the state off.
    pub potentially_failed: u32,
    /// A path is inactive after more consecutive errors than this.
    pub path_max: u32,
    /// The association fails after more consecutive errors than this.
    pub association_max: u32,
    /// The time between HEARTBEATs on an idle path, to which RTO and jitter are added; with [`Duration::MAX`] idle
    /// paths are not probed.
    pub heartbeat: Duration,
    /// The maximum number of HEARTBEATs for path verification in one RTO.
    pub heartbeat_max_burst: u32,
    /// True if a path that is silent for 1.5 srtt + 25 ms while another path delivers has potentially failed at once,
    /// and failed paths are probed twice a second. Chunks lost during an outage are then sent again at the first
    /// answer, even if the time-out has backed off; lost chunks keep their room in the peer's window; and a time-out
    /// that follows another does not change the slow-start threshold.
    pub quick: bool,
}

impl Failover {
    /// No path and no peer ever fails, and idle paths are not probed: for studies of lossy networks, where consecutive
    /// errors happen by chance. Unverified paths are still probed.
    pub const OFF: Failover = Failover {
        potentially_failed: 0,
        path_max: u32::MAX,
        association_max: u32::MAX,
        heartbeat: Duration::MAX,
        heartbeat_max_burst: 1,
        quick: false,
    };

    /// Returns true if a path with `errors` consecutive errors has potentially failed, unless it has failed.
    pub(crate) fn suspects_after(&self, errors: u32) -> bool {
        self.potentially_failed > 0 && errors >= self.potentially_failed
    }
}

/// Returns true if the congestion control of this name [tells losses
/// apart](crate::policy::congestion::CongestionControl::tells_losses_apart); false if `registry` has no such name.
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

    /// Sends new data on all paths by these `rules` of CMT (M-CMT-1 to -5), or by the rules of RFC 9260 if all of them
    /// are off.
    pub fn set_cmt(&mut self, rules: CmtRules) {
        self.set_sender_cmt(rules);
        let timing = if rules.delayed_ack { &self.cmt_ack_timing } else { "standard" };
        self.ack_timing = timing.to_owned();
    }

    /// Like [`set_cmt`](Config::set_cmt), only for the data that this end sends: the timing of its SACKs does not
    /// change.
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

    /// Returns true if the receive buffer has two levels, provided that the peer's has too (M-IPCC-7).
    pub fn has_two_levels(&self) -> bool {
        self.out_of_order != OutOfOrder::InBuffer
    }

    /// The flow control, which computes the advertised window and interprets it: a name in the registry.
    pub(crate) fn flow_control(&self) -> &'static str {
        if self.has_two_levels() { "two-level" } else { "standard" }
    }

    /// The timing of SACKs in effect: a name in the registry.
    pub fn sack_timing(&self) -> &str {
        match self.sack.when {
            SackWhen::Standard => &self.ack_timing,
            SackWhen::AnyOrder => "any-order",
        }
    }
}
