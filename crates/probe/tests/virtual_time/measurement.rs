//! The records of a measurement over links that are known.

use anabranch_base::{BitRate, Duration};
use anabranch_diagnose::estimate_links;
use anabranch_diagnose::recording::{Flight, Lane, Purpose, Recording};
use anabranch_link::config::QueueLimit;
use anabranch_probe::Phase;

use super::world::{Clock, Loss, Outcome, Way, Ways, World, at_rate};

const OFFSETS: [Clock; 2] = [
    Clock { offset: Duration::from_secs(5), drift: 0 },
    Clock { offset: Duration::from_secs(1_000_000), drift: 100 },
];

fn measure(links: &[Ways], is_light: bool) -> Outcome {
    World::new(7, links, OFFSETS, is_light).run()
}

fn both(direction: Way) -> Ways {
    [direction, direction]
}

fn purposes(flights: &[Flight]) -> Vec<Purpose> {
    flights.iter().map(|flight| flight.purpose).collect()
}

/// Numbers follow one another, times rise, and nothing arrives before it is sent by more than the clocks differ.
fn assert_consistent(recording: &Recording) {
    for flight in recording.lanes.iter().flat_map(|lane| lane.forward.iter().chain(&lane.reverse)) {
        assert!(!flight.packets.is_empty());
        for (index, packet) in (0..).zip(&flight.packets) {
            assert_eq!(packet.number, index);
            assert!((112..=1_500).contains(&packet.size.get()));
        }
        assert!(flight.packets.windows(2).all(|pair| pair[0].sent <= pair[1].sent), "{:?}", flight.purpose);
    }
}

fn lost(flights: &[Flight], purpose: Purpose) -> (usize, usize) {
    let packets =
        || flights.iter().filter(|flight| flight.purpose == purpose).flat_map(|flight| &flight.packets);
    (packets().filter(|packet| packet.arrived.is_none()).count(), packets().count())
}

fn least_round_trip(lane: &Lane) -> Duration {
    lane.round_trips.iter().map(|trip| trip.took).min().expect("round trips")
}

#[test]
fn two_links_are_measured_in_every_way_in_the_announced_time() {
    let slow = Way { queue: QueueLimit::Packets(30), ..at_rate(4_000_000) };
    let outcome = measure(&[both(at_rate(20_000_000)), both(slow)], false);
    let recording = outcome.result.expect("a recording");
    assert_consistent(&recording);
    assert_eq!(outcome.peer, Some(Ok(())));
    let announced = outcome.progress.first().expect("an announcement").total.as_secs_f64();
    assert!((25.0..36.0).contains(&announced), "{announced}");
    let took = outcome.took.as_secs_f64();
    assert!(took > announced - 6.0 && took < announced + 2.0, "{took} for {announced}");
    assert!(outcome.progress.iter().all(|progress| !progress.is_longer));
    let beside = |filled, is_forward| Purpose::Beside { filled, is_forward };
    let expected = [
        Purpose::Rest,
        Purpose::Trains { length: 20 },
        Purpose::Fill,
        beside(0, false),
        beside(1, true),
        beside(1, false),
        Purpose::Chance,
        Purpose::Together,
    ];
    assert_eq!(purposes(&recording.lanes[0].forward), expected);
    for lane in &recording.lanes {
        assert!(!lane.is_dead && lane.sizes.iter().all(|size| size.sent == 3 && size.arrived == 3));
        // 10 ms each way, and less than a millisecond of sending; the server's timers do not count.
        let least = least_round_trip(lane);
        assert!(least >= Duration::from_millis(20) && least < Duration::from_micros(20_700), "{least}");
        for flights in [&lane.forward, &lane.reverse] {
            assert_eq!(flights.len(), 8);
            assert_eq!(lost(flights, Purpose::Rest).0, 0);
            assert_eq!(lost(flights, Purpose::Chance).0, 0);
            let (gone, of) = lost(flights, Purpose::Fill);
            assert!(gone > of / 20, "the queue overflows: {gone} of {of}");
        }
    }
    assert!(recording.here.least_sent_share > 0.95 && recording.there.least_sent_share > 0.95);
}

#[test]
fn a_deep_queue_takes_longer_and_is_told() {
    let deep = Way { queue: QueueLimit::Packets(800), ..at_rate(5_000_000) };
    let outcome = measure(&[both(deep)], false);
    let recording = outcome.result.expect("a recording");
    assert_consistent(&recording);
    assert!(outcome.progress.iter().any(|progress| progress.is_longer && progress.phase == Phase::Fill));
    assert!(outcome.took < Duration::from_secs(60), "{}", outcome.took);
    let lane = &recording.lanes[0];
    for flights in [&lane.forward, &lane.reverse] {
        let (gone, of) = lost(flights, Purpose::Fill);
        assert!(gone > of / 20, "the queue overflows: {gone} of {of}");
    }
}

