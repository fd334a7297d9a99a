//! Sending of messages: streams, order, room in the buffer and its order among senders, and the report of undelivered
//! messages.

use std::time::Duration;

use anabranch_base::ByteCount;
use anabranch_net::sctp::config::StreamScheduler;
use anabranch_net::{
    Association, CloseReason, Config, Endpoint, Event, Missed, Ppid, SendError, SendOptions, StreamId,
    TryRecvError, TrySendError,
};

use crate::party::{cabled, impatient, joined, narrow, until, within};

#[tokio::test]
async fn a_message_arrives_on_its_stream_with_its_protocol_and_goes_back_as_it_came() {
    let ((_client, near), (_server, far)) = joined(impatient()).await;
    let sent = SendOptions::on(StreamId::new(7)).ppid(Ppid::new(51)).unordered();
    near.send("question", sent).await.expect("open");
    let question = within(5, far.recv()).await.expect("arrived");
    assert_eq!(SendOptions::from(&question), sent);
    far.send(question.into_bytes(), sent).await.expect("open");
    assert_eq!(SendOptions::from(&within(5, near.recv()).await.expect("arrived")), sent);

    let asked = impatient().outbound_streams;
    assert_eq!(near.streams(), (asked, asked), "each end lets the other have what it asks for");
    let stream = near.stream(StreamId::new(3)).with_ppid(Ppid::new(46));
    stream.send("one").await.expect("open");
    stream.try_send("two").expect("there is room");
    for payload in ["one", "two"] {
        let message = within(5, far.recv()).await.expect("arrived");
        assert_eq!((message.stream, message.ppid.get()), (stream.id(), 46));
        assert_eq!(message.into_bytes(), payload);
    }
}

#[tokio::test]
async fn what_can_never_be_sent_is_said_at_once_and_harms_nothing() {
    let ((_client, near), (_server, far)) = joined(narrow()).await;
    let refusal = |payload: Vec<u8>, stream: u16| {
        let near = near.clone();
        async move {
            let refused = near.send(payload, StreamId::new(stream)).await.expect_err("refused");
            assert!(matches!(refused, SendError::Refused(_)), "{refused:?}");
            refused.to_string()
        }
    };
    let too_large = within(5, refusal(vec![0; 100_000], 0)).await;
    assert_eq!(too_large, "a message of 100000 B never fits a buffer of 65536 B");
    assert_eq!(refusal(Vec::new(), 0).await, "an empty message cannot be sent");
    assert!(refusal(vec![1], u16::MAX).await.starts_with("there is no stream 65535: the peer takes "));
    near.send("unharmed", SendOptions::default()).await.expect("open");
    assert_eq!(within(5, far.recv()).await.expect("arrived").into_bytes(), "unharmed");
}

#[tokio::test]
async fn streams_are_reset_and_added_and_each_call_waits_for_the_answer() {
    let config = Config { stream_reconfiguration: true, ..impatient() };
    let ((_client, near), (_server, far)) = joined(config).await;
    let stream = StreamId::new(2);
    let numbers = async || {
        near.send("x", stream).await.expect("open");
        within(5, far.recv()).await.expect("arrived").ssn.get()
    };
    assert_eq!([numbers().await, numbers().await], [0, 1]);
    within(5, near.reset_streams(&[stream])).await.expect("the peer agrees");
    assert_eq!([numbers().await, numbers().await], [0, 1]);
    within(5, far.request_incoming_reset(&[stream])).await.expect("the peer agrees");
    assert_eq!(numbers().await, 0);
    let (asked, _) = near.streams();
    within(5, near.add_streams(2, 3)).await.expect("the peer agrees");
    assert_eq!(near.streams(), (asked + 2, asked + 3));
    until("the peer has its streams", || far.streams() == (asked + 3, asked + 2)).await;
    within(5, far.reset_association()).await.expect("the peer agrees");
    assert_eq!(numbers().await, 0);
    let absent = within(5, near.reset_streams(&[StreamId::new(u16::MAX)])).await.expect_err("refused");
    assert!(absent.to_string().starts_with("there is no stream 65535"), "{absent}");
}

#[tokio::test]
async fn a_message_that_is_too_late_is_given_up_and_reported_and_the_next_one_arrives() {
    let config = Config { partial_reliability: true, ..impatient() };
    let ((_client, near), (_server, far)) = joined(config).await;
    let mut events = near.subscribe();
    let late = SendOptions::on(StreamId::new(2)).ppid(Ppid::new(9)).lifetime(Duration::ZERO);
    near.send(vec![1; 20_000], late).await.expect("open");
    near.send("in time", SendOptions::on(StreamId::new(2)).lifetime(Duration::from_secs(60)))
        .await
        .expect("open");
    let arrived = within(5, far.recv()).await.expect("arrived");
    assert_eq!(arrived.into_bytes(), "in time");
    let given_up = within(5, async {
        loop {
            if let Some(Ok(Event::GivenUp { stream, ppid, bytes, .. })) = events.next().await {
                return (stream.get(), ppid.get(), bytes.get());
            }
        }
    });
    assert_eq!(given_up.await, (2, 9, 20_000));
    let counted = near.given_up();
    assert_eq!((counted.unsent + counted.sent, counted.bytes.get()), (1, 20_000));
    assert!(near.has_partial_reliability() && far.has_partial_reliability());
}

