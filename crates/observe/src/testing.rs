//! A scenario and observations for the tests of sinks.

use anabranch_base::{ByteCount, Duration, Ecn, Time};
use anabranch_scenario::model::Flow;
use anabranch_scenario::{NoFiles, Scenario, Source, registry};
use anabranch_sctp::seq::{Ssn, Tsn};
use anabranch_sctp::wire::{
    Checksum, Chunk, CommonHeader, Data, PacketBuilder, Ppid, StreamId, VerificationTag,
};
use anabranch_sim::observe::{Host, Observation, PacketSeen, PathState, Seen, Step};
use anabranch_sim::result::{
    DirectionResult, FlowResult, LinkResult, PathCounters, PathResult, RunResult, WireBytes,
};
use bytes::Bytes;

use super::About;

/// The run of `scenario` that tests record.
pub(crate) fn about(scenario: &Scenario) -> About<'_> {
    About { scenario, name: "phone", seed: 7, command: "anabranch sim phone.toml --seed 7", source: None }
}

/// Two paths of one link each, `wifi` and `lte`; flows `main` of SCTP over both, `tunnel` of SCTP in UDP over the first
/// and `noise` of UDP over the second.
pub(crate) fn scenario() -> Scenario {
    Scenario::parse(&Source::new("phone.toml", PHONE), &NoFiles, &[], &registry())
        .expect("a scenario without an error")
}

/// Three stations in a line, each in range of its neighbours.
pub(crate) fn mesh() -> Scenario {
    Scenario::parse(&Source::new("string.toml", STRING), &NoFiles, &[], &registry())
        .expect("a scenario without an error")
}

const STRING: &str = r#"
run = { time = "10 s" }
[[node]]
name = "a"
[[node]]
name = "b"
x = "250 m"
[[node]]
name = "c"
x = "500 m"
[[flow]]
from = "a"
to = "c"
"#;

const PHONE: &str = r#"
title = "Two paths"
run = { time = "10 s", seed = 7 }
[[link]]
name = "wifi"
rate = "10 Mbit/s"
delay = "20 ms"
[[link]]
name = "lte"
rate = "10 Mbit/s"
delay = "40 ms"
[[flow]]
name = "main"
[[flow]]
name = "tunnel"
paths = ["wifi"]
sctp = { encapsulation = "udp" }
[[flow]]
name = "noise"
protocol = "udp"
paths = ["lte"]
traffic = { kind = "cbr", rate = "1 Mbit/s", message = "1000 B" }
"#;

/// The result of a run of `scenario` in which nothing was sent for ten seconds.
pub(crate) fn result() -> RunResult {
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
        stations: Vec::new(),
    }
}

/// A packet of flow `main` on path `wifi` with a COOKIE-ACK only.
pub(crate) fn packet(at: Time, from: Host, step: Step) -> Observation {
    let bytes = sctp_packet(&[Chunk::CookieAck]);
    seen(at, PacketSeen { from, ..packet_seen(0, step, 20, bytes) })
}

/// A packet of flow `main` on path `wifi`, sent by the first host, with a DATA chunk for each of these TSNs.
pub(crate) fn data(at: Time, tsns: &[u32], step: Step) -> Observation {
    seen(at, packet_seen(0, step, 20, data_packet(tsns)))
}

/// A datagram of flow `noise` on path `lte`, sent by the first host.
pub(crate) fn datagram(at: Time, length: usize, step: Step) -> Observation {
    seen(at, PacketSeen { path: 1, ..packet_seen(2, step, 28, vec![0; length]) })
}

/// An SCTP packet with a DATA chunk of 4 bytes for each of these TSNs.
pub(crate) fn data_packet(tsns: &[u32]) -> Vec<u8> {
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
pub(crate) fn sctp_packet(chunks: &[Chunk<'_>]) -> Vec<u8> {
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
    let (from, ecn) = (Host::First, Ecn::NotEct);
    PacketSeen { flow, path: 0, from, step, size, ecn, bytes, retransmission: false }
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
        wire_bytes_sent: WireBytes::default(),
        tr_ratio: None,
        goodput_packets: None,
        sacks: None,
        failure: None,
        paths,
    }
}

fn path_result(name: String) -> PathResult {
    PathResult {
        name,
        state: PathState::Active,
        counters: PathCounters::default(),
        lost_packets: 0,
        mean_cwnd_bytes: 0.0,
        mean_rtt_s: None,
        min_rtt_s: None,
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
        mean_queue_packets: 0.0,
        utilisation: 0.0,
    };
    LinkResult { name: name.to_owned(), forward: nothing, reverse: nothing }
}
