//! Links of special kinds: shared by two lanes, of a varying rate, dead, and lanes whose ends were late.

use anabranch_base::{Duration, Time};
use anabranch_diagnose::recording::{Lane, Purpose, Recording};
use anabranch_diagnose::{DirectionEstimate, LinkEstimate, LinkStatus, estimate_links};
use anabranch_link::LinkConfig;
use anabranch_link::config::{
    Jitter, LossConfig, LossKind, LossPlace, PieConfig, QueueConfig, QueueLimit, Rate,
};

use crate::world::{Clock, FULL, Pipe, Program, Reader, SMALL, end, lane, rate, seconds};

const CLOCK: Clock = Clock { offset: Duration::from_secs(77), drift: -90e-6 };

fn config(bits: f64, packets: u64) -> LinkConfig {
    let queue = QueueConfig::DropTail(QueueLimit::Packets(packets));
    LinkConfig { queue, ..LinkConfig::new(rate(bits), Duration::from_millis(20)) }
}

/// The packets of lane `own` of two lanes, each of which is filled while the other sends probes.
fn program(own: usize, bits: f64, is_forward: bool) -> Program {
    let mut program = Program::default();
    let gap = (FULL * 8) as f64 / bits / 1.25;
    program.add(Purpose::Rest, (0.0, 4.0), 0.02, SMALL);
    for (filled, from) in [(0, 5.0), (1, 10.0)] {
        if filled == own {
            program.add(Purpose::Fill, (from, from + 2.0), gap, FULL);
        } else {
            program.add(Purpose::Beside { filled, is_forward }, (from, from + 2.0), 0.02, SMALL);
        }
    }
    program.add(Purpose::Together, (15.0, 16.5), gap * 1.25 / 1.1, FULL);
    program
}

/// Two lanes, from this end to the other over one link or over two, back over two.
fn lanes(bits: f64, packets: u64, are_one: bool) -> Recording {
    let carry = |seed, is_forward: bool, programs: &[Program]| {
        let (sender, receiver) = if is_forward { (Clock::TRUE, CLOCK) } else { (CLOCK, Clock::TRUE) };
        Pipe::new(&config(bits, packets), seed, is_forward, Reader::IN_TIME).carry(programs, sender, receiver)
    };
    let there = [program(0, bits, true), program(1, bits, true)];
    let forward = if are_one {
        carry(1, true, &there)
    } else {
        [carry(1, true, &there[..1]), carry(2, true, &there[1..])].concat()
    };
    let back = |own| carry(3 + own as u64, false, &[program(own, bits, false)]).remove(0);
    let lanes =
        forward.into_iter().enumerate().map(|(own, flights)| lane(&format!("lane{own}"), flights, back(own)));
    Recording { lanes: lanes.collect(), here: end(), there: end() }
}

fn two_lanes(bits: f64, packets: u64, are_one: bool) -> Vec<LinkEstimate> {
    estimate_links(&lanes(bits, packets, are_one))
}

#[test]
fn two_lanes_over_one_link_share_it_in_that_direction() {
    for (bits, packets) in [(2e6, 20), (20e6, 20), (20e6, 400), (80e6, 60)] {
        let found = two_lanes(bits, packets, true);
        let shares: Vec<_> =
            found.iter().map(|link| (&link.shares_forward[..], &link.shares_reverse[..])).collect();
        let wanted: [(&[String], &[String]); 2] =
            [(&["lane1".to_owned()], &[]), (&["lane0".to_owned()], &[])];
        assert_eq!(shares, wanted, "{bits} bit/s, {packets} packets");
    }
}

#[test]
fn the_sum_of_all_shows_a_shared_link_where_no_delay_does() {
    let queue_is_shared = |are_one| {
        let mut found = lanes(20e6, 20, are_one);
        for lane in &mut found.lanes {
            lane.forward.retain(|flight| !matches!(flight.purpose, Purpose::Beside { .. }));
        }
        estimate_links(&found).iter().all(|link| link.shares_forward.len() == 1)
    };
    assert!(queue_is_shared(true));
    assert!(!queue_is_shared(false));
}

