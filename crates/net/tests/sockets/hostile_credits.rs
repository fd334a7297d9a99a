//! A peer that agrees on credits and breaks their rules: it is ignored, or aborted with a reason, in bounded memory.

use std::time::Duration;

use anabranch_base::ByteCount;
use anabranch_net::streams::control::Entry;
use anabranch_net::{Association, CloseReason, Config, Endpoint, Ppid, SendOptions, StreamId, Streams};
use proptest::prelude::*;
use proptest::test_runner::{Config as Cases, TestRunner};

use crate::party::{impatient, joined, within};

const BUFFER: ByteCount = ByteCount::from_kib(64);
const CONTROL: Ppid = Ppid::new(0x9a1c_0000);
/// Of messages that may be given up: the low bits are their number.
const LIMITED: u32 = 0x9a20_0000;

/// A receiver of streams, and its peer, which writes the control messages itself.
struct Play {
    near: Streams,
    peer: Association,
    _endpoints: (Endpoint, Endpoint),
}

async fn play() -> Play {
    let config = Config {
        stream_credits: true,
        partial_reliability: true,
        outbound_streams: 100,
        inbound_streams: 100,
        receive_buffer: BUFFER,
        send_buffer: BUFFER,
        ..impatient()
    };
    let ((client, near), (server, peer)) = joined(config).await;
    Play { near: near.into_streams(), peer, _endpoints: (client, server) }
}

impl Play {
    /// Sends a control message. The association may be over already.
    async fn say(&self, bytes: Vec<u8>) {
        _ = within(10, self.peer.send(bytes, SendOptions::on(StreamId::new(0)).ppid(CONTROL))).await;
    }

    /// Waits until the receiver has aborted the association, and returns its reason.
    async fn reason(&self) -> String {
        assert!(matches!(within(5, self.near.association().closed()).await, CloseReason::AbortedHere { .. }));
        within(5, self.peer.closed()).await.to_string()
    }

    /// The receiver works, and holds no more than its buffer.
    async fn goes_on(&self) {
        _ = within(5, self.peer.send(vec![1; 100], SendOptions::on(StreamId::new(9)))).await;
        let mut stream = within(5, self.near.accept_stream()).await.expect("it is open");
        assert_eq!(within(5, stream.recv()).await.expect("open").expect("a message").len(), 100);
        assert!(self.near.committed() <= BUFFER, "{} committed", self.near.committed());
    }
}

fn encoded(entries: &[Entry]) -> Vec<u8> {
    let mut bytes = Vec::new();
    entries.iter().for_each(|entry| entry.encode(&mut bytes));
    bytes
}

#[tokio::test]
async fn what_breaks_the_rules_ends_the_association_with_the_reason() {
    let stream = StreamId::new(3);
    let returned = Entry::Return { stream, taken: ByteCount::ZERO, returned: BUFFER };
    let given_up = Entry::GivenUp { stream, number: 4_000, charge: ByteCount::new(300) };
    let cases: [(Vec<u8>, &str); 7] = [
        (vec![9], "a control entry of unknown kind 9"),
        (vec![3, 0, 1, 0], "a control entry that is cut off"),
        ([&[2][..], &[255; 8]].concat(), "which is too large"),
        (encoded(&[returned]), "returned more than its credit on stream 3"),
        (encoded(&[given_up]), "skips numbers of messages on stream 3"),
        (vec![6; 1_025], "a message of 1025 bytes on stream 0, which is not framed"),
        (encoded(&[Entry::Blocked { stream, taken: BUFFER, needed: BUFFER }]), "more than its credit"),
    ];
    for (bytes, expected) in cases {
        let play = play().await;
        play.say(bytes).await;
        let reason = play.reason().await;
        assert!(reason.contains(expected), "{reason:?} lacks {expected:?}");
    }
}

#[tokio::test]
async fn messages_that_are_not_framed_or_skip_numbers_end_the_association() {
    for (ppid, length, expected) in [
        (LIMITED, 3, "a message of 3 bytes on stream 3, which is not framed"),
        (LIMITED | 0xf_0000, 100, "skips numbers of messages on stream 3"),
    ] {
        let play = play().await;
        let options = SendOptions::on(StreamId::new(3)).ppid(Ppid::new(ppid));
        within(5, play.peer.send(vec![7; length], options)).await.expect("there is room");
        let reason = play.reason().await;
        assert!(reason.contains(expected), "{reason:?} lacks {expected:?}");
    }
}

#[tokio::test]
async fn requests_and_grants_without_end_are_ignored_in_bounded_memory() {
    let play = play().await;
    let most = ByteCount::new(1 << 62);
    for round in 0..400_u16 {
        let stream = StreamId::new(1 + round % 120);
        let entries = [
            Entry::Blocked { stream, taken: ByteCount::ZERO, needed: most },
            Entry::Grant { stream, granted: most },
            Entry::Pool { granted: ByteCount::new(u64::from(round)) },
            Entry::Reclaim,
            Entry::Reclaimed,
        ];
        play.say(encoded(&entries)).await;
        assert!(play.near.committed() <= BUFFER, "{} committed", play.near.committed());
    }
    play.goes_on().await;
}

/// Any entry, small sums more often than large ones.
fn entry() -> impl Strategy<Value = Entry> {
    let sum = prop_oneof![0..300_u64, 0..70_000_u64, 0..=1_u64 << 62].prop_map(ByteCount::new);
    let stream = (0..110_u16).prop_map(StreamId::new);
    let (three, two) = ((stream.clone(), sum.clone(), sum.clone()), (stream.clone(), sum.clone()));
    prop_oneof![
        two.prop_map(|(stream, granted)| Entry::Grant { stream, granted }),
        sum.clone().prop_map(|granted| Entry::Pool { granted }),
        three.clone().prop_map(|(stream, taken, needed)| Entry::Blocked { stream, taken, needed }),
        three.prop_map(|(stream, taken, returned)| Entry::Return { stream, taken, returned }),
        (stream, 0..50_u32, sum).prop_map(|(stream, number, charge)| Entry::GivenUp {
            stream,
            number,
            charge
        }),
        Just(Entry::Reclaim),
        Just(Entry::Reclaimed),
    ]
}

/// Whatever entries come, mixed with messages: the receiver goes on, or aborts with a reason of its own.
#[test]
fn any_entries_are_answered_in_bounded_memory() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let mut runner = TestRunner::new(Cases { cases: 60, failure_persistence: None, ..Cases::default() });
    let lists = prop::collection::vec((prop::collection::vec(entry(), 1..20), 0..3_000_usize), 1..20);
    let outcome = runner.run(&lists, |lists| {
        runtime.block_on(async {
            let play = play().await;
            for (entries, length) in lists {
                play.say(encoded(&entries)).await;
                let options = SendOptions::on(StreamId::new(5));
                if play.peer.try_send(vec![7; length], options).is_err() {
                    break;
                }
                assert!(play.near.committed() <= BUFFER, "{} committed", play.near.committed());
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
            assert!(play.near.committed() <= BUFFER && play.near.unread() <= BUFFER);
            play.peer.abort("played");
            let reason = within(5, play.near.association().closed()).await;
            let is_expected = match &reason {
                CloseReason::AbortedHere { .. } => reason.to_string().contains("the peer"),
                CloseReason::AbortedByPeer { .. } => true,
                _ => false,
            };
            assert!(is_expected, "{reason}");
        });
        Ok(())
    });
    outcome.expect("no list breaks it");
}
