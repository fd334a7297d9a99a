//! Streams that are reset and added while an association is open (RFC 6525).

use crate::pair::{End, Pair, chunks as chunks_of};
use anabranch_base::{ByteCount, Duration};
use anabranch_sctp::association::{ReconfigurationError, SendError};
use anabranch_sctp::config::Config;
use anabranch_sctp::event::{CloseReason, Event, StreamChange};
use anabranch_sctp::seq::{Ssn, Tsn};
use anabranch_sctp::wire::{
    Chunk, Data, EncodeChunk, ReConfig, ReConfigParameter, ReConfigResult, StreamId, StreamList,
};
use bytes::Bytes;

const SECOND: Duration = Duration::from_secs(1);

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

fn config() -> Config {
    Config { stream_reconfiguration: true, ..Config::rfc9260() }
}

fn streams(numbers: &[u16]) -> Vec<StreamId> {
    numbers.iter().copied().map(StreamId::new).collect()
}

/// Sends an ordered message on `stream`.
fn send(pair: &mut Pair, end: End, stream: u16, text: &'static str) {
    pair.try_send(end, stream, false, Bytes::from_static(text.as_bytes())).expect("there is room");
}

/// The messages that arrived: stream, SSN and text.
fn received(pair: &mut Pair, end: End) -> Vec<(u16, u16, String)> {
    let messages = pair.receive(end).into_iter();
    let text = |bytes: Bytes| String::from_utf8_lossy(&bytes).into_owned();
    messages.map(|one| (one.stream.get(), one.ssn.get(), text(one.into_bytes()))).collect()
}

fn message(stream: u16, ssn: u16, text: &str) -> (u16, u16, String) {
    (stream, ssn, text.to_owned())
}

/// The events of an end about its streams, since the last call.
fn events(pair: &mut Pair, end: End) -> Vec<Event> {
    let events = std::mem::take(&mut pair.side(end).events);
    let is_other = |event: &Event| {
        matches!(event, Event::Readable | Event::Writable | Event::PathUp(_) | Event::PathSuspected(_))
    };
    events.into_iter().filter(|event| !is_other(event)).collect()
}

fn reset(pair: &mut Pair, end: End, numbers: &[u16]) -> Result<(), ReconfigurationError> {
    let result = pair.at(end).reset_streams(&streams(numbers));
    pair.settle(end);
    result
}

fn re_configs(log: &[String]) -> usize {
    log.iter().filter(|line| line.contains("RE-CONFIG")).count()
}

/// The parameters of the RE-CONFIGs that left `end`, as text.
fn said(pair: &mut Pair, end: End) -> Vec<String> {
    let packets = pair.take_packets(end);
    let mut said = Vec::new();
    for packet in &packets {
        for chunk in chunks_of(packet) {
            if let Chunk::ReConfig(chunk) = chunk {
                said.push(chunk.to_string());
            }
        }
    }
    said
}

/// The number of the first request of an end: its first TSN.
fn first_request(pair: &mut Pair, end: End) -> Tsn {
    let (received, _) = pair.at(end.other()).ack_points().expect("it is open");
    received.next()
}

fn closes(pair: &mut Pair) {
    pair.close(End::A);
    pair.run_for(Duration::from_secs(20));
    for end in [End::A, End::Z] {
        assert_eq!(pair.closed(end), Some(CloseReason::Graceful), "{end:?}");
    }
}

