//! A measurement for tests: two lanes and a dead one.

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_diagnose::recording::{Flight, Lane, Purpose, Recording, RoundTrip, TestPacket};
use anabranch_diagnose::{DirectionEstimate, Estimated, LinkEstimate, LinkStatus, LossRuns, Queue};

/// `count` packets `spacing` microseconds apart from `start` milliseconds on, each `delay` milliseconds on the way.
pub(super) fn flight(
    purpose: Purpose,
    start: u64,
    spacing: u64,
    count: u32,
    size: u64,
    delay: u64,
) -> Flight {
    let packet = |number: u32| {
        let sent = Time::from_nanos(start * 1_000_000 + u64::from(number) * spacing * 1_000);
        let arrived = Some(sent + Duration::from_millis(delay));
        TestPacket { number, sent, size: ByteCount::new(size), arrived }
    };
    Flight { purpose, packets: (0..count).map(packet).collect() }
}

/// Flights with all purposes but `Beside`. Six packets are lost by chance, 25 in a run by a queue of 50 ms.
fn flights(delay: u64) -> Vec<Flight> {
    let mut fill = flight(Purpose::Fill, 1_700, 500, 200, 1_500, delay);
    for packet in &mut fill.packets {
        let queued = Duration::from_micros(u64::from(packet.number.min(100)) * 500);
        packet.arrived = (packet.number < 175).then(|| packet.sent + Duration::from_millis(delay) + queued);
    }
    let mut chance = flight(Purpose::Chance, 2_000, 1_000, 600, 200, delay);
    chance
        .packets
        .iter_mut()
        .filter(|packet| packet.number % 100 == 7)
        .for_each(|packet| packet.arrived = None);
    vec![
        flight(Purpose::Rest, 500, 20_000, 25, 100, delay),
        flight(Purpose::Trains { length: 20 }, 1_500, 1_000, 120, 1_500, delay),
        fill,
        chance,
        flight(Purpose::Together, 2_700, 500, 200, 1_500, delay),
    ]
}

fn lane(name: &str, address: &str, delay: u64) -> Lane {
    let trip = RoundTrip { at: Time::from_nanos(3_000_000_000), took: Duration::from_millis(2 * delay) };
    Lane {
        name: name.to_owned(),
        local: address.to_owned(),
        remote: "203.0.113.9".to_owned(),
        interface: Some(name.to_owned()),
        mtu: ByteCount::new(1_500),
        forward: flights(delay),
        reverse: flights(delay),
        round_trips: vec![trip],
        ..Lane::default()
    }
}

/// Three lanes.
pub(super) fn recording() -> Recording {
    let mut dead = lane("usb0", "10.0.0.7", 5);
    for packet in dead.forward.iter_mut().chain(&mut dead.reverse).flat_map(|flight| &mut flight.packets) {
        packet.arrived = None;
    }
    (dead.is_dead, dead.reverse, dead.round_trips) = (true, vec![], vec![]);
    Recording {
        lanes: vec![lane("wlan0", "192.168.1.5", 10), lane("wwan0", "10.1.2.3", 30), dead],
        ..Recording::default()
    }
}

fn estimated(value: f64, low: f64, high: f64) -> Option<Estimated> {
    Some(Estimated { value, low, high, samples: 14 })
}

/// The estimates of their links.
pub(super) fn links() -> Vec<LinkEstimate> {
    let depth = |value| Estimated { value, low: value, high: value, samples: 3 };
    let queue =
        Queue { depth_s: depth(0.05), depth_bytes: depth(125_000.0), is_at_least: false, is_policer: false };
    let runs = LossRuns { good_to_bad: depth(0.004), bad_to_good: depth(0.5), spacing_s: 0.001 };
    let wifi = LinkEstimate {
        name: "wlan0".to_owned(),
        round_trip_s: estimated(0.0214, 0.0213, 0.0215),
        mtu_bytes: Some(1_500),
        forward: DirectionEstimate {
            rate_bps: estimated(19.9e6, 19.8e6, 20.1e6),
            queue: Some(queue),
            chance_loss: estimated(0.012, 0.009, 0.015),
            loss_runs: Some(runs),
            queue_loss: estimated(0.09, 0.08, 0.1),
            ..DirectionEstimate::default()
        },
        reverse: DirectionEstimate { rate_bps: estimated(5e6, 4.9e6, 5.1e6), ..DirectionEstimate::default() },
        ..LinkEstimate::default()
    };
    let mobile = LinkEstimate {
        name: "wwan0".to_owned(),
        forward: DirectionEstimate { rate_bps: estimated(5e6, 4.9e6, 5.1e6), ..DirectionEstimate::default() },
        reverse: DirectionEstimate { rate_bps: estimated(2e6, 1.9e6, 2.1e6), ..DirectionEstimate::default() },
        ..LinkEstimate::default()
    };
    let dead = LinkEstimate { name: "usb0".to_owned(), status: LinkStatus::Dead, ..LinkEstimate::default() };
    vec![wifi, mobile, dead]
}
