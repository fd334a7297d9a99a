//! Addresses that a host gains and loses while an association lives: paths join and leave, and nothing is lost.

use crate::pair::{End, Pair, address, path};
use anabranch_base::Duration;
use anabranch_sctp::config::{Config, IpVersion};
use anabranch_sctp::event::{CloseReason, Event};
use anabranch_sctp::policy::PathState;
use bytes::Bytes;

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// An association over the first pipe; A may gain an address on the second, which Z does not have in its list.
fn over_one_of_two() -> Pair {
    over_one_of(&[IpVersion::V4, IpVersion::V4])
}

fn over_one_of(versions: &[IpVersion]) -> Pair {
    let mut pair = Pair::over(Config::rfc9260(), Config::rfc9260(), versions);
    pair.may_cross = true;
    pair.keep_locals(1);
    pair.connect_to(End::A, &[address(End::Z, 0)]);
    pair.run_for(secs(5));
    assert!(pair.is_open(End::A) && pair.is_open(End::Z));
    pair.a.events.clear();
    pair.z.events.clear();
    pair.log.clear();
    pair
}

fn states(pair: &mut Pair, end: End) -> Vec<PathState> {
    pair.at(end).paths().iter().map(|sample| sample.state).collect()
}

/// Lets A send `count` messages, and says whether all of them arrive in time and in order.
fn arrive_within(pair: &mut Pair, span: Duration, count: u32) -> bool {
    for number in 0..count {
        let payload = Bytes::from(number.to_be_bytes().repeat(350));
        pair.try_send(End::A, 0, false, payload).expect("there is room");
    }
    let mut arrived = Vec::new();
    let is_done = pair.run_until(span, |pair| {
        arrived.extend(pair.receive(End::Z));
        arrived.len() == count as usize
    });
    let numbers = arrived.into_iter().map(|message| message.into_bytes()[..4].to_vec());
    is_done && numbers.eq((0..count).map(|number| number.to_be_bytes().to_vec()))
}

#[test]
fn an_address_that_is_gained_is_one_path_which_carries_data_once_it_is_verified() {
    let mut pair = over_one_of_two();
    pair.add_local(End::A, 1);
    assert_eq!(states(&mut pair, End::A), [PathState::Active, PathState::Unconfirmed]);
    assert_eq!(pair.at(End::A).path_addresses(path(1)).remote, address(End::Z, 0), "the peer's only address");
    pair.send_at_once(End::A, 20, 1_400);
    assert!(pair.log.iter().all(|line| !line.text.contains("DATA") || line.text.starts_with("A -1>")));
    pair.run_for(secs(5));
    assert_eq!(pair.a.events, [Event::PathAdded(path(1)), Event::PathConfirmed(path(1))]);
    assert!(pair.z.events.contains(&Event::PathAdded(path(1))), "by the packets that it sees");
    assert_eq!(states(&mut pair, End::Z), [PathState::Active; 2]);
    pair.send_at_once(End::A, 20, 1_400);
    pair.run_for(secs(5));
    assert!(!pair.at(End::A).path_counters(path(1)).sent_bytes.is_zero());
    assert_eq!(pair.receive(End::Z).len(), 40);
    pair.add_local(End::A, 1);
    assert_eq!(pair.at(End::A).paths().len(), 2, "it is known");
}

#[test]
fn what_is_in_flight_on_an_address_that_is_lost_goes_to_another_at_once() {
    let mut pair = Pair::open(Config::rfc9260(), 2);
    pair.send_at_once(End::A, 6, 1_400);
    assert!(!pair.path(End::A, 1).flight.is_zero());
    pair.remove_local(End::A, 1);
    assert_eq!(states(&mut pair, End::A), [PathState::Active, PathState::Removed]);
    assert!(pair.a.events.ends_with(&[Event::PathRemoved(path(1))]));
    assert!(pair.path(End::A, 1).flight.is_zero());
    pair.run_for(ms(200));
    assert_eq!(pair.receive(End::Z).len(), 6, "no time-out was waited for: {:?}", pair.log);
    assert!(arrive_within(&mut pair, secs(10), 100));
    assert_eq!(pair.at(End::A).path_counters(path(0)).timeouts, 0);
}