#[test]
fn a_stream_that_is_reset_counts_from_zero_and_its_later_messages_wait() {
    for end in [End::A, End::Z] {
        let mut pair = Pair::open(config(), 1);
        for text in ["one", "two"] {
            send(&mut pair, end, 3, text);
        }
        pair.take_log();
        assert_eq!(reset(&mut pair, end, &[3]), Ok(()));
        send(&mut pair, end, 3, "three");
        send(&mut pair, end, 4, "other");
        assert_eq!(reset(&mut pair, end, &[3]), Err(ReconfigurationError::UnderWay));
        pair.run_for(ms(15));
        let first = [message(3, 0, "one"), message(3, 1, "two"), message(4, 0, "other")];
        assert_eq!(received(&mut pair, end.other()), first, "three waits for the answer");
        pair.run_for(SECOND);
        assert_eq!(received(&mut pair, end.other()), [message(3, 0, "three")]);
        assert_eq!(events(&mut pair, end), [Event::OutgoingStreamsReset(streams(&[3]))]);
        assert_eq!(events(&mut pair, end.other()), [Event::IncomingStreamsReset(streams(&[3]))]);
        let log = pair.take_log();
        assert_eq!(re_configs(&log), 2, "{log:#?}");
        closes(&mut pair);
    }
}

#[test]
fn all_streams_are_reset_by_an_empty_list_and_wishes_are_batched() {
    let mut pair = Pair::open(config(), 1);
    pair.keep_packets();
    for stream in 0..5 {
        send(&mut pair, End::A, stream, "before");
    }
    for numbers in [&[1][..], &[2], &[4]] {
        assert_eq!(pair.at(End::A).reset_streams(&streams(numbers)), Ok(()));
    }
    pair.settle(End::A);
    pair.run_for(SECOND);
    assert_eq!(events(&mut pair, End::A), [Event::OutgoingStreamsReset(streams(&[1, 2, 4]))]);
    assert_eq!(said(&mut pair, End::A).len(), 1, "one request");
    assert_eq!(received(&mut pair, End::Z).len(), 5);
    assert_eq!(reset(&mut pair, End::A, &[]), Ok(()));
    assert_eq!(reset(&mut pair, End::A, &[0]), Err(ReconfigurationError::UnderWay));
    for stream in 0..5 {
        send(&mut pair, End::A, stream, "after");
    }
    pair.run_for(SECOND);
    assert_eq!(events(&mut pair, End::A), [Event::OutgoingStreamsReset(Vec::new())]);
    assert!(received(&mut pair, End::Z).iter().all(|(_, ssn, _)| *ssn == 0));
    closes(&mut pair);
}

#[test]
fn a_request_follows_the_last_message_before_it() {
    let mut pair = Pair::open(config(), 1);
    pair.try_send(End::A, 3, false, Bytes::from(vec![7; 400_000])).expect("there is room");
    pair.take_log();
    assert_eq!(reset(&mut pair, End::A, &[3]), Ok(()));
    send(&mut pair, End::A, 3, "after");
    pair.run_for(ms(30));
    assert_eq!(re_configs(&pair.take_log()), 0, "the message was not sent in whole");
    pair.run_for(SECOND * 5);
    let arrived = received(&mut pair, End::Z);
    assert_eq!((arrived[0].2.len(), &arrived[1..]), (400_000, &[message(3, 0, "after")][..]));
    closes(&mut pair);
}

#[test]
fn a_lost_request_or_answer_is_repeated() {
    for (loser, count) in [(End::A, 3), (End::Z, 4)] {
        let mut pair = Pair::open(config(), 1);
        pair.keep_packets();
        send(&mut pair, End::A, 3, "before");
        pair.run_for(SECOND);
        pair.take_log();
        pair.lose(loser, "RE-CONFIG");
        assert_eq!(reset(&mut pair, End::A, &[3]), Ok(()));
        send(&mut pair, End::A, 3, "after");
        pair.run_for(SECOND * 5);
        let (before, after) = (message(3, 0, "before"), message(3, 0, "after"));
        assert_eq!(received(&mut pair, End::Z), [before, after]);
        assert_eq!(events(&mut pair, End::Z), [Event::IncomingStreamsReset(streams(&[3]))], "once");
        assert_eq!(events(&mut pair, End::A), [Event::OutgoingStreamsReset(streams(&[3]))]);
        assert_eq!(re_configs(&pair.take_log()), count);
        closes(&mut pair);
    }
}

