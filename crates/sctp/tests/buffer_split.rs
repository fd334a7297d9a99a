//! Buffers that are split among the paths: what new data each may take, what is never held back, and what is reported.

use crate::pair::{End, Pair, path};
use anabranch_base::{ByteCount, Duration};
use anabranch_sctp::config::{
    BufferSplit, BurstRule, Charge, Config, Encapsulation, Failover, InitialWindow, MaxBurst, SackSettings,
    Unit,
};

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// The user data of a full packet.
const FULL: usize = 1452;

/// Room for `count` full packets.
fn packets(count: u64) -> ByteCount {
    ByteCount::of_len(FULL) * count
}

/// Windows of twenty packets, buffers of twelve; every packet is acknowledged, bursts are not bounded, and no path
/// fails. Chunks are sent again where they were lost.
fn twelve(buffer_split: BufferSplit) -> Config {
    Config {
        buffer_split,
        receive_buffer: packets(12),
        send_buffer: packets(12),
        rwnd_charge: Charge::User,
        charge: Charge::Packet,
        unit: Unit::Mtu,
        encapsulation: Encapsulation::None,
        initial_window: InitialWindow::Bytes(ByteCount::new(30_000)),
        sack: SackSettings { every: 1, delay: ms(200), ..Config::rfc9260().sack },
        max_burst: MaxBurst { packets: 1000, rule: BurstRule::Event },
        failover: Failover::OFF,
        retransmission: "same".into(),
        fast_retransmission: "same".into(),
        missing_reports: 200,
        scheduler: "fill".into(),
        ..Config::rfc9260()
    }
}

/// Returns the unacknowledged packets that A sent last on each path, right after every path could be filled.
fn filled(config: Config, pipes: usize) -> Vec<u64> {
    let mut pair = Pair::open(config, pipes);
    pair.send_at_once(End::A, 12, FULL);
    (0..pipes).map(|index| pair.path(End::A, index).flight.get() / 1500).collect()
}

#[test]
fn without_a_split_the_first_path_takes_the_whole_buffer() {
    assert_eq!(filled(twelve(BufferSplit::None), 2), [12, 0]);
}

#[test]
fn each_path_takes_its_share_of_the_buffer() {
    for split in [BufferSplit::Sender, BufferSplit::Receiver, BufferSplit::Both] {
        assert_eq!(filled(twelve(split), 2), [6, 6], "{split:?}");
        assert_eq!(filled(twelve(split), 3), [4, 4, 4], "{split:?}");
    }
}

#[test]
fn each_buffer_is_split_by_its_own_size() {
    let unequal = |buffer_split| Config { send_buffer: packets(24), ..twelve(buffer_split) };
    assert_eq!(filled(unequal(BufferSplit::Sender), 2), [12, 0], "half of the send buffer");
    assert_eq!(filled(unequal(BufferSplit::Receiver), 2), [6, 6], "half of the peer's");
    let unequal = |buffer_split| Config { receive_buffer: packets(24), ..twelve(buffer_split) };
    assert_eq!(filled(unequal(BufferSplit::Sender), 2), [6, 6]);
    assert_eq!(filled(unequal(BufferSplit::Receiver), 2), [12, 0]);
}

#[test]
fn one_path_at_a_time_has_the_whole_buffer() {
    let primary = Config { scheduler: "primary".into(), ..twelve(BufferSplit::Both) };
    assert_eq!(filled(primary, 3), [12, 0, 0]);
}

