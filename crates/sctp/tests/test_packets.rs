//! Test packets between two ends: what arrives, what is refused, and what they leave alone.

use anabranch_base::{ByteCount, Duration};
use anabranch_sctp::association::{Ecn, ReceivedTest, TestError};
use anabranch_sctp::config::{Config, Encapsulation, IpVersion};
use anabranch_sctp::policy::PathId;
use anabranch_sctp::wire::{Checksum, Chunk, Test};

use crate::pair::{End, Pair, chunks, path};

fn testing() -> Config {
    Config { test_packets: true, ..Config::rfc9260() }
}

/// An open association whose end Z reads test packets.
fn open(pipes: usize) -> Pair {
    let mut pair = Pair::open(testing(), pipes);
    pair.at(End::Z).receive_tests();
    pair
}

fn send(pair: &mut Pair, on: PathId, body: &[u8], size: u64) -> Result<(), TestError> {
    let result = pair.at(End::A).send_test(on, body, ByteCount::new(size));
    pair.settle(End::A);
    result
}

fn received(pair: &mut Pair) -> Vec<ReceivedTest> {
    let end = pair.at(End::Z);
    let tests = std::iter::from_fn(|| end.poll_test()).collect();
    assert!(!end.has_tests());
    tests
}

#[test]
fn each_arrives_once_with_its_path_body_size_and_time() {
    let mut pair = open(2);
    let sent_at = pair.now;
    pair.pipes[1].delay = Duration::from_millis(35);
    for (index, size) in [(0, 1_500), (1, 576), (0, 52), (1, 101)] {
        assert_eq!(send(&mut pair, path(index), &[index as u8, 7, 9], size), Ok(()));
    }
    let sent: Vec<(usize, usize)> = pair.log.iter().map(|line| (line.pipe, line.len)).collect();
    // A PAD needs four bytes, and the length of a packet is a multiple of four.
    assert_eq!(sent, [(0, 1_472), (1, 548), (0, 24), (1, 72)]);
    let on_pipe = |pipe| format!("A -{pipe}> TEST + PAD -{pipe}> Z");
    assert_eq!(pair.take_log(), [1, 2, 1, 2].map(on_pipe));
    pair.run_for(Duration::from_secs(1));
    let arrived = |on, size, after| ReceivedTest {
        path: path(on),
        body: vec![on as u8, 7, 9].into(),
        size: ByteCount::new(size),
        at: sent_at + Duration::from_millis(after),
        ecn: Ecn::NotEct,
    };
    let expected = [arrived(0, 1_500, 10), arrived(0, 52, 10), arrived(1, 576, 35), arrived(1, 100, 35)];
    assert_eq!(received(&mut pair), expected);
    pair.run_for(Duration::from_secs(5));
    assert_eq!((received(&mut pair), pair.at(End::Z).missed_tests()), (Vec::new(), 0));
}

#[test]
fn sizes_count_the_headers_of_ip_and_of_the_seal() {
    let sealed = Config { encapsulation: Encapsulation::Sealed, checksum: Checksum::Crc32c, ..testing() };
    let mut pair = Pair::over(sealed.clone(), sealed, &[IpVersion::V6]);
    pair.establish();
    pair.at(End::Z).receive_tests();
    assert_eq!(send(&mut pair, path(0), &[1], 1_280), Ok(()));
    assert_eq!(pair.log[0].len, 1_280 - 40 - 8 - 32);
    pair.run_for(Duration::from_secs(1));
    assert_eq!(received(&mut pair)[0].size, ByteCount::new(1_280));
}

#[test]
fn a_train_of_one_size_leaves_at_once_and_a_waiting_message_behind_it() {
    let mut pair = open(2);
    let (now, mut buffer) = (pair.now, Vec::new());
    pair.at(End::A)
        .send(now, crate::pair::outgoing(0, false, Default::default(), vec![7; 100].into()))
        .expect("room");
    for number in 0..20 {
        pair.at(End::A).send_test(path(1), &[number; 40], ByteCount::new(1_500)).expect("room");
    }
    pair.at(End::A).send_test(path(1), &[20; 40], ByteCount::new(1_000)).expect("room");
    pair.at(End::A).send_test(path(0), &[21; 40], ByteCount::new(1_000)).expect("room");
    let mut calls = Vec::new();
    while let Some(sent) = pair.at(End::A).poll_transmit(now, &mut buffer, 16) {
        calls.push((sent.path.index(), sent.len / sent.segment_size, sent.segment_size, sent.ecn));
    }
    let tests = [(1, 16, 1_472), (1, 4, 1_472), (1, 1, 972), (0, 1, 972)];
    assert_eq!(calls[..4], tests.map(|(on, count, size)| (on, count, size, Ecn::NotEct)));
    assert_eq!(calls.len(), 5, "and the message");
    for (number, bytes) in buffer.chunks(1_472).take(20).enumerate() {
        let bytes = bytes.to_vec().into();
        let Chunk::Test(Test { body }) = chunks(&bytes)[0] else { panic!("packet {number}") };
        assert_eq!(body, [number as u8; 40]);
    }
}

