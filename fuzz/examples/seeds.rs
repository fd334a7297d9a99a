//! Writes `fuzz/seeds/`: inputs that reach deep from the start. Packets come from a real dialogue; inputs that encode
//! operations are drawn by xorshift. Run in `fuzz/`: `cargo run --example seeds`.

#[path = "../../crates/sctp/tests/pair/mod.rs"]
mod pair;

use std::collections::BTreeMap;
use std::path::Path;

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_bench::PathEntry;
use anabranch_bench::protocol::{Ask, Frame as TestFrame, ReceiverReport, EndReport};
use anabranch_forward::Destination;
use anabranch_forward::socks::Datagram;
use anabranch_net::StreamId;
use anabranch_net::streams::control::Entry;
use anabranch_sctp::association::Reliability;
use anabranch_sctp::config::Config;
use anabranch_transfer::protocol::{FilePath, FrameRef, FileKind, Modified, Offer, Sender, FileVerdict, encode};
use bytes::Bytes;
use pair::{End, Pair};
use sha2::{Digest as _, Sha256};

fn main() {
    for (name, bytes) in dialogue().into_iter().chain(extended()) {
        write("packet", &name, &bytes);
        let kind = [1, 2, 6, 9].iter().position(|kind| bytes[12] == *kind);
        if let Some(selector) = kind {
            write("parameters", &name, &[&[selector as u8], &bytes[16..]].concat());
        }
    }
    let mut chance = 0x9e37_79b9_7f4a_7c15;
    for seed in 0..16 {
        let name = format!("{seed:02}");
        write("chunks", &name, &drawn(&mut chance, 200));
        write("cookie", &name, &drawn(&mut chance, 100));
        // The first byte is the state that is attacked, the second the end and the number of paths.
        write("association", &name, &[&[seed % 8, seed / 4], drawn(&mut chance, 300).as_slice()].concat());
    }
    for seed in 0..16 {
        // Two bytes for each operation: its kind, and its datagram.
        write("sealed", &format!("{seed:02}"), &drawn(&mut chance, 400));
    }
    for seed in 0..16 {
        let name = format!("{seed:02}");
        write("handshake", &name, &drawn(&mut chance, 600));
        // Three bytes for each operation: its kind, its end, and its datagram.
        write("sealed_handshake", &name, &drawn(&mut chance, 600));
    }
    write("stream_control", "every_kind", &control());
    write("bench_protocol", "test", &test());
    write("file_protocol", "file", &frames());
    write("file_protocol", "resumed", &resumed());
    for (name, destination) in DESTINATIONS {
        write("destination", name, &on_wire(destination));
        write("destination", &format!("{name}_text"), destination.as_bytes());
        let request = [&[5, 2, 0, 1, 5, 1, 0][..], &on_wire(destination)].concat();
        write("socks", name, &request);
        let head = format!("CONNECT {destination} HTTP/1.1\r\nHost: {destination}\r\nUser-Agent: x\r\n\r\nhello");
        write("http_connect", name, head.as_bytes());
    }
    write("socks", "datagram", &datagram());
    write("socks", "version_4", b"\x04\x01\x00\x50\x00\x00\x00\x01\0example.org\0");
    write("http_connect", "get", b"GET http://example.org/ HTTP/1.1\r\nHost: example.org\r\n\r\n");
    for (name, bytes) in scenarios() {
        write("scenario", &name, &bytes);
    }
    for (name, bytes) in recordings() {
        write("trace", &name, &bytes);
    }
}

/// A destination of each kind, by the name of its seeds.
const DESTINATIONS: [(&str, &str); 4] = [
    ("name", "example.org:443"),
    ("ipv4", "192.0.2.1:80"),
    ("ipv6", "[2001:db8::1]:8080"),
    ("mapped", "[::ffff:10.0.0.1]:22"),
];

fn on_wire(destination: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    destination.parse::<Destination>().expect("a destination").encode(&mut bytes);
    bytes
}

/// A query of DNS as a datagram of SOCKS5.
fn datagram() -> Vec<u8> {
    let mut bytes = Vec::new();
    let destination = "192.0.2.53:53".parse().expect("a destination");
    Datagram { destination, data: b"query" }.encode(&mut bytes);
    bytes
}

