//! A receive buffer that tunes itself, between two ends: it grows to what the paths need, and only for an application that
//! reads.

use crate::pair::{End, Pair};
use anabranch_base::{ByteCount, Duration};
use anabranch_sctp::association::Message;
use anabranch_sctp::config::{Config, Growth, MessageLimit};
use anabranch_sctp::policy::PathSample;
use bytes::Bytes;

const SMALL: ByteCount = ByteCount::from_kib(64);
const LIMIT: ByteCount = ByteCount::from_mib(4);

/// Over all paths, with a buffer of 64 KiB that may grow to 4 MiB.
fn growing() -> Config {
    Config {
        receive_buffer: SMALL,
        receive_growth: Some(Growth::to(LIMIT)),
        send_buffer: LIMIT,
        ..Config::tuned_1()
    }
}

/// An open association over pipes with these delays one way, in milliseconds.
fn open(config: Config, delays: &[u64]) -> Pair {
    let mut pair = Pair::new(config, delays.len());
    for (pipe, delay) in pair.pipes.iter_mut().zip(delays) {
        pipe.delay = Duration::from_millis(*delay);
    }
    pair.establish();
    pair
}

/// Sends as much as there is room for, and reads all that comes, for `span`; returns the bytes that were read.
fn transfer(pair: &mut Pair, span: Duration, reads: bool) -> usize {
    let payload = Bytes::from(vec![7; 1_400]);
    let (end, mut read) = (pair.now + span, 0);
    while pair.now < end {
        while pair.try_send(End::A, 0, false, payload.clone()).is_ok() {}
        pair.run_for(Duration::from_millis(5));
        pair.log = Vec::new();
        if reads {
            read += pair.receive(End::Z).iter().map(Message::len).sum::<usize>();
        }
    }
    read
}

fn buffer(pair: &mut Pair) -> ByteCount {
    pair.at(End::Z).receive_buffer()
}

#[test]
fn a_fixed_buffer_stays() {
    let mut pair = open(Config { receive_growth: None, ..growing() }, &[50]);
    assert!(transfer(&mut pair, Duration::from_secs(5), true) > 1 << 20);
    assert_eq!(buffer(&mut pair), SMALL);
}

/// The periodic HEARTBEATs come after more than a second.
#[test]
fn the_receiver_measures_its_paths_as_soon_as_data_arrives() {
    let mut pair = Pair::new(growing(), 2);
    pair.connect();
    pair.run_for(Duration::from_millis(200));
    transfer(&mut pair, Duration::from_millis(300), true);
    let measured = |sample: &PathSample| sample.srtt.is_some();
    assert!(pair.at(End::Z).paths().iter().all(measured));
}

#[test]
fn a_buffer_that_holds_the_sender_back_grows_and_slow_start_goes_on() {
    let mut fixed = open(Config { receive_growth: None, ..growing() }, &[50]);
    let mut pair = open(growing(), &[50]);
    let (before, after) =
        [&mut fixed, &mut pair].map(|pair| transfer(pair, Duration::from_secs(5), true)).into();
    assert!(after > 8 * before, "{after} B in five seconds, {before} B with the buffer that it began with");
    assert_eq!(buffer(&mut pair), LIMIT, "pipes of the test have no limit of their own");
    assert!(pair.path(End::A, 0).ssthresh > SMALL * 8);
}

#[test]
fn on_paths_of_unlike_delay_it_grows_for_what_the_fast_one_brings_while_the_slow_one_is_waited_for() {
    let mut pair = open(growing(), &[5, 40]);
    transfer(&mut pair, Duration::from_secs(5), true);
    assert!(buffer(&mut pair) > SMALL * 8, "{}", buffer(&mut pair));
}

#[test]
fn an_application_that_does_not_read_gets_no_larger_buffer() {
    let mut pair = open(growing(), &[50]);
    transfer(&mut pair, Duration::from_secs(5), false);
    assert_eq!(buffer(&mut pair), SMALL);
    assert!(pair.at(End::Z).received_bytes_held() <= SMALL);
}

#[test]
fn a_little_now_and_then_needs_no_larger_buffer() {
    let mut pair = open(growing(), &[50]);
    for _ in 0..200 {
        pair.send(End::A, 3_000);
        pair.run_for(Duration::from_millis(50));
        pair.receive(End::Z);
    }
    assert_eq!(buffer(&mut pair), SMALL);
}

#[test]
fn nothing_is_left_of_the_endpoints_memory_and_the_buffer_stays() {
    let growth = Growth { limit: LIMIT, endpoint: ByteCount::new(10_000) };
    let mut pair = open(Config { receive_growth: Some(growth), ..growing() }, &[50]);
    transfer(&mut pair, Duration::from_secs(5), true);
    assert_eq!(buffer(&mut pair), SMALL + growth.endpoint);
}

#[test]
fn a_message_larger_than_the_buffer_makes_it_grow_up_to_the_limit() {
    let mut pair = open(Config { message_limit: MessageLimit::SendBuffer, ..growing() }, &[5]);
    pair.send(End::A, 1_000_000);
    assert!(pair.run_until(Duration::from_secs(60), |pair| !pair.receive(End::Z).is_empty()));
    assert_eq!(pair.closed(End::Z), None);
    assert!(buffer(&mut pair) <= LIMIT);
}