#[test]
fn trains_tell_the_rate_where_nothing_filled_the_link() {
    let mut program = Program::default();
    program.add(Purpose::Rest, (0.0, 4.0), 0.02, SMALL);
    program.add_trains(5.0, 0.3);
    program.add(Purpose::Fill, (8.0, 9.0), (FULL * 8) as f64 / 16e6, FULL);
    let flights =
        Pipe::new(&config(20e6, 60), 1, true, Reader::LATE).carry(&[program], Clock::TRUE, CLOCK).remove(0);
    let lanes = vec![lane("idle", flights, Vec::new())];
    let found = estimate_links(&Recording { lanes, here: end(), there: end() }).remove(0).forward;
    let rate = found.rate_bps.expect("a rate");
    assert!((rate.value / 20e6 - 1.0).abs() < 0.05 && found.queue.is_none(), "{found:?}");
}

#[test]
fn two_links_share_nothing() {
    for (bits, packets) in [(2e6, 20), (20e6, 400), (80e6, 60)] {
        let found = two_lanes(bits, packets, false);
        assert!(found.iter().all(|link| link.shares_forward.is_empty()), "{found:?}");
    }
}

#[test]
fn a_rate_that_steps_is_told_with_its_steps() {
    let steps = (0..40_u64).map(|n| (seconds(0.5 * n as f64), rate(if n % 2 == 0 { 10e6 } else { 5e6 })));
    let steps: Vec<(Time, _)> = std::iter::once((Time::ZERO, rate(10e6))).chain(steps).collect();
    let varying = LinkConfig { rate: Rate::Steps(steps), ..config(10e6, 100) };
    let mut program = Program::default();
    program.add(Purpose::Rest, (0.0, 4.0), 0.02, SMALL);
    program.add(Purpose::Fill, (5.0, 8.0), 0.000_9, FULL);
    let flights =
        Pipe::new(&varying, 1, true, Reader::IN_TIME).carry(&[program], Clock::TRUE, CLOCK).remove(0);
    let lanes = vec![lane("varying", flights, Vec::new())];
    let found = estimate_links(&Recording { lanes, here: end(), there: end() }).remove(0).forward;
    let rate = found.rate_bps.expect("a rate");
    assert!(rate.low < 7.5e6 && 7.5e6 < rate.high, "{rate:?}");
    let steps = found.rate_steps.expect("it varies");
    let near = |wanted: f64| steps.iter().filter(|step| (step.1 / wanted - 1.0).abs() < 0.05).count();
    assert!(near(10e6) >= 5 && near(5e6) >= 5, "{steps:?}");
}

/// One direction of a link that is filled at 25 Mbit/s and then carries small packets.
fn filled(config: &LinkConfig) -> DirectionEstimate {
    let mut program = Program::default();
    program.add(Purpose::Rest, (0.0, 4.0), 0.02, SMALL);
    program.add(Purpose::Fill, (5.0, 8.0), (FULL * 8) as f64 / 25e6, FULL);
    program.add(Purpose::Chance, (12.0, 20.0), 0.000_25, SMALL);
    let flights = Pipe::new(config, 1, true, Reader::IN_TIME).carry(&[program], Clock::TRUE, CLOCK).remove(0);
    let lanes = vec![lane("filled", flights, Vec::new())];
    estimate_links(&Recording { lanes, here: end(), there: end() }).remove(0).forward
}

#[test]
fn rate_and_depth_hold_where_packets_overtake_or_vanish() {
    let loss = |kind| LossConfig { kind, at: LossPlace::Entry, ..LossConfig::NONE };
    let outage = LossKind::Outages(vec![(seconds(5.5), seconds(6.5))]);
    let base = config(20e6, 60);
    let links = [
        LinkConfig { jitter: Jitter::Uniform(Duration::from_millis(10)), reorder: true, ..base.clone() },
        LinkConfig { loss: loss(LossKind::Bernoulli { probability: 0.1 }), ..base.clone() },
        LinkConfig { loss: loss(outage), ..base },
    ];
    for link in links {
        let found = filled(&link);
        let (rate, queue) = (found.rate_bps.expect("a rate"), found.queue.expect("a queue"));
        assert!((rate.value / 20e6 - 1.0).abs() < 0.01, "{link:?} {rate:?}");
        assert!(
            (queue.depth_bytes.value / 90_000.0 - 1.0).abs() < 0.1 && !queue.is_at_least,
            "{link:?} {queue:?}"
        );
        assert!(found.queue_loss.is_some_and(|loss| (0.1..0.3).contains(&loss.value)), "{link:?} {found:?}");
    }
}

