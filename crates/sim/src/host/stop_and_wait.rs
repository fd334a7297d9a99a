//! Only for tests: a second transport, the smallest that is reliable. It opens with a greeting, sends one message at
//! a time over its paths in turn, and repeats it until it is acknowledged.

use anabranch_base::{ByteCount, Duration, Ecn, Machine, Seed, Time};
use anabranch_link::config::LossKind;
use anabranch_scenario::{NoFiles, Scenario, Source, registry};
use bytes::Bytes;

use super::{Delivered, Inbound, Outbound, PathReport, Received, Transport};
use crate::application::Sender;
use crate::load::Routes;
use crate::network::Network;
use crate::observe::{Host, PathState, Seen, Watch};
use crate::pairs::meters_of;
use crate::result::RunResult;
use crate::run::{Run, fabric_of};

/// The first byte of a packet gives its kind; the second is the number of the message, modulo 256.
const GREETING: u8 = 1;
const DATA: u8 = 2;
const ACKNOWLEDGEMENT: u8 = 3;
const HEADERS: ByteCount = ByteCount::new(30);
const TIME_OUT: Duration = Duration::from_millis(200);

#[derive(Debug)]
struct StopAndWait {
    sender: Option<Sender>,
    is_open: bool,
    /// The unacknowledged packet, and when it is sent again.
    pending: Option<(Outbound, Time)>,
    /// The number of messages sent, or received in order.
    count: u64,
    out: Vec<Outbound>,
    deliveries: Vec<Delivered>,
    sent: [PathReport; 2],
    received: [ByteCount; 2],
}

impl StopAndWait {
    fn new(sender: Option<Sender>) -> StopAndWait {
        StopAndWait {
            sender,
            is_open: false,
            pending: None,
            count: 0,
            out: Vec::new(),
            deliveries: Vec::new(),
            sent: [PathReport::empty(PathState::Active); 2],
            received: [ByteCount::ZERO; 2],
        }
    }

    /// Sends a packet that needs an acknowledgement.
    fn send(&mut self, now: Time, packet: Outbound) {
        self.count += 1;
        self.out.push(packet.clone());
        self.pending = Some((Outbound { retransmission: true, ..packet }, now + TIME_OUT));
    }

    /// Sends the next message, if the previous one is acknowledged.
    fn go_on(&mut self, now: Time) {
        if !self.is_open || self.pending.is_some() {
            return;
        }
        let Some(sender) = &mut self.sender else { return };
        let Some(ready) = sender.peek(now) else { return };
        let path = (self.count % 2) as usize;
        let bytes = [&[DATA, self.count as u8], &sender.take(ready)[..]].concat();
        self.send(now, outbound(path, bytes));
    }

    fn on_data(&mut self, number: u8, packet: &Inbound, now: Time) {
        if number == self.count as u8 {
            self.count += 1;
            let bytes = ByteCount::of_len(packet.bytes.len() - 2);
            self.received[packet.path] += bytes;
            self.deliveries.push(Delivered { bytes, delay: now.since(packet.sent) });
        }
        self.out.push(outbound(packet.path, vec![ACKNOWLEDGEMENT, number]));
    }
}

fn outbound(path: usize, bytes: Vec<u8>) -> Outbound {
    Outbound {
        path,
        size: HEADERS + ByteCount::of_len(bytes.len()),
        ecn: Ecn::NotEct,
        round: None,
        may_fragment: false,
        retransmission: false,
        bytes: Bytes::from(bytes),
    }
}

impl Transport for StopAndWait {
    fn open(&mut self, now: Time) {
        self.send(now, outbound(0, vec![GREETING, 0]));
    }

    fn deliveries(&mut self) -> &mut Vec<Delivered> {
        &mut self.deliveries
    }

    fn report(&self, _: Time, path: usize) -> PathReport {
        self.sent[path]
    }

    fn received_on(&self, path: usize) -> Option<Received> {
        Some(Received { bytes: self.received[path], packets: 0 })
    }
}

impl Machine for StopAndWait {
    type Input = Inbound;
    type Output = Outbound;

