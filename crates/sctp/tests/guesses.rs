//! Paths that are only guesses: from addresses that packets seem to come from (RFC 9260 §5.4), and between addresses
//! that were paired wrongly.

use std::net::SocketAddr;

use crate::pair::{End, Pair, address, packet};
use anabranch_base::Duration;
use anabranch_sctp::association::{Alternatives, InitPace, PathAddresses, Routes};
use anabranch_sctp::config::Config;
use anabranch_sctp::endpoint::Channel;
use anabranch_sctp::event::CloseReason;
use anabranch_sctp::policy::{PathId, PathState};
use anabranch_sctp::wire::Heartbeat;

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn standard() -> Config {
    Config { scheduler: "primary".into(), ..Config::rfc9260() }
}

/// Where an end's paths lead that were not removed, with their states.
fn living(pair: &mut Pair, end: End) -> Vec<(PathAddresses, PathState)> {
    let association = pair.at(end);
    let all = association.paths().iter().filter(|sample| sample.state != PathState::Removed);
    all.map(|sample| (association.path_addresses(sample.id), sample.state)).collect()
}

fn state_of(pair: &mut Pair, end: End, remote: SocketAddr) -> Option<PathState> {
    let all = living(pair, end);
    all.into_iter().find(|(addresses, _)| addresses.remote == remote).map(|(_, state)| state)
}

/// Packets with the right tag arrive at Z from `count` unused addresses, none of them seen before.
fn divert(pair: &mut Pair, invented: &mut u32, count: u32) {
    let tag = pair.at(End::Z).tags().0;
    for _ in 0..count {
        *invented += 1;
        let [.., high, low] = invented.to_be_bytes();
        let elsewhere = SocketAddr::from(([198, 18, high, low], 9899));
        pair.inject_from(End::Z, elsewhere, packet(tag, &[&Heartbeat::new(vec![1; 10])]));
    }
}

fn assert_flows(pair: &mut Pair) {
    for end in [End::A, End::Z] {
        pair.send(end, 5000);
        pair.run_for(secs(20));
        assert_eq!(pair.receive(end.other()).len(), 1, "{end:?} sent a message");
    }
}

/// An attacker on a path rewrites the source of A's packets to invented addresses, before A moves and while it does:
/// twenty for each true one.
#[test]
fn a_true_move_succeeds_while_packets_seem_to_come_from_everywhere() {
    let mut pair = Pair::new(standard(), 1);
    pair.pipes[0].translated = Some(40_000);
    pair.establish();
    let mut invented = 0;
    divert(&mut pair, &mut invented, 300);
    assert_eq!(living(&mut pair, End::Z).len(), 16);
    assert_eq!(pair.at(End::Z).paths().len(), 16, "no place in the table is lost by a guess");
    pair.run_for(secs(1));
    pair.pipes[0].translated = Some(50_000);
    for _ in 0..200 {
        divert(&mut pair, &mut invented, 20);
        pair.send(End::A, 100);
        pair.run_for(ms(5));
    }
    let moved = SocketAddr::new(address(End::A, 0).ip(), 50_000);
    assert_eq!(
        state_of(&mut pair, End::Z, moved),
        Some(PathState::Active),
        "{:?}",
        living(&mut pair, End::Z)
    );
    assert!(pair.at(End::Z).paths().len() <= 17, "{}", pair.at(End::Z).paths().len());
    pair.receive(End::Z);
    // Until the old port has failed for certain.
    pair.run_for(secs(400));
    pair.receive(End::Z);
    assert_flows(&mut pair);
}

#[test]
fn a_guess_that_does_not_answer_leaves_and_a_path_that_works_stays() {
    let mut pair = Pair::open(standard(), 1);
    divert(&mut pair, &mut 0, 40);
    assert_eq!(living(&mut pair, End::Z).len(), 16);
    let true_path = living(&mut pair, End::Z)[0];
    pair.run_for(secs(7_200));
    assert_eq!(living(&mut pair, End::Z), [true_path]);
    assert_flows(&mut pair);
}

/// With as many paths as there may be, all of which worked once.
#[test]
fn a_path_that_has_failed_gives_way_to_one_that_is_new_and_one_that_works_to_none() {
    let mut pair = Pair::open(standard(), 16);
    pair.run_for(secs(60));
    let (mut invented, dead) = (0, address(End::A, 15));
    divert(&mut pair, &mut invented, 3);
    assert!(living(&mut pair, End::Z).iter().all(|(_, state)| *state == PathState::Active));
    pair.pipes[15].is_cut = true;
    pair.run_until(secs(900), |pair| state_of(pair, End::Z, dead) == Some(PathState::Inactive));
    divert(&mut pair, &mut invented, 3);
    assert_eq!(state_of(&mut pair, End::Z, dead), None);
    assert_eq!(living(&mut pair, End::Z).len(), 16);
    pair.pipes[15].is_cut = false;
    pair.run_for(secs(300));
    assert_eq!(state_of(&mut pair, End::Z, dead), Some(PathState::Active), "it comes back by itself");
}

