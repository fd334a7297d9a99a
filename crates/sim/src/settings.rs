//! What a scenario's `[flow.sctp]` means for the protocol. It knows both vocabularies, and no default: the
//! scenario has every value.

use anabranch_scenario::model;
use anabranch_sctp::config::{
    BufferSplit, BurstRule, Charge, Config, Encapsulation, Failover, Growth, InitialWindow, MaxBurst,
    MtuDiscovery, RtoSettings, SackBatch, SackSettings, Unit,
};
use anabranch_sctp::policy::acknowledge::DacWire;
use anabranch_sctp::policy::loss_detection::cmt::CmtRules;

/// The settings of an association as the scenario wants it.
///
/// Packets carry their checksum; a driver whose packets cannot be damaged may leave it out.
pub fn association_config(sctp: &model::Sctp) -> Config {
    let profile = Config::profile(&sctp.profile).unwrap_or_default();
    let mut config = Config {
        charge: charge(sctp.charge),
        unit: unit(sctp.unit),
        rwnd_charge: charge(sctp.rwnd_charge),
        encapsulation: match sctp.encapsulation {
            model::Encapsulation::None => Encapsulation::None,
            model::Encapsulation::Udp => Encapsulation::Udp,
            model::Encapsulation::Sealed => Encapsulation::Sealed,
        },
        mtu: sctp.mtu,
        mtu_discovery: match sctp.mtu_discovery {
            model::MtuDiscovery::Off => MtuDiscovery::Off,
            model::MtuDiscovery::On => MtuDiscovery::On,
        },
        payload: sctp.payload,
        congestion_control: sctp.congestion_control.clone(),
        window_management: window_rule(&sctp.window_management).to_owned(),
        window_limits: window_limits(&sctp.window_management),
        loss_response: sctp.loss_response.clone(),
        scheduler: match sctp.multipath {
            model::Multipath::Off | model::Multipath::AppStripe => "primary".to_owned(),
            model::Multipath::Cmt => sctp.scheduler.clone(),
        },
        retransmission: sctp.retransmission.clone(),
        fast_retransmission: sctp.fast_retransmission.clone(),
        receive_buffer: sctp.receive_buffer,
        receive_growth: sctp
            .receive_growth
            .map(|growth| Growth { limit: growth.limit, endpoint: growth.endpoint }),
        send_buffer: sctp.send_buffer,
        buffer_split: buffer_split(sctp.buffer_split),
        missing_reports: sctp.missing_reports,
        dac_wire: match sctp.dac_wire {
            model::DacWire::Bits76 => DacWire::Bits76,
            model::DacWire::Plain => DacWire::Plain,
        },
        sack: SackSettings {
            every: sctp.sack_every,
            delay: sctp.sack_delay,
            batch: if sctp.sack_batch { SackBatch::Whole } else { SackBatch::Each },
        },
        rto: RtoSettings {
            initial: sctp.rto_initial,
            min: sctp.rto_min,
            max: sctp.rto_max,
            variation: sctp.rto_variation,
        },
        initial_window: sctp.initial_window.map_or(profile.initial_window, InitialWindow::Bytes),
        initial_ssthresh: sctp.initial_ssthresh,
        window_floor: sctp.window_floor,
        strict_window: sctp.strict_window,
        max_burst: MaxBurst {
            packets: sctp.max_burst.packets,
            rule: match sctp.max_burst.rule {
                model::BurstRule::Event => BurstRule::Event,
                model::BurstRule::AfterRetransmission => BurstRule::AfterRetransmission,
                model::BurstRule::Rfc => BurstRule::Rfc,
                model::BurstRule::Paced => BurstRule::Paced,
            },
        },
        failover: failover(sctp.failover, profile.failover),
        ..profile
    };
    config.set_cmt(match sctp.multipath {
        model::Multipath::Cmt => cmt(sctp.cmt),
        model::Multipath::Off | model::Multipath::AppStripe => CmtRules::NONE,
    });
    config
}

fn window_rule(management: &model::WindowManagement) -> &str {
    match management {
        model::WindowManagement::Rule(name) => name,
        model::WindowManagement::Limits(_) => "static",
    }
}

fn window_limits(management: &model::WindowManagement) -> Vec<u32> {
    match management {
        model::WindowManagement::Rule(_) => Vec::new(),
        model::WindowManagement::Limits(limits) => limits.clone(),
    }
}

fn cmt(rules: model::Cmt) -> CmtRules {
    let model::Cmt { split_fast_retransmit, window_update, delayed_ack } = rules;
    CmtRules { split_fast_retransmit, window_update, delayed_ack }
}

fn charge(charge: model::Charge) -> Charge {
    match charge {
        model::Charge::User => Charge::User,
        model::Charge::Chunk => Charge::Chunk,
        model::Charge::Packet => Charge::Packet,
    }
}

fn unit(unit: model::Unit) -> Unit {
    match unit {
        model::Unit::Mtu => Unit::Mtu,
        model::Unit::Pmdcs => Unit::Pmdcs,
        model::Unit::Bytes => Unit::FullChunk,
    }
}

fn buffer_split(split: model::BufferSplit) -> BufferSplit {
    match split {
        model::BufferSplit::None => BufferSplit::None,
        model::BufferSplit::Sender => BufferSplit::Sender,
        model::BufferSplit::Receiver => BufferSplit::Receiver,
        model::BufferSplit::Both => BufferSplit::Both,
    }
}

fn failover(failover: model::Failover, profile: Failover) -> Failover {
    match failover {
        model::Failover::Off => Failover::OFF,
        model::Failover::On { potentially_failed, path_max, association_max, heartbeat, quick } => {
            Failover { potentially_failed, path_max, association_max, heartbeat, quick, ..profile }
        }
    }
}