#[test]
fn a_request_is_repeated_on_another_path() {
    let mut pair = Pair::open(config(), 2);
    pair.pipes[0].is_cut = true;
    pair.take_log();
    assert_eq!(reset(&mut pair, End::A, &[3]), Ok(()));
    pair.run_for(SECOND * 5);
    assert_eq!(events(&mut pair, End::A), [Event::OutgoingStreamsReset(streams(&[3]))]);
    let log = pair.take_log();
    let lines: Vec<&String> = log.iter().filter(|line| line.contains("RE-CONFIG")).collect();
    assert_eq!(lines[0], "A -1> RE-CONFIG -1> lost");
    assert_eq!(lines[1], "A -2> RE-CONFIG -2> Z");
}

/// The data before the reset is lost, so that the request overtakes it.
#[test]
fn a_reset_waits_for_the_data_before_it() {
    let mut pair = Pair::open(config(), 1);
    pair.keep_packets();
    pair.lose(End::A, "DATA");
    send(&mut pair, End::A, 3, "before");
    assert_eq!(reset(&mut pair, End::A, &[3]), Ok(()));
    send(&mut pair, End::A, 3, "after");
    pair.run_for(ms(200));
    assert_eq!((events(&mut pair, End::A), received(&mut pair, End::Z)), (vec![], vec![]));
    pair.run_for(SECOND * 10);
    assert_eq!(received(&mut pair, End::Z), [message(3, 0, "before"), message(3, 0, "after")]);
    assert_eq!(events(&mut pair, End::A), [Event::OutgoingStreamsReset(streams(&[3]))]);
    let answers = said(&mut pair, End::Z);
    assert!(answers[0].ends_with("in progress)"), "{answers:?}");
    assert!(answers.iter().any(|answer| answer.ends_with("performed)")), "{answers:?}");
    closes(&mut pair);
}

#[test]
fn data_beyond_the_reset_is_held_until_the_data_before_it_has_arrived() {
    let mut pair = Pair::open(config(), 1);
    let next = first_request(&mut pair, End::A);
    let data = |offset: u32, ssn: u16| Data {
        stream: StreamId::new(3),
        ssn: Ssn::new(ssn),
        ..crate::pair::data(next.plus(offset), b"x")
    };
    let request = ReConfigParameter::ResetOutgoing {
        request: next,
        response: Tsn::new(0),
        last_tsn: next,
        streams: StreamList::EMPTY,
    };
    pair.forge(End::Z, &[&ReConfig::of(request)]);
    pair.forge(End::Z, &[&data(1, 0), &data(2, 1)]);
    assert_eq!(received(&mut pair, End::Z), []);
    pair.forge(End::Z, &[&data(0, 0)]);
    let x = |ssn| message(3, ssn, "x");
    assert_eq!(received(&mut pair, End::Z), [x(0), x(0), x(1)]);
    assert_eq!(events(&mut pair, End::Z), [Event::IncomingStreamsReset(Vec::new())]);
}

#[test]
fn the_peer_resets_streams_on_request() {
    let mut pair = Pair::open(config(), 1);
    pair.keep_packets();
    send(&mut pair, End::Z, 3, "before");
    pair.run_for(SECOND);
    assert_eq!(pair.at(End::A).request_incoming_reset(&streams(&[3, 5])), Ok(()));
    let again = pair.at(End::A).request_incoming_reset(&streams(&[5]));
    assert_eq!(again, Err(ReconfigurationError::UnderWay));
    pair.settle(End::A);
    pair.run_for(SECOND);
    send(&mut pair, End::Z, 3, "after");
    pair.run_for(SECOND);
    assert_eq!(received(&mut pair, End::A), [message(3, 0, "before"), message(3, 0, "after")]);
    assert_eq!(events(&mut pair, End::A), [Event::IncomingStreamsReset(streams(&[3, 5]))]);
    assert_eq!(events(&mut pair, End::Z), [Event::OutgoingStreamsReset(streams(&[3, 5]))]);
    assert!(!pair.at(End::A).is_reconfiguring() && !pair.at(End::Z).is_reconfiguring());
    assert_eq!(said(&mut pair, End::Z).len(), 1, "its own request is the answer");
    closes(&mut pair);
}