/// A control message with an entry of every kind.
fn control() -> Vec<u8> {
    let stream = StreamId::new(3);
    let sum = ByteCount::new;
    let entries = [
        Entry::Grant { stream, granted: sum(16_384) },
        Entry::Pool { granted: sum(8_192) },
        Entry::Blocked { stream, taken: sum(356), needed: sum(5_000) },
        Entry::Return { stream, taken: sum(356), returned: sum(1_000) },
        Entry::GivenUp { stream, number: 7, charge: sum(456) },
        Entry::Reclaim,
        Entry::Reclaimed,
    ];
    let mut bytes = Vec::new();
    entries.into_iter().for_each(|entry| entry.encode(&mut bytes));
    bytes
}

/// The samples of recordings, each after a byte that leaves the kind to be recognised.
fn recordings() -> BTreeMap<String, Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/traces/tests/samples");
    let files = std::fs::read_dir(folder).expect("samples").map(|entry| entry.expect("an entry").path());
    let seed = |path: std::path::PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).expect("a plain name").to_owned();
        (name, [&[4], std::fs::read(&path).expect("a sample").as_slice()].concat())
    };
    files.map(seed).collect()
}

/// The shipped scenarios, the first of them with settings appended.
fn scenarios() -> BTreeMap<String, Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenarios");
    let files = std::fs::read_dir(folder).expect("scenarios").map(|entry| entry.expect("an entry").path());
    let mut scenarios = BTreeMap::new();
    for path in files.filter(|path| path.extension().is_some_and(|extension| extension == "toml")) {
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a plain name");
        scenarios.insert(name.to_owned(), std::fs::read(&path).expect("a scenario"));
    }
    if let Some(mut first) = scenarios.first_entry() {
        first.get_mut().extend(b"\0link.line.loss=0.01\0flow.file.sctp.rto={ min = \"200 ms\" }");
    }
    scenarios
}

/// One packet of each kind that an association over two paths sends, named by its content.
fn dialogue() -> BTreeMap<String, Vec<u8>> {
    let mut pair = Pair::new(Config::rfc9260(), 2);
    pair.keep_packets();
    pair.connect();
    pair.run_for(Duration::from_secs(5));
    pair.drop_next(End::A, 0);
    for length in [10, 500, 100] {
        pair.send(End::A, length);
        pair.send(End::Z, length);
        pair.run_for(Duration::from_millis(1));
    }
    pair.run_for(Duration::from_secs(5));
    pair.close(End::A);
    pair.run_for(Duration::from_secs(5));
    let name = |line: &pair::Line| line.text.split(' ').skip(2).step_by(2).collect::<Vec<_>>().join("-");
    let mut packets: BTreeMap<_, _> = pair.log.iter().map(|line| (name(line), line.bytes.to_vec())).collect();
    let mut pair = Pair::open(Config::rfc9260(), 1);
    pair.keep_packets();
    pair.abort(End::A, "enough");
    packets.insert("ABORT".to_owned(), pair.take_packets(End::A).remove(0).to_vec());
    packets
}

/// The packets of a dialogue with all extensions: I-DATA, I-FORWARD-TSN, NR-SACK and RE-CONFIG; and a FORWARD-TSN.
fn extended() -> BTreeMap<String, Vec<u8>> {
    let partial = Config { partial_reliability: true, stream_reconfiguration: true, nr_sack: true, ..Config::rfc9260() };
    let mut packets = BTreeMap::new();
    for (interleaving, extension) in [(true, "interleaved"), (false, "partial")] {
        let mut pair = Pair::open(Config { interleaving, ..partial.clone() }, 2);
        pair.keep_packets();
        pair.drop_next(End::A, 0);
        for retransmissions in [0, 3] {
            let effort = Reliability::Retransmissions(retransmissions);
            let sent = pair.try_send_with(End::A, 1, retransmissions > 0, effort, Bytes::from(vec![7; 3_000]));
            sent.expect("there is room");
        }
        pair.run_for(Duration::from_secs(5));
        let changes = [
            pair.at(End::A).reset_streams(&[StreamId::new(1)]),
            pair.at(End::A).add_streams(1, 1),
            pair.at(End::Z).reset_association(),
        ];
        assert!(changes.iter().all(Result::is_ok), "{changes:?}");
        pair.settle(End::A);
        pair.settle(End::Z);
        pair.run_for(Duration::from_secs(5));
        for line in &pair.log {
            let chunks: Vec<&str> = line.text.split(' ').skip(2).step_by(2).collect();
            packets.insert(format!("{extension}-{}", chunks.join("-")), line.bytes.to_vec());
        }
    }
    packets
}

