//! Paths that may have failed: when they are suspected, by errors (RFC 7829) or by their silence, what happens to their
//! data, and how they come back.

use crate::pair::{End, Pair, path};
use anabranch_base::{Duration, Time};
use anabranch_sctp::config::{Config, Failover, RtoSettings};
use anabranch_sctp::event::Event;
use anabranch_sctp::policy::PathState;
use anabranch_sctp::policy::loss_detection::cmt::CmtRules;
use bytes::Bytes;

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// Standard SCTP with RFC 7829: all data on the primary path, which potentially fails at its first error.
fn cautious() -> Config {
    let profile = Config::rfc9260();
    Config {
        scheduler: "primary".into(),
        failover: Failover { potentially_failed: 1, ..profile.failover },
        ..profile
    }
}

/// New data over all paths, as the tools send it.
fn quick() -> Config {
    let profile = Config::rfc9260();
    let mut config = Config {
        retransmission: "same".into(),
        rto: RtoSettings { initial: ms(500), min: ms(200), ..profile.rto },
        failover: Failover {
            potentially_failed: 1,
            path_max: 2,
            heartbeat: Duration::from_secs(1),
            quick: true,
            ..profile.failover
        },
        ..profile
    };
    config.set_cmt(CmtRules::ALL);
    config
}

/// A pair whose paths have a round trip of 50 ms and have carried data for a while.
fn running(config: Config, pipes: usize) -> Pair {
    let mut pair = Pair::new(config, pipes);
    pair.pipes.iter_mut().for_each(|pipe| pipe.delay = ms(25));
    pair.establish();
    pair.z.reads_at_once = true;
    feed_for(&mut pair, ms(1_000));
    pair
}

/// A message every millisecond for `span`: each path always has something in flight.
fn feed_for(pair: &mut Pair, span: Duration) {
    for _ in 0..span.as_millis() {
        let _ = pair.try_send(End::A, 0, false, Bytes::from(vec![7; 1_000]));
        pair.run_for(ms(1));
    }
}

/// The same, and how long the other end waited for a message at most.
fn longest_stall(pair: &mut Pair, span: Duration) -> u64 {
    let (mut longest, mut since) = (Duration::ZERO, pair.now);
    let mut read = pair.z.read.len();
    for _ in 0..span.as_millis() {
        feed_for(pair, ms(1));
        if pair.z.read.len() > read {
            (read, since) = (pair.z.read.len(), pair.now);
        }
        longest = longest.max(pair.now.since(since));
    }
    longest.as_millis()
}

fn state(pair: &mut Pair, index: usize) -> PathState {
    pair.path(End::A, index).state
}

/// When A sent something with `text`, in milliseconds since `start`.
fn times(pair: &Pair, text: &str, start: Time) -> Vec<u64> {
    let lines = pair.log.iter().filter(|line| line.at >= start && line.text.contains(text));
    lines.map(|line| line.at.since(start).as_millis()).collect()
}

fn suspicions(pair: &Pair) -> usize {
    pair.a.events.iter().filter(|event| matches!(event, Event::PathSuspected(_))).count()
}

/// Everything that was sent has arrived, and nothing of it twice.
fn assert_settled(pair: &mut Pair) {
    pair.run_for(Duration::from_secs(5));
    assert!(pair.at(End::A).unacknowledged().is_zero(), "something is still to be acknowledged");
    assert_eq!(pair.closed(End::A), None);
}

// By errors (RFC 7829).

