//! Everything that can be set on an association. It knows names and numbers; what they do is with the
//! policies and the association.

mod profiles;
mod sizes;

pub use sizes::IpVersion;

use anabranch_base::{ByteCount, Duration};

use crate::policy::congestion::reno::RenoRules;
use crate::policy::registry::Rules;
use crate::wire::{Checksum, Data};

/// The settings of an association. The three profiles are frozen: research rests on their values.
#[derive(Clone, Debug)]
pub struct Config {
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
    /// The size of an IP packet that every path carries.
    pub mtu: ByteCount,
    /// User data in one DATA chunk; `None` for what fits.
    pub payload: Option<ByteCount>,

    /// How SACKs are read path by path: a name in the registry.
    pub path_order: String,
    /// How windows grow and shrink: a name in the registry.
    pub congestion_control: String,
    /// How far windows may grow: a name in the registry.
    pub window_management: String,
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

    /// The receive buffer, shared by all paths.
    pub receive_buffer: ByteCount,
    /// How much user data may wait to be acknowledged.
    pub send_buffer: ByteCount,
    /// The streams this end asks for.
    pub outbound_streams: u16,
    /// The streams this end lets the peer open.
    pub inbound_streams: u16,

    /// How many missing reports make a chunk lost.
    pub missing_reports: u8,
    /// When a SACK is sent.
    pub sack: SackSettings,
    /// The bounds of the retransmission time-out.
    pub rto: RtoSettings,
    /// The congestion window of a fresh path.
    pub initial_window: InitialWindow,
    /// The slow-start threshold of a fresh path; `None` for the peer's receive buffer.
    pub initial_ssthresh: Option<ByteCount>,
    /// ssthresh after a loss is never lower than so many units.
    pub window_floor: u64,
    /// Idle decay stops at so many units.
    pub idle_floor: u64,
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
    /// So many bytes. Windows are kept to the byte with every unit; this is the step by which they grow, what a time-out
    /// leaves, and what floors are multiples of.
    Bytes(ByteCount),
}

/// What lies between IP and SCTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encapsulation {
    /// Nothing.
    None,
    /// UDP (RFC 6951): 8 bytes.
    Udp,
}

/// When a SACK is sent (RFC 9260 §6.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SackSettings {
    /// At every so many packets with data; 1 switches delayed SACKs off.
    pub every: u32,
    /// And so long after the first unreported one at the latest; at most 500 ms.
    pub delay: Duration,
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
}

/// The congestion window of a fresh path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialWindow {
    /// RFC 2960: two units.
    TwoUnits,
    /// RFC 4960 and RFC 9260: min(4 units, max(2 units, so many bytes)), other bytes for an IPv6 peer.
    Between {
        /// For an IPv4 peer.
        ipv4: ByteCount,
        /// For an IPv6 peer.
        ipv6: ByteCount,
    },
    /// So many bytes.
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
}

/// When a path or the association is given up (RFC 9260 §8.1–8.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failover {
    /// A path is inactive after more errors in a row than this.
    pub path_max: u32,
    /// The association is given up after more than this.
    pub association_max: u32,
    /// The time between HEARTBEATs on an idle path, to which RTO and jitter are added; with [`Duration::MAX`] idle
    /// paths are not probed.
    pub heartbeat: Duration,
    /// How many HEARTBEATs for path verification leave in one RTO.
    pub heartbeat_max_burst: u32,
}

impl Failover {
    /// No path and no peer is ever given up, and idle paths are not probed: for studies of lossy networks, in which
    /// errors in a row are chance. Paths that nobody has verified still are.
    pub const OFF: Failover = Failover {
        path_max: u32::MAX,
        association_max: u32::MAX,
        heartbeat: Duration::MAX,
        heartbeat_max_burst: 1,
    };
}

/// A setting outside its domain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key} is {value}, but {expected}")]
pub struct ConfigError {
    /// The setting, as users write it.
    pub key: &'static str,
    /// Its value.
    pub value: String,
    /// What it may be.
    pub expected: String,
}

