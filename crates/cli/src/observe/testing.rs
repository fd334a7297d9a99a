//! A scenario and observations for the tests of sinks. It knows no sink.

use anabranch_base::{BitRate, ByteCount, Duration, Time};
use anabranch_link::config::LinkConfig;
use anabranch_scenario::model::{
    BurstRule, Charge, Direction, Encapsulation, Failover, Flow, Handshake, Link, MaxBurst, Multipath, Path,
    Protocol, Run, Scenario, Sctp, Traffic, Unit,
};
use anabranch_sim::observe::{Host, Observation, PacketSeen, Seen, Step};
use bytes::Bytes;

use super::About;

/// The run of `scenario` that tests record.
pub fn about(scenario: &Scenario) -> About<'_> {
    About { scenario, name: "phone", seed: 7, command: "anabranch sim phone.toml --seed 7" }
}

/// Two paths of one link each, `wifi` and `lte`; flows `main` of SCTP over both, `tunnel` of SCTP in UDP
/// over the first and `noise` of UDP over the second.
pub fn scenario() -> Scenario {
    let path = |name: &str, link| Path { name: name.to_owned(), links: vec![link] };
    let tunnel = Sctp { encapsulation: Encapsulation::Udp, ..sctp() };
    Scenario {
        title: "Two paths".to_owned(),
        run: Run { time: Some(Duration::from_secs(10)), warmup: Duration::ZERO, seed: 7, runs: 1 },
        links: vec![link("wifi", 20), link("lte", 40)],
        paths: vec![path("wifi", 0), path("lte", 1)],
        events: Vec::new(),
        flows: vec![
            flow("main", Protocol::Sctp(Box::new(sctp())), &[0, 1]),
            flow("tunnel", Protocol::Sctp(Box::new(tunnel)), &[0]),
            flow("noise", Protocol::Udp, &[1]),
        ],
    }
}

/// A packet of flow `main` on path `wifi` with nothing but a COOKIE-ACK.
pub fn packet(at: Time, from: Host, step: Step) -> Observation {
    let mut bytes = [0; 16];
    bytes[..4].copy_from_slice(&[0x13, 0x89, 0x13, 0x8a]);
    bytes[12..].copy_from_slice(&[11, 0, 0, 4]);
    let bytes = Bytes::copy_from_slice(&bytes);
    let size = ByteCount::of_len(bytes.len() + 20);
    let seen = PacketSeen { flow: 0, path: 0, from, step, size, bytes, retransmission: false };
    Observation { at, what: Seen::Packet(seen) }
}

fn link(name: &str, delay: u64) -> Link {
    let config = LinkConfig::new(BitRate::from_mbps(10), Duration::from_millis(delay));
    Link { name: name.to_owned(), forward: config.clone(), reverse: config }
}

fn flow(name: &str, protocol: Protocol, paths: &[usize]) -> Flow {
    Flow {
        name: name.to_owned(),
        protocol,
        paths: paths.to_vec(),
        start: Time::ZERO,
        transfer: None,
        direction: Direction::Forward,
        traffic: Traffic::Bulk,
    }
}

fn sctp() -> Sctp {
    Sctp {
        profile: "rfc9260".to_owned(),
        charge: Charge::Chunk,
        unit: Unit::Pmdcs,
        rwnd_charge: Charge::User,
        encapsulation: Encapsulation::None,
        multipath: Multipath::Striped,
        congestion_control: "reno".to_owned(),
        scheduler: "round-robin".to_owned(),
        retransmission: "same".to_owned(),
        fast_retransmission: "same".to_owned(),
        receive_buffer: ByteCount::from_mib(1),
        send_buffer: ByteCount::from_mib(1),
        window_management: "none".to_owned(),
        loss_response: "standard".to_owned(),
        missing_reports: 3,
        sack_every: 2,
        sack_delay: Duration::from_millis(200),
        rto_initial: Duration::from_secs(1),
        rto_min: Duration::from_secs(1),
        rto_max: Duration::from_secs(60),
        initial_window: None,
        initial_ssthresh: None,
        window_floor: 4,
        mtu: ByteCount::new(1500),
        payload: None,
        max_burst: MaxBurst { packets: 4, rule: BurstRule::Event },
        strict_window: false,
        ordered: true,
        failover: Failover::Off,
        handshake: Handshake::On,
    }
}
