//! Windows that share the peer's receive buffer, over a whole association: what fresh windows are, and where they go.

use crate::pair::{End, Pair};
use anabranch_base::{BitRate, ByteCount, Duration};
use anabranch_sctp::config::{Charge, Config, Encapsulation, Failover, SackSettings, Unit};
use anabranch_sctp::policy::loss_detection::cmt::CmtRules;
use anabranch_sctp::policy::{Hints, PathId};

const PACKET: u64 = 1500;
/// The user data of a full packet.
const FULL: usize = 1452;

/// Everything counts whole packets; every packet is acknowledged.
fn config(rule: &str, limits: &[u32], buffer: u64) -> Config {
    let mut config = Config {
        window_management: rule.into(),
        window_limits: limits.to_vec(),
        receive_buffer: ByteCount::new(buffer * PACKET),
        charge: Charge::Packet,
        rwnd_charge: Charge::Packet,
        unit: Unit::Mtu,
        encapsulation: Encapsulation::None,
        sack: SackSettings { every: 1, delay: Duration::from_millis(200), ..Config::rfc9260().sack },
        failover: Failover::OFF,
        retransmission: "same".into(),
        ..Config::rfc9260()
    };
    config.set_cmt(CmtRules { delayed_ack: false, ..CmtRules::ALL });
    config
}

/// Each path's window, in packets, the last of which may pass it.
fn windows(pair: &mut Pair) -> Vec<u64> {
    pair.at(End::A).paths().iter().map(|path| path.cwnd.get().div_ceil(PACKET)).collect()
}

/// An association whose second path is the better one, with a window of data always available.
fn open(rule: &str, limits: &[u32], buffer: u64) -> Pair {
    let mut pair = Pair::open(config(rule, limits, buffer), 2);
    pair.z.reads_at_once = true;
    for (index, megabits) in [10, 20].into_iter().enumerate() {
        let hints = Hints {
            rate: Some(BitRate::from_mbps(megabits)),
            round_trip: Some(Duration::from_millis(40)),
            ..Hints::default()
        };
        pair.at(End::A).set_hints(PathId::from_index(index), hints);
    }
    pair
}

/// Keeps the sender supplied for `span`, and checks at each step that the windows fit the buffer.
fn run(pair: &mut Pair, span: Duration, buffer: u64) {
    let end = pair.now + span;
    while pair.now < end {
        let full = ByteCount::of_len(FULL);
        let free = pair.at(End::A).send_space().get() / full.get();
        pair.send_at_once(End::A, free.min(50) as usize, FULL);
        pair.run_for(Duration::from_millis(5));
        let windows: ByteCount = pair.at(End::A).paths().iter().map(|path| path.cwnd).sum();
        assert!(windows <= ByteCount::new(buffer * PACKET), "windows of {windows}");
    }
}

#[test]
fn fresh_windows_are_scaled_to_the_buffer() {
    let first = |rule, buffer| windows(&mut Pair::open(config(rule, &[3, 3, 3], buffer), 3));
    assert_eq!(first("none", 6), [2, 2, 2].map(|_| first("none", 100)[0]), "nothing bounds them");
    assert_eq!(first("dynamic", 6), [2, 2, 2]);
    assert_eq!(first("static", 5), [1, 1, 1]);
    assert_eq!(first("static", 100), first("none", 100));
}

#[test]
fn by_rank_the_better_path_takes_what_fills_it_from_the_worse() {
    let mut pair = open("dynamic", &[], 40);
    run(&mut pair, Duration::from_secs(3), 40);
    assert_eq!(windows(&mut pair), [1, 39], "68 packets would fill the second path");
}

#[test]
fn with_static_limits_each_window_reaches_its_limit() {
    let mut pair = open("static", &[15, 25], 40);
    run(&mut pair, Duration::from_secs(3), 40);
    assert_eq!(windows(&mut pair), [15, 25]);
}

#[test]
fn what_one_path_leaves_is_lent_and_comes_back() {
    let mut pair = open("static", &[15, 25], 40);
    run(&mut pair, Duration::from_secs(3), 40);
    pair.drop_next(End::A, 1);
    run(&mut pair, Duration::from_millis(100), 40);
    let lent = windows(&mut pair);
    assert!(lent[0] > 15 && lent[1] < 25, "{lent:?}");
    run(&mut pair, Duration::from_secs(3), 40);
    assert_eq!(windows(&mut pair), [15, 25]);
}

#[test]
fn a_plan_moves_the_limits_of_a_running_transfer() {
    let mut pair = open("static", &[15, 25], 40);
    run(&mut pair, Duration::from_secs(3), 40);
    let packets = |count| ByteCount::new(count * PACKET);
    pair.at(End::A).set_limits(&[(PathId::FIRST, packets(30)), (PathId::from_index(1), packets(10))]);
    run(&mut pair, Duration::from_secs(3), 40);
    assert_eq!(windows(&mut pair), [30, 10]);
}