#[test]
fn losses_by_chance_are_counted_longer_until_they_are_known() {
    let lossy = Way { loss: Loss::Single(0.01), ..at_rate(1_000_000) };
    let outcome = measure(&[both(lossy)], false);
    let recording = outcome.result.expect("a recording");
    assert_consistent(&recording);
    let (gone, of) = lost(&recording.lanes[0].forward, Purpose::Chance);
    assert!(gone >= 55 && of >= 5_000, "{gone} of {of}");
    let share = gone as f64 / of as f64;
    assert!((0.005..0.015).contains(&share), "{share}");
}

#[test]
fn a_lane_on_which_nothing_comes_back_is_dead_and_the_others_are_measured() {
    let silent = [at_rate(10_000_000), Way { loss: Loss::All, ..at_rate(10_000_000) }];
    let outcome = measure(&[silent, both(at_rate(10_000_000))], false);
    let recording = outcome.result.expect("a recording");
    assert_consistent(&recording);
    let dead: Vec<bool> = recording.lanes.iter().map(|lane| lane.is_dead).collect();
    assert_eq!(dead, [true, false]);
    assert!(recording.lanes[0].round_trips.is_empty());
    assert_eq!(recording.lanes[1].forward.iter().filter(|flight| flight.purpose == Purpose::Fill).count(), 1);
    assert!(outcome.took < Duration::from_secs(45), "{}", outcome.took);
}

#[test]
fn a_size_that_vanishes_is_seen_and_not_used() {
    let hole = Way { mtu: 1_400, ..at_rate(10_000_000) };
    let recording = measure(&[both(hole)], false).result.expect("a recording");
    let sizes = &recording.lanes[0].sizes;
    assert!(sizes.iter().all(|tried| tried.sent == 3 && (tried.arrived == 3) == (tried.size.get() <= 1_400)));
    let fills = recording.lanes[0].forward.iter().filter(|flight| flight.purpose == Purpose::Fill);
    assert!(fills.flat_map(|flight| &flight.packets).all(|packet| packet.size.get() == 1_400));
}

#[test]
fn a_size_that_vanishes_on_the_way_back_alone_is_seen_there() {
    let hole = [at_rate(10_000_000), Way { mtu: 1_440, ..at_rate(10_000_000) }];
    let recording = measure(&[hole, both(at_rate(10_000_000))], false).result.expect("a recording");
    let lane = &recording.lanes[0];
    assert!(lane.sizes.iter().all(|tried| tried.sent == 3 && tried.arrived == 3));
    let largest = |flights: &[Flight]| {
        let fills = flights.iter().filter(|flight| flight.purpose == Purpose::Fill);
        fills.flat_map(|flight| &flight.packets).map(|packet| packet.size.get()).max()
    };
    assert_eq!((largest(&lane.forward), largest(&lane.reverse)), (Some(1_500), Some(1_440)));
    let back = |size: u64| lane.sizes_reverse.iter().find(|tried| tried.size.get() == size).copied();
    assert_eq!(back(1_440).map(|tried| tried.arrived), Some(3));
    assert_eq!(back(1_500).map(|tried| (tried.sent, tried.arrived)), Some((3, 0)));
    let links = estimate_links(&recording);
    let [holed, whole] = &links[..] else { panic!("two links") };
    assert_eq!((holed.mtu_bytes, holed.mtu_hole_bytes), (Some(1_440), None));
    assert_eq!(holed.mtu_hole_reverse_bytes, Some(1_452));
    assert_eq!((whole.mtu_bytes, whole.mtu_hole_reverse_bytes), (Some(1_500), None));
}

#[test]
fn a_light_measurement_sends_at_most_two_megabytes_a_link() {
    let fast = at_rate(80_000_000);
    let deep = Way { queue: QueueLimit::Packets(400), loss: Loss::Single(0.02), ..at_rate(2_000_000) };
    let outcome = measure(&[both(fast), both(deep)], true);
    assert_consistent(&outcome.result.expect("a recording"));
    assert!(outcome.bytes.iter().all(|bytes| *bytes <= 2_000_000), "{:?}", outcome.bytes);
    assert!(outcome.took < Duration::from_secs(25), "{}", outcome.took);
}

#[test]
fn a_fast_link_with_a_shallow_queue_is_kept_full_by_timers_of_a_millisecond() {
    let fast = Way { queue: QueueLimit::Packets(20), ..at_rate(100_000_000) };
    let recording = measure(&[both(fast)], false).result.expect("a recording");
    let fill =
        recording.lanes[0].reverse.iter().find(|flight| flight.purpose == Purpose::Fill).expect("a fill");
    let arrived: Vec<_> = fill.packets.iter().filter_map(|packet| packet.arrived).collect();
    let span = arrived[arrived.len() - 1].since(arrived[0]).as_secs_f64();
    let rate = arrived.len() as f64 * 1_500.0 * 8.0 / span;
    assert!(rate > 0.9 * BitRate::from_mbps(100).bits_per_second() as f64, "{rate}");
}
