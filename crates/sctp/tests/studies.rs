//! The needs of studies: an association that is open from the start, never gives up, and reports its limits.

use crate::pair::{End, Pair, path};
use anabranch_base::{ByteCount, Duration};
use anabranch_sctp::config::{Charge, Config, Encapsulation, Failover};
use anabranch_sctp::endpoint::{ConnectError, join};
use anabranch_sctp::event::Event;
use anabranch_sctp::policy::{PathId, PathState};
use bytes::Bytes;

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

/// Ends with unlike settings, joined and after a handshake: the same paths, windows and streams.
#[test]
fn joined_ends_agree_on_what_a_handshake_would_have_agreed_on() {
    let near = Config { receive_buffer: ByteCount::new(70_000), outbound_streams: 9, ..Config::rfc9260() };
    let far = Config { receive_buffer: ByteCount::new(90_000), inbound_streams: 4, ..Config::rfc9260() };
    let mut opened = Pair::unequal(near.clone(), far.clone(), 3);
    opened.establish();
    let mut joined = Pair::unequal(near, far, 3);
    joined.join();
    for end in [End::A, End::Z] {
        let addresses = |pair: &mut Pair| [0, 1, 2].map(|index| pair.at(end).path_addresses(path(index)));
        assert_eq!(addresses(&mut joined), addresses(&mut opened), "{end:?}");
        let windows =
            |pair: &mut Pair| [0, 1, 2].map(|i| (pair.path(end, i).cwnd, pair.path(end, i).ssthresh));
        assert_eq!(windows(&mut joined), windows(&mut opened), "{end:?}");
        let streams = |pair: &mut Pair| pair.try_send(end, u16::MAX, false, Bytes::from_static(b"x"));
        assert_eq!(streams(&mut joined), streams(&mut opened), "{end:?}");
        assert!(streams(&mut joined).is_err());
    }
    let (near, far) = (joined.at(End::A).path_addresses(path(2)), joined.at(End::Z).path_addresses(path(2)));
    assert_eq!((near.local, near.remote), (far.remote, far.local), "the i-th path of one is the other's");
    for end in [End::A, End::Z] {
        joined.send(end, 5_000);
    }
    joined.run_for(Duration::from_secs(1));
    assert_eq!((joined.receive(End::A).len(), joined.receive(End::Z).len()), (1, 1));
}

/// RFC 9260 §2.3: two endpoints "MUST NOT have more than one SCTP association between them".
#[test]
fn ends_are_joined_once() {
    let mut pair = Pair::new(Config::rfc9260(), 2);
    pair.join();
    let again = join(pair.now, &mut pair.a.endpoint, &mut pair.z.endpoint);
    assert_eq!(again, Err(ConnectError::Exists(pair.address(End::Z, 0))));
    assert_eq!((pair.a.endpoint.len(), pair.z.endpoint.len()), (1, 1));
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
    assert_eq!(pair.next_event(), None, "no timer runs");
    pair.pipes.iter_mut().for_each(|pipe| pipe.is_cut = true);
    pair.send(End::A, 1_000);
    pair.run_for(Duration::from_secs(3_600));
    assert!(pair.is_open(End::A));
    assert!(pair.at(End::A).paths().iter().all(|sample| sample.state == PathState::Active));
    pair.pipes.iter_mut().for_each(|pipe| pipe.is_cut = false);
    pair.run_for(Duration::from_secs(120));
    assert_eq!(pair.receive(End::Z).len(), 1);
}

/// Unverified paths are still verified, as often as it takes; then nothing is probed.
#[test]
fn without_failover_paths_are_still_verified() {
    let config = Config { failover: Failover::OFF, trusts_given_addresses: false, ..Config::rfc9260() };
    let mut pair = Pair::new(config, 2);
    pair.pipes[1].is_cut = true;
    pair.connect();
    pair.run_for(Duration::from_secs(3_600));
    assert_eq!(pair.path(End::A, 1).state, PathState::Unconfirmed);
    pair.pipes[1].is_cut = false;
    pair.run_for(Duration::from_secs(180));
    for end in [End::A, End::Z] {
        assert!(pair.is_open(end));
        assert_eq!(pair.path(end, 1).state, PathState::Active, "{end:?}");
        assert_eq!(pair.side(end).endpoint.poll_timeout(), None, "{end:?} waits for nothing");
    }
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

#[test]
fn sacks_are_counted_by_why_they_left_and_by_what_they_say() {
    let mut pair = Pair::new(Config::rfc9260(), 2);
    pair.join();
    let mut count = |packets: usize| {
        (0..packets).for_each(|_| pair.send(End::A, 1_400));
        pair.run_for(Duration::from_secs(1));
        let (near, far) = (pair.at(End::A).sack_counters(), pair.at(End::Z).sack_counters());
        assert_eq!(near.sent, 0, "A has nothing to report");
        assert_eq!(near.received, far.sent, "none was lost");
        (far.sent, far.sent_by_timer, near.received_for_several_paths)
    };
    assert_eq!(count(1), (1, 0, 0), "RFC 9260 §5.1: the first is answered at once");
    assert_eq!(count(1), (2, 1, 0), "a packet alone waits for the timer");
    assert_eq!(count(2), (3, 1, 1), "a packet on either path, and one SACK for both");
    assert_eq!(count(3), (5, 2, 2), "a pair, and one that is left over");
}

/// The growth by the SACKs of one association, and by those of two (IY-F4 C5): a delayed SACK lets a window grow by
/// one packet, so that one path has 2, 3, 4 packets in its window after 0, 1, 2 round trips, and two associations,
/// each with a receiver of its own, 4, 6, 8 together.
#[test]
fn the_windows_of_two_associations_climb_4_6_8_where_one_climbs_2_3_4() {
    let ladder = || {
        let config = Config {
            charge: Charge::Packet,
            rwnd_charge: Charge::Packet,
            encapsulation: Encapsulation::None,
            failover: Failover::OFF,
            ..Config::rfc2960()
        };
        let mut pair = Pair::new(config, 1);
        pair.pipes[0].delay = Duration::from_millis(35);
        pair.join();
        pair.z.reads_at_once = true;
        // The first DATA of an association is acknowledged at once; the count of two begins after it.
        pair.send(End::A, 1);
        pair.run_for(Duration::from_millis(80));
        pair.send_at_once(End::A, 30, 1_452);
        [(); 3].map(|()| {
            let window = pair.path(End::A, 0).cwnd.get() / 1_500;
            pair.run_for(Duration::from_millis(71));
            window
        })
    };
    let (one, other) = (ladder(), ladder());
    assert_eq!(one, [2, 3, 4]);
    assert_eq!([one[0] + other[0], one[1] + other[1], one[2] + other[2]], [4, 6, 8]);
}
