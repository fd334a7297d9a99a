//! The values of the profiles that a scenario can begin from (M-SCTP-18). They are frozen: research rests on
//! them. It knows no file; `sctp/src/config/` has the same numbers for the protocol itself, and the reasons of `tuned-1`.

use anabranch_base::{ByteCount, Duration};

use crate::model::{
    BufferSplit, BurstRule, Charge, Cmt, DacWire, Encapsulation, Failover, Growth, Handshake, MaxBurst,
    MtuDiscovery, Multipath, Sctp, Unit, WindowManagement,
};

/// The settings of the profile called `name`; those of RFC 9260 where there is none.
pub(crate) fn profile(name: &str) -> Sctp {
    match name {
        "rfc2960" => rfc2960(),
        "rfc4960" => rfc4960(),
        "tuned-1" => tuned_1(),
        _ => rfc9260(),
    }
}

/// What a scenario begins from unless it names another.
pub(crate) const DEFAULT: &str = "rfc9260";

/// RFC 9260 over all paths at once.
fn rfc9260() -> Sctp {
    Sctp {
        profile: "rfc9260".to_owned(),
        charge: Charge::Chunk,
        unit: Unit::Pmdcs,
        rwnd_charge: Charge::User,
        encapsulation: Encapsulation::None,
        multipath: Multipath::Cmt,
        cmt: CMT,
        congestion_control: "reno".to_owned(),
        scheduler: "round-robin".to_owned(),
        retransmission: "alternate".to_owned(),
        fast_retransmission: "same".to_owned(),
        receive_buffer: ByteCount::from_mib(1),
        receive_growth: None,
        send_buffer: ByteCount::from_mib(2),
        buffer_split: BufferSplit::None,
        window_management: WindowManagement::Rule("none".to_owned()),
        loss_response: "standard".to_owned(),
        missing_reports: 3,
        sack_every: 2,
        sack_delay: Duration::from_millis(200),
        sack_batch: false,
        dac_wire: DacWire::Bits76,
        rto_initial: Duration::from_secs(1),
        rto_min: Duration::from_secs(1),
        rto_max: Duration::from_secs(60),
        rto_variation: Duration::ZERO,
        initial_window: None,
        initial_ssthresh: None,
        window_floor: 4,
        mtu: ByteCount::new(1500),
        mtu_discovery: MtuDiscovery::Off,
        payload: None,
        max_burst: MaxBurst { packets: 4, rule: BurstRule::Event },
        strict_window: false,
        ordered: true,
        failover: FAILOVER,
        handshake: Handshake::On,
    }
}

/// RFC 4960 as WS and BERP use it.
fn rfc4960() -> Sctp {
    Sctp {
        profile: "rfc4960".to_owned(),
        unit: Unit::Mtu,
        missing_reports: 4,
        rto_initial: Duration::from_secs(3),
        ..rfc9260()
    }
}

/// RFC 2960 with the Implementer's Guide, as YE and IY use it.
fn rfc2960() -> Sctp {
    Sctp {
        profile: "rfc2960".to_owned(),
        fast_retransmission: "alternate".to_owned(),
        window_floor: 2,
        ..rfc4960()
    }
}

/// RFC 9260 for bulk transfers over today's networks: what the tools use.
fn tuned_1() -> Sctp {
    Sctp {
        profile: "tuned-1".to_owned(),
        scheduler: "fill".to_owned(),
        mtu_discovery: MtuDiscovery::On,
        retransmission: "same".to_owned(),
        receive_buffer: ByteCount::from_mib(1),
        receive_growth: Some(Growth { limit: ByteCount::from_mib(16), endpoint: ByteCount::from_mib(64) }),
        send_buffer: ByteCount::from_mib(16),
        sack_delay: Duration::from_millis(20),
        sack_batch: true,
        rto_min: Duration::from_millis(200),
        rto_variation: Duration::from_millis(200),
        max_burst: MaxBurst { packets: 16, rule: BurstRule::Paced },
        failover: Failover::On {
            potentially_failed: 1,
            path_max: 2,
            association_max: 10,
            heartbeat: Duration::from_secs(1),
            quick: true,
        },
        ..rfc9260()
    }
}

/// As its inventors recommend it.
const CMT: Cmt = Cmt { split_fast_retransmit: true, window_update: true, delayed_ack: true };

/// RFC 9260 §16.
const FAILOVER: Failover = Failover::On {
    potentially_failed: 0,
    path_max: 5,
    association_max: 10,
    heartbeat: Duration::from_secs(30),
    quick: false,
};
