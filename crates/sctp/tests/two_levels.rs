//! The receive buffer in two levels: what waits for missing chunks does not close the window (M-IPCC-7). Both ends have to
//! be set to it.

use crate::pair::{End, Pair};
use anabranch_base::{ByteCount, Duration};
use anabranch_sctp::config::{BurstRule, Config, InitialWindow, MaxBurst, OutOfOrder};

/// The first level, in bytes.
const FIRST: u64 = 6_000;
const CHUNK: usize = 1_000;

fn one_level() -> Config {
    Config {
        receive_buffer: ByteCount::new(FIRST),
        initial_window: InitialWindow::Bytes(ByteCount::new(100_000)),
        max_burst: MaxBurst { packets: 1000, rule: BurstRule::Event },
        ..Config::rfc9260()
    }
}

fn two_levels() -> Config {
    Config { out_of_order: OutOfOrder::Unlimited, ..one_level() }
}

/// An association on which A sends 40 chunks at once, of which the first is lost: what is in flight then.
fn after_a_loss(mut pair: Pair) -> (Pair, u64) {
    pair.z.reads_at_once = true;
    pair.pipes[0].delay = Duration::from_millis(40);
    pair.drop_next(End::A, 0);
    pair.send_at_once(End::A, 40, CHUNK);
    let flight = pair.path(End::A, 0).flight.get();
    // All has arrived, and nothing that was sent for an answer.
    pair.run_for(Duration::from_millis(70));
    (pair, flight)
}

fn arrived(pair: &mut Pair) -> usize {
    pair.run_for(Duration::from_secs(60));
    pair.z.read.len()
}

#[test]
fn what_waits_for_a_lost_chunk_fills_the_second_level_and_the_window_stays_open() {
    let (mut pair, flight) = after_a_loss(Pair::open(two_levels(), 1));
    assert!(flight > 40 * CHUNK as u64, "{flight}: nothing is subtracted for what is in flight");
    assert_eq!(pair.at(End::Z).received_bytes_held().get(), 39 * CHUNK as u64);
    assert_eq!(arrived(&mut pair), 40);
    assert_eq!(pair.at(End::A).path_counters(anabranch_sctp::policy::PathId::FIRST).retransmitted_chunks, 1);
}

#[test]
fn with_one_level_the_flight_is_held_to_the_buffer() {
    let (mut pair, flight) = after_a_loss(Pair::open(one_level(), 1));
    assert!(flight <= FIRST + 500, "{flight}: with headers");
    assert_eq!(arrived(&mut pair), 40);
}

/// Either end may be the one that does not know of it.
#[test]
fn a_peer_with_one_level_is_not_overrun() {
    for (a, z) in [(two_levels(), one_level()), (one_level(), two_levels())] {
        let mut pair = Pair::unequal(a, z, 1);
        pair.establish();
        let (mut pair, flight) = after_a_loss(pair);
        assert!(flight <= FIRST + 500, "{flight}");
        assert!(pair.at(End::Z).received_bytes_held().get() <= FIRST);
        assert_eq!(arrived(&mut pair), 40);
    }
}

#[test]
fn a_reader_that_is_slow_closes_the_first_level_and_opens_it_again() {
    let mut pair = Pair::open(two_levels(), 1);
    pair.send_at_once(End::A, 40, CHUNK);
    pair.run_for(Duration::from_secs(1));
    let held = pair.at(End::Z).received_bytes_held().get();
    assert!(held >= FIRST, "{held} of 40,000: what was on its way when the window closed was taken too");
    pair.send_at_once(End::A, 10, CHUNK);
    pair.run_for(Duration::from_millis(500));
    assert_eq!(pair.at(End::Z).received_bytes_held().get(), held, "A knows that the first level is full");
    let mut read = 0;
    for _ in 0..200 {
        read += pair.receive(End::Z).len();
        pair.run_for(Duration::from_secs(1));
    }
    assert_eq!(read, 50);
}

#[test]
fn a_second_level_that_is_full_takes_the_next_chunk_alone() {
    let config = Config { out_of_order: OutOfOrder::AtMost(ByteCount::new(5_000)), ..two_levels() };
    let (mut pair, _) = after_a_loss(Pair::open(config, 1));
    assert_eq!(pair.at(End::Z).received_bytes_held().get(), 5_000);
    assert_eq!(arrived(&mut pair), 40);
}
