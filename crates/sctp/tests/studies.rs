//! What studies ask of an association: to be open from the start, never to give up, and to say what held it back.

mod pair;

use anabranch_base::{ByteCount, Duration};
use anabranch_sctp::config::{Config, Failover};
use anabranch_sctp::event::Event;
use anabranch_sctp::policy::{PathId, PathState};
use pair::{End, Pair};

const FIRST: PathId = PathId::FIRST;

fn second() -> PathId {
    PathId::from_index(1)
}

#[test]
fn joined_ends_are_open_and_have_sent_nothing() {
    let mut pair = Pair::new(Config::rfc9260(), 2);
    pair.join();
    assert!(pair.log.is_empty(), "{:?}", pair.log);
    for end in [End::A, End::Z] {
        assert!(pair.side(end).events.contains(&Event::Connected));
        let association = pair.at(end);
        assert!(association.is_open());
        for sample in association.paths() {
            assert_eq!(
                (sample.state, sample.srtt, sample.rto),
                (PathState::Active, None, Duration::from_secs(1))
            );
        }
    }
    let (a, z) = (pair.at(End::A).tags(), pair.at(End::Z).tags());
    assert_eq!((a.0, a.1), (z.1.expect("known"), Some(z.0)));
}

#[test]
fn joined_ends_talk_over_all_paths_both_ways() {
    let mut pair = Pair::new(Config::rfc9260(), 2);
    pair.join();
    pair.send_at_once(End::A, 20, 1_000);
    pair.send_at_once(End::Z, 20, 1_000);
    pair.run_for(Duration::from_secs(2));
    for end in [End::A, End::Z] {
        assert_eq!(pair.receive(end).len(), 20);
        assert!(
            [FIRST, second()]
                .iter()
                .all(|path| pair.at(end).path_counters(*path).sent_bytes > ByteCount::ZERO)
        );
    }
    pair.close(End::A);
    pair.run_for(Duration::from_secs(5));
    assert!(pair.closed(End::A).is_some() && pair.closed(End::Z).is_some());
}

#[test]
fn without_failover_nothing_is_given_up_and_nothing_probed() {
    let config = Config { failover: Failover::OFF, ..Config::rfc9260() };
    let mut pair = Pair::new(config, 2);
    pair.join();
    // Idle for an hour: not one HEARTBEAT.
    pair.run_for(Duration::from_secs(3_600));
    assert!(pair.log.is_empty(), "{:?}", pair.log);
    pair.pipes.iter_mut().for_each(|pipe| pipe.is_cut = true);
    pair.send(End::A, 1_000);
    pair.run_for(Duration::from_secs(3_600));
    assert!(pair.is_open(End::A));
    assert!(pair.at(End::A).paths().iter().all(|sample| sample.state == PathState::Active));
    pair.pipes.iter_mut().for_each(|pipe| pipe.is_cut = false);
    pair.run_for(Duration::from_secs(120));
    assert_eq!(pair.receive(End::Z).len(), 1);
}

#[test]
fn the_shares_of_a_paths_time_sum_up_to_all_of_it() {
    let mut pair = Pair::new(Config::rfc9260(), 2);
    pair.join();
    pair.send_at_once(End::A, 400, 1_400);
    pair.run_for(Duration::from_millis(333));
    pair.pipes[1].is_cut = true;
    pair.send_at_once(End::A, 200, 1_400);
    pair.run_for(Duration::from_secs(90));
    let now = pair.now;
    for path in [FIRST, second()] {
        let shares = pair.at(End::A).time_in_limit(now, path);
        assert_eq!(shares.total(), now.since(anabranch_base::Time::ZERO), "{path}: {shares:?}");
        assert!(shares.congestion_window > Duration::ZERO, "{path}: {shares:?}");
    }
    assert!(pair.at(End::A).time_in_limit(now, FIRST).application > Duration::from_secs(10));
    let second = pair.at(End::A).time_in_limit(now, second());
    // Six time-outs of 1, 2, 4, 8, 16 and 32 s, and the path is down.
    assert!(second.down > Duration::from_secs(20), "{second:?}");
}

#[test]
fn a_small_receive_buffer_shows_as_receive_window_and_as_blocked() {
    let config = Config { receive_buffer: ByteCount::new(8_000), ..Config::rfc9260() };
    let mut pair = Pair::new(config, 1);
    pair.side(End::Z).reads_at_once = false;
    pair.join();
    pair.send_at_once(End::A, 10, 1_400);
    pair.run_for(Duration::from_millis(500));
    let now = pair.now;
    let shares = pair.at(End::A).time_in_limit(now, FIRST);
    // Three packets leave at once and two more when they are acknowledged; then the buffer is full.
    assert!(shares.receive_window > Duration::from_millis(200), "{shares:?}");
    assert_eq!(pair.at(End::A).blocked(now), shares.receive_window);
    assert_eq!(shares.scheduler, Duration::ZERO);
    // The reader makes room: nothing is blocked any more once all is sent.
    let before = pair.at(End::A).blocked(now);
    while pair.now < now + Duration::from_secs(10) {
        pair.receive(End::Z);
        pair.run_for(Duration::from_millis(50));
    }
    let later = pair.now;
    let blocked = pair.at(End::A).blocked(later);
    assert!(blocked < before + Duration::from_secs(5), "{blocked} after {before}");
    assert!(pair.at(End::A).time_in_limit(later, FIRST).application > Duration::from_secs(4));
}

#[test]
fn paths_that_the_scheduler_leaves_alone_say_so() {
    let config = Config { scheduler: "primary".into(), ..Config::rfc9260() };
    let mut pair = Pair::new(config, 2);
    pair.join();
    pair.send_at_once(End::A, 60, 1_400);
    pair.run_for(Duration::from_millis(60));
    let now = pair.now;
    let shares = pair.at(End::A).time_in_limit(now, second());
    assert_eq!(shares.scheduler, now.since(anabranch_base::Time::ZERO));
    assert!(pair.at(End::A).mean_cwnd(now, FIRST) > pair.at(End::A).mean_cwnd(now, second()));
    assert_eq!(pair.at(End::A).path_counters(second()).mean_round_trip(), None);
    let round_trip =
        pair.at(End::A).path_counters(FIRST).mean_round_trip().expect("there were acknowledgements");
    assert_eq!(round_trip, Duration::from_millis(20));
}