/// A sender whose buffer is full, because the other end does not read.
async fn stuck(config: Config) -> ((Endpoint, Association), (Endpoint, Association)) {
    let ((client, near), (server, far)) = joined(config).await;
    let full = async { while near.send(vec![1; 5_000], SendOptions::default()).await.is_ok() {} };
    let filled = tokio::time::timeout(Duration::from_millis(300), full).await;
    assert!(filled.is_err(), "the sender never waited");
    ((client, near), (server, far))
}

#[tokio::test]
async fn a_message_that_expires_while_it_waits_for_room_is_not_sent_and_its_sender_is_told() {
    let ((_client, near), (_server, far)) = stuck(Config { partial_reliability: true, ..narrow() }).await;
    let before = near.unacknowledged();
    let short = SendOptions::default().lifetime(Duration::from_millis(30));
    let (first, second) = tokio::join!(near.send(vec![2; 30_000], short), near.send(vec![3; 30_000], short));
    assert_eq!((first, second), (Err(SendError::Expired), Err(SendError::Expired)));
    assert_eq!(
        (near.unacknowledged(), near.given_up()),
        (before, Default::default()),
        "nothing was accepted"
    );
    // The next in the queue has its turn, with what is left of its own lifetime.
    let patient = SendOptions::default().lifetime(Duration::from_secs(5));
    let sender = near.clone();
    let waiting = tokio::spawn(async move { sender.send(vec![4; 10_000], patient).await });
    let last = async {
        loop {
            match far.recv().await.expect("open").into_bytes()[0] {
                1 => {}
                kind => return kind,
            }
        }
    };
    assert_eq!((within(5, last).await, waiting.await.expect("joined")), (4, Ok(())));
}

#[tokio::test]
async fn without_partial_reliability_a_lifetime_ends_no_wait() {
    let ((_client, near), (_server, far)) = stuck(narrow()).await;
    assert!(!near.has_partial_reliability() && !far.has_partial_reliability());
    let sending = near.send(vec![2; 10_000], SendOptions::default().lifetime(Duration::from_millis(1)));
    let reading = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        while far.recv().await.expect("open").into_bytes()[0] != 2 {}
    };
    assert_eq!(within(5, async { tokio::join!(sending, reading) }).await.0, Ok(()));
}

#[tokio::test]
async fn the_count_of_messages_that_were_given_up_is_exact_whatever_a_listener_misses() {
    let config = Config { partial_reliability: true, send_buffer: ByteCount::from_kib(256), ..narrow() };
    let ((_client, near), (_server, _far)) = joined(config).await;
    let mut events = near.subscribe();
    // More than the receive buffer holds, which is not read: what follows waits.
    for _ in 0..30 {
        near.send(vec![1; 5_000], SendOptions::default()).await.expect("open");
    }
    let short = SendOptions::default().lifetime(Duration::from_millis(40));
    for _ in 0..100 {
        near.send(vec![2; 10], short).await.expect("there is room");
    }
    until("all have expired", || near.given_up().unsent + near.given_up().sent >= 100).await;
    assert_eq!((near.given_up().unsent, near.given_up().bytes), (100, ByteCount::new(1_000)));
    near.abort("enough");
    let mut heard = Vec::new();
    while let Some(event) = within(5, events.next()).await {
        heard.push(event);
    }
    assert!(matches!(heard[0], Err(Missed(missed)) if missed > 0), "{heard:?}");
    assert!(matches!(heard.last(), Some(Ok(Event::Closed(_)))), "{heard:?}");
}

#[tokio::test]
async fn a_short_message_of_a_more_important_stream_overtakes_a_long_one() {
    let config = Config {
        interleaving: true,
        stream_scheduler: StreamScheduler::Priority,
        send_buffer: ByteCount::from_mib(16),
        receive_buffer: ByteCount::from_mib(16),
        ..impatient()
    };
    let ((_client, near), (_server, far)) = joined(config).await;
    near.set_stream_value(StreamId::new(1), 9);
    near.send(vec![1; 8 << 20], StreamId::new(1)).await.expect("open");
    near.send("urgent", StreamId::new(2)).await.expect("open");
    let first = within(20, far.recv()).await.expect("arrived");
    assert_eq!(first.into_bytes(), "urgent");
    let second = within(20, far.recv()).await.expect("arrived");
    assert_eq!((second.stream.get(), second.len()), (1, 8 << 20));
}

