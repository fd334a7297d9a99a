//! Messages that are given up: by their lifetime, by the number of their retransmissions, or for more important ones (RFC
//! 3758, RFC 7496).

use crate::pair::{self, End, Pair};
use anabranch_base::{ByteCount, Duration};
use anabranch_sctp::association::{Outgoing, Reliability, SendError};
use anabranch_sctp::config::{Config, RtoSettings};
use anabranch_sctp::event::Event;
use anabranch_sctp::policy::loss_detection::cmt::CmtRules;
use anabranch_sctp::wire::{Chunk, Ppid, StreamId};
use bytes::Bytes;

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

fn partial() -> Config {
    Config { partial_reliability: true, ..Config::rfc9260() }
}

/// Sends a message of `length` bytes on `stream`.
fn send(pair: &mut Pair, stream: u16, length: usize, reliability: Reliability) -> Result<(), SendError> {
    let message = Outgoing {
        stream: StreamId::new(stream),
        ppid: Ppid::new(length as u32),
        unordered: false,
        immediate: false,
        reliability,
        payload: Bytes::from(vec![7; length]),
    };
    let now = pair.now;
    let result = pair.at(End::A).send(now, message);
    pair.settle(End::A);
    result
}

/// The lengths of the messages that arrived at Z.
fn received(pair: &mut Pair) -> Vec<usize> {
    pair.receive(End::Z).into_iter().map(|message| message.into_bytes().len()).collect()
}

/// The messages that A gave up: length, and whether a part was sent.
fn given_up(pair: &mut Pair) -> Vec<(u64, bool)> {
    let events = std::mem::take(&mut pair.a.events);
    let of = |event| match event {
        Event::GivenUp { bytes, was_sent, .. } => Some((bytes.get(), was_sent)),
        _ => None,
    };
    events.into_iter().filter_map(of).collect()
}

fn chunks(log: &[String], name: &str) -> usize {
    log.iter().filter(|line| line.contains(name)).count()
}

/// Closes the association gracefully: everything is settled, and nothing is held.
fn close(pair: &mut Pair) {
    assert_eq!(pair.at(End::A).unacknowledged(), ByteCount::ZERO);
    pair.close(End::A);
    pair.run_for(Duration::from_secs(5));
    assert!(pair.closed(End::A).is_some() && pair.closed(End::Z).is_some());
}

#[test]
fn what_expires_in_the_queue_is_never_sent_and_later_messages_do_not_wait_for_it() {
    let mut pair = Pair::open(partial(), 1);
    let deadline = pair.now + ms(5);
    for length in 1_001..=1_060 {
        send(&mut pair, 0, length, Reliability::Until(deadline)).expect("there is room");
    }
    pair.run_for(ms(6));
    let gone = given_up(&mut pair);
    assert!(gone.len() > 50, "{gone:?}");
    assert!(gone.iter().filter(|(_, was_sent)| !was_sent).count() > 50);
    send(&mut pair, 0, 500, Reliability::Full).expect("there is room");
    pair.run_for(Duration::from_secs(1));
    let arrived = received(&mut pair);
    assert_eq!(arrived.last(), Some(&500));
    assert!(arrived.len() < 10, "what was sent before the deadline arrives: {arrived:?}");
    close(&mut pair);
}

#[test]
fn a_lost_message_that_expires_is_skipped_and_not_sent_again() {
    let mut pair = Pair::open(partial(), 1);
    pair.take_log();
    let deadline = pair.now + ms(60);
    pair.lose(End::A, "DATA");
    send(&mut pair, 0, 900, Reliability::Until(deadline)).expect("there is room");
    send(&mut pair, 0, 800, Reliability::Full).expect("there is room");
    pair.run_for(ms(59));
    assert_eq!(received(&mut pair), [0; 0], "800 waits for 900");
    pair.run_for(ms(100));
    assert_eq!((received(&mut pair), given_up(&mut pair)), (vec![800], vec![(900, true)]));
    let log = pair.take_log();
    assert_eq!((chunks(&log, "DATA"), chunks(&log, "FORWARD-TSN")), (2, 1), "{log:#?}");
    close(&mut pair);
}

#[test]
fn a_message_of_many_chunks_is_given_up_as_a_whole() {
    let mut pair = Pair::open(partial(), 1);
    let deadline = pair.now + ms(30);
    pair.lose_nth(End::A, "DATA", 2);
    send(&mut pair, 0, 9_000, Reliability::Until(deadline)).expect("there is room");
    pair.run_for(ms(40));
    send(&mut pair, 0, 4_000, Reliability::Full).expect("there is room");
    pair.run_for(Duration::from_secs(2));
    assert_eq!((received(&mut pair), given_up(&mut pair)), (vec![4_000], vec![(9_000, true)]));
    assert_eq!(pair.at(End::Z).received_bytes_held(), ByteCount::ZERO, "what arrived of it is dropped");
    close(&mut pair);
}