#[test]
fn an_incoming_reset_waits_for_data_that_was_not_sent_and_survives_losses() {
    for loser in [End::A, End::Z] {
        let mut pair = Pair::open(config(), 1);
        pair.try_send(End::Z, 3, false, Bytes::from(vec![7; 200_000])).expect("there is room");
        pair.lose(loser, "RE-CONFIG");
        assert_eq!(pair.at(End::A).request_incoming_reset(&streams(&[3])), Ok(()));
        pair.settle(End::A);
        pair.run_for(SECOND * 10);
        send(&mut pair, End::Z, 3, "after");
        pair.run_for(SECOND * 10);
        let arrived = received(&mut pair, End::A);
        assert_eq!((arrived.len(), arrived.last()), (2, Some(&message(3, 0, "after"))));
        assert_eq!(events(&mut pair, End::A), [Event::IncomingStreamsReset(streams(&[3]))]);
        assert!(!pair.at(End::A).is_reconfiguring() && !pair.at(End::Z).is_reconfiguring());
        closes(&mut pair);
    }
}

#[test]
fn two_requests_for_incoming_resets_at_once_are_both_granted() {
    let mut pair = Pair::open(config(), 1);
    for end in [End::A, End::Z] {
        assert_eq!(pair.at(end).request_incoming_reset(&[]), Ok(()));
    }
    for end in [End::A, End::Z] {
        pair.settle(end);
        send(&mut pair, end, 1, "a message");
    }
    pair.run_for(SECOND * 3);
    let (own, others) = (Event::OutgoingStreamsReset(Vec::new()), Event::IncomingStreamsReset(Vec::new()));
    for end in [End::A, End::Z] {
        let seen = events(&mut pair, end);
        assert!(seen.len() == 2 && seen.contains(&own) && seen.contains(&others), "{seen:?}");
        assert!(!pair.at(end).is_reconfiguring());
        assert_eq!(received(&mut pair, end).len(), 1);
    }
    closes(&mut pair);
}

#[test]
fn streams_are_added_in_both_directions_as_far_as_the_peer_allows() {
    let few = Config { inbound_streams: 20, most_streams: 30, ..config() };
    let mut pair = Pair::unequal(few.clone(), few, 1);
    pair.establish();
    let full = SendError::NoSuchStream { stream: 17, streams: 16 };
    assert_eq!(pair.try_send(End::A, 17, false, Bytes::from_static(b"x")), Err(full));
    assert_eq!(pair.at(End::A).add_streams(0, 0), Err(ReconfigurationError::Nothing));
    let too_many = ReconfigurationError::TooMany { wanted: 65_551 };
    assert_eq!(pair.at(End::A).add_streams(u16::MAX, 0), Err(too_many));
    assert_eq!(pair.at(End::A).add_streams(10, 5), Ok(()));
    pair.settle(End::A);
    pair.run_for(SECOND);
    assert_eq!((pair.at(End::A).streams(), pair.at(End::Z).streams()), (Some((26, 21)), Some((21, 26))));
    send(&mut pair, End::A, 25, "new");
    send(&mut pair, End::Z, 20, "new");
    pair.run_for(SECOND);
    assert_eq!(received(&mut pair, End::Z), [message(25, 0, "new")]);
    assert_eq!(received(&mut pair, End::A), [message(20, 0, "new")]);
    assert_eq!(
        events(&mut pair, End::A),
        [
            Event::StreamsAdded { outbound: 26, inbound: 16 },
            Event::StreamsAdded { outbound: 26, inbound: 21 }
        ]
    );
    assert_eq!(pair.at(End::A).add_streams(5, 10), Ok(()));
    pair.settle(End::A);
    pair.run_for(SECOND);
    let refused = |change| Event::StreamChangeRefused { change, result: ReConfigResult::Denied };
    let [out, back] = [StreamChange::AddOutgoing(5), StreamChange::AddIncoming(10)].map(refused);
    assert_eq!(events(&mut pair, End::A), [out, back]);
    assert_eq!(pair.at(End::A).streams(), Some((26, 21)));
    closes(&mut pair);
}

