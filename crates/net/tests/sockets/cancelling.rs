//! Futures dropped before they complete, at every point at which they wait: nothing is lost, duplicated or left
//! behind.

use std::time::Duration;

use anabranch_net::{Endpoint, Happening, Missed, Record, SendOptions};
use proptest::prelude::*;
use tokio::runtime::Builder;

use crate::party::{client, given_up_after, join, joined, narrow, server, until, within};

/// The patience of a walk at each step: a number of polls, or until completion.
fn patience() -> impl Strategy<Value = Option<u32>> {
    prop_oneof![(0..4_u32).prop_map(Some), Just(None)]
}

async fn waited<F: Future>(patience: Option<u32>, future: F) -> Option<F::Output> {
    match patience {
        Some(polls) => given_up_after(polls, future).await,
        None => Some(within(20, future).await),
    }
}

/// Two tasks send with the patience of `sends`, and a reader reads with that of `reads`, step by step.
async fn walk(sends: Vec<(Option<u32>, usize)>, reads: Vec<Option<u32>>) {
    let ((_client, near), (_server, far)) = joined(narrow()).await;
    let sender = |stream: u16| {
        let (near, sends) = (near.stream(anabranch_net::StreamId::new(stream)), sends.clone());
        async move {
            let mut sent = Vec::new();
            for (number, (patience, length)) in (0_u32..).zip(sends) {
                let payload = [number.to_be_bytes().as_slice(), &vec![0; length]].concat();
                if let Some(answer) = waited(patience, near.send(payload)).await {
                    answer.expect("open");
                    sent.push(number);
                }
            }
            sent
        }
    };
    let sending = async {
        let sent = tokio::join!(sender(0), sender(1));
        within(20, near.close()).await.expect("in order");
        sent
    };
    let receiving = async {
        let mut arrived = [Vec::new(), Vec::new()];
        for patience in reads.iter().cycle() {
            match waited(*patience, far.recv()).await {
                None => {}
                Some(Err(_)) => break,
                Some(Ok(message)) => {
                    let stream = usize::from(message.stream.get());
                    let bytes = message.into_bytes();
                    let number = bytes.first_chunk().expect("a number");
                    arrived[stream].push(u32::from_be_bytes(*number));
                }
            }
        }
        arrived
    };
    let ((first, second), arrived) = tokio::join!(sending, receiving);
    assert_eq!(arrived, [first, second], "what was answered arrives, once and in order; nothing else does");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_dropped_what_was_sent_arrives_once_and_in_order(
        sends in prop::collection::vec((patience(), 1..40_000_usize), 1..40),
        reads in prop::collection::vec(patience(), 1..12),
    ) {
        // A reader that never waits would take the processor time that the driver needs.
        let reads = [reads, vec![None]].concat();
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(within(60, walk(sends, reads)));
    }
}

#[tokio::test]
async fn a_connect_that_is_dropped_anywhere_leaves_nothing_at_either_end() {
    let (server, client) = (server(&["127.0.0.1:0"]), client(&["127.0.0.1:0"]));
    let remote = server.local_addresses();
    let mut connected = 0;
    for polls in 0..12 {
        match given_up_after(polls, client.connect(&remote)).await {
            Some(association) => drop(association.expect("connected")),
            None => assert_eq!(client.associations(), 0, "after {polls} polls"),
        }
        // The associations that the server had accepted are aborted.
        while let Some(Some(association)) = given_up_after(1, server.accept()).await {
            connected += 1;
            drop(association);
        }
    }
    until("the server forgets those that were given up", || server.associations() == 0).await;
    let (near, _far) = within(5, join(&client, &server, &remote)).await;
    near.close().await.expect("in order");
    assert!(connected <= 12);
}

#[tokio::test]
async fn an_accept_that_is_dropped_anywhere_loses_no_association() {
    let (server, client) = (server(&["127.0.0.1:0"]), client(&["127.0.0.1:0"]));
    let remote = server.local_addresses();
    for polls in 0..6 {
        let accepting = async {
            for _ in 0..20 {
                if let Some(accepted) = given_up_after(polls, server.accept()).await {
                    return accepted.expect("the runtime lives");
                }
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            server.accept().await.expect("the runtime lives")
        };
        let (near, far) = within(5, async { tokio::join!(client.connect(&remote), accepting) }).await;
        let near = near.expect("connected");
        far.send("welcome", SendOptions::default()).await.expect("open");
        assert_eq!(within(5, near.recv()).await.expect("arrived").into_bytes(), "welcome");
        near.close().await.expect("in order");
    }
}

#[tokio::test]
async fn an_end_that_is_dropped_goes_on_and_can_be_waited_for_again() {
    for polls in 1..5 {
        let ((client, near), (_server, far)) = joined(narrow()).await;
        near.send("the last word", SendOptions::default()).await.expect("open");
        given_up_after(polls, near.close()).await;
        given_up_after(polls, near.closed()).await;
        given_up_after(polls, client.settled()).await;
        assert_eq!(within(5, far.recv()).await.expect("arrived").into_bytes(), "the last word");
        within(5, near.close()).await.expect("in order");
        within(5, client.settled()).await;
    }
}

/// One of two listeners repeatedly drops its futures: both get the same items.
#[tokio::test]
async fn events_and_records_that_are_waited_for_in_vain_are_not_lost() {
    let ((_client, near), (_server, far)) = joined(narrow()).await;
    let (mut patient, mut impatient) = (near.records(), near.records());
    let (mut patient_events, mut impatient_events) = (near.subscribe(), near.subscribe());
    let steady = async {
        let mut heard = Vec::new();
        while let Some(record) = patient.next().await {
            heard.push(record);
        }
        let mut events = Vec::new();
        while let Some(event) = patient_events.next().await {
            events.push(event);
        }
        (heard, events)
    };
    let restless = async {
        let mut heard = Vec::new();
        for polls in (0..4).cycle() {
            match given_up_after(polls, impatient.next()).await {
                Some(Some(record)) => heard.push(record),
                Some(None) => break,
                None => tokio::time::sleep(Duration::from_millis(1)).await,
            }
        }
        let mut events = Vec::new();
        for polls in (0..4).cycle() {
            match given_up_after(polls, impatient_events.next()).await {
                Some(Some(event)) => events.push(event),
                Some(None) => break,
                None => {}
            }
        }
        (heard, events)
    };
    let transfer = async {
        for _ in 0..20 {
            near.send(vec![0; 10_000], SendOptions::default()).await.expect("open");
            within(5, far.recv()).await.expect("arrived");
        }
        near.close().await.expect("in order");
    };
    let (steady, restless, ()) = within(20, async { tokio::join!(steady, restless, transfer) }).await;
    let is_round_trip = |record: &Result<Record, Missed>| matches!(record, Ok(record) if matches!(record.what, Happening::RoundTrip { .. }));
    assert!(steady.0.iter().any(is_round_trip), "{steady:?}");
    assert!(!steady.1.is_empty());
    assert_eq!(steady, restless);
}

/// Pending futures do not keep an endpoint alive.
#[tokio::test]
async fn what_was_given_up_does_not_keep_an_endpoint_alive() {
    let endpoint: Endpoint = server(&["127.0.0.1:0"]);
    given_up_after(2, endpoint.accept()).await;
    given_up_after(2, endpoint.settled()).await;
    let address = endpoint.local_addresses();
    drop(endpoint);
    until("the port is free", || std::net::UdpSocket::bind(address[0]).is_ok()).await;
}