/// Packets that leave at equal distances bunch each millisecond on the way to a queue of four.
#[test]
fn losses_of_bunches_in_a_short_queue_are_no_chance() {
    let mut program = Program::default();
    program.add(Purpose::Rest, (0.0, 20.0), 0.02, SMALL);
    program.add(Purpose::Fill, (21.0, 24.0), (FULL * 8) as f64 / 22.5e6, FULL);
    program.add(Purpose::Chance, (25.0, 33.0), 0.000_1, SMALL);
    let mut bunched = program.clone();
    bunched.wait_for_ticks();
    let pipe = |program: &Program| {
        Pipe::new(&config(20e6, 4), 1, true, Reader::IN_TIME)
            .carry(std::slice::from_ref(program), Clock::TRUE, CLOCK)
            .remove(0)
    };
    let mut flights = pipe(&program)[..2].to_vec();
    let mut chance = pipe(&bunched).remove(2);
    let sent = pipe(&program).remove(2).packets.into_iter().map(|packet| packet.sent);
    chance.packets.iter_mut().zip(sent).for_each(|(packet, sent)| packet.sent = sent);
    assert!(chance.packets.iter().any(|packet| packet.arrived.is_none()), "bunches overflow the queue");
    flights.push(chance);
    let lanes = vec![lane("short", flights, Vec::new())];
    let found = estimate_links(&Recording { lanes, here: end(), there: end() }).remove(0).forward;
    let (loss, queue) = (found.chance_loss.expect("packets"), found.queue.expect("it lost"));
    assert!(loss.value == 0.0 && loss.samples >= 900, "{found:?}");
    assert!((queue.depth_bytes.value / 6_000.0 - 1.0).abs() < 0.2 && !queue.is_at_least, "{queue:?}");
}

#[test]
fn a_managed_queue_is_no_policer() {
    let queue = QueueConfig::Pie(PieConfig::DEFAULT);
    let found = filled(&LinkConfig { queue, ..config(20e6, 60) });
    assert!(found.queue.is_some_and(|queue| !queue.is_policer), "{found:?}");
}

#[test]
fn a_lane_without_arrivals_is_dead() {
    let mut program = Program::default();
    program.add(Purpose::Rest, (0.0, 4.0), 0.02, SMALL);
    let mut flights =
        Pipe::new(&config(1e6, 20), 1, true, Reader::IN_TIME).carry(&[program], Clock::TRUE, CLOCK).remove(0);
    flights[0].packets.iter_mut().for_each(|packet| packet.arrived = None);
    let lanes = vec![lane("silent", flights, Vec::new()), Lane { is_dead: true, ..Lane::default() }];
    let found = estimate_links(&Recording { lanes, ..Recording::default() });
    assert!(found.iter().all(|link| link.status == LinkStatus::Dead), "{found:?}");
    assert!(found.iter().all(|link| link.forward.rate_bps.is_none() && link.round_trip_s.is_none()));
}

#[test]
fn an_end_that_is_later_than_all_delays_measures_nothing() {
    let status_at = |lateness| {
        let programs = [program(0, 20e6, true), program(0, 20e6, false)];
        let forward =
            Pipe::new(&config(20e6, 40), 1, true, Reader::IN_TIME).carry(&programs[..1], Clock::TRUE, CLOCK);
        let reverse =
            Pipe::new(&config(20e6, 40), 1, false, Reader::IN_TIME).carry(&programs[1..], CLOCK, Clock::TRUE);
        let lanes = vec![lane("late", forward[0].clone(), reverse[0].clone())];
        let here = anabranch_diagnose::recording::End { lateness_p99: lateness, ..end() };
        estimate_links(&Recording { lanes, here, there: end() }).remove(0).status
    };
    assert_eq!(status_at(Duration::from_millis(10)), LinkStatus::Measured);
    assert_eq!(status_at(Duration::from_millis(80)), LinkStatus::TooLate);
}
