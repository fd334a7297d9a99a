//! Streams: credits of their own, acceptance, bytes, other peers, and many of them.

use std::time::Duration;

use anabranch_base::ByteCount;
use anabranch_net::streams::OpenError;
use anabranch_net::{
    Association, CloseReason, Config, Endpoint, Ppid, SendError, SendOptions, Stream, StreamId, Streams,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::party::{content, given_up_after, impatient, joined, until, within};

/// Both ends of an association, and their endpoints.
struct Ends {
    near: Streams,
    far: Streams,
    _endpoints: (Endpoint, Endpoint),
}

fn config(streams: u16, buffer: ByteCount) -> Config {
    Config {
        stream_credits: true,
        partial_reliability: true,
        outbound_streams: streams,
        inbound_streams: streams,
        receive_buffer: buffer,
        send_buffer: buffer,
        ..impatient()
    }
}

async fn ends(config: Config) -> Ends {
    let ((client, near), (server, far)) = joined(config).await;
    Ends { near: near.into_streams(), far: far.into_streams(), _endpoints: (client, server) }
}

async fn small() -> Ends {
    ends(config(80, ByteCount::from_kib(256))).await
}

/// Sends messages of `length` bytes for as long as the association is open.
async fn send_always(mut stream: Stream, length: usize) {
    while stream.send(vec![7; length], SendOptions::default()).await.is_ok() {}
}

/// Receives as many messages.
async fn receive(stream: &mut Stream, count: usize) {
    for _ in 0..count {
        stream.recv().await.expect("open").expect("no end");
    }
}

#[tokio::test]
async fn a_stream_on_which_the_peer_sends_is_accepted_and_answers_on_the_same_id() {
    let Ends { near, far, _endpoints } = small().await;
    assert!(near.has_credits() && far.has_credits());
    assert!(far.try_accept_stream().is_none());
    let mut stream = near.open_next().expect("free");
    let options = SendOptions::default().ppid(Ppid::new(51)).unordered();
    stream.send("question", options).await.expect("sent");
    let mut accepted = within(5, far.accept_stream()).await.expect("accepted");
    assert_eq!(accepted.id(), stream.id());
    let question = within(5, accepted.recv()).await.expect("open").expect("a message");
    assert_eq!((question.ppid.get(), question.unordered), (51, true));
    assert_eq!(question.into_bytes(), "question");
    accepted.try_send("answer", SendOptions::default()).expect("sent");
    accepted.finish().await.expect("sent");
    let answer = within(5, stream.recv()).await.expect("open").expect("a message");
    assert_eq!(answer.into_bytes(), "answer");
    assert!(within(5, stream.recv()).await.expect("open").is_none());
    assert_eq!(accepted.send("late", SendOptions::default()).await, Err(SendError::Finished));
    within(5, near.association().close()).await.expect("in order");
    assert!(matches!(within(5, far.accept_stream()).await, Err(CloseReason::Graceful)));
}

#[tokio::test]
async fn both_ends_choose_different_ids_and_an_id_in_use_is_refused() {
    let Ends { near, far, _endpoints } = ends(config(6, ByteCount::from_kib(64))).await;
    let open = |streams: &Streams| std::iter::from_fn(|| streams.open_next().ok()).collect::<Vec<Stream>>();
    let (mine, theirs) = (open(&near), open(&far));
    let mut ids: Vec<u16> = mine.iter().chain(&theirs).map(|stream| stream.id().get()).collect();
    ids.sort_unstable();
    assert_eq!(ids, [1, 2, 3, 4, 5]);
    assert_eq!(near.open_next().expect_err("all are open"), OpenError::AllInUse(6));
    assert_eq!(near.open(mine[0].id()).expect_err("it is open"), OpenError::InUse(mine[0].id()));
    for id in [0, 6] {
        let error = near.open(StreamId::new(id)).expect_err("it is not for messages");
        assert!(matches!(error, OpenError::NoSuchStream { .. }), "{error}");
    }
}

/// Before that all of them pause, each with an endless sender, and leave room for the next one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_reader_that_pauses_among_64_stops_its_stream_alone() {
    let Ends { near, far, _endpoints } = small().await;
    let mut others: Vec<Stream> = Vec::new();
    for _ in 0..64 {
        let mut stream = near.open_next().or_else(|_| near.open(next_free(&near))).expect("free");
        within(5, stream.send("first", SendOptions::default())).await.expect("sent");
        let mut accepted = within(5, far.accept_stream()).await.expect("accepted");
        within(5, receive(&mut accepted, 1)).await;
        others.push(accepted);
        tokio::spawn(send_always(stream, 1_000));
    }
    let mut paused = others.pop().expect("64");
    let readers: Vec<_> = others
        .into_iter()
        .map(|mut stream| {
            tokio::spawn(async move {
                receive(&mut stream, 500).await;
                stream
            })
        })
        .collect();
    for reader in readers {
        within(60, reader).await.expect("joined");
        assert!(far.committed() <= ByteCount::from_kib(256));
    }
    let unread = far.unread();
    assert!(unread > ByteCount::new(1_256), "the paused stream has messages: {unread}");
    within(10, receive(&mut paused, 100)).await;
}

