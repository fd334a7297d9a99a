//! Paths that are kept as backups: they carry data only while no other path does, whichever end says so.

use std::net::SocketAddr;

use crate::pair::{End, Pair, address};
use anabranch_base::Duration;
use anabranch_sctp::config::Config;
use anabranch_sctp::policy::PathState;
use anabranch_sctp::wire::PathRole;

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn states(pair: &mut Pair, end: End) -> Vec<PathState> {
    pair.at(end).paths().iter().map(|sample| sample.state).collect()
}

/// The number of packets with user data `end` sent on the second path.
fn data_on_second(pair: &mut Pair, end: End) -> usize {
    let mark = format!("{end:?} -2> DATA");
    pair.take_log().iter().filter(|line| line.contains(&mark)).count()
}

/// A pair whose client keeps its second path as a backup, with 20 messages sent each way.
fn with_backup(index: usize) -> Pair {
    let mut pair = Pair::new(Config::tuned_2(), 2);
    let (now, local) = (pair.now, local(index));
    pair.side(End::A).endpoint.set_role(now, local, PathRole::Backup);
    pair.connect();
    assert!(pair.run_until(secs(2), |pair| pair.is_open(End::A) && pair.is_open(End::Z)));
    pair
}

fn local(index: usize) -> SocketAddr {
    address(End::A, index)
}

fn exchange(pair: &mut Pair, messages: usize) {
    for end in [End::A, End::Z] {
        (0..messages).for_each(|_| pair.send(end, 1_200));
    }
    pair.run_for(secs(5));
    for end in [End::A, End::Z] {
        assert_eq!(pair.receive(end).len(), messages, "{end:?}");
    }
}

#[test]
fn neither_end_sends_data_on_a_backup_while_another_path_works() {
    let mut pair = with_backup(1);
    pair.run_for(secs(2));
    let resting = [PathState::Active, PathState::Standby];
    assert_eq!([states(&mut pair, End::A), states(&mut pair, End::Z)], [resting; 2]);
    let _ = pair.take_log();
    exchange(&mut pair, 20);
    let log = pair.take_log();
    let on_second: Vec<&String> = log.iter().filter(|line| line.contains(" -2> ")).collect();
    assert!(on_second.iter().all(|line| line.contains("HEARTBEAT")), "{on_second:#?}");
}

/// A backup may be paid by the byte.
#[test]
fn a_backup_that_rests_is_probed_every_thirty_seconds() {
    let mut pair = with_backup(1);
    pair.run_for(secs(5));
    let _ = pair.take_log();
    pair.run_for(secs(300));
    let log = pair.take_log();
    let probes =
        |path: &str| log.iter().filter(|line| line.contains(path) && line.contains("HEARTBEAT")).count();
    // Ten at each end, with as many answers.
    assert!((32..=44).contains(&probes(" -2> ")), "{}", probes(" -2> "));
    assert!(probes(" -1> ") > 400, "the other path is watched: {}", probes(" -1> "));
}

#[test]
fn a_backup_takes_over_when_the_other_path_fails_and_rests_when_it_is_back() {
    let mut pair = with_backup(1);
    exchange(&mut pair, 5);
    pair.pipes[0].is_cut = true;
    let _ = pair.take_log();
    exchange(&mut pair, 20);
    assert_eq!(states(&mut pair, End::A)[1], PathState::Active);
    assert_eq!(states(&mut pair, End::Z)[1], PathState::Active);
    assert!(data_on_second(&mut pair, End::A) >= 20);
    pair.pipes[0].is_cut = false;
    pair.run_for(secs(3));
    let resting = [PathState::Active, PathState::Standby];
    assert_eq!([states(&mut pair, End::A), states(&mut pair, End::Z)], [resting; 2]);
    let _ = pair.take_log();
    exchange(&mut pair, 20);
    let log = pair.take_log();
    assert!(!log.iter().any(|line| line.contains(" -2> DATA") || line.contains(" -2> SACK")), "{log:#?}");
}