// Addresses that were paired wrongly: only the straight pairs have a pipe.

fn between(pair: &Pair, (near, far): (usize, usize)) -> PathAddresses {
    PathAddresses { local: pair.address(End::A, near), remote: pair.address(End::Z, far) }
}

/// A begins to open the association over these pairs of pipes, with all others to be tried if `is_searching`.
fn connect_over(pair: &mut Pair, pairs: &[(usize, usize)], is_searching: bool) {
    let count = pair.pipes.len();
    let all = (0..count).flat_map(|near| (0..count).map(move |far| (near, far)));
    let others: Vec<PathAddresses> = all
        .filter(|other| is_searching && !pairs.contains(other))
        .map(|other| between(pair, other))
        .collect();
    let paths: Vec<PathAddresses> = pairs.iter().map(|&one| between(pair, one)).collect();
    let remotes: Vec<SocketAddr> = (0..count).map(|far| pair.address(End::Z, far)).collect();
    let pace = if is_searching { InitPace::Raced } else { InitPace::OneByOne };
    let routes = Routes { paths: &paths, further: &others, pace, alternatives: Alternatives::none() };
    if !pair.may_cross {
        pair.loses_crossing = vec![End::A, End::Z];
    }
    let id = pair.a.endpoint.connect_over(Channel::PLAIN, &remotes, routes).expect("addresses");
    pair.a.id = Some(id);
    pair.settle(End::A);
}

fn assert_straight(pair: &mut Pair) {
    for end in [End::A, End::Z] {
        let mut found = living(pair, end);
        found.sort_by_key(|(addresses, _)| addresses.local);
        let straight = |pipe| {
            let (local, remote) = (pair.address(end, pipe), pair.address(end.other(), pipe));
            (PathAddresses { local, remote }, PathState::Active)
        };
        let expected: Vec<_> = (0..pair.pipes.len()).map(straight).collect();
        assert_eq!(found, expected, "{end:?}");
    }
}

#[test]
fn paths_that_cross_two_links_do_not_answer_and_the_other_pairs_are_found() {
    let mut alone = Pair::new(Config::tuned_1(), 2);
    connect_over(&mut alone, &[(0, 1), (1, 0)], false);
    alone.run_for(secs(60));
    assert_eq!(alone.closed(End::A), Some(CloseReason::NoAnswer { attempts: 4 }), "nothing else is tried");
    let mut pair = Pair::new(Config::tuned_1(), 2);
    connect_over(&mut pair, &[(0, 1), (1, 0)], true);
    pair.run_for(ms(800));
    assert!(pair.is_open(End::A) && pair.is_open(End::Z), "{:?}", pair.log.last().map(|line| &line.text));
    pair.run_for(secs(10));
    assert_straight(&mut pair);
    assert_flows(&mut pair);
}

/// The association opens over the first pair; two others were paired wrongly, and are trusted at first.
#[test]
fn where_one_pair_answers_and_others_do_not_theirs_are_found_too() {
    let mut pair = Pair::new(Config::tuned_1(), 3);
    pair.z.reads_at_once = true;
    connect_over(&mut pair, &[(0, 0), (1, 2), (2, 1)], true);
    pair.run_until(secs(1), |pair| pair.at(End::A).is_open());
    for _ in 0..100 {
        pair.send(End::A, 10_000);
        pair.run_for(ms(200));
    }
    pair.run_for(secs(60));
    assert_straight(&mut pair);
    assert_eq!(pair.z.read.len(), 100);
}

/// Z's routes cross the links, and A's do not: what Z sends comes by every pair, and what A sends by two.
#[test]
fn a_pair_by_which_packets_come_and_none_go_is_given_up_too() {
    let mut pair = Pair::new(Config::tuned_1(), 2);
    (pair.may_cross, pair.loses_crossing) = (true, vec![End::A]);
    connect_over(&mut pair, &[(0, 1), (1, 0)], true);
    pair.run_for(secs(120));
    assert_straight(&mut pair);
    assert_flows(&mut pair);
}

