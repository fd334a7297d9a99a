//! Windows that are spread over the round trip: trains of packets, what waits for them and what does not.

use crate::pair::{End, Pair, path};
use anabranch_base::{Duration, Time};
use anabranch_sctp::config::{Config, InitialWindow, IpVersion, MtuDiscovery};

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// The user data of a full packet.
const FULL: usize = 1444;

/// An association of the pacing profile, with a window of `window` full packets on each path and known round trips of
/// 100 ms.
fn open(window: u64, pipes: usize) -> Pair {
    open_with(window, pipes, ms(50))
}

fn open_with(window: u64, pipes: usize, delay: Duration) -> Pair {
    // Packets of one size, whatever the path carries.
    let profile = Config { mtu_discovery: MtuDiscovery::Off, ..Config::tuned_1() };
    let unit = profile.window_unit(IpVersion::V4);
    let initial_window = InitialWindow::Bytes(unit * window);
    let mut pair = Pair::new(Config { initial_window, scheduler: "round-robin".into(), ..profile }, pipes);
    pair.pipes.iter_mut().for_each(|pipe| pipe.delay = delay);
    pair.establish();
    pair.z.reads_at_once = true;
    // The first packet is answered at once, the others two by two.
    pair.send_at_once(End::A, 2 * pipes + 1, FULL);
    pair.run_for(delay * 2);
    pair.log.clear();
    pair
}

/// When A's packets with data left on a pipe, in milliseconds from `start`: `(moment, packets)`.
fn trains(pair: &Pair, pipe: usize, start: Time) -> Vec<(u64, usize)> {
    let mut trains: Vec<(u64, usize)> = Vec::new();
    let is_data =
        |line: &&crate::pair::Line| line.from == End::A && line.pipe == pipe && line.text.contains("DATA");
    for line in pair.log.iter().filter(is_data) {
        let at = line.at.since(start).as_millis();
        match trains.last_mut() {
            Some((last, packets)) if *last == at => *packets += 1,
            _ => trains.push((at, 1)),
        }
    }
    trains
}

#[test]
fn a_window_leaves_in_trains_over_half_a_round_trip_of_slow_start() {
    let mut pair = open(40, 1);
    let start = pair.now;
    pair.send_at_once(End::A, 100, FULL);
    pair.run_for(ms(99));
    assert_eq!(trains(&pair, 0, start), [(0, 16), (20, 16), (40, 8)], "40 packets in 50 ms");
    let now = pair.now;
    let held = pair.at(End::A).time_in_limit(now, path(0)).congestion_window;
    assert!(held >= ms(99), "what the pacer holds back is the window's share: {held}");
    assert!(pair.at(End::A).poll_timeout() > Some(now), "no timer is left over");
}

#[test]
fn a_round_trip_of_less_than_a_millisecond_is_not_paced() {
    let mut pair = open_with(100, 1, Duration::from_micros(100));
    let start = pair.now;
    pair.send_at_once(End::A, 100, FULL);
    assert_eq!(trains(&pair, 0, start), [(0, 100)]);
}

#[test]
fn a_path_whose_train_has_left_leaves_the_others_free() {
    let mut pair = open(20, 2);
    let start = pair.now;
    pair.send_at_once(End::A, 100, FULL);
    pair.run_for(ms(99));
    assert_eq!(trains(&pair, 0, start), [(0, 16), (40, 4)]);
    assert_eq!(trains(&pair, 1, start), [(0, 16), (40, 4)]);
}

#[test]
fn an_acknowledgement_does_not_wait_for_the_next_train() {
    let mut pair = open(40, 1);
    pair.send_at_once(End::Z, 2, 100);
    pair.run_for(ms(45));
    pair.log.clear();
    let start = pair.now;
    pair.send_at_once(End::A, 100, FULL);
    pair.run_for(ms(10));
    let answers: Vec<u64> = pair
        .log
        .iter()
        .filter(|line| line.from == End::A && line.text.contains("SACK"))
        .map(|line| line.at.since(start).as_millis())
        .collect();
    assert_eq!(answers, [5]);
}

/// After a pause a window that is still large does not leave as one burst.
#[test]
fn a_pause_ends_in_a_train_and_not_in_a_burst() {
    let mut pair = open(40, 1);
    pair.run_for(ms(150));
    let start = pair.now;
    pair.send_at_once(End::A, 100, FULL);
    assert_eq!(trains(&pair, 0, start), [(0, 16)]);
}

/// 16 of 40 packets are under way when the first of them is known to be lost: it leaves again before the next train.
#[test]
fn the_first_retransmission_does_not_wait_for_the_next_train() {
    let mut pair = open(16, 1);
    pair.lose_nth(End::A, "DATA", 1);
    pair.send_at_once(End::A, 200, FULL);
    pair.run_for(ms(99));
    pair.log.clear();
    let start = pair.now;
    pair.run_for(ms(1));
    let sent = trains(&pair, 0, start);
    assert_eq!(sent.first().map(|(at, _)| *at), Some(1), "{sent:?}");
    assert_eq!(pair.at(End::A).path_counters(path(0)).retransmitted_chunks, 1);
}

/// One message a second, on one path and on two: the other end answers within 20 ms, so that nothing is sent twice and no
/// path is left.
#[test]
fn a_message_a_second_is_acknowledged_before_anybody_doubts() {
    for (pipes, delay) in [(1, 5), (2, 5), (2, 50), (3, 150)] {
        let mut pair = Pair::new(Config::tuned_1(), pipes);
        pair.pipes.iter_mut().for_each(|pipe| pipe.delay = ms(delay));
        pair.establish();
        pair.z.reads_at_once = true;
        for _ in 0..30 {
            pair.send(End::A, 100);
            pair.run_for(ms(1_000));
        }
        for pipe in 0..pipes {
            let counters = pair.at(End::A).path_counters(path(pipe));
            let troubles = (counters.timeouts, counters.retransmitted_chunks, counters.suspicions);
            assert_eq!(troubles, (0, 0, 0), "{pipes} paths of {delay} ms, the one numbered {pipe}");
        }
    }
}
