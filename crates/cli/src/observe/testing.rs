//! A scenario and observations for the tests of sinks. It knows no sink.

use anabranch_base::{BitRate, ByteCount, Duration, Time};
use anabranch_link::config::LinkConfig;
use anabranch_scenario::model::{
    BurstRule, Charge, Direction, Encapsulation, Failover, Flow, Handshake, Link, MaxBurst, Multipath, Path,
    Protocol, Run, Scenario, Sctp, Traffic, Unit,
};
use anabranch_sctp::policy::PathState;
use anabranch_sctp::seq::{Ssn, Tsn};
use anabranch_sctp::wire::{
    Checksum, Chunk, CommonHeader, Data, PacketBuilder, Ppid, StreamId, VerificationTag,
};
use anabranch_sim::observe::{Host, Observation, PacketSeen, Seen, Step};
use anabranch_sim::result::{DirectionResult, FlowResult, LinkResult, PathResult, RunResult};
use bytes::Bytes;

use super::About;

/// The run of `scenario` that tests record.
pub fn about(scenario: &Scenario) -> About<'_> {
    About { scenario, name: "phone", seed: 7, command: "anabranch sim phone.toml --seed 7", source: None }
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

/// What a run of `scenario` came to in which nothing was sent for ten seconds.
pub fn result() -> RunResult {
    let scenario = scenario();
    let names =
        |flow: &Flow| flow.paths.iter().map(|path| scenario.paths[*path].name.clone()).collect::<Vec<_>>();
    let flow = |flow: &Flow| flow_result(&flow.name, names(flow).into_iter().map(path_result).collect());
    RunResult {
        seed: 7,
        time: Duration::from_secs(10),
        events: 0,
        packets: 0,
        end_to_end_packets: 0,
        flows: scenario.flows.iter().map(flow).collect(),
        links: scenario.links.iter().map(|link| link_result(&link.name)).collect(),
    }
}

/// A packet of flow `main` on path `wifi` with nothing but a COOKIE-ACK.
pub fn packet(at: Time, from: Host, step: Step) -> Observation {
    let bytes = sctp_packet(&[Chunk::CookieAck]);
    seen(at, PacketSeen { from, ..packet_seen(0, step, 20, bytes) })
}

/// A packet of flow `main` on path `wifi`, sent by the first host, with a DATA chunk for each of these TSNs.
pub fn data(at: Time, tsns: &[u32], step: Step) -> Observation {
    seen(at, packet_seen(0, step, 20, data_packet(tsns)))
}

/// A datagram of flow `noise` on path `lte`, sent by the first host.
pub fn datagram(at: Time, length: usize, step: Step) -> Observation {
    seen(at, PacketSeen { path: 1, ..packet_seen(2, step, 28, vec![0; length]) })
}

/// An SCTP packet with a DATA chunk of 4 bytes for each of these TSNs.
pub fn data_packet(tsns: &[u32]) -> Vec<u8> {
    let chunk = |tsn: &u32| {
        Chunk::Data(Data {
            tsn: Tsn::new(*tsn),
            stream: StreamId::new(0),
            ssn: Ssn::new(0),
            ppid: Ppid::new(0),
            unordered: false,
            beginning: true,
            ending: true,
            immediate: false,
            payload: b"data",
        })
    };
    sctp_packet(&tsns.iter().map(chunk).collect::<Vec<_>>())
}

/// An SCTP packet of these chunks without a checksum.
pub fn sctp_packet(chunks: &[Chunk<'_>]) -> Vec<u8> {
    let tag = VerificationTag::new(1);
    let header = CommonHeader { source_port: 5001, destination_port: 5002, verification_tag: tag };
    let mut bytes = Vec::new();
    let mut packet = PacketBuilder::new(&mut bytes, header, 1480);
    chunks.iter().for_each(|chunk| packet.push(chunk).expect("a packet with room"));
    packet.finish(Checksum::Omitted);
    bytes
}

fn seen(at: Time, packet: PacketSeen) -> Observation {
    Observation { at, what: Seen::Packet(packet) }
}

fn packet_seen(flow: usize, step: Step, headers: usize, bytes: Vec<u8>) -> PacketSeen {
    let size = ByteCount::of_len(bytes.len() + headers);
    let bytes = Bytes::from(bytes);
    PacketSeen { flow, path: 0, from: Host::First, step, size, bytes, retransmission: false }
}

fn flow_result(name: &str, paths: Vec<PathResult>) -> FlowResult {
    FlowResult {
        name: name.to_owned(),
        protocol: "sctp",
        from: Host::First,
        delivered: ByteCount::ZERO,
        goodput_bps: 0.0,
        completion: None,
        first_data: None,
        blocked: Duration::ZERO,
        longest_stall: Duration::ZERO,
        reorder_bytes_max: ByteCount::ZERO,
        delay: None,
        failure: None,
        paths,
    }
}

fn path_result(name: String) -> PathResult {
    PathResult {
        name,
        state: PathState::Active,
        sent_packets: 0,
        sent_bytes: ByteCount::ZERO,
        retransmitted_chunks: 0,
        lost_packets: 0,
        fast_retransmits: 0,
        timeouts: 0,
        mean_cwnd_bytes: 0.0,
        mean_rtt_s: None,
        goodput_bps: 0.0,
        app_limited: Duration::ZERO,
        cwnd_limited: Duration::ZERO,
        rwnd_limited: Duration::ZERO,
        scheduler_limited: Duration::ZERO,
        down: Duration::ZERO,
    }
}

fn link_result(name: &str) -> LinkResult {
    let nothing = DirectionResult {
        packets: 0,
        offered: 0,
        lost: 0,
        queue_drops: 0,
        marked: 0,
        duplicated: 0,
        corrupted: 0,
        in_flight: 0,
        utilisation: 0.0,
    };
    LinkResult { name: name.to_owned(), forward: nothing, reverse: nothing }
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
