//! The RFCs' sets of settings (M-SCTP-18). They never change, because research depends on their values.

use anabranch_base::{ByteCount, Duration, Ecn};

use super::{
    BufferSplit, BurstRule, Charge, Config, Coupling, EcnUse, EcnWindow, Encapsulation, Exemption, Failover,
    InitialWindow, MaxBurst, MessageLimit, MtuDiscovery, NrGaps, OutOfOrder, RtoSettings, SackBatch,
    SackSettings, SackWhen, StreamScheduler, Unit,
};
use crate::policy::acknowledge::DacWire;
use crate::policy::congestion::reno::IdleThreshold;
use crate::policy::loss_detection::cmt::CmtRules;
use crate::policy::registry::OwnSettings;
use crate::wire::Checksum;

impl Config {
    /// RFC 9260 with new data on all paths.
    pub fn rfc9260() -> Config {
        Config {
            profile: "rfc9260",
            charge: Charge::Chunk,
            unit: Unit::Pmdcs,
            rwnd_charge: Charge::User,
            encapsulation: Encapsulation::Udp,
            checksum: Checksum::Crc32c,
            codepoint: Ecn::NotEct,
            mtu: ByteCount::new(1500),
            mtu_discovery: MtuDiscovery::Off,
            payload: None,
            loss_detection: "association".into(),
            cmt: CmtRules::NONE,
            congestion_control: "reno".into(),
            coupled: Coupling::Off,
            window_management: "none".into(),
            window_limits: Vec::new(),
            loss_response: "standard".into(),
            own: OwnSettings::default(),
            small_window_recovery: false,
            remember_paths: false,
            scheduler: "round-robin".into(),
            retransmission: "alternate".into(),
            fast_retransmission: "same".into(),
            receive_buffer: ByteCount::from_mib(1),
            receive_growth: None,
            out_of_order: OutOfOrder::InBuffer,
            send_buffer: ByteCount::from_mib(2),
            message_limit: MessageLimit::BothBuffers,
            buffer_split: BufferSplit::None,
            outbound_streams: 16,
            inbound_streams: 2048,
            most_streams: 2048,
            ecn: EcnUse::Off,
            ecn_window: EcnWindow::HALF,
            ecn_test: false,
            ect_retransmissions: true,
            cwr_always: false,
            missing_reports: 3,
            sack: SackSettings {
                every: 2,
                delay: Duration::from_millis(200),
                batch: SackBatch::Each,
                when: SackWhen::Standard,
            },
            sack_immediately: false,
            sack_before_waiting: false,
            ack_timing: "standard".into(),
            cmt_ack_timing: "dac".into(),
            sack_content: "all".into(),
            dac_wire: DacWire::Bits76,
            rto: RtoSettings {
                initial: Duration::from_secs(1),
                min: Duration::from_secs(1),
                max: Duration::from_secs(60),
                variation: Duration::ZERO,
                min_recovery: None,
            },
            initial_window: InitialWindow::Between { ipv4: ByteCount::new(4404), ipv6: ByteCount::new(4344) },
            initial_ssthresh: None,
            window_floor: 4,
            idle_floor: 4,
            slow_start: "unit".to_owned(),
            growth_needs_advance: false,
            clamp_partial_bytes: true,
            idle_ssthresh: IdleThreshold::TakesWindow,
            cut_may_raise: false,
            strict_window: false,
            fast_retransmit_exemption: Exemption::Entry,
            max_burst: MaxBurst { packets: 4, rule: BurstRule::Event },
            failover: Failover {
                potentially_failed: 0,
                path_max: 5,
                association_max: 10,
                heartbeat: Duration::from_secs(30),
                heartbeat_max_burst: 1,
                quick: false,
            },
            trusts_given_addresses: true,
            dynamic_addresses: false,
            partial_reliability: false,
            give_up_at_loss: false,
            interleaving: false,
            stream_scheduler: StreamScheduler::FirstCome,
            nr_sack: false,
            nr_gaps: NrGaps::All,
            partial_delivery: false,
            stream_reconfiguration: false,
            stream_credits: false,
            test_packets: false,
            cookie_lifetime: Duration::from_secs(60),
            max_init_retransmits: 8,
            max_init_rto: None,
        }
    }

    /// RFC 4960 as WS and BERP use it: four missing reports.
    pub fn rfc4960() -> Config {
        Config {
            profile: "rfc4960",
            unit: Unit::Mtu,
            missing_reports: 4,
            rto: RtoSettings { initial: Duration::from_secs(3), ..Config::rfc9260().rto },
            initial_window: InitialWindow::Between { ipv4: ByteCount::new(4380), ipv6: ByteCount::new(4380) },
            growth_needs_advance: true,
            clamp_partial_bytes: false,
            idle_ssthresh: IdleThreshold::Stays,
            fast_retransmit_exemption: Exemption::Each,
            ..Config::rfc9260()
        }
    }

    /// RFC 2960 with the Implementer's Guide, as YE and IY use it.
    pub fn rfc2960() -> Config {
        Config {
            profile: "rfc2960",
            fast_retransmission: "alternate".into(),
            initial_window: InitialWindow::TwoUnits,
            window_floor: 2,
            idle_floor: 2,
            ..Config::rfc4960()
        }
    }

    /// The profile called `name`, if there is one.
    pub fn profile(name: &str) -> Option<Config> {
        PROFILES.iter().find(|(known, _)| *known == name).map(|(_, profile)| profile())
    }
}

/// A name and its settings.
pub type Profile = (&'static str, fn() -> Config);

/// Every profile, oldest first.
pub const PROFILES: [Profile; 5] = [
    ("rfc2960", Config::rfc2960),
    ("rfc4960", Config::rfc4960),
    ("rfc9260", Config::rfc9260),
    ("tuned-1", Config::tuned_1),
    ("tuned-2", Config::tuned_2),
];

impl Default for Config {
    /// [`Config::rfc9260`].
    fn default() -> Config {
        Config::rfc9260()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_profiles_are_within_their_domains() {
        for (name, profile) in PROFILES {
            assert_eq!((profile().check(), profile().profile), (Ok(()), name));
        }
    }
}