#[test]
fn an_association_that_is_reset_counts_everything_from_zero() {
    for end in [End::A, End::Z] {
        let mut pair = Pair::open(config(), 2);
        for from in [End::A, End::Z] {
            send(&mut pair, from, 3, "before");
            send(&mut pair, from, 3, "before");
        }
        assert_eq!(pair.at(end).reset_association(), Ok(()));
        pair.settle(end);
        assert_eq!(pair.at(end).reset_association(), Err(ReconfigurationError::UnderWay));
        for from in [End::A, End::Z] {
            send(&mut pair, from, 3, "after");
        }
        pair.run_for(SECOND * 3);
        for to in [End::A, End::Z] {
            // What Z sent before the request arrived counts on.
            let arrived = received(&mut pair, to);
            let numbers: Vec<u16> = arrived.iter().map(|(_, ssn, _)| *ssn).collect();
            let is_early = to == end;
            assert_eq!(numbers, if is_early { [0, 1, 2] } else { [0, 1, 0] }, "{to:?}");
            assert_eq!(events(&mut pair, to), [Event::AssociationReset]);
        }
        for from in [End::A, End::Z] {
            pair.try_send(from, 3, false, Bytes::from(vec![7; 100_000])).expect("there is room");
        }
        pair.run_for(SECOND * 5);
        for to in [End::A, End::Z] {
            let arrived = received(&mut pair, to);
            assert_eq!((arrived.len(), arrived[0].2.len()), (1, 100_000));
        }
        closes(&mut pair);
    }
}

#[test]
fn an_association_reset_whose_answer_is_lost_delivers_what_overtakes_it() {
    let mut pair = Pair::open(config(), 1);
    send(&mut pair, End::Z, 3, "before");
    pair.run_for(SECOND);
    pair.lose(End::Z, "RE-CONFIG");
    assert_eq!(pair.at(End::A).reset_association(), Ok(()));
    pair.settle(End::A);
    pair.run_for(ms(15));
    send(&mut pair, End::Z, 3, "after");
    pair.run_for(ms(100));
    assert_eq!(received(&mut pair, End::A), [message(3, 0, "before")], "the other one is held");
    pair.run_for(SECOND * 5);
    assert_eq!(received(&mut pair, End::A), [message(3, 0, "after")]);
    assert_eq!(events(&mut pair, End::A), [Event::AssociationReset]);
    closes(&mut pair);
}

/// Z's reset waits while the association is reset: the end of that is no reason to send.
#[test]
fn messages_behind_a_reset_wait_for_it_although_the_association_was_reset_meanwhile() {
    let mut pair = Pair::open(config(), 1);
    send(&mut pair, End::Z, 3, "before");
    pair.lose(End::A, "SACK");
    assert_eq!(pair.at(End::A).reset_association(), Ok(()));
    pair.settle(End::A);
    pair.run_for(ms(100));
    assert_eq!(reset(&mut pair, End::Z, &[3]), Ok(()));
    send(&mut pair, End::Z, 3, "after");
    while !pair.side(End::Z).events.contains(&Event::AssociationReset) {
        pair.run_for(ms(10));
    }
    pair.lose(End::A, "RE-CONFIG");
    pair.run_for(SECOND * 5);
    send(&mut pair, End::Z, 3, "last");
    pair.run_for(SECOND);
    let arrived = [message(3, 0, "before"), message(3, 0, "after"), message(3, 1, "last")];
    assert_eq!(received(&mut pair, End::A), arrived);
    closes(&mut pair);
}