#[test]
fn the_primary_path_may_be_lost() {
    let config = Config { scheduler: "primary".to_owned(), ..Config::rfc9260() };
    let mut pair = Pair::open(config, 3);
    pair.send_at_once(End::A, 2, 1_400);
    pair.remove_local(End::A, 0);
    pair.run_for(ms(200));
    assert_eq!(pair.receive(End::Z).len(), 2);
    assert!(arrive_within(&mut pair, secs(5), 10));
    assert_eq!(pair.at(End::A).path_counters(path(2)).sent_bytes.get(), 0, "the next one is primary now");
}

#[test]
fn an_address_that_comes_back_brings_its_path_back() {
    let mut pair = Pair::open(Config::rfc9260(), 2);
    pair.remove_local(End::A, 1);
    pair.run_for(secs(2));
    for _ in 0..1_000 {
        pair.add_local(End::A, 1);
        pair.run_for(ms(30));
        pair.remove_local(End::A, 1);
    }
    pair.add_local(End::A, 1);
    pair.run_for(secs(2));
    assert_eq!(
        states(&mut pair, End::A),
        [PathState::Active; 2],
        "with its own id, which names the same ends"
    );
    assert!(arrive_within(&mut pair, secs(10), 100));
}

#[test]
fn an_address_that_a_wildcard_socket_has_again_is_used_where_it_was_used() {
    let mut pair = Pair::open(Config::rfc9260(), 2);
    pair.remove_local(End::A, 1);
    pair.run_for(secs(2));
    assert_eq!(states(&mut pair, End::A), [PathState::Active, PathState::Removed]);
    pair.return_local(End::A, 1);
    pair.run_for(secs(2));
    assert_eq!(states(&mut pair, End::A), [PathState::Active; 2]);
    assert!(arrive_within(&mut pair, secs(10), 100));
    let mut pair = over_one_of_two();
    pair.return_local(End::A, 1);
    pair.run_for(secs(2));
    assert_eq!(states(&mut pair, End::A), [PathState::Active], "what it never used is not its");
}

#[test]
fn another_address_of_a_wildcard_socket_is_used_in_place_of_one_that_was_used() {
    let mut pair = over_one_of_two();
    pair.replace_local(End::A, 0, 1);
    pair.run_for(secs(2));
    assert_eq!(states(&mut pair, End::A), [PathState::Active], "the first one is still there");
    pair.remove_local(End::A, 0);
    pair.replace_local(End::A, 0, 1);
    pair.run_for(secs(2));
    assert_eq!(states(&mut pair, End::A), [PathState::Removed, PathState::Active]);
    assert!(arrive_within(&mut pair, secs(10), 100));
}

#[test]
fn a_path_joins_again_by_what_comes_on_it_when_the_only_address_there_is_back() {
    let mut pair = over_one_of_two();
    pair.add_local(End::A, 1);
    pair.run_for(secs(2));
    assert_eq!(states(&mut pair, End::Z), [PathState::Active; 2], "both lead to one address");
    pair.remove_local(End::Z, 0);
    assert_eq!(states(&mut pair, End::Z), [PathState::Active, PathState::Removed], "one waits for it");
    pair.run_for(ms(200));
    pair.return_local(End::Z, 0);
    assert!(
        pair.run_until(secs(60), |pair| states(pair, End::Z) == [PathState::Active; 2]),
        "{:#?}",
        states(&mut pair, End::Z)
    );
    pair.remove_local(End::A, 0);
    assert!(arrive_within(&mut pair, secs(10), 100), "the other has its data");
}

#[test]
fn a_peer_that_restarted_while_the_only_address_was_gone_can_say_so_when_the_address_is_back() {
    let mut pair = over_one_of_two();
    assert!(arrive_within(&mut pair, secs(5), 3));
    pair.run_for(secs(1));
    pair.remove_local(End::A, 0);
    pair.restart(End::Z);
    pair.run_for(ms(500));
    pair.add_local(End::A, 0);
    assert_eq!(
        states(&mut pair, End::A),
        [PathState::Unconfirmed],
        "it is to be seen whether it leads there"
    );
    assert!(pair.run_until(secs(2), |pair| pair.closed(End::A).is_some()), "{:#?}", pair.log);
    assert_eq!(pair.closed(End::A), Some(CloseReason::UnknownToPeer));
}