fn next_free(streams: &Streams) -> StreamId {
    let free = |id: &u16| streams.open(StreamId::new(*id)).is_ok();
    StreamId::new((1..80).find(free).expect("a free stream"))
}

#[tokio::test]
async fn a_message_larger_than_any_credit_is_refused_and_the_largest_arrives() {
    let Ends { near, far, _endpoints } = small().await;
    let mut stream = near.open_next().expect("free");
    let refused = stream.send(vec![0; 131_072], SendOptions::default()).await;
    let Err(SendError::BeyondCredit { largest, .. }) = refused else { panic!("{refused:?}") };
    within(5, stream.send(vec![0; largest.as_len()], SendOptions::default())).await.expect("sent");
    let mut accepted = within(5, far.accept_stream()).await.expect("accepted");
    let message = within(5, accepted.recv()).await.expect("open").expect("a message");
    assert_eq!(message.len(), largest.as_len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bytes_arrive_as_they_were_written_until_the_end() {
    let Ends { near, far, _endpoints } = small().await;
    let bytes = content(4_000_000, 3);
    let (mut reader, mut writer) = near.open_next().expect("free").into_bytes().into_split();
    let echo = tokio::spawn(async move {
        let mut stream = far.accept_stream().await.expect("accepted").into_bytes();
        let mut all = Vec::new();
        stream.read_to_end(&mut all).await.expect("to the end");
        stream.write_all(&all).await.expect("written");
        stream.shutdown().await.expect("an end");
        (far, stream)
    });
    writer.write_all(&bytes).await.expect("written");
    writer.shutdown().await.expect("an end");
    let mut all = Vec::new();
    within(60, reader.read_to_end(&mut all)).await.expect("to the end");
    assert!(all == bytes);
    within(5, echo).await.expect("joined");
}

#[tokio::test]
async fn a_stream_that_is_used_again_before_the_other_end_dropped_it_is_accepted_anew() {
    let Ends { near, far, _endpoints } = small().await;
    let mut first = near.open_next().expect("free");
    let id = first.id();
    first.send("one", SendOptions::default()).await.expect("sent");
    first.finish().await.expect("an end");
    let mut accepted = within(5, far.accept_stream()).await.expect("accepted");
    within(5, receive(&mut accepted, 1)).await;
    accepted.finish().await.expect("an end");
    assert!(within(5, first.recv()).await.expect("open").is_none());
    drop(first);
    for text in ["two", "three"] {
        let mut again = near.open(id).expect("it was dropped");
        again.send(text, SendOptions::default()).await.expect("sent");
        again.finish().await.expect("an end");
    }
    // What arrives on the stream meanwhile belongs to its next uses.
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(within(5, accepted.recv()).await.expect("open").is_none() && far.try_accept_stream().is_none());
    drop(accepted);
    for text in ["two", "three"] {
        let mut next = within(5, far.accept_stream()).await.expect("accepted");
        let message = within(5, next.recv()).await.expect("open").expect("a message");
        assert_eq!((next.id(), message.into_bytes()), (id, text.into()));
        assert!(within(5, next.recv()).await.expect("open").is_none());
    }
}

#[tokio::test]
async fn a_message_whose_future_is_dropped_is_not_sent_and_its_credit_is_not_lost() {
    let Ends { near, far, _endpoints } = small().await;
    let mut stream = near.open_next().expect("free");
    let mut sent = 0_u32;
    for number in 0..2_000_u32 {
        let message = [&number.to_be_bytes()[..], &[0; 3_000]].concat();
        let sending = stream.send(message, SendOptions::default());
        match given_up_after(number % 3, sending).await {
            Some(result) => {
                result.expect("open");
                sent += 1;
            }
            None => tokio::time::sleep(Duration::from_micros(100)).await,
        }
        if sent > 60 {
            break;
        }
    }
    sent += u32::from(stream.try_send("last", SendOptions::default()).is_ok());
    let mut accepted = within(5, far.accept_stream()).await.expect("accepted");
    let mut last = None;
    for _ in 0..sent {
        let message = within(5, accepted.recv()).await.expect("open").expect("a message").into_bytes();
        if message.len() > 4 {
            let number = u32::from_be_bytes([message[0], message[1], message[2], message[3]]);
            assert!(last < Some(number), "in order, once");
            last = Some(number);
        }
    }
    assert!(given_up_after(3, accepted.recv()).await.is_none(), "no more was sent");
    within(5, stream.send(vec![1; 100_000], SendOptions::default())).await.expect("credit is there");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_without_a_reader_discards_and_goes_on() {
    let Ends { near, far, _endpoints } = small().await;
    let mut stream = near.open_next().expect("free");
    stream.send("first", SendOptions::default()).await.expect("sent");
    let (reader, _writer) = within(5, far.accept_stream()).await.expect("accepted").into_split();
    drop(reader);
    for _ in 0..300 {
        within(5, stream.send(vec![0; 5_000], SendOptions::default())).await.expect("sent");
    }
    until("everything is discarded", || far.unread().is_zero()).await;
}

/// Messages expire in the send buffer or on the way; the credit of each comes back, more than the buffer in all.
/// A task that reads and waits for something else polls the reader whenever it is woken, which must not wake it again.
#[tokio::test]
async fn a_task_that_waits_for_a_stream_rests() {
    let Ends { near, far, _endpoints } = small().await;
    let mut stream = near.open_next().expect("free");
    stream.send("question", SendOptions::default()).await.expect("sent");
    let mut accepted = within(5, far.accept_stream()).await.expect("accepted");
    receive(&mut accepted, 1).await;
    let (mut polls, mut recv) = (0, std::pin::pin!(accepted.recv()));
    let both = std::future::poll_fn(|context| {
        polls += 1;
        recv.as_mut().poll(context)
    });
    let mut ticks = tokio::time::interval(Duration::from_millis(20));
    let ticking = async { while ticks.tick().await.elapsed() < Duration::MAX {} };
    let waited = async { tokio::join!(both, ticking) };
    assert!(tokio::time::timeout(Duration::from_millis(300), waited).await.is_err(), "nothing arrives");
    assert!((2..100).contains(&polls), "{polls} polls beside 15 ticks");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_that_are_given_up_return_their_credit() {
    let Ends { near, far, _endpoints } = ends(config(4, ByteCount::from_kib(64))).await;
    let mut stream = near.open_next().expect("free");
    let reading = tokio::spawn(async move {
        let mut accepted = far.accept_stream().await.expect("accepted");
        let mut received = 0;
        while let Ok(Some(message)) = accepted.recv().await {
            received += message.len();
            if message.ppid.get() == 9 {
                break;
            }
        }
        received
    });
    for _ in 0..400 {
        let options = SendOptions::default().lifetime(Duration::from_micros(50)).unordered();
        within(5, stream.send(vec![0; 4_000], options)).await.expect("sent");
    }
    let last = SendOptions::default().ppid(Ppid::new(9));
    within(5, stream.send(vec![0; 20_000], last)).await.expect("sent");
    let received = within(10, reading).await.expect("joined");
    assert!(received >= 20_000, "{received}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_peer_without_the_setting_keeps_the_window_of_the_association() {
    let ((_client, near), (_server, far)) = joined(impatient()).await;
    let near = near.into_streams();
    assert!(!near.has_credits());
    let mut stream = near.open(StreamId::new(0)).expect("every stream is for messages");
    let plain = tokio::spawn(plain_echo(far));
    for length in [1, 3_000, 100_000] {
        stream.send(vec![5; length], SendOptions::default()).await.expect("sent");
        let answer = within(5, stream.recv()).await.expect("open").expect("a message");
        assert_eq!(answer.len(), length);
    }
    let mut bytes = stream.into_bytes();
    assert_eq!(bytes.shutdown().await.expect_err("no end").kind(), std::io::ErrorKind::Unsupported);
    within(5, near.association().close()).await.expect("in order");
    plain.await.expect("joined");
}

async fn plain_echo(association: Association) {
    while let Ok(message) = association.recv().await {
        let as_it_came = SendOptions::from(&message);
        association.send(message.into_bytes(), as_it_came).await.expect("open");
    }
}

/// Without credits the receive buffer bounds what waits for a reader that pauses.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_credits_a_reader_that_pauses_bounds_the_memory_by_the_association() {
    let ((_client, near), (_server, far)) = joined(crate::party::narrow()).await;
    let (near, far) = (near.into_streams(), far.into_streams());
    let stream = near.open(StreamId::new(3)).expect("free");
    tokio::spawn(send_always(stream, 1_000));
    let mut paused = within(5, far.accept_stream()).await.expect("accepted");
    until("the buffer is full", || far.unread() >= ByteCount::from_kib(64)).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(far.unread() < ByteCount::from_kib(66));
    within(10, receive(&mut paused, 500)).await;
}

#[tokio::test]
async fn an_association_with_streams_refuses_plain_messages() {
    let Ends { near, far, _endpoints } = small().await;
    let plain = near.association();
    assert_eq!(plain.send("x", SendOptions::default()).await, Err(SendError::Multiplexed));
    let mut stream = near.open_next().expect("free");
    let reserved = SendOptions::default().ppid(Ppid::new(0x9a1c_0000));
    assert!(matches!(stream.send("x", reserved).await, Err(SendError::ReservedPpid(_))));
    drop(far);
}

/// The peer uses no streams and sends without credit.
#[tokio::test]
async fn a_peer_that_sends_more_than_its_credit_is_aborted_with_the_reason() {
    let ((_client, near), (_server, far)) = joined(config(8, ByteCount::from_kib(64))).await;
    let near = near.into_streams();
    for _ in 0..30 {
        if far.send(vec![0; 2_000], SendOptions::on(StreamId::new(3))).await.is_err() {
            break;
        }
    }
    let reason = within(5, far.closed()).await.to_string();
    assert!(reason.contains("more than its credit on stream 3"), "{reason}");
    assert!(matches!(near.association().closed().await, CloseReason::AbortedHere { .. }));
}

/// A round opens streams, uses and drops them at both ends; 40 such rounds with 1,000 streams each.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thousands_of_streams_are_opened_used_and_dropped_without_growth() {
    let Ends { near, far, _endpoints } = ends(config(2_002, ByteCount::from_kib(256))).await;
    let echo = tokio::spawn(async move {
        while let Ok(mut stream) = far.accept_stream().await {
            let request = stream.recv().await.expect("open").expect("a message");
            tokio::spawn(async move {
                stream.send(request.into_bytes(), SendOptions::default()).await.expect("open");
            });
        }
        far.committed()
    });
    for _ in 0..40 {
        let mut open: Vec<Stream> = (0..1_000).map(|_| near.open_next().expect("free")).collect();
        let round = async {
            for stream in &mut open {
                stream.send(vec![1; 300], SendOptions::default()).await.expect("open");
            }
            for stream in &mut open {
                assert_eq!(stream.recv().await.expect("open").expect("an answer").len(), 300);
            }
        };
        within(20, round).await;
        assert!(near.unread().is_zero() && near.committed() <= ByteCount::from_kib(256));
    }
    within(5, near.association().close()).await.expect("in order");
    assert!(within(5, echo).await.expect("joined") <= ByteCount::from_kib(256));
}
