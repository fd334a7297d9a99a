//! The page of a measurement over four made-up paths. It stays in the target folder, where `make browser` opens it.

use std::fs;
use std::path::Path;

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_diagnose::recording::{Flight, Lane, Purpose, Recording, RoundTrip, TestPacket};
use anabranch_diagnose::{DirectionEstimate, Estimated, LinkEstimate, LinkStatus, LossRuns, Queue};
use anabranch_observe::{Measurement, write_measurement_page};

/// A link with a queue before its line.
struct Link {
    rate: f64,
    delay: f64,
    queue: f64,
    loss: f64,
    runs: bool,
}

/// The state of a link that carries test packets.
struct Carrier<'a> {
    link: &'a Link,
    free_at: f64,
    is_bad: bool,
    random: u64,
}

impl Carrier<'_> {
    fn chance(&mut self, probability: f64) -> bool {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.random >> 33) as f64 / f64::from(1_u32 << 31)) < probability
    }

    /// The arrival of a packet, in seconds.
    fn carry(&mut self, at: f64, size: u64) -> Option<f64> {
        let waits = (self.free_at - at).max(0.0);
        if waits > self.link.queue {
            return None;
        }
        let is_lost = if self.link.runs {
            self.is_bad = if self.is_bad { !self.chance(0.25) } else { self.chance(self.link.loss / 4.0) };
            self.is_bad
        } else {
            self.chance(self.link.loss)
        };
        self.free_at = at.max(self.free_at) + size as f64 * 8.0 / self.link.rate;
        let jitter = if self.chance(0.5) { 0.0004 } else { 0.0 };
        (!is_lost).then_some(self.free_at + self.link.delay + jitter)
    }
}

/// The flights of one direction. The clock of the other end is `ahead` and gains 60 ppm.
fn flights(link: &Link, lane: usize, is_forward: bool, seed: u64) -> Vec<Flight> {
    let mut carrier = Carrier { link, free_at: 0.0, is_bad: false, random: seed };
    let there = |at: f64| at * (1.0 + 60e-6) + 4_321.5;
    let [sender, receiver]: [&dyn Fn(f64) -> f64; 2] =
        if is_forward { [&|at| at, &there] } else { [&there, &|at| at] };
    let time = |seconds: f64| Time::from_nanos((seconds * 1e9) as u64);
    let mut flight = |purpose, start: f64, seconds: f64, bits: f64, size: u64| {
        let gap = size as f64 * 8.0 / bits;
        let packets = (0..(seconds / gap) as u32).map(|number| {
            let at = 100.0 + start + f64::from(number) * gap;
            let arrived = carrier.carry(at, size).map(|at| time(receiver(at)));
            TestPacket { number, sent: time(sender(at)), size: ByteCount::new(size), arrived }
        });
        Flight { purpose, packets: packets.collect() }
    };
    let probes = 100.0 * 8.0 / 0.02;
    let turn = (lane * 2 + usize::from(!is_forward)) as f64;
    let fill = 7.0 + 2.5 * turn;
    let beside = |filled| Purpose::Beside { filled, is_forward: true };
    vec![
        flight(Purpose::Rest, 1.0, 4.0, probes, 100),
        flight(Purpose::Trains { length: 20 }, 5.0 + 0.2 * turn, 0.2, link.rate * 3.0, 1_500),
        flight(beside(0), 6.7, fill - 6.7, probes, 100),
        flight(Purpose::Fill, fill, 2.0, link.rate * 1.25, 1_500),
        flight(beside(1), fill + 2.3, 22.5 - fill - 2.3, probes, 100),
        flight(Purpose::Chance, 23.0, 8.0, (link.rate * 0.4).min(4_000.0 * 1_600.0), 200),
        flight(Purpose::Together, if is_forward { 31.5 } else { 33.5 }, 1.5, link.rate * 1.1, 1_500),
    ]
}

fn estimated(value: f64) -> Option<Estimated> {
    Some(Estimated { value, low: value * 0.99, high: value * 1.01, samples: 14 })
}

