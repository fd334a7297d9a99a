//! Links whose delay is normal, as the kernel's netem has them: the rule itself, and what it costs.

use anabranch_base::{BitRate, ByteCount, Duration, Machine, Seed, Time};
use anabranch_link::config::{Delay, Jitter, LossConfig, LossKind, QueueConfig, QueueLimit};
use anabranch_link::{Change, Fate, Link, LinkConfig, LinkSeed, Packet};

const SIZE: ByteCount = ByteCount::new(1_500);

fn config(mbps: u64, delay_ms: u64, deviation_ms: u64, limit: u64) -> LinkConfig {
    LinkConfig {
        jitter: Jitter::Normal(Duration::from_millis(deviation_ms)),
        queue: QueueConfig::DropTail(QueueLimit::Packets(limit)),
        ..LinkConfig::new(BitRate::from_mbps(mbps), Duration::from_millis(delay_ms))
    }
}

fn link(config: &LinkConfig) -> Link<usize> {
    Link::new(config, LinkSeed::of(&Seed::from_number(5), "tested").0)
}

/// Lets every timer act until `until`: the packets that arrive, and when.
fn arrivals(link: &mut Link<usize>, until: Time) -> Vec<(usize, Time)> {
    let mut arrived = Vec::new();
    while let Some(at) = link.poll_timeout().filter(|at| *at <= until) {
        link.handle_timeout(at);
        while let Some(fate) = link.poll(at) {
            if let Fate::Arrived { packet, .. } = fate {
                arrived.push((packet.load, at));
            }
        }
    }
    arrived
}

fn after(nanos: u64) -> Time {
    Time::ZERO + Duration::from_nanos(nanos)
}

/// Sends `count` packets a `gap` apart, and gives the one-way delay of each.
fn delays(link: &mut Link<usize>, count: usize, gap: Duration) -> Vec<Duration> {
    let sent = |number: usize| Time::ZERO + gap * number as u64;
    let mut arrived = Vec::new();
    for number in 0..count {
        arrived.extend(arrivals(link, sent(number)));
        link.handle(sent(number), Packet::new(SIZE, number));
    }
    arrived.extend(arrivals(link, Time::from_nanos(u64::MAX)));
    arrived.iter().map(|(number, at)| at.since(sent(*number))).collect()
}

/// Packets that are sent whenever one of `window` has arrived at the other end and its answer, after the same delay without
/// jitter, is back: the goodput in Mbit/s over the last 40 of 50 seconds.
fn window_mbps(link: &mut Link<usize>, window: usize, back: Duration) -> f64 {
    let (mut sent, mut counted) = (0, 0_u64);
    let mut due: std::collections::BTreeMap<Time, usize> = [(Time::ZERO, window)].into();
    let end = Time::ZERO + Duration::from_secs(50);
    loop {
        let next = due.keys().next().copied();
        let Some(at) = [next, link.poll_timeout()].into_iter().flatten().min().filter(|at| *at <= end) else {
            return counted as f64 * 12_000.0 / 40.0 / 1e6;
        };
        for (_, at) in arrivals(link, at) {
            *due.entry(at + back).or_default() += 1;
            counted += u64::from(at > Time::ZERO + Duration::from_secs(10));
        }
        for _ in 0..due.remove(&at).unwrap_or(0) {
            link.handle(at, Packet::new(SIZE, sent));
            sent += 1;
        }
    }
}

#[test]
fn without_deviation_a_lone_packet_takes_delay_and_transmission_and_others_follow_it() {
    // 1,500 bytes take 0.24 ms at 50 Mbit/s.
    let mut link = link(&config(50, 20, 0, 1_000));
    (0..3).for_each(|number| link.handle(Time::ZERO, Packet::new(SIZE, number)));
    let expected = [20_240_000, 20_480_000, 20_720_000].map(after);
    let arrived = arrivals(&mut link, after(u64::MAX));
    assert_eq!(arrived, [(0, expected[0]), (1, expected[1]), (2, expected[2])]);
}

/// The rule as netem has it: d is lessened by what the last departure is ahead, and counts from there.
#[test]
fn departures_are_those_of_netem() {
    let mut link = link(&config(12, 20, 10, 100_000));
    let gap = Duration::from_micros(1_300);
    let found = delays(&mut link, 20_000, gap);
    // A second link that never queues draws the same delays: its packets come one by one.
    let mut alone = self::link(&config(12, 20, 10, 100_000));
    let drawn = delays(&mut alone, 20_000, Duration::from_secs(1));
    let transmission = Duration::from_millis(1);
    let mut last: Option<Time> = None;
    for (number, (found, drawn)) in found.iter().zip(drawn).enumerate() {
        let now = Time::ZERO + gap * number as u64;
        let mut delay = drawn.saturating_sub(transmission);
        let mut base = now;
        if let Some(last) = last.filter(|last| *last > now) {
            delay = delay.saturating_sub(last.since(now));
            base = last;
        }
        let departs = base + delay + transmission;
        let error = departs.as_nanos().abs_diff((now + *found).as_nanos());
        assert!(error <= 1_000, "{number}: {departs:?}, {found:?}");
        last = Some(now + *found);
    }
}