#[test]
fn a_message_is_sent_again_as_often_as_it_allows() {
    for (most, sent) in [(0, 1), (1, 2)] {
        let mut pair = Pair::open(partial(), 1);
        pair.take_log();
        for nth in 1..=2 {
            pair.lose_nth(End::A, "DATA", nth);
        }
        send(&mut pair, 0, 900, Reliability::Retransmissions(most)).expect("there is room");
        pair.run_for(Duration::from_secs(10));
        assert_eq!(given_up(&mut pair), [(900, true)]);
        let log = pair.take_log();
        assert_eq!((chunks(&log, "DATA"), chunks(&log, "FORWARD-TSN")), (sent, 1), "{log:#?}");
        close(&mut pair);
    }
}

#[test]
fn a_more_important_message_takes_the_room_of_others() {
    let config = Config { send_buffer: ByteCount::new(20_000), ..partial() };
    let mut pair = Pair::open(config, 1);
    for _ in 0..20 {
        send(&mut pair, 0, 1_000, Reliability::Priority(5)).expect("there is room");
    }
    let full = Err(SendError::BufferFull { free: ByteCount::ZERO, wanted: ByteCount::new(700) });
    assert_eq!(send(&mut pair, 0, 700, Reliability::Priority(5)), full);
    assert_eq!(send(&mut pair, 0, 700, Reliability::Full), full);
    assert_eq!(send(&mut pair, 0, 700, Reliability::Priority(1)), Ok(()));
    assert_eq!(given_up(&mut pair), [(1_000, false)]);
    pair.run_for(Duration::from_secs(5));
    assert_eq!(received(&mut pair), [vec![1_000; 19], vec![700]].concat());
    close(&mut pair);
}

#[test]
fn no_message_is_given_up_for_one_that_would_not_fit() {
    let config = Config { send_buffer: ByteCount::new(20_000), ..partial() };
    let mut pair = Pair::open(config, 1);
    for value in [Reliability::Full, Reliability::Priority(5), Reliability::Priority(5)] {
        send(&mut pair, 0, 6_000, value).expect("there is room");
    }
    let refused = send(&mut pair, 0, 15_000, Reliability::Priority(1));
    assert_eq!(
        refused,
        Err(SendError::BufferFull { free: ByteCount::new(2_000), wanted: ByteCount::new(15_000) })
    );
    assert_eq!(given_up(&mut pair), []);
    assert_eq!(send(&mut pair, 0, 14_000, Reliability::Priority(1)), Ok(()));
    assert_eq!(given_up(&mut pair).len(), 2);
    pair.run_for(Duration::from_secs(5));
    assert_eq!(received(&mut pair), [6_000, 14_000]);
    close(&mut pair);
}

/// HEARTBEATs have measured both paths.
#[test]
fn a_message_that_is_too_late_on_every_path_is_not_sent() {
    let mut config = partial();
    config.set_cmt(CmtRules::ALL);
    let mut pair = Pair::new(config, 2);
    pair.pipes[0].delay = ms(50);
    pair.pipes[1].delay = ms(30);
    pair.establish();
    pair.run_for(Duration::from_secs(60));
    pair.take_log();
    for (length, lifetime) in [(200, 29), (300, 31), (400, 30)] {
        let deadline = pair.now + ms(lifetime);
        send(&mut pair, 0, length, Reliability::Until(deadline)).expect("there is room");
    }
    assert_eq!(given_up(&mut pair), [(200, false), (400, false)], "they need 30 ms");
    pair.run_for(ms(100));
    assert_eq!(received(&mut pair), [300]);
    let log = pair.take_log();
    assert_eq!((chunks(&log, "DATA"), chunks(&log, "FORWARD-TSN")), (1, 0), "{log:#?}");
    close(&mut pair);
}

/// The path of the lost message is cut, so that its FORWARD-TSN is lost there too.
#[test]
fn a_forward_tsn_needs_no_path_that_is_down() {
    let mut config =
        Config { rto: RtoSettings { initial: ms(300), min: ms(200), ..Config::rfc9260().rto }, ..partial() };
    config.set_cmt(CmtRules::ALL);
    let mut pair = Pair::open(config, 2);
    for _ in 0..40 {
        let deadline = pair.now + ms(100);
        let _ = send(&mut pair, 0, 1_000, Reliability::Until(deadline));
        pair.run_for(ms(2));
    }
    received(&mut pair);
    pair.pipes[0].is_cut = true;
    for _ in 0..20 {
        let deadline = pair.now + ms(100);
        let _ = send(&mut pair, 0, 1_000, Reliability::Until(deadline));
        pair.run_for(ms(2));
    }
    pair.run_for(ms(100));
    send(&mut pair, 0, 500, Reliability::Full).expect("there is room");
    let arrives = pair.run_until(Duration::from_secs(5), |pair| received(pair).contains(&500));
    assert!(arrives && given_up(&mut pair).iter().any(|(_, was_sent)| *was_sent));
}