#[test]
fn two_association_resets_at_once_are_both_refused() {
    let mut pair = Pair::open(config(), 1);
    for end in [End::A, End::Z] {
        assert_eq!(pair.at(end).reset_association(), Ok(()));
        pair.settle(end);
        send(&mut pair, end, 1, "later");
    }
    pair.run_for(SECOND);
    let (change, result) = (StreamChange::ResetAssociation, ReConfigResult::OtherInProgress);
    let refused = Event::StreamChangeRefused { change, result };
    for end in [End::A, End::Z] {
        assert_eq!(events(&mut pair, end), std::slice::from_ref(&refused));
        assert_eq!(received(&mut pair, end), [message(1, 0, "later")]);
    }
    closes(&mut pair);
}

#[test]
fn after_a_refusal_messages_count_on() {
    let mut pair = Pair::open(config(), 1);
    send(&mut pair, End::A, 3, "before");
    pair.run_for(SECOND);
    let request = first_request(&mut pair, End::A).previous();
    pair.lose(End::A, "RE-CONFIG");
    assert_eq!(reset(&mut pair, End::A, &[3]), Ok(()));
    send(&mut pair, End::A, 3, "after");
    let denied = |result: u32| ReConfig::of(ReConfigParameter::Response { request, result, next_tsns: None });
    pair.forge(End::A, &[&denied(6)]);
    assert!(pair.at(End::A).is_reconfiguring());
    pair.forge(End::A, &[&denied(2)]);
    pair.run_for(SECOND);
    let (change, result) = (StreamChange::ResetOutgoing(streams(&[3])), ReConfigResult::Denied);
    assert_eq!(events(&mut pair, End::A), [Event::StreamChangeRefused { change, result }]);
    assert_eq!(received(&mut pair, End::Z), [message(3, 0, "before"), message(3, 1, "after")]);
    closes(&mut pair);
}

#[test]
fn requests_out_of_turn_are_refused_and_repeated_ones_answered_alike() {
    let mut pair = Pair::open(config(), 1);
    pair.keep_packets();
    let first = first_request(&mut pair, End::A);
    let reset = |number: Tsn, streams| {
        let (response, last_tsn) = (Tsn::new(0), first.previous());
        ReConfig::of(ReConfigParameter::ResetOutgoing { request: number, response, last_tsn, streams })
    };
    let absent: Vec<StreamId> = streams(&[1, 2048]);
    let mut answer = |chunk: &dyn EncodeChunk| {
        pair.forge(End::Z, &[chunk]);
        let said = said(&mut pair, End::Z);
        said.last().and_then(|answer| answer.rsplit(": ").next().map(str::to_owned))
    };
    assert_eq!(answer(&reset(first.next(), StreamList::EMPTY)).as_deref(), Some("bad sequence number)"));
    assert_eq!(answer(&reset(first.previous(), StreamList::EMPTY)).as_deref(), Some("bad sequence number)"));
    assert_eq!(answer(&reset(first, absent[..].into())).as_deref(), Some("a stream does not exist)"));
    assert_eq!(answer(&reset(first, StreamList::EMPTY)).as_deref(), Some("a stream does not exist)"));
    assert_eq!(answer(&reset(first.next(), StreamList::EMPTY)).as_deref(), Some("performed)"));
    assert_eq!(answer(&reset(first.next(), StreamList::EMPTY)).as_deref(), Some("performed)"));
    let zero = ReConfig::of(ReConfigParameter::AddIncoming { request: first.plus(2), count: 0 });
    assert_eq!(answer(&zero).as_deref(), Some("denied)"));
    let many = ReConfig::of(ReConfigParameter::AddOutgoing { request: first.plus(3), count: u16::MAX });
    assert_eq!(answer(&many).as_deref(), Some("denied)"));
    assert_eq!(events(&mut pair, End::Z), [Event::IncomingStreamsReset(Vec::new())]);
}