/// RFC 7829 §3.2: an address whose error count exceeds PFMR, here 0, is potentially failed. HEARTBEATs begin at once
/// and are
/// sent an RTO apart.
#[test]
fn a_path_is_suspected_at_its_first_time_out_and_probed_at_once() {
    let mut pair = Pair::open(cautious(), 2);
    pair.pipes[0].is_cut = true;
    let start = pair.now;
    pair.send(End::A, 100);
    pair.run_for(ms(1_100));
    pair.send(End::A, 100);
    pair.run_for(ms(2_000));
    let expected = [
        "0 A -1> DATA -1> lost",
        "1000 A -1> HEARTBEAT -1> lost",
        "1000 A -2> DATA -2> Z",
        "1010 Z -2> SACK -2> A",
        "1100 A -2> DATA -2> Z",
        "3000 A -1> HEARTBEAT -1> lost",
    ];
    let log = pair.take_timed_log(start);
    assert!(expected.iter().all(|line| log.iter().any(|found| found == line)), "{log:#?}");
    assert_eq!(state(&mut pair, 0), PathState::PotentiallyFailed);
    assert_eq!(pair.a.events, [Event::PathSuspected(path(0))]);
}

#[test]
fn a_suspect_that_answers_carries_data_again() {
    let mut pair = Pair::open(cautious(), 2);
    pair.drop_next(End::A, 0);
    pair.send(End::A, 100);
    pair.run_for(ms(1_030));
    assert_eq!(pair.a.events, [Event::PathSuspected(path(0)), Event::PathUp(path(0))]);
    pair.log.clear();
    pair.send(End::A, 100);
    assert_eq!(pair.log[0].text, "A -1> DATA -1> Z");
}

/// RFC 7829 §3.2: as many further time-outs as PMR is more than PFMR confirm the failure.
#[test]
fn a_suspect_that_does_not_answer_fails_at_the_usual_error() {
    let mut pair = Pair::open(cautious(), 2);
    pair.pipes[0].is_cut = true;
    let start = pair.now;
    pair.send(End::A, 100);
    pair.run_until(Duration::from_secs(100), |pair| state(pair, 0) == PathState::Inactive);
    assert_eq!(pair.a.events, [Event::PathSuspected(path(0)), Event::PathDown(path(0))]);
    assert_eq!(times(&pair, "A -1> HEARTBEAT", start), [1_000, 3_000, 7_000, 15_000, 31_000]);
    assert_eq!(pair.now.since(start), Duration::from_secs(31 + 32), "the sixth error");
}

/// RFC 7829 §3.2: the potentially failed address with the fewest errors is chosen, in a tie the one active most recently.
#[test]
fn when_all_may_have_failed_data_goes_where_fewest_errors_are_or_life_was_last() {
    let mut pair = Pair::open(cautious(), 3);
    pair.pipes.iter_mut().for_each(|pipe| pipe.is_cut = true);
    pair.send(End::A, 100);
    pair.run_for(ms(3_500));
    assert_eq!([0, 1, 2].map(|index| state(&mut pair, index)), [PathState::PotentiallyFailed; 3]);
    // Each timed out in turn. After three seconds the first has a HEARTBEAT unanswered as well: the second has fewer
    // errors.
    let data: String =
        pair.log.iter().filter(|line| line.text.contains("DATA")).map(|line| &line.text[3..4]).collect();
    assert_eq!(data, "1232", "{:?}", pair.log);
    pair.pipes.iter_mut().for_each(|pipe| pipe.is_cut = false);
    assert_settled(&mut pair);
    assert_eq!([0, 1, 2].map(|index| state(&mut pair, index)), [PathState::Active; 3]);
}

#[test]
fn without_the_setting_nothing_is_suspected() {
    let mut pair = Pair::open(Config { failover: Config::rfc9260().failover, ..cautious() }, 2);
    pair.pipes[0].is_cut = true;
    for _ in 0..100 {
        pair.send(End::A, 100);
        pair.run_for(Duration::from_secs(1));
    }
    assert_eq!(pair.a.events, [Event::PathDown(path(0))]);
}

// By silence.