#[tokio::test]
async fn a_full_buffer_hands_the_message_back_and_an_empty_one_says_so() {
    let ((_client, near), (_server, far)) = joined(narrow()).await;
    assert_eq!(far.try_recv().expect_err("nothing was sent"), TryRecvError::Empty);
    let mut taken = 0;
    let returned = loop {
        match near.try_send(vec![taken; 10_000], SendOptions::default()) {
            Ok(()) => taken += 1,
            Err(TrySendError::Full(message)) => break message,
            Err(error) => panic!("{error}"),
        }
        assert!(near.unacknowledged() <= narrow().send_buffer);
    };
    assert_eq!(returned, vec![taken; 10_000]);
    assert!(near.send_space() < ByteCount::new(10_000));
    for number in 0..taken {
        assert_eq!(within(5, far.recv()).await.expect("arrived").into_bytes(), vec![number; 10_000]);
    }
    near.send(returned, SendOptions::default()).await.expect("open");
    assert_eq!(within(5, far.recv()).await.expect("arrived").into_bytes(), vec![taken; 10_000]);
    near.close().await.expect("in order");
    let late = near.try_send("too late", SendOptions::default());
    assert_eq!(late, Err(TrySendError::Failed(SendError::Closed(CloseReason::Graceful))));
    assert_eq!(near.try_recv().expect_err("over"), TryRecvError::Closed(CloseReason::Graceful));
}

#[tokio::test]
async fn a_large_message_that_waits_is_not_passed_by_small_ones() {
    let ((_client, near), (_server, far)) = joined(narrow()).await;
    while near.try_send(vec![0; 2_000], SendOptions::default()).is_ok() {}
    let large = tokio::spawn({
        let near = near.clone();
        async move { near.send(vec![1; 60_000], SendOptions::default()).await }
    });
    // One sender requests far more room than there is; then many request little.
    tokio::task::yield_now().await;
    let small = tokio::spawn({
        let near = near.clone();
        async move {
            for _ in 0..200 {
                near.send(vec![2; 200], SendOptions::default()).await?;
            }
            near.close().await.expect("in order");
            Ok::<(), SendError>(())
        }
    });
    let mut order = Vec::new();
    while let Ok(message) = within(5, far.recv()).await {
        order.push(message.into_bytes()[0]);
    }
    assert!(order.is_sorted(), "{order:?}");
    assert_eq!(order.iter().filter(|kind| **kind > 0).count(), 201);
    assert_eq!((large.await.expect("joined"), small.await.expect("joined")), (Ok(()), Ok(())));
}

#[tokio::test]
async fn a_reader_that_does_not_read_costs_no_more_than_the_buffers() {
    let ((_client, near), (_server, far)) = joined(narrow()).await;
    let sender = near.clone();
    let endless =
        tokio::spawn(
            async move { while sender.send(vec![0; 5_000], SendOptions::default()).await.is_ok() {} },
        );
    let mut most = ByteCount::ZERO;
    for _ in 0..60 {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        most = most.max(near.unacknowledged());
    }
    let narrow = narrow();
    assert!(most <= narrow.send_buffer, "{most} wait");
    near.abort("enough");
    within(5, endless).await.expect("joined");
    let mut arrived = ByteCount::ZERO;
    while let Ok(message) = within(5, far.recv()).await {
        arrived += ByteCount::of_len(message.len());
    }
    // The chunk for which everything waits is accepted beyond the buffer's size.
    assert!(
        arrived <= narrow.receive_buffer + narrow.mtu,
        "{arrived} were kept for a reader that did not read"
    );
}

#[tokio::test]
async fn an_end_that_is_not_in_order_says_how_much_was_not_delivered() {
    let cabled = cabled().await;
    cabled.near.send("arrives", SendOptions::default()).await.expect("open");
    assert_eq!(within(5, cabled.far.recv()).await.expect("arrived").into_bytes(), "arrives");
    until("it is acknowledged", || cabled.near.unacknowledged().is_zero()).await;
    cabled.cables.iter().for_each(crate::cable::Cable::cut);
    for _ in 0..3 {
        cabled.near.send(vec![0; 1_000], SendOptions::default()).await.expect("open");
    }
    let error = within(20, cabled.near.close()).await.expect_err("there is no answer");
    assert!(matches!(error.reason, CloseReason::PeerGone { .. }), "{error:?}");
    assert_eq!(error.undelivered, ByteCount::new(3_000));
    assert!(error.to_string().ends_with("; 3000 B of the sent data were not acknowledged"), "{error}");
    assert_eq!(cabled.near.unacknowledged(), error.undelivered);
    assert_eq!(cabled.near.close().await, Err(error), "asked again, it says the same");
}