/// Completions 9.1: 47.5 of 50 Mbit/s at a deviation of 20 ms are carried, at a median delay of 80 ms one way.
#[test]
fn jitter_costs_delay_and_no_rate() {
    let mut link = link(&config(50, 20, 20, 100_000));
    let mut found = delays(&mut link, 400_000, Duration::from_nanos(252_632));
    assert_eq!(found.len(), 400_000);
    found.sort();
    let median = found[200_000].as_secs_f64();
    // The delays are not drawn from the kernel's table: a twentieth is allowed.
    assert!((median / 0.080 - 1.0).abs() < 0.05, "{median}");
}

/// Completions 9.1: a window of 167 packets gives 24 Mbit/s, 500 give 50.
#[test]
fn jitter_costs_window() {
    let mbps =
        |window| window_mbps(&mut link(&config(50, 20, 20, 100_000)), window, Duration::from_millis(20));
    let (few, many) = (mbps(167), mbps(500));
    assert!((few / 24.0 - 1.0).abs() < 0.05, "{few}");
    assert!((many / 50.0 - 1.0).abs() < 0.02, "{many}");
}

#[test]
fn the_limit_counts_packets_on_their_way() {
    let mut link = link(&config(12, 20, 0, 10));
    (0..15).for_each(|number| link.handle(Time::ZERO, Packet::new(SIZE, number)));
    assert_eq!((link.counters().queue_drops, link.holds()), (5, 10));
    // After 22.5 ms two have arrived, and the third is in transmission: it counts.
    assert_eq!(arrivals(&mut link, after(22_500_000)).len(), 2);
    (15..19).for_each(|number| link.handle(after(22_500_000), Packet::new(SIZE, number)));
    assert_eq!((link.counters().queue_drops, link.holds()), (7, 10));
}

#[test]
fn losses_are_drawn_before_packets_are_held() {
    let loss = LossConfig { kind: LossKind::Every(2), ..LossConfig::NONE };
    let mut link = link(&LinkConfig { loss, ..config(12, 20, 0, 2) });
    (0..4).for_each(|number| link.handle(Time::ZERO, Packet::new(SIZE, number)));
    assert_eq!((link.counters().lost, link.counters().queue_drops, link.holds()), (2, 0, 2));
}

#[test]
fn a_link_that_goes_down_loses_what_it_holds_and_another_delay_is_for_what_comes_later() {
    let mut link = link(&config(12, 20, 0, 10));
    link.handle(Time::ZERO, Packet::new(SIZE, 0));
    link.change(after(1_000_000), Change::Down);
    assert_eq!(arrivals(&mut link, after(u64::MAX)), []);
    link.change(after(1_000_000), Change::Up);
    link.handle(after(2_000_000), Packet::new(SIZE, 1));
    link.change(after(2_000_000), Change::Delay(Delay::Fixed(Duration::from_millis(5))));
    link.handle(after(40_000_000), Packet::new(SIZE, 2));
    let arrived = arrivals(&mut link, after(u64::MAX));
    assert_eq!(arrived, [(1, after(23_000_000)), (2, after(46_000_000))]);
}

#[test]
fn with_reordering_packets_overtake_and_take_their_delay_on_average() {
    let config = LinkConfig { reorder: true, ..config(1_000, 50, 10, 1_000) };
    let mut link = link(&config);
    for number in 0..500 {
        link.handle(Time::ZERO, Packet::new(SIZE, number));
    }
    let arrived = arrivals(&mut link, after(u64::MAX));
    assert!(!arrived.is_sorted_by_key(|(number, _)| *number));
    let delay = |(number, at): &(usize, Time)| at.as_nanos() as f64 / 1e6 - 0.012 * (*number as f64 + 1.0);
    let mean = arrived.iter().map(delay).sum::<f64>() / 500.0;
    // The standard error of 500 is 0.45 ms; four of them are allowed.
    assert!((mean - 50.0).abs() < 1.8, "{mean}");
}

/// The waits are what the line causes, without the delays that were drawn.
#[test]
fn waits_are_those_for_the_line() {
    let mut held = link(&config(12, 20, 0, 100));
    let mut queued = link(&LinkConfig { jitter: Jitter::NONE, ..config(12, 20, 0, 100) });
    for link in [&mut held, &mut queued] {
        link.record_waits();
        (0..4).for_each(|number| link.handle(Time::ZERO, Packet::new(SIZE, number)));
        assert_eq!(arrivals(link, after(u64::MAX)).len(), 4);
        assert_eq!(link.take_waits(), [0, 1, 2, 3].map(Duration::from_millis));
        assert_eq!(link.take_waits(), []);
    }
}