#[test]
fn a_path_that_falls_silent_is_left_within_three_round_trips_and_nothing_is_cut() {
    let mut pair = running(quick(), 2);
    let cwnd = pair.path(End::A, 1).cwnd;
    pair.pipes[1].is_cut = true;
    let start = pair.now;
    // What had arrived is acknowledged for another 25 ms, by SACKs on the other path, of which one comes every 4 ms.
    feed_for(&mut pair, ms(124));
    assert_eq!(suspicions(&pair), 0, "silent for less than 1.5 round trips and 25 ms");
    feed_for(&mut pair, ms(14));
    assert_eq!(state(&mut pair, 1), PathState::PotentiallyFailed);
    let [probe] = times(&pair, "A -2> HEARTBEAT", start)[..] else { panic!("{:?}", pair.log) };
    assert!((125..=138).contains(&probe), "{probe}");
    assert!(times(&pair, "A -2> DATA", start).iter().all(|&at| at <= probe));
    assert!(pair.path(End::A, 1).cwnd >= cwnd, "by that alone the window is not cut");
    assert_eq!(pair.at(End::A).path_counters(path(1)).timeouts, 0);
}

#[test]
fn a_cut_stalls_a_running_transfer_for_less_than_200_ms() {
    for (pipes, cut) in [(2, 0), (2, 1), (3, 0), (3, 2)] {
        let mut pair = running(quick(), pipes);
        pair.pipes[cut].is_cut = true;
        let stall = longest_stall(&mut pair, ms(2_000));
        assert!(stall < 200, "{pipes} paths, path {cut} cut: {stall} ms");
        assert_settled(&mut pair);
    }
}

/// Packets still arrive nowhere, and answers come all the same.
#[test]
fn a_path_that_is_cut_in_one_direction_stalls_a_transfer_no_longer() {
    for end in [End::A, End::Z] {
        let mut pair = running(quick(), 2);
        pair.pipes[0].drop_next[end as usize] = u32::MAX;
        let stall = longest_stall(&mut pair, ms(2_000));
        assert!(stall < 200, "what {end:?} sends is lost: {stall} ms");
        assert_settled(&mut pair);
    }
}

#[test]
fn a_path_that_heals_carries_data_again_within_a_second_however_long_it_was_cut() {
    for cut_for in [300, 1_000, 5_000, 40_000] {
        let mut pair = running(quick(), 2);
        pair.pipes[1].is_cut = true;
        feed_for(&mut pair, ms(cut_for));
        pair.pipes[1].is_cut = false;
        let healed = pair.now;
        feed_for(&mut pair, ms(1_000));
        let back = times(&pair, "A -2> DATA", healed);
        assert!(back.first().is_some_and(|&at| at <= 600), "cut for {cut_for} ms: {back:?}");
        assert_eq!(state(&mut pair, 1), PathState::Active);
        assert_settled(&mut pair);
    }
}

#[test]
fn a_failed_path_is_probed_twice_a_second_however_far_its_time_out_has_grown() {
    let mut pair = running(quick(), 2);
    pair.pipes[1].is_cut = true;
    feed_for(&mut pair, ms(20_000));
    assert_eq!(state(&mut pair, 1), PathState::Inactive);
    assert!(pair.path(End::A, 1).rto > Duration::from_secs(5));
    let start = pair.now;
    feed_for(&mut pair, ms(10_000));
    let probes = times(&pair, "A -2> HEARTBEAT", start);
    assert!(probes.windows(2).all(|two| two[1] - two[0] <= 500), "{probes:?}");
    assert!((20..=22).contains(&probes.len()), "{probes:?}");
}

#[test]
fn both_paths_may_be_cut_and_the_transfer_goes_on_when_one_heals() {
    let mut pair = running(quick(), 2);
    pair.pipes.iter_mut().for_each(|pipe| pipe.is_cut = true);
    feed_for(&mut pair, ms(3_000));
    pair.pipes[1].is_cut = false;
    let read = pair.z.read.len();
    feed_for(&mut pair, ms(1_000));
    assert!(pair.z.read.len() > read, "{:?} {:?}", state(&mut pair, 0), state(&mut pair, 1));
    pair.pipes[0].is_cut = false;
    assert_settled(&mut pair);
    assert_eq!([0, 1].map(|index| state(&mut pair, index)), [PathState::Active; 2]);
}