impl Config {
    /// The numbers that the standard rules are built from.
    pub fn rules(&self) -> Rules {
        Rules {
            reno: RenoRules {
                window_floor: self.window_floor,
                idle_floor: self.idle_floor,
                growth_needs_advance: self.growth_needs_advance,
                clamp_partial_bytes: self.clamp_partial_bytes,
                idle_keeps_ssthresh: self.idle_keeps_ssthresh,
                strict_window: self.strict_window,
            },
            missing_reports: self.missing_reports,
            sack_every: self.sack.every,
            sack_delay: self.sack.delay,
        }
    }

    /// Whether every number is within its domain.
    ///
    /// # Errors
    /// The first setting that is not, with what it may be.
    pub fn check(&self) -> Result<(), ConfigError> {
        let largest_payload = 65_535 - Data::HEADER_LEN as u64;
        let unit = match self.unit {
            Unit::Bytes(bytes) => bytes,
            Unit::Mtu | Unit::Pmdcs | Unit::FullChunk => self.mtu,
        };
        let in_range = [
            ("mtu", self.mtu.get(), 576, 65_535),
            ("unit", unit.get(), 1, 65_535),
            ("payload", self.payload.map_or(4, ByteCount::get), 4, largest_payload),
            ("receive_buffer", self.receive_buffer.get(), 1500, u64::from(u32::MAX)),
            ("send_buffer", self.send_buffer.get(), 1, u64::MAX),
            ("streams.outbound", u64::from(self.outbound_streams), 1, 65_535),
            ("streams.inbound", u64::from(self.inbound_streams), 1, 65_535),
            ("missing_reports", u64::from(self.missing_reports), 1, 255),
            ("sack.every", u64::from(self.sack.every), 1, 1_000),
            ("window_floor", self.window_floor, 1, 1_000),
            ("max_burst", u64::from(self.max_burst.packets), 1, u64::from(u32::MAX)),
        ];
        for (key, value, least, most) in in_range {
            if !(least..=most).contains(&value) {
                return Err(out_of_domain(key, &value, format!("it may be {least} to {most}")));
            }
        }
        if self.sack.delay > Duration::from_millis(500) {
            let expected = "RFC 9260 §6.2 allows 500 ms at most".to_owned();
            return Err(out_of_domain("sack.delay", &self.sack.delay, expected));
        }
        if self.rto.min > self.rto.max || self.rto.min.is_zero() {
            let expected = format!("it may be more than 0 and at most rto.max, {}", self.rto.max);
            return Err(out_of_domain("rto.min", &self.rto.min, expected));
        }
        if self.rto.initial < self.rto.min || self.rto.initial > self.rto.max {
            let expected = format!("it may be {} to {}", self.rto.min, self.rto.max);
            return Err(out_of_domain("rto.initial", &self.rto.initial, expected));
        }
        self.check_payload()
    }

    fn check_payload(&self) -> Result<(), ConfigError> {
        let Some(payload) = self.payload else { return Ok(()) };
        // A path over IPv6 carries less; there the chunks are made smaller.
        let fits = self.largest_payload(IpVersion::V4);
        if payload > fits {
            let expected = format!("a path with an MTU of {} carries at most {fits} in a chunk", self.mtu);
            return Err(out_of_domain("payload", &payload, expected));
        }
        Ok(())
    }
}

fn out_of_domain(key: &'static str, value: &impl ToString, expected: String) -> ConfigError {
    ConfigError { key, value: value.to_string(), expected }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_outside_its_domain_is_named_with_both_numbers() {
        let config = Config { payload: Some(ByteCount::new(1453)), ..Config::rfc9260() };
        let error = config.check().expect_err("does not fit");
        assert_eq!(
            error.to_string(),
            "payload is 1453 B, but a path with an MTU of 1500 B carries at most 1444 B in a chunk"
        );
        let config = Config { receive_buffer: ByteCount::new(1499), ..Config::rfc9260() };
        assert_eq!(
            config.check().expect_err("too small").to_string(),
            "receive_buffer is 1499, but it may be 1500 to 4294967295"
        );
        let config = Config { unit: Unit::Bytes(ByteCount::ZERO), ..Config::rfc9260() };
        assert_eq!(
            config.check().expect_err("a window that never opens").to_string(),
            "unit is 0, but it may be 1 to 65535"
        );
    }
}
