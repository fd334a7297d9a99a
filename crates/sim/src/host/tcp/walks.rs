//! Only for tests: random walks of two ends over paths that lose, delay and duplicate packets in both directions. The data
//! arrive once and in order, what waits fits the receive buffer, and it ends.

use std::collections::BTreeMap;

use anabranch_base::{ByteCount, Duration, Ecn, Seed, Time};
use anabranch_scenario::model::Protocol;
use anabranch_scenario::{NoFiles, Scenario, Source, registry};
use proptest::prelude::*;

use super::TcpEnd;
use super::build::end;
use crate::host::{Draft, Inbound, Outbound, Transport};
use crate::observe::Host;
use anabranch_base::Machine as _;

/// The faults of the network.
#[derive(Clone, Copy, Debug)]
struct Weather {
    /// Of a hundred packets, how many are lost on the way there, and on the way back.
    lost: [u8; 2],
    duplicated: u8,
    /// A packet takes up to this much longer than 10 ms.
    jitter: u64,
    seed: u64,
}

/// Two ends and the packets between them.
struct Walk {
    ends: [TcpEnd; 2],
    weather: Weather,
    now: Time,
    random: u64,
    /// By their times and their order.
    travelling: BTreeMap<(Time, u64), (usize, Outbound)>,
    count: u64,
    delivered: ByteCount,
    held: ByteCount,
}

impl Walk {
    fn new(scenario: &Scenario, weather: Weather) -> Walk {
        let flow = &scenario.flows[0];
        let Protocol::Tcp(settings) = &flow.protocol else { panic!("a TCP flow") };
        let paths = flow.paths.clone();
        let draft = Draft { scenario, flow, port: 49_152, paths, seed: Seed::from_number(1) };
        Walk {
            ends: Host::BOTH.map(|host| end(&draft, settings, host)),
            weather,
            now: Time::ZERO,
            random: weather.seed,
            travelling: BTreeMap::new(),
            count: 0,
            delivered: ByteCount::ZERO,
            held: ByteCount::ZERO,
        }
    }

    /// A number below `bound` (SplitMix64).
    fn draw(&mut self, bound: u64) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.random ^ (self.random >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) % bound.max(1)
    }

    fn drain(&mut self, from: usize) {
        while let Some(packet) = self.ends[from].poll(self.now) {
            let copies = if self.draw(100) < self.weather.lost[from].into() {
                0
            } else if self.draw(100) < self.weather.duplicated.into() {
                2
            } else {
                1
            };
            for _ in 0..copies {
                let delay = Duration::from_micros(10_000 + self.draw(self.weather.jitter * 1_000));
                self.count += 1;
                self.travelling.insert((self.now + delay, self.count), (1 - from, packet.clone()));
            }
        }
        for delivered in std::mem::take(self.ends[from].deliveries()) {
            self.delivered += delivered.bytes;
        }
        self.held = self.held.max(self.ends[from].held());
    }

    /// Returns true if something happened.
    fn step(&mut self) -> bool {
        let arrival = self.travelling.keys().next().map(|(at, _)| *at);
        let timers = self.ends.iter().filter_map(TcpEnd::poll_timeout).min();
        let Some(next) = [arrival, timers].into_iter().flatten().min() else { return false };
        self.now = self.now.max(next);
        if arrival == Some(next) {
            let Some((_, (to, packet))) = self.travelling.pop_first() else { return false };
            let Outbound { path, bytes, .. } = packet;
            let sent = self.now;
            let inbound =
                Inbound { path, ecn: Ecn::NotEct, sent, bytes, is_damaged: false, is_duplicate: false };
            self.ends[to].handle(self.now, inbound);
        } else {
            self.ends.iter_mut().for_each(|end| end.handle_timeout(self.now));
        }
        self.drain(0);
        self.drain(1);
        true
    }
}

const TRANSFER: u64 = 300_000;

/// A transfer over so many paths with these settings.
fn scenario(paths: usize, tcp: &str) -> Scenario {
    let link = |number| format!("[[link]]\nname = \"{number}\"\nrate = \"1 Gbit/s\"\ndelay = \"10 ms\"\n");
    let links: String = (0..paths).map(link).collect();
    let flow = format!("[[flow]]\nprotocol = \"tcp\"\ntransfer = \"{TRANSFER} B\"\n[flow.tcp]\n{tcp}");
    Scenario::parse(&Source::new("walk.toml", links + &flow), &NoFiles, &[], &registry())
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Walks until all is delivered and acknowledged.
fn walk(scenario: &Scenario, weather: Weather) -> Walk {
    let mut walk = Walk::new(scenario, weather);
    walk.drain(0);
    for _ in 0..2_000_000 {
        if !walk.step() {
            break;
        }
    }
    walk
}

fn weather() -> impl Strategy<Value = Weather> {
    (0..25_u8, 0..25_u8, 0..20_u8, 0..30_u64, any::<u64>()).prop_map(
        |(there, back, duplicated, jitter, seed)| Weather { lost: [there, back], duplicated, jitter, seed },
    )
}

fn settings() -> impl Strategy<Value = String> {
    let variant = prop::sample::select(vec!["newreno", "sack", "cubic"]);
    let growth = prop::sample::select(vec!["bytes", "per-ack"]);
    let place = prop::sample::select(vec!["both", "same"]);
    (variant, growth, place, 1..4_u8, 2..200_u32).prop_map(|(variant, growth, place, every, buffer)| {
        format!(
            "variant = \"{variant}\"\ngrowth = \"{growth}\"\ntimeout_retransmission = \"{place}\"\n\
             ack_every = {every}\nreceive_buffer = \"{buffer} packets\"\nmss = \"1000 B\"\n"
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn all_data_arrive_once_and_what_waits_fits_the_buffer(
        paths in 1..4_usize, tcp in settings(), weather in weather(), control in 0..4_usize,
    ) {
        let control = ["reno", "lia", "olia", "balia"][control];
        let control = if tcp.contains("cubic") { String::new() } else { format!("congestion_control = \"{control}\"\n") };
        let scenario = scenario(paths, &(tcp + &control));
        let Protocol::Tcp(settings) = &scenario.flows[0].protocol else { panic!("a TCP flow") };
        let walk = walk(&scenario, weather);
        prop_assert_eq!(walk.delivered.get(), TRANSFER);
        prop_assert!(walk.travelling.is_empty(), "it ends");
        prop_assert_eq!(walk.ends[1].held(), ByteCount::ZERO);
        if paths > 1 {
            prop_assert!(walk.held <= settings.bytes(settings.receive_buffer));
        }
        for subflow in &walk.ends[0].subflows {
            prop_assert_eq!(subflow.sender.in_flight(), ByteCount::ZERO);
        }
    }
}

/// Without losses nothing is sent again.
#[test]
fn without_losses_each_segment_leaves_once() {
    let calm = Weather { lost: [0, 0], duplicated: 0, jitter: 0, seed: 1 };
    let walk = walk(&scenario(1, "mss = \"1000 B\""), calm);
    let report = walk.ends[0].report(walk.now, 0);
    assert_eq!((walk.delivered.get(), report.counters.sent_packets), (TRANSFER, 300));
    assert_eq!((report.counters.retransmitted_chunks, report.counters.timeouts), (0, 0));
}