/// The stall does not depend on the time-out: half a second until the next probe, its round trip, and the delay of the data.
#[test]
fn an_outage_of_all_paths_stalls_a_transfer_for_half_a_second_and_a_round_trip_more() {
    for cut_for in [300, 1_000, 3_500, 8_000, 15_000] {
        let mut pair = running(quick(), 2);
        pair.pipes.iter_mut().for_each(|pipe| pipe.is_cut = true);
        feed_for(&mut pair, ms(cut_for));
        pair.pipes.iter_mut().for_each(|pipe| pipe.is_cut = false);
        let stall = longest_stall(&mut pair, ms(2_000));
        assert!(stall <= 580, "cut for {cut_for} ms, and {stall} ms more");
        assert_settled(&mut pair);
    }
}

/// The acknowledgements of what arrived before the outage are lost, and come when the other path heals.
#[test]
fn what_left_before_a_time_out_is_no_sign_of_life_when_it_is_acknowledged() {
    let mut pair = running(quick(), 2);
    pair.pipes.iter_mut().for_each(|pipe| pipe.drop_next[End::Z as usize] = u32::MAX);
    feed_for(&mut pair, ms(100));
    pair.pipes.iter_mut().for_each(|pipe| pipe.is_cut = true);
    feed_for(&mut pair, ms(3_000));
    pair.pipes[0].is_cut = false;
    pair.pipes[0].drop_next[End::Z as usize] = 0;
    feed_for(&mut pair, ms(2_000));
    assert_eq!(state(&mut pair, 0), PathState::Active);
    assert!(!pair.a.events.contains(&Event::PathUp(path(1))), "{:?}", pair.a.events);
    pair.pipes[1].is_cut = false;
    pair.pipes[1].drop_next[End::Z as usize] = 0;
    feed_for(&mut pair, ms(1_000));
    assert_settled(&mut pair);
}

#[test]
fn a_path_that_was_cut_in_the_handshake_is_left_at_its_first_time_out() {
    let mut pair = Pair::new(quick(), 2);
    pair.pipes.iter_mut().for_each(|pipe| pipe.delay = ms(25));
    pair.connect();
    pair.pipes[1].is_cut = true;
    pair.run_until(ms(1_000), |pair| pair.is_open(End::A));
    pair.z.reads_at_once = true;
    let stall = longest_stall(&mut pair, ms(3_000));
    // Nothing was measured there, so that the length of a suspicious silence is unknown: RTO.Initial counts.
    assert!(stall < 600, "{stall} ms");
    pair.pipes[1].is_cut = false;
    assert_settled(&mut pair);
}

/// RFC 9260 §6.4: the answer goes where the COOKIE-ECHO came from, and §5.4: there, where nothing is verified, with a
/// HEARTBEAT. By the verified path it would be lost for as long as that is cut.
#[test]
fn a_handshake_whose_last_answer_was_lost_with_its_path_ends_on_the_other() {
    let mut pair = Pair::new(quick(), 2);
    pair.pipes.iter_mut().for_each(|pipe| pipe.delay = ms(25));
    pair.connect();
    pair.run_for(ms(80));
    pair.pipes[0].is_cut = true;
    assert!(pair.run_until(ms(600), |pair| pair.is_open(End::A)), "{:?}", pair.log);
    let answers: Vec<&str> = pair.log.iter().map(|line| line.text.as_str()).collect();
    assert!(answers.contains(&"Z -2> COOKIE-ACK + HEARTBEAT -2> A"), "{answers:#?}");
    pair.send(End::A, 10_000);
    pair.run_for(ms(1_000));
    assert_eq!(pair.receive(End::Z).len(), 1);
}

// Wrong suspicions: seldom, cheap, and without harm.

/// A chunk now and then on either path, each of which waits for the delayed SACK: 200 ms, four round trips.
fn send_now_and_then(pair: &mut Pair) {
    pair.run_for(Duration::from_secs(1));
    for round in 0..300 {
        pair.send(End::A, 100);
        pair.run_for(ms(7 + 13 * (round % 41)));
    }
}

#[test]
fn a_delayed_sack_does_not_count_as_silence() {
    let patient = Config { rto: Config::rfc9260().rto, ..quick() };
    let mut pair = running(patient, 2);
    send_now_and_then(&mut pair);
    assert_eq!(suspicions(&pair), 0);
}