    fn handle(&mut self, now: Time, packet: Inbound) {
        match packet.bytes[..] {
            [GREETING, number] => {
                self.count = 1;
                self.out.push(outbound(packet.path, vec![ACKNOWLEDGEMENT, number]));
            }
            [DATA, number, ..] => self.on_data(number, &packet, now),
            [ACKNOWLEDGEMENT, number] if number == (self.count - 1) as u8 => {
                self.is_open = true;
                self.pending = None;
            }
            _ => {}
        }
        self.go_on(now);
    }

    fn handle_timeout(&mut self, now: Time) {
        if let Some((packet, due)) = self.pending.as_mut().filter(|(_, due)| *due <= now) {
            *due = now + TIME_OUT;
            self.sent[packet.path].counters.timeouts += 1;
            self.out.push(packet.clone());
        }
    }

    fn poll(&mut self, _: Time) -> Option<Outbound> {
        let packet = self.out.pop()?;
        let counters = &mut self.sent[packet.path].counters;
        counters.sent_packets += 1;
        counters.retransmitted_chunks += u64::from(packet.retransmission);
        if packet.bytes[0] == DATA {
            counters.sent_bytes += ByteCount::of_len(packet.bytes.len() - 2);
        }
        Some(packet)
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.pending.as_ref().map(|(_, due)| *due)
    }
}

/// Fifty messages over two paths. The first path loses every ninth packet in its forward direction.
const TEXT: &str = r#"
    [run]
    time = "60 s"
    [[link]]
    name = "a"
    rate = "1 Mbit/s"
    delay = "10 ms"
    [[link]]
    name = "b"
    rate = "1 Mbit/s"
    delay = "20 ms"
    [[path]]
    name = "first"
    links = ["a"]
    [[path]]
    name = "second"
    links = ["b"]
    [[flow]]
    paths = ["first", "second"]
    transfer = "50000 B"
"#;

/// The result, and the user data whose delivery was observed.
fn run() -> (RunResult, u64) {
    let mut scenario =
        Scenario::parse(&Source::new("test.toml", TEXT), &NoFiles, &[], &registry()).expect("a sound file");
    scenario.links[0].forward.loss.kind = LossKind::Every(9);
    let (fabric, ways) = fabric_of(&scenario, &Seed::from_number(1)).expect("links");
    let size = ByteCount::new(1_000);
    let sender = Sender::new(None, size, scenario.flows[0].transfer, Time::ZERO);
    let ends: Vec<Box<dyn Transport>> =
        vec![Box::new(StopAndWait::new(Some(sender))), Box::new(StopAndWait::new(None))];
    let (meters, routes) = (meters_of(&scenario), Routes::of(&scenario, ways));
    let watch = Watch { deliveries: true, ..Watch::default() };
    let mut run = Run::of(&scenario, 1, Network::new(fabric, ends, meters, routes, watch));
    while run.advance(Duration::from_secs(1)) == crate::RunProgress::Running {}
    let seen = run.take_observations();
    let delivered = seen.iter().map(|seen| match &seen.what {
        Seen::Delivery(delivery) => delivery.bytes.get(),
        other => panic!("not asked for: {other:?}"),
    });
    let delivered = delivered.sum();
    (run.finish(), delivered)
}

#[test]
fn another_transport_opens_delivers_and_reports_path_by_path() {
    let (result, seen) = run();
    let flow = &result.flows[0];
    assert_eq!((seen, flow.delivered.get(), flow.from), (50_000, 50_000, Host::First));
    assert!(flow.completion.is_some() && flow.failure.is_none() && flow.sacks.is_none());
    let [first, second] = &flow.paths[..] else { panic!("two paths") };
    // The greeting takes the first path, and so do messages with even numbers.
    let lost = first.lost_packets;
    assert!(lost >= 2, "{lost} of each ninth are lost");
    assert_eq!((first.counters.sent_packets, second.counters.sent_packets), (26 + lost, 25));
    assert_eq!((first.counters.retransmitted_chunks, first.counters.timeouts), (lost, lost));
    assert_eq!((second.counters.retransmitted_chunks, second.lost_packets), (0, 0));
    assert_eq!(
        (first.counters.sent_bytes.get(), second.counters.sent_bytes.get()),
        ((25 + lost) * 1_000, 25_000)
    );
    assert_eq!((first.state, second.state), (PathState::Active, PathState::Active));
    assert!(first.goodput_bps > 0.0 && first.goodput_bps == second.goodput_bps);
}