#[test]
fn lost_ones_are_lost_and_change_nothing() {
    let mut pair = open(2);
    let state = |pair: &mut Pair| {
        let end = pair.at(End::A);
        format!("{:?} {:?}", end.paths(), end.poll_timeout())
    };
    let before = state(&mut pair);
    pair.pipes[0].is_cut = true;
    for _ in 0..64 {
        assert_eq!(send(&mut pair, path(0), &[7; 64], 1_500), Ok(()));
    }
    assert_eq!(state(&mut pair), before);
    let counters = pair.at(End::A).path_counters(path(0));
    assert_eq!((counters.sent_bytes, counters.retransmitted_chunks, counters.timeouts), Default::default());
    pair.log.clear();
    pair.run_for(Duration::from_secs(1));
    assert!(!pair.take_log().iter().any(|line| line.contains("TEST")), "nothing is repeated");
    pair.pipes[0].is_cut = false;
    pair.run_for(Duration::from_secs(60));
    assert_eq!((received(&mut pair), pair.a.events.len()), (Vec::new(), 0));
    pair.assert_flows();
}

#[test]
fn a_receiver_that_does_not_support_or_read_them_skips_them_silently() {
    for (supports, reads) in [(false, true), (true, false)] {
        let far = Config { test_packets: supports, ..Config::rfc9260() };
        let mut pair = Pair::unequal(testing(), far, 1);
        pair.establish();
        if reads {
            pair.at(End::Z).receive_tests();
        }
        assert_eq!(send(&mut pair, path(0), b"hello", 600), Ok(()));
        pair.run_for(Duration::from_millis(500));
        assert_eq!(pair.take_log(), ["A -> TEST + PAD -> Z"]);
        assert_eq!((received(&mut pair), pair.at(End::Z).missed_tests()), (Vec::new(), 0));
        pair.assert_flows();
    }
}

#[test]
fn reading_may_begin_before_the_association_opens_and_ends_when_asked() {
    let mut pair = Pair::new(testing(), 1);
    pair.connect();
    pair.at(End::A).receive_tests();
    pair.run_for(Duration::from_secs(5));
    for is_read in [true, false] {
        pair.at(End::Z).send_test(path(0), b"x", ByteCount::new(100)).expect("open");
        pair.settle(End::Z);
        pair.run_for(Duration::from_secs(1));
        assert_eq!(pair.at(End::A).has_tests(), is_read);
        pair.at(End::A).stop_receiving_tests();
        assert!(!pair.at(End::A).has_tests());
    }
}

#[test]
fn what_arrived_before_the_end_can_be_read_after_it() {
    let mut pair = open(1);
    assert_eq!(send(&mut pair, path(0), b"last", 100), Ok(()));
    pair.run_for(Duration::from_millis(100));
    pair.abort(End::A, "done");
    pair.run_for(Duration::from_secs(1));
    assert!(!pair.is_open(End::Z));
    assert_eq!(received(&mut pair).len(), 1);
}

#[test]
fn what_cannot_be_sent_is_refused_with_the_reason() {
    let mut pair = Pair::open(Config::rfc9260(), 1);
    assert_eq!(send(&mut pair, path(0), &[1], 100), Err(TestError::Off));

    let mut pair = open(1);
    assert_eq!(send(&mut pair, path(1), &[1], 100), Err(TestError::UnknownPath { path: path(1) }));
    for (body, size) in [(0, 100), (65, 200), (1, 47), (64, 107), (1, 1_501)] {
        let refused = send(&mut pair, path(0), &vec![7; body], size);
        assert!(matches!(refused, Err(TestError::Length { .. })), "{body} in {size}: {refused:?}");
    }
    assert_eq!(
        (send(&mut pair, path(0), &[1], 48), send(&mut pair, path(0), &[7; 64], 108)),
        (Ok(()), Ok(()))
    );
    for _ in 0..64 {
        pair.at(End::A).send_test(path(0), &[1], ByteCount::new(100)).expect("room for a train");
    }
    assert_eq!(send(&mut pair, path(0), &[1], 100), Err(TestError::Full));
    assert_eq!(send(&mut pair, path(0), &[1], 100), Ok(()), "the others have left");
    pair.close(End::A);
    assert_eq!(send(&mut pair, path(0), &[1], 100), Err(TestError::NotOpen));
}

#[test]
fn an_unconfirmed_path_and_one_that_was_removed_carry_none() {
    let config = Config { trusts_given_addresses: false, ..testing() };
    let mut pair = Pair::new(config, 2);
    pair.pipes[1].is_cut = true;
    pair.establish();
    assert_eq!(send(&mut pair, path(1), &[1], 100), Err(TestError::UnknownPath { path: path(1) }));
    pair.pipes[1].is_cut = false;
    pair.run_for(Duration::from_secs(60));
    assert_eq!(send(&mut pair, path(1), &[1], 100), Ok(()));
    pair.at(End::A).send_test(path(1), &[1], ByteCount::new(100)).expect("confirmed");
    let (now, gone) = (pair.now, pair.address(End::A, 1));
    pair.take_log();
    pair.a.endpoint.remove_local(now, gone);
    pair.settle(End::A);
    assert!(!pair.take_log().iter().any(|line| line.contains("TEST")), "its path is gone");
    assert_eq!(send(&mut pair, path(1), &[1], 100), Err(TestError::UnknownPath { path: path(1) }));
}