fn direction(link: &Link) -> DirectionEstimate {
    let bytes = link.queue * link.rate / 8.0;
    let queue = estimated(link.queue).zip(estimated(bytes)).map(|(depth_s, depth_bytes)| Queue {
        depth_s,
        depth_bytes,
        is_at_least: false,
        is_policer: false,
    });
    let runs = estimated(link.loss / 4.0).zip(estimated(0.25));
    DirectionEstimate {
        rate_bps: estimated(link.rate),
        queue,
        chance_loss: estimated(link.loss),
        loss_runs: runs.filter(|_| link.runs).map(|(good_to_bad, bad_to_good)| LossRuns {
            good_to_bad,
            bad_to_good,
            spacing_s: 0.001,
        }),
        queue_loss: estimated(0.2),
        variation_s: estimated(0.0004),
        delay_under_load_s: estimated(link.queue),
        ..DirectionEstimate::default()
    }
}

fn link(rate: f64, delay: f64, queue: f64, loss: f64, runs: bool) -> Link {
    Link { rate: rate * 1e6, delay, queue, loss, runs }
}

fn lane(name: &str, [local, remote]: [&str; 2], links: &[Link; 2], index: usize) -> (Lane, LinkEstimate) {
    let round_trip = links[0].delay + links[1].delay;
    let trip = |number: u64| RoundTrip {
        at: Time::from_nanos(101_000_000_000 + number * 20_000_000),
        took: Duration::from_micros((round_trip * 1e6) as u64),
    };
    let seed = index as u64 + 7;
    let lane = Lane {
        name: name.to_owned(),
        local: local.to_owned(),
        remote: remote.to_owned(),
        interface: Some(name.to_owned()),
        mtu: ByteCount::new(1_500),
        forward: flights(&links[0], index, true, seed),
        reverse: flights(&links[1], index, false, seed + 100),
        round_trips: (0..200).map(trip).collect(),
        ..Lane::default()
    };
    let estimate = LinkEstimate {
        name: name.to_owned(),
        round_trip_s: estimated(round_trip),
        round_trip_median_s: estimated(round_trip * 1.02),
        mtu_bytes: Some(1_500),
        forward: direction(&links[0]),
        reverse: direction(&links[1]),
        ..LinkEstimate::default()
    };
    (lane, estimate)
}

#[test]
fn the_page_of_a_measurement_is_written_whole() {
    let wifi = [link(19.9, 0.012, 0.08, 0.012, true), link(8.0, 0.012, 0.05, 0.001, false)];
    let mobile = [link(12.0, 0.035, 0.9, 0.0, false), link(5.0, 0.035, 0.6, 0.0, false)];
    let modem = [link(6.0, 0.045, 0.3, 0.002, false), link(3.0, 0.045, 0.3, 0.0, false)];
    let (mut lanes, mut links): (Vec<Lane>, Vec<LinkEstimate>) = [
        lane("wlan0", ["192.168.178.31", "203.0.113.9"], &wifi, 0),
        lane("wwan0", ["10.64.3.77", "203.0.113.9"], &mobile, 1),
        lane("wwan1", ["2001:db8:4d:2::5f3a", "2001:db8:9::1"], &modem, 2),
    ]
    .into_iter()
    .unzip();
    let dead =
        Lane { name: "usb0".to_owned(), local: "172.20.10.4".to_owned(), is_dead: true, ..Lane::default() };
    lanes.push(Lane { interface: Some("usb0".to_owned()), remote: "203.0.113.9".to_owned(), ..dead });
    links.push(LinkEstimate { name: "usb0".to_owned(), status: LinkStatus::Dead, ..LinkEstimate::default() });
    links[1].shares_forward = vec!["wwan1".to_owned()];
    links[2].shares_forward = vec!["wwan0".to_owned()];
    let findings = [
        "wlan0 loses 1.2 % with an empty queue; a window that halves at each loss carries 3.1 of 19.9 Mbit/s there: --set sctp.congestion=bbr, simulated 17.8 ± 0.4.".to_owned(),
        "wwan0 and wwan1 share a bottleneck to the other end: together they carry no more than 12 Mbit/s.".to_owned(),
        "usb0 is dead: nothing came back.".to_owned(),
    ];
    let recording = Recording { lanes, ..Recording::default() };
    let measurement = Measurement {
        recording: &recording,
        links: &links,
        findings: &findings,
        title: "Paths to bond.example.net",
        command: "anabranch doctor --to bond.example.net --report page.html",
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("measuring");
    fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("measured.html");
    write_measurement_page(&file, &measurement).expect("a page");
    let page = fs::read_to_string(&file).expect("the page");
    assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"));
    assert!(page.contains("one bottleneck →") && page.contains("wwan1 →"));
    assert!(page.len() < 2_100_000, "{} bytes", page.len());
}