#[test]
fn a_path_that_answers_in_time_is_followed_by_no_other() {
    let mut pair = Pair::new(Config::tuned_1(), 2);
    pair.pipes.iter_mut().for_each(|pipe| pipe.delay = ms(400));
    pair.may_cross = true;
    connect_over(&mut pair, &[(0, 0), (1, 1)], true);
    pair.run_for(secs(20));
    assert_eq!(pair.at(End::A).paths().len(), 2, "{:?}", living(&mut pair, End::A));
    assert_straight(&mut pair);
}

#[test]
fn an_unanswered_init_is_tried_over_each_pair_forty_milliseconds_apart() {
    let mut pair = Pair::new(Config::tuned_1(), 2);
    pair.pipes.iter_mut().for_each(|pipe| pipe.is_cut = true);
    connect_over(&mut pair, &[(0, 1), (1, 0)], true);
    let start = pair.now;
    pair.run_for(secs(60));
    let sent: Vec<u64> = pair.log.iter().map(|line| line.at.since(start).as_millis()).collect();
    assert_eq!(sent[..6], [0, 40, 80, 120, 1_000, 1_040], "{sent:?}");
    // A round of four INITs in each of 1, 2, 4 and 8 seconds.
    assert_eq!(pair.closed(End::A), Some(CloseReason::NoAnswer { attempts: 16 }));
    assert_eq!(sent.last(), Some(&7_120));
    assert_eq!(pair.at(End::A).paths().len(), 4);
    assert_eq!(pair.at(End::A).path_addresses(PathId::from_index(3)), between(&pair, (1, 1)));
}

/// A begins to open the association from each of its addresses with one address of Z, and only the last pipe carries
/// anything at first.
fn connect_to_one(pair: &mut Pair) {
    let last = pair.pipes.len() - 1;
    let far = pair.address(End::Z, 0);
    pair.restart_with(End::Z, vec![far]);
    (pair.may_cross, pair.cut_links) = (true, (0..last).collect());
    let paths: Vec<PathAddresses> =
        (0..=last).map(|near| PathAddresses { local: pair.address(End::A, near), remote: far }).collect();
    let routes = Routes { pace: InitPace::Raced, ..Routes::one_by_one(&paths) };
    let id = pair.a.endpoint.connect_over(Channel::PLAIN, &[far], routes).expect("addresses");
    pair.a.id = Some(id);
    pair.settle(End::A);
}

#[test]
fn of_up_to_sixty_four_links_the_only_one_that_works_opens_the_association_within_a_second() {
    for count in [1, 2, 3, 5, 8, 16, 17, 33, 64] {
        let mut pair = Pair::new(Config::tuned_2(), count);
        connect_to_one(&mut pair);
        pair.run_for(secs(1));
        assert!(pair.is_open(End::A) && pair.is_open(End::Z), "{count} links");
        let found = living(&mut pair, End::A);
        let works: Vec<_> = found.iter().filter(|(_, state)| *state == PathState::Active).collect();
        assert_eq!(works.len(), 1, "no path is active before it has answered: {found:?}");
        assert_eq!(works[0].0.local, pair.address(End::A, count - 1));
        assert!(found.len() <= 16, "{found:?}");
        let sent: Vec<&str> = pair.log.iter().map(|line| line.text.as_str()).collect();
        assert!(sent.iter().filter(|text| text.contains("INIT ")).count() <= count + 4, "{sent:?}");
        assert_flows(&mut pair);
    }
}

#[test]
fn a_link_that_begins_to_work_after_a_minute_becomes_a_path() {
    let mut pair = Pair::new(Config::tuned_2(), 3);
    connect_to_one(&mut pair);
    pair.run_for(secs(60));
    pair.cut_links = vec![1];
    pair.run_for(secs(5));
    let found = living(&mut pair, End::A);
    assert_eq!(found.iter().filter(|(_, state)| *state == PathState::Active).count(), 2, "{found:?}");
}

/// Each link leads to both addresses of Z, so that pairs that cross them answer as well.
#[test]
fn a_link_that_is_silent_at_first_is_in_one_path_when_it_works() {
    for silent in [0, 300, 700, 1_000, 1_100, 1_500, 1_900, 2_200, 2_600, 3_000, 20_000] {
        let mut pair = Pair::new(Config::tuned_2(), 2);
        pair.may_cross = true;
        pair.cut_links = vec![1];
        connect_over(&mut pair, &[(0, 0), (1, 1)], true);
        pair.run_for(ms(silent));
        pair.cut_links.clear();
        pair.run_for(secs(20));
        let (near, far) = (living(&mut pair, End::A), living(&mut pair, End::Z));
        assert_eq!((near.len(), far.len()), (2, 2), "silent for {silent} ms: {near:?} {far:?}");
        assert_straight(&mut pair);
        assert_flows(&mut pair);
    }
}
