//! Messages larger than the receive buffer, which are received in parts.

use std::io::ErrorKind;
use std::time::Duration;

use anabranch_base::ByteCount;
use anabranch_net::sctp::config::MessageLimit;
use anabranch_net::{Config, Event, Message, Part, SendOptions, StreamId};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::party::{content, impatient, joined, within};

/// A send buffer of 4 MiB, and a receive buffer of 64 KiB.
fn config() -> Config {
    Config {
        partial_delivery: true,
        message_limit: MessageLimit::SendBuffer,
        send_buffer: ByteCount::from_mib(4),
        receive_buffer: ByteCount::from_kib(64),
        partial_reliability: true,
        ..impatient()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_of_a_megabyte_passes_a_buffer_of_64_kib_in_parts() {
    for interleaving in [false, true] {
        let ((_client, near), (_server, far)) = joined(Config { interleaving, ..config() }).await;
        let sent = content(1_000_000, 5);
        near.send(sent.clone(), SendOptions::on(StreamId::new(3))).await.expect("it is within the limit");
        near.send("behind it", SendOptions::on(StreamId::new(3))).await.expect("open");
        let mut joined: Option<Message> = None;
        let mut count = 0;
        while joined.as_ref().is_none_or(|message| message.part != Part::Whole) {
            let part = within(5, far.recv()).await.expect("open");
            count += 1;
            assert!(part.len() <= 128 << 10, "{} bytes at once", part.len());
            match &mut joined {
                None => joined = Some(part),
                Some(begun) => begun.append(part).expect("the parts of one message"),
            }
        }
        assert!(joined.expect("whole").into_bytes() == sent);
        assert!(count > 8, "{count} parts");
        let last = within(5, far.recv()).await.expect("open");
        assert_eq!((last.part, last.into_bytes()), (Part::Whole, "behind it".into()));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_of_messages_has_the_parts_and_a_stream_of_bytes_their_bytes() {
    let ((_client, near), (_server, far)) = joined(config()).await;
    let (near, far) = (near.into_streams(), far.into_streams());
    let sent = content(400_000, 6);
    let mut stream = near.open(StreamId::new(2)).expect("free");
    stream.send(sent.clone(), SendOptions::default()).await.expect("sent");
    let mut accepted = within(5, far.accept_stream()).await.expect("accepted");
    let (mut parts, mut arrived) = (Vec::new(), Vec::new());
    while parts.last() != Some(&Part::Last) {
        let part = within(5, accepted.recv()).await.expect("open").expect("no end");
        parts.push(part.part);
        arrived.extend_from_slice(&part.into_bytes());
    }
    assert!(arrived == sent);
    assert_eq!(parts.iter().filter(|part| part.begins()).count(), 1);

    let mut bytes = accepted.into_bytes();
    let mut read = vec![0; sent.len() + 4];
    let sending = async {
        stream.send(sent.clone(), SendOptions::default()).await.expect("sent");
        stream.send("next", SendOptions::default()).await.expect("sent");
    };
    let (result, ()) = within(5, async { tokio::join!(bytes.read_exact(&mut read), sending) }).await;
    result.expect("all of it");
    assert!(read[..sent.len()] == sent && read.ends_with(b"next"));
    bytes.write_all(b"thanks").await.expect("written");
    assert_eq!(within(5, stream.recv()).await.expect("open").expect("an answer").into_bytes(), "thanks");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_that_is_given_up_in_the_middle_is_an_error_of_its_reader_and_no_other() {
    let ((_client, near), (_server, far)) = joined(config()).await;
    let (near, far) = (near.into_streams(), far.into_streams());
    let mut events = far.association().subscribe();
    let mut stream = near.open(StreamId::new(2)).expect("free");
    let short = SendOptions::default().lifetime(Duration::from_millis(300));
    stream.send(content(2_000_000, 7), short).await.expect("sent");
    let accepted = within(5, far.accept_stream()).await.expect("accepted");
    // Nobody reads, so that the peer cannot send the rest in time.
    tokio::time::sleep(Duration::from_millis(600)).await;
    stream.send("next", SendOptions::default()).await.expect("sent");
    let mut bytes = accepted.into_bytes();
    let mut beginning = Vec::new();
    let error = within(5, bytes.read_to_end(&mut beginning)).await.expect_err("incomplete");
    assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
    assert_eq!(error.to_string(), "a message ends without its rest: the peer gave it up or reset the stream");
    assert!(content(2_000_000, 7).starts_with(&beginning) && beginning.len() > 30_000);
    let mut next = [0; 4];
    within(5, bytes.read_exact(&mut next)).await.expect("the next message");
    assert_eq!(&next, b"next");
    let is_aborted =
        |event: &Event| matches!(event, Event::PartialDeliveryAborted { stream, .. } if stream.get() == 2);
    while !is_aborted(&within(5, events.next()).await.expect("open").expect("none missed")) {}
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_rest_of_a_message_whose_reader_was_dropped_is_not_read_as_another() {
    let ((_client, near), (_server, far)) = joined(config()).await;
    let (near, far) = (near.into_streams(), far.into_streams());
    let mut stream = near.open(StreamId::new(2)).expect("free");
    let sending = tokio::spawn(async move {
        stream.send(content(400_000, 8), SendOptions::default()).await.expect("sent");
        stream.send("next", SendOptions::default()).await.expect("sent");
        stream
    });
    let mut accepted = within(5, far.accept_stream()).await.expect("accepted");
    let first = within(5, accepted.recv()).await.expect("open").expect("no end");
    assert_eq!(first.part, Part::First);
    drop(accepted);
    let mut again = within(5, far.accept_stream()).await.expect("accepted");
    let next = within(5, again.recv()).await.expect("open").expect("no end");
    assert_eq!((next.part, next.into_bytes()), (Part::Whole, "next".into()));
    sending.await.expect("both were sent");
}