/// A file in two pieces and its verdict, each message after its length.
fn frames() -> Vec<u8> {
    let mut sender = Sender::default();
    let path = FilePath::new(b"seed").expect("a plain name");
    let kind = FileKind::File { size: Some(ByteCount::new(6)) };
    let offer = Offer { path, kind, mode: Some(0o600), modified: None };
    let mut messages = vec![sender.offer(offer).expect("the first file")];
    messages.extend([b"abc", b"def"].map(|piece| sender.data(piece).expect("a piece")));
    messages.push(sender.end().expect("all of it").0);
    messages.push(encode(&FrameRef::Verdict(FileVerdict::refused(&"no room"))));
    framed(&messages)
}

/// A directory, and a file in it of which the fuzz target already has the three bytes in its name; another file is
/// cancelled.
fn resumed() -> Vec<u8> {
    let mut sender = Sender::default();
    let path = |path: &[u8]| FilePath::new(path).expect("a plain path");
    let of = |path, kind| Offer {
        path,
        kind,
        mode: None,
        modified: Some(Modified { seconds: 1, nanoseconds: 2 }),
    };
    let kind = FileKind::Resumable { size: ByteCount::new(6) };
    let mut messages = vec![
        sender.offer(of(path(b"\x03"), FileKind::Directory)).expect("a directory"),
        sender.offer(of(path(b"\x03/a"), kind)).expect("a file"),
        sender.from(ByteCount::new(3), Sha256::new()).expect("its place"),
        sender.data(b"def").expect("a piece"),
        sender.end().expect("all of it").0,
        sender.offer(of(path(b"b"), kind)).expect("another file"),
    ];
    messages.push(sender.give_up(&"it shrank"));
    messages.push(encode(&FrameRef::Here));
    framed(&messages)
}

/// Each message after its length.
fn framed(messages: &[Bytes]) -> Vec<u8> {
    messages.iter().flat_map(|m| [&(m.len() as u16).to_be_bytes(), &m[..]].concat()).collect()
}

/// A greeting, the time, a test of three messages, its end and a report, each message after its length.
fn test() -> Vec<u8> {
    let due = Time::from_nanos(5);
    let length = ByteCount::new(100);
    let ask = Ask {
        direction: anabranch_bench::protocol::RequestedDirection::Forward,
        duration: Duration::from_secs(1),
        message: length,
        rate: None,
        interval: Duration::from_millis(100),
        offset_ns: -3,
        deadlines: None,
    };
    let path = PathEntry { name: "a > b".to_owned(), ..PathEntry::default() };
    let report = EndReport { received: Some(ReceiverReport::default()), paths: vec![path], ..EndReport::default() };
    let mut frames =
        vec![TestFrame::Hello { machine: 1 }, TestFrame::Ping { asked: due }, TestFrame::Ask(ask)];
    frames.extend((0..3).map(|number| TestFrame::Data { number, due, length }));
    frames.push(TestFrame::End { messages: 3, bytes: ByteCount::new(300) });
    frames.push(TestFrame::Report(Box::new(report)));
    let messages = frames.iter().map(anabranch_bench::protocol::encode);
    messages.flat_map(|m| [&(m.len() as u16).to_be_bytes(), &m[..]].concat()).collect()
}

fn drawn(chance: &mut u64, length: usize) -> Vec<u8> {
    let mut byte = || {
        *chance ^= *chance << 13;
        *chance ^= *chance >> 7;
        *chance ^= *chance << 17;
        (*chance >> 32) as u8
    };
    (0..length).map(|_| byte()).collect()
}

fn write(target: &str, name: &str, bytes: &[u8]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(target);
    std::fs::create_dir_all(&folder).expect("a folder for seeds");
    std::fs::write(folder.join(name), bytes).expect("a seed");
}