#[test]
fn forbidden_combinations_are_reported_and_requests_of_thousands_of_streams_change_little() {
    let mut pair = Pair::open(config(), 1);
    let request = first_request(&mut pair, End::A);
    let one = ReConfigParameter::ResetAssociation { request };
    pair.take_log();
    pair.forge(End::Z, &[&ReConfig { first: one, second: Some(one) }]);
    assert_eq!(pair.take_log(), ["Z -> ERROR -> A"]);
    let all: Vec<StreamId> = (0..16).cycle().take(30_000).map(StreamId::new).collect();
    let many = ReConfigParameter::ResetIncoming { request, streams: all[..].into() };
    pair.forge(End::Z, &[&ReConfig::of(many)]);
    pair.run_for(SECOND);
    let sixteen: Vec<u16> = (0..16).collect();
    assert_eq!(events(&mut pair, End::Z), [Event::OutgoingStreamsReset(streams(&sixteen))]);
    pair.assert_flows();
}

/// The high bits of its type, 10, let a receiver skip an unknown chunk in silence.
#[test]
fn without_agreement_a_re_config_is_skipped() {
    for (near, far) in [(config(), Config::rfc9260()), (Config::rfc9260(), config())] {
        let mut pair = Pair::unequal(near, far, 1);
        pair.establish();
        assert_eq!(reset(&mut pair, End::A, &[3]), Err(ReconfigurationError::NotAgreed));
        assert_eq!(pair.at(End::A).reset_association(), Err(ReconfigurationError::NotAgreed));
        let request = first_request(&mut pair, End::A);
        pair.take_log();
        pair.forge(End::Z, &[&ReConfig::of(ReConfigParameter::ResetAssociation { request })]);
        assert_eq!(pair.take_log(), [""; 0]);
        pair.assert_flows();
    }
}

#[test]
fn streams_that_are_opened_used_and_reset_leave_nothing() {
    let mut pair = Pair::open(Config { inbound_streams: 16, ..config() }, 1);
    pair.a.reads_at_once = true;
    pair.z.reads_at_once = true;
    for round in 0..10_000_u32 {
        let stream = (round % 16) as u16;
        send(&mut pair, End::A, stream, "message");
        assert_eq!(reset(&mut pair, End::A, &[stream]), Ok(()));
        pair.run_for(ms(50));
        assert!(!pair.at(End::A).is_reconfiguring(), "round {round}");
        pair.log.clear();
        pair.a.events.clear();
        pair.z.events.clear();
    }
    pair.run_for(SECOND);
    assert_eq!(pair.at(End::A).unacknowledged(), ByteCount::ZERO);
    let read = std::mem::take(&mut pair.z.read);
    assert_eq!(read.len(), 10_000);
    assert!(read.iter().all(|message| message.ssn.get() == 0));
    closes(&mut pair);
}

#[test]
fn an_association_closes_while_streams_are_reset() {
    for end in [End::A, End::Z] {
        let mut pair = Pair::open(config(), 1);
        send(&mut pair, End::A, 3, "before");
        assert_eq!(reset(&mut pair, End::A, &[3]), Ok(()));
        send(&mut pair, End::A, 3, "after");
        pair.close(end);
        pair.run_for(SECOND * 20);
        assert_eq!(received(&mut pair, End::Z), [message(3, 0, "before"), message(3, 0, "after")]);
        for end in [End::A, End::Z] {
            assert_eq!(pair.closed(end), Some(CloseReason::Graceful), "{end:?}");
        }
        assert_eq!(reset(&mut pair, End::A, &[3]), Err(ReconfigurationError::NotOpen));
    }
}