#[test]
fn the_peer_hears_of_a_backup_even_if_the_first_word_is_lost() {
    let mut pair = Pair::new(Config::tuned_2(), 2);
    pair.connect();
    pair.run_for(secs(2));
    exchange(&mut pair, 5);
    pair.drop_next(End::A, 1);
    let now = pair.now;
    pair.side(End::A).endpoint.set_role(now, local(1), PathRole::Backup);
    pair.run_for(secs(3));
    assert_eq!(states(&mut pair, End::Z), [PathState::Active, PathState::Standby]);
    let now = pair.now;
    pair.side(End::A).endpoint.set_role(now, local(1), PathRole::Ordinary);
    pair.run_for(secs(3));
    assert_eq!(states(&mut pair, End::Z), [PathState::Active; 2], "and that it is one no longer");
}

#[test]
fn a_change_while_a_heartbeat_is_under_way_is_told_after_its_answer() {
    let mut pair = Pair::new(Config::tuned_2(), 2);
    pair.connect();
    pair.run_for(secs(2));
    let now = pair.now;
    for role in [PathRole::Backup, PathRole::Ordinary].repeat(2) {
        pair.side(End::A).endpoint.set_role(now, local(1), role);
        pair.settle(End::A);
    }
    pair.run_for(secs(1));
    assert_eq!(states(&mut pair, End::Z), [PathState::Active; 2]);
}

#[test]
fn an_association_opens_on_a_backup_only_if_no_other_path_answers_and_leaves_it_when_one_does() {
    let mut pair = with_backup(0);
    let log = pair.take_log();
    assert!(log.iter().any(|line| line.starts_with("A -2> INIT")), "{log:#?}");
    let mut pair = Pair::new(Config::tuned_2(), 2);
    pair.pipes[1].is_cut = true;
    let now = pair.now;
    pair.side(End::A).endpoint.set_role(now, local(0), PathRole::Backup);
    pair.connect();
    assert!(pair.run_until(secs(20), |pair| pair.is_open(End::A) && pair.is_open(End::Z)));
    exchange(&mut pair, 20);
    pair.pipes[1].is_cut = false;
    pair.run_for(secs(60));
    for end in [End::A, End::Z] {
        let mut all = states(&mut pair, end);
        all.retain(|state| *state != PathState::Removed);
        assert!(all.contains(&PathState::Standby) && all.contains(&PathState::Active), "{end:?}: {all:?}");
    }
    let _ = pair.take_log();
    exchange(&mut pair, 20);
    let log = pair.take_log();
    assert!(!log.iter().any(|line| line.contains(" -1> DATA") || line.contains(" -1> SACK")), "{log:#?}");
}

#[test]
fn backups_alone_carry_data_together() {
    let mut pair = Pair::new(Config::tuned_2(), 2);
    let now = pair.now;
    (0..2).for_each(|index| pair.side(End::A).endpoint.set_role(now, local(index), PathRole::Backup));
    pair.connect();
    pair.run_for(secs(2));
    assert_eq!(states(&mut pair, End::A), [PathState::Active; 2]);
    exchange(&mut pair, 20);
    assert!(data_on_second(&mut pair, End::A) > 0);
}

#[test]
fn an_address_that_comes_back_as_a_backup_is_one_from_the_start() {
    let mut pair = with_backup(1);
    exchange(&mut pair, 5);
    let now = pair.now;
    pair.side(End::A).endpoint.remove_local(now, local(1));
    pair.settle(End::A);
    pair.run_for(secs(2));
    let now = pair.now;
    pair.side(End::A).endpoint.add_local(now, local(1));
    pair.settle(End::A);
    let _ = pair.take_log();
    exchange(&mut pair, 20);
    let log = pair.take_log();
    assert!(!log.iter().any(|line| line.contains(" -2> DATA")), "{log:#?}");
    let living = states(&mut pair, End::Z);
    assert!(living.contains(&PathState::Standby), "{living:?}");
}