#[test]
fn the_last_address_is_waited_for_and_the_next_one_takes_over_when_it_is_verified() {
    let mut pair = over_one_of_two();
    pair.remove_local(End::A, 0);
    pair.send_at_once(End::A, 3, 1_400);
    pair.run_for(ms(1_500));
    assert_eq!(states(&mut pair, End::A), [PathState::Active], "it stays, and its errors are counted");
    pair.add_local(End::A, 1);
    assert_eq!(states(&mut pair, End::A), [PathState::Active, PathState::Unconfirmed]);
    pair.run_for(ms(100));
    assert_eq!(states(&mut pair, End::A), [PathState::Removed, PathState::Active]);
    assert_eq!(pair.receive(End::Z).len(), 3, "{:?}", pair.log);
    let told = [Event::PathAdded(path(1)), Event::PathConfirmed(path(1)), Event::PathRemoved(path(0))];
    assert_eq!(pair.a.events, told);
    assert!(arrive_within(&mut pair, secs(10), 50));
}

#[test]
fn the_last_address_may_come_back_by_itself() {
    let mut pair = over_one_of_two();
    pair.remove_local(End::A, 0);
    pair.send_at_once(End::A, 3, 1_400);
    pair.run_for(ms(1_500));
    pair.add_local(End::A, 0);
    pair.run_for(ms(100));
    assert_eq!(states(&mut pair, End::A), [PathState::Active]);
    assert_eq!(pair.receive(End::Z).len(), 3);
}

#[test]
fn an_association_whose_last_address_does_not_come_back_ends_by_its_errors() {
    let mut pair = over_one_of_two();
    pair.remove_local(End::A, 0);
    pair.send(End::A, 100);
    assert!(pair.run_until(secs(1_000), |pair| pair.closed(End::A).is_some()));
    assert!(matches!(pair.closed(End::A), Some(CloseReason::PeerGone { .. })), "{:?}", pair.a.events);
}

#[test]
fn data_moves_from_one_version_of_ip_to_the_other() {
    let mut pair = over_one_of(&[IpVersion::V4, IpVersion::V6]);
    pair.add_local(End::A, 1);
    assert_eq!(states(&mut pair, End::A).len(), 1, "the peer has no address of that version");
    let mut pair = Pair::over(Config::rfc9260(), Config::rfc9260(), &[IpVersion::V4, IpVersion::V6]);
    pair.connect();
    pair.run_for(secs(5));
    pair.send_at_once(End::A, 4, 20_000);
    pair.remove_local(End::A, 0);
    pair.run_for(secs(5));
    assert_eq!(pair.receive(End::Z).len(), 4, "{:?}", pair.log);
}

#[test]
fn what_happens_to_addresses_during_the_handshake_counts_after_it() {
    let mut pair = Pair::new(Config::rfc9260(), 3);
    pair.may_cross = true;
    pair.keep_locals(2);
    let remotes = [0, 1].map(|pipe| address(End::Z, pipe));
    pair.connect_to(End::A, &remotes);
    pair.remove_local(End::A, 1);
    pair.add_local(End::A, 2);
    pair.run_for(secs(5));
    assert_eq!(states(&mut pair, End::A), [PathState::Active, PathState::Removed, PathState::Active]);
    assert_eq!(pair.at(End::A).path_addresses(path(2)).remote, address(End::Z, 1), "it has the fewest paths");
}

#[test]
fn a_peer_that_restarts_finds_the_paths_that_there_still_are() {
    let mut pair = Pair::open(Config::rfc9260(), 2);
    pair.remove_local(End::Z, 1);
    pair.run_for(secs(1));
    pair.restart(End::A);
    pair.connect();
    pair.run_for(secs(10));
    assert!(pair.z.events.contains(&Event::Restarted));
    assert_eq!(states(&mut pair, End::Z), [PathState::Active, PathState::Removed]);
    assert!(arrive_within(&mut pair, secs(10), 20));
}

/// Every other address is one that the host never had before.
#[test]
fn addresses_without_end_make_no_more_than_sixteen_paths_at_a_time_and_no_table_without_end() {
    let mut pair = over_one_of_two();
    let now = pair.now;
    let fresh =
        |number: u32| std::net::SocketAddr::from((std::net::Ipv4Addr::from(0x0a05_0000 + number), 9899));
    for number in 0..40 {
        pair.a.endpoint.add_local(now, fresh(number));
    }
    assert_eq!(states(&mut pair, End::A).len(), 16);
    for number in 0..2_000 {
        pair.a.endpoint.add_local(now, fresh(number));
        pair.a.endpoint.remove_local(now, fresh(number));
    }
    assert_eq!(states(&mut pair, End::A).len(), 256);
    assert_eq!(states(&mut pair, End::A).iter().filter(|state| **state != PathState::Removed).count(), 1);
}