/// Chunks of a path that is cut alternate with chunks that the other one delivers.
#[test]
fn a_stream_of_messages_with_lifetimes_keeps_its_delay_while_a_path_is_cut() {
    let mut pair = Pair::open(Config { partial_reliability: true, ..Config::tuned_2() }, 2);
    let (began, mut arrived, mut longest) = (pair.now, 0, ms(0));
    for number in 0..1_000 {
        pair.pipes[0].is_cut = number >= 200;
        let deadline = pair.now + ms(100);
        let _ = send(&mut pair, 0, 400 + number, Reliability::Until(deadline));
        pair.run_for(ms(2));
        for length in received(&mut pair) {
            arrived += 1;
            longest = longest.max(pair.now.since(began + ms(2) * (length as u64 - 400)));
        }
    }
    assert!(longest < ms(200) && arrived > 500, "{arrived} of 1000 arrived, the oldest after {longest}");
}

#[test]
fn a_message_that_arrived_is_not_reported_as_given_up() {
    let mut pair = Pair::open(partial(), 1);
    let deadline = pair.now + ms(100);
    pair.lose(End::A, "DATA");
    send(&mut pair, 0, 900, Reliability::Full).expect("there is room");
    for length in [700, 800] {
        send(&mut pair, 0, length, Reliability::Until(deadline)).expect("there is room");
    }
    pair.run_for(ms(200));
    assert_eq!((received(&mut pair), given_up(&mut pair)), (vec![], vec![]), "both wait for 900 at Z");
    pair.run_for(Duration::from_secs(5));
    assert_eq!((received(&mut pair), given_up(&mut pair)), (vec![900, 700, 800], vec![]));
    close(&mut pair);
}

#[test]
fn a_lost_forward_tsn_is_sent_again() {
    let mut pair = Pair::open(partial(), 1);
    let deadline = pair.now + ms(30);
    pair.lose(End::A, "DATA");
    pair.lose(End::A, "FORWARD-TSN");
    send(&mut pair, 0, 900, Reliability::Until(deadline)).expect("there is room");
    pair.run_for(Duration::from_secs(10));
    send(&mut pair, 0, 800, Reliability::Full).expect("there is room");
    pair.run_for(Duration::from_secs(1));
    assert_eq!(received(&mut pair), [800]);
    close(&mut pair);
}

#[test]
fn a_peer_without_the_extension_gets_every_message() {
    for (a, z) in [(partial(), Config::rfc9260()), (Config::rfc9260(), partial())] {
        let mut pair = Pair::unequal(a, z, 1);
        pair.establish();
        let deadline = pair.now + ms(5);
        pair.lose(End::A, "DATA");
        send(&mut pair, 0, 900, Reliability::Until(deadline)).expect("there is room");
        pair.run_for(Duration::from_secs(10));
        assert_eq!((received(&mut pair), given_up(&mut pair)), (vec![900], vec![]));
        close(&mut pair);
    }
}

#[test]
fn streams_are_skipped_each_to_its_own_message() {
    let mut pair = Pair::open(partial(), 1);
    let deadline = pair.now + ms(15);
    pair.drop_next(End::A, 0);
    pair.drop_next(End::A, 0);
    for stream in [3, 5] {
        send(&mut pair, stream, 900, Reliability::Until(deadline)).expect("there is room");
    }
    for stream in [3, 4, 5] {
        send(&mut pair, stream, 800, Reliability::Full).expect("there is room");
    }
    pair.run_for(Duration::from_secs(3));
    let arrived = pair.receive(End::Z);
    let of = |stream: u16| arrived.iter().filter(|message| message.stream == StreamId::new(stream)).count();
    assert_eq!([3, 4, 5].map(of), [1, 1, 1]);
    close(&mut pair);
}

#[test]
fn a_message_that_arrived_is_not_listed_with_those_that_are_skipped() {
    let mut pair = Pair::open(partial(), 1);
    pair.keep_packets();
    let deadline = pair.now + ms(30);
    for (length, is_lost) in [(901, true), (902, false), (903, true), (904, true), (905, false)] {
        if is_lost {
            pair.drop_next(End::A, 0);
        }
        send(&mut pair, 0, length, Reliability::Until(deadline)).expect("there is room");
    }
    pair.run_for(ms(500));
    assert_eq!(received(&mut pair), [902, 905]);
    assert_eq!(given_up(&mut pair), [(901, true), (903, true), (904, true)]);
    let packets = pair.take_packets(End::A);
    let lists: Vec<Vec<String>> = packets.iter().map(skips).filter(|skips| !skips.is_empty()).collect();
    // A receiver may drop 902, which waits there, where it reads [0:3] alone, and 905 where it reads [0:4].
    assert_eq!(lists, [["[0:0]", "[0:3]"]], "one packet skips all");
    close(&mut pair);
}

/// The list of each FORWARD-TSN of a packet.
fn skips(packet: &Bytes) -> Vec<String> {
    let of = |chunk: Chunk<'_>| match chunk {
        Chunk::ForwardTsn(forward) => {
            Some(forward.to_string().split_once("skipped=")?.1.trim_end_matches(')').to_owned())
        }
        _ => None,
    };
    pair::chunks(packet).into_iter().filter_map(of).collect()
}