/// Data of the fast path that waits for the slow one's fills the buffers, not data in flight. Both windows have
/// room then: what holds the path back is the rule, and the sender is not blocked.
#[test]
fn chunks_that_arrived_out_of_order_take_their_share_still() {
    let initial_window = InitialWindow::Bytes(ByteCount::new(12_000));
    let receive_buffer = packets(20);
    let config =
        Config { initial_window, receive_buffer, send_buffer: packets(40), ..twelve(BufferSplit::Receiver) };
    let mut pair = Pair::open(config, 2);
    pair.z.reads_at_once = true;
    pair.pipes[0].delay = ms(300);
    // The slow path's window lets out 8, the fast path's share is 10.
    pair.send_at_once(End::A, 26, FULL);
    pair.run_for(ms(100));
    let flights = [0, 1].map(|index| pair.path(End::A, index).flight.get() / 1500);
    assert_eq!(flights, [8, 0], "path 2 has delivered what it sent");
    let fast = pair.log.iter().filter(|line| line.from == End::A && line.pipe == 1).count();
    assert_eq!(fast, 10);
    let told = |pair: &mut Pair| {
        let now = pair.now;
        (pair.at(End::A).time_in_limit(now, path(1)).scheduler, pair.at(End::A).blocked(now))
    };
    let (before, blocked_before) = told(&mut pair);
    pair.log.clear();
    pair.run_for(ms(100));
    assert!(pair.log.is_empty(), "{:?}", pair.log);
    let (after, blocked) = told(&mut pair);
    assert_eq!((after.saturating_sub(before), blocked), (ms(100), blocked_before));
}

#[test]
fn by_flight_each_path_takes_its_share_of_what_the_peer_has_room_for() {
    for split in [BufferSplit::ReceiverFlight, BufferSplit::BothFlight] {
        assert_eq!(filled(twelve(split), 2), [6, 6], "{split:?}");
    }
    let unequal = |buffer_split| Config { receive_buffer: packets(24), ..twelve(buffer_split) };
    assert_eq!(filled(unequal(BufferSplit::ReceiverFlight), 2), [12, 0], "half of the peer's");
    assert_eq!(filled(unequal(BufferSplit::BothFlight), 2), [6, 6], "half of the send buffer");
}

/// The rule of FreeBSD: what arrived and waits for the slow path is not in flight, and the fast path sends as long as the
/// peer has room.
#[test]
fn by_flight_chunks_that_arrived_out_of_order_take_no_share() {
    let sent_by_fast_path = |split| {
        let initial_window = InitialWindow::Bytes(ByteCount::new(12_000));
        let receive_buffer = packets(20);
        let config = Config { initial_window, receive_buffer, send_buffer: packets(40), ..twelve(split) };
        let mut pair = Pair::open(config, 2);
        pair.z.reads_at_once = true;
        pair.pipes[0].delay = ms(300);
        pair.send_at_once(End::A, 26, FULL);
        pair.run_for(ms(100));
        pair.log.iter().filter(|line| line.from == End::A && line.pipe == 1).count()
    };
    let counts = [BufferSplit::Receiver, BufferSplit::ReceiverFlight].map(sent_by_fast_path);
    assert_eq!(counts, [10, 12], "of 20, the slow path has 8");
}

#[test]
fn what_was_lost_is_sent_again_whatever_the_shares() {
    let mut pair = Pair::open(twelve(BufferSplit::Both), 2);
    pair.z.reads_at_once = true;
    pair.pipes[0].is_cut = true;
    pair.send_at_once(End::A, 12, FULL);
    pair.log.clear();
    pair.pipes[0].is_cut = false;
    pair.run_for(ms(1_005));
    let again: Vec<usize> =
        pair.log.iter().filter(|line| line.from == End::A).map(|line| line.pipe).collect();
    assert_eq!(again, [0], "after the time-out one packet may be in flight, and it is out");
    pair.run_for(ms(2_000));
    assert_eq!(pair.z.read.len(), 12);
}

/// A path that fails gives its share to the others.
#[test]
fn only_active_paths_have_a_share() {
    let failover = Failover { path_max: 0, ..Config::rfc9260().failover };
    let config = Config { failover, retransmission: "alternate".into(), ..twelve(BufferSplit::Both) };
    let mut pair = Pair::open(config, 2);
    pair.z.reads_at_once = true;
    pair.pipes[0].is_cut = true;
    pair.send_at_once(End::A, 12, FULL);
    assert!(pair.run_until(ms(20_000), |pair| pair.z.read.len() == 12), "the other path carries all");
    pair.run_for(ms(50));
    pair.send_at_once(End::A, 12, FULL);
    assert_eq!(pair.path(End::A, 1).flight.get() / 1500, 12);
}
