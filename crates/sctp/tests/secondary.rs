//! Secondary paths: they carry new data only while the ordinary paths are full, whichever end says so.

use crate::pair::{End, Pair, address};
use anabranch_base::{ByteCount, Duration, Time};
use anabranch_sctp::config::Config;
use anabranch_sctp::policy::PathState;
use anabranch_sctp::wire::PathRole;

const SPARE: [PathState; 2] = [PathState::Active, PathState::Spare];

fn millis(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

fn states(pair: &mut Pair, end: End) -> Vec<PathState> {
    pair.at(end).paths().iter().map(|sample| sample.state).collect()
}

/// The times at which packets with user data of `end` left on the pipe with this index.
fn data_on(pair: &Pair, end: End, pipe: usize) -> Vec<Time> {
    let of_end = pair.log.iter().filter(|line| line.from == end && line.pipe == pipe);
    of_end.filter(|line| line.text.contains("DATA")).map(|line| line.at).collect()
}

/// A pair over these pipes, whose client gives roles to its addresses. Windows grow by a packet a round trip of 20 ms from
/// 15 kB on.
fn with_roles(roles: &[PathRole], scheduler: &str) -> Pair {
    let config = Config {
        initial_ssthresh: Some(ByteCount::new(15_000)),
        scheduler: scheduler.to_owned(),
        ..Config::tuned_2()
    };
    let mut pair = Pair::new(config, roles.len());
    let now = pair.now;
    for (index, role) in roles.iter().enumerate() {
        pair.side(End::A).endpoint.set_role(now, address(End::A, index), *role);
    }
    pair.establish();
    pair
}

fn with_secondary() -> Pair {
    with_roles(&[PathRole::Ordinary, PathRole::Secondary], "in-order-arrival")
}

/// Both ends send a message of 1,200 bytes every 5 ms: a third of the first window.
fn trickle(pair: &mut Pair, messages: usize) {
    for _ in 0..messages {
        [End::A, End::Z].into_iter().for_each(|end| pair.send(end, 1_200));
        pair.run_for(millis(5));
    }
    pair.run_for(millis(500));
    for end in [End::A, End::Z] {
        assert_eq!(pair.receive(end).len(), messages, "{end:?}");
    }
}

/// One end sends 1 MB at once.
fn load(pair: &mut Pair, end: End) {
    (0..100).for_each(|_| pair.send(end, 10_000));
    pair.run_for(millis(5_000));
    assert_eq!(pair.receive(end.other()).len(), 100);
}

#[test]
fn a_flow_that_fits_the_ordinary_path_sends_nothing_on_the_secondary_one() {
    for scheduler in ["in-order-arrival", "fill", "round-robin", "lowest-rtt"] {
        let mut pair = with_roles(&[PathRole::Ordinary, PathRole::Secondary], scheduler);
        assert_eq!([states(&mut pair, End::A), states(&mut pair, End::Z)], [SPARE; 2]);
        trickle(&mut pair, 200);
        let log = pair.take_log();
        let on_second: Vec<&String> = log.iter().filter(|line| line.contains(" -2> ")).collect();
        assert!(on_second.iter().all(|line| line.contains("HEARTBEAT")), "{scheduler}: {on_second:#?}");
    }
}

#[test]
fn the_secondary_path_opens_when_the_others_were_full_for_100_ms_and_rests_when_nothing_waits() {
    for end in [End::A, End::Z] {
        let mut pair = with_secondary();
        let start = pair.now;
        load(&mut pair, end);
        let on_second = data_on(&pair, end, 1);
        assert!(on_second.len() > 100, "{end:?}: {} packets", on_second.len());
        let waited = on_second[0].since(start);
        assert!(waited >= millis(100) && waited < millis(200), "{end:?}: {waited}");
        assert_eq!([states(&mut pair, End::A), states(&mut pair, End::Z)], [SPARE; 2]);
        pair.log.clear();
        trickle(&mut pair, 50);
        assert_eq!(data_on(&pair, end, 1).len(), 0);
    }
}

#[test]
fn packets_of_the_secondary_path_are_acknowledged_on_it() {
    let mut pair = with_secondary();
    load(&mut pair, End::A);
    let is_answer = |text: &str| text.starts_with("Z -2> SACK");
    assert!(pair.take_log().iter().any(|line| is_answer(line)));
}

#[test]
fn the_secondary_path_is_an_ordinary_one_while_the_others_fail() {
    let mut pair = with_secondary();
    pair.pipes[0].is_cut = true;
    trickle(&mut pair, 400);
    assert_eq!(states(&mut pair, End::A)[1], PathState::Active);
    assert_eq!(states(&mut pair, End::Z)[1], PathState::Active);
    assert!(data_on(&pair, End::A, 1).len() >= 400);
    pair.pipes[0].is_cut = false;
    pair.run_for(millis(3_000));
    assert_eq!([states(&mut pair, End::A), states(&mut pair, End::Z)], [SPARE; 2]);
    pair.log.clear();
    trickle(&mut pair, 50);
    assert_eq!(data_on(&pair, End::A, 1).len(), 0);
}

#[test]
fn a_backup_rests_until_neither_the_ordinary_nor_the_secondary_path_works() {
    let roles = [PathRole::Backup, PathRole::Secondary, PathRole::Ordinary];
    let mut pair = with_roles(&roles, "in-order-arrival");
    let state = |pair: &mut Pair, pipe: usize| {
        let local = address(End::A, pipe);
        let association = pair.at(End::A);
        let id = association.paths().iter().map(|path| path.id);
        let id = { id }.find(|id| association.path_addresses(*id).local == local).expect("a path");
        association.paths()[id.index()].state
    };
    load(&mut pair, End::A);
    assert!(data_on(&pair, End::A, 1).len() > 100, "the secondary path helps");
    assert_eq!(data_on(&pair, End::A, 0).len(), 0);
    let all = [0, 1, 2].map(|pipe| state(&mut pair, pipe));
    assert_eq!(all, [PathState::Standby, PathState::Spare, PathState::Active]);
    pair.pipes[2].is_cut = true;
    trickle(&mut pair, 100);
    assert_eq!([0, 1].map(|pipe| state(&mut pair, pipe)), [PathState::Standby, PathState::Active]);
    pair.pipes[1].is_cut = true;
    trickle(&mut pair, 100);
    assert_eq!(state(&mut pair, 0), PathState::Active);
}

#[test]
fn a_secondary_path_becomes_an_ordinary_one_for_both_ends() {
    let mut pair = with_secondary();
    let now = pair.now;
    pair.side(End::A).endpoint.set_role(now, address(End::A, 1), PathRole::Ordinary);
    pair.run_for(millis(1_000));
    assert_eq!([states(&mut pair, End::A), states(&mut pair, End::Z)], [[PathState::Active; 2]; 2]);
    let now = pair.now;
    pair.side(End::A).endpoint.set_role(now, address(End::A, 1), PathRole::Secondary);
    pair.run_for(millis(1_000));
    assert_eq!([states(&mut pair, End::A), states(&mut pair, End::Z)], [SPARE; 2]);
}