/// A time-out shorter than the delay of SACKs marks a chunk as lost that is not. Apart from its usual cost, there is a
/// HEARTBEAT.
#[test]
fn a_delayed_sack_that_a_time_out_does_not_wait_for_costs_a_heartbeat() {
    let mut pair = running(quick(), 2);
    let start = pair.now;
    send_now_and_then(&mut pair);
    let suspected = suspicions(&pair);
    let probes =
        times(&pair, "A -1> HEARTBEAT -", start).len() + times(&pair, "A -2> HEARTBEAT -", start).len();
    let usual = 2 * 85;
    assert!(suspected > 0 && probes <= suspected + usual, "{suspected} suspicions, {probes} probes");
    assert!(!pair.a.events.iter().any(|event| matches!(event, Event::PathDown(_))));
    assert_settled(&mut pair);
    assert_eq!([0, 1].map(|index| state(&mut pair, index)), [PathState::Active; 2]);
}

/// One path is busy and its SACKs come all the time; the other, five times as slow, has a chunk now and then.
#[test]
fn a_slow_path_beside_a_busy_fast_one_is_not_silent() {
    for delays in [[5, 250], [250, 5], [25, 60]] {
        let mut pair = Pair::new(quick(), 2);
        pair.pipes.iter_mut().zip(delays).for_each(|(pipe, delay)| pipe.delay = ms(delay));
        pair.establish();
        pair.z.reads_at_once = true;
        feed_for(&mut pair, ms(10_000));
        assert_eq!(suspicions(&pair), 0, "{delays:?}");
    }
}

#[test]
fn reordered_packets_do_not_count_as_silence() {
    let mut pair = running(quick(), 2);
    pair.faults.jitter = ms(40);
    feed_for(&mut pair, ms(10_000));
    assert_eq!(suspicions(&pair), 0);
}

#[test]
fn losses_do_not_count_as_silence() {
    let mut pair = running(quick(), 2);
    pair.faults.loss = 30;
    feed_for(&mut pair, ms(10_000));
    assert!(suspicions(&pair) <= 1, "{} in ten seconds", suspicions(&pair));
}

/// A path stands still for 150 ms, and then everything arrives that it held.
#[test]
fn a_spike_of_delay_costs_no_window_and_no_more_than_was_in_flight() {
    let mut pair = running(quick(), 2);
    let before = pair.path(End::A, 1);
    let sent_again = |pair: &mut Pair| {
        [0, 1]
            .map(|index| pair.at(End::A).path_counters(path(index)).retransmitted_chunks)
            .iter()
            .sum::<u64>()
    };
    let resent = sent_again(&mut pair);
    pair.pipes[1].delay = ms(175);
    feed_for(&mut pair, ms(120));
    pair.pipes[1].delay = ms(25);
    feed_for(&mut pair, ms(1_000));
    assert_eq!(suspicions(&pair), 1);
    assert_eq!(state(&mut pair, 1), PathState::Active);
    let resent = sent_again(&mut pair) - resent;
    assert!(resent <= before.cwnd.get() / 1_000 + 1, "{resent} chunks sent again, window {}", before.cwnd);
    assert!(pair.path(End::A, 1).cwnd * 2 >= before.cwnd, "{} before", before.cwnd);
    assert_eq!(pair.at(End::A).path_counters(path(1)).timeouts, 0);
    assert_settled(&mut pair);
}

/// Patience doubles with each wrong suspicion, up to four times the usual.
#[test]
fn a_path_that_stands_still_again_and_again_is_suspected_less_and_less() {
    let mut pair = running(quick(), 2);
    for _ in 0..20 {
        pair.pipes[1].delay = ms(160);
        feed_for(&mut pair, ms(130));
        pair.pipes[1].delay = ms(25);
        feed_for(&mut pair, ms(870));
    }
    assert!((1..=4).contains(&suspicions(&pair)), "{} in twenty times", suspicions(&pair));
    assert_settled(&mut pair);
}
