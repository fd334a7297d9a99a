//! Every waiting task is woken: many tasks on several threads, messages one at a time, peers that restart. If a wake-up
//! is lost, a test hangs.

use std::collections::BTreeMap;
use std::time::Duration;

use anabranch_net::{
    Association, Config, Endpoint, Event, Options, Ppid, Security, SendError, SendOptions, StreamId,
};
use anabranch_sctp::config::Failover;
use tokio::runtime::Runtime;

use crate::party::{addresses, cabled, impatient, join, joined, narrow, within};

const SENDERS: u16 = 6;
const MESSAGES: u32 = 150;

/// Messages of many sizes, numbered by their payload protocol.
async fn send_numbered(association: Association, stream: StreamId) -> Result<(), SendError> {
    for number in 0..MESSAGES {
        let length = 1 + (number as usize * 7_919) % 30_000;
        association.send(vec![0; length], SendOptions::on(stream).ppid(Ppid::new(number))).await?;
    }
    Ok(())
}

/// The numbers received by this reader, by stream.
async fn receive_numbered(association: Association) -> BTreeMap<u16, Vec<u32>> {
    let mut numbers: BTreeMap<u16, Vec<u32>> = BTreeMap::new();
    while let Ok(message) = association.recv().await {
        numbers.entry(message.stream.get()).or_default().push(message.ppid.get());
    }
    numbers
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn several_tasks_send_and_several_receive_and_each_message_arrives_once_and_in_order() {
    let ((_client, near), (_server, far)) = joined(narrow()).await;
    let senders: Vec<_> =
        (0..SENDERS).map(|stream| tokio::spawn(send_numbered(near.clone(), StreamId::new(stream)))).collect();
    let readers: Vec<_> = (0..3).map(|_| tokio::spawn(receive_numbered(far.clone()))).collect();
    for sender in senders {
        assert_eq!(within(60, sender).await.expect("joined"), Ok(()));
    }
    within(10, near.close()).await.expect("in order");
    let mut arrived: BTreeMap<u16, Vec<u32>> = BTreeMap::new();
    for reader in readers {
        for (stream, numbers) in within(5, reader).await.expect("joined") {
            assert!(numbers.is_sorted(), "a reader sees each stream in its order: {numbers:?}");
            arrived.entry(stream).or_default().extend(numbers);
        }
    }
    assert_eq!(arrived.len(), usize::from(SENDERS));
    for (stream, mut numbers) in arrived {
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(0..MESSAGES), "stream {stream}");
    }
}

/// Each message waits for the one before: both ends are idle each time, and only a wake-up continues.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_ends_that_wait_for_each_other_by_turns_never_both_wait() {
    let bouncing = (0..3).map(|_| {
        tokio::spawn(async {
            let ((_client, near), (_server, far)) = joined(impatient()).await;
            let echo = tokio::spawn(async move {
                while let Ok(message) = far.recv().await {
                    let as_it_came = SendOptions::from(&message);
                    far.send(message.into_bytes(), as_it_came).await.expect("open");
                }
            });
            for number in 0..1_000_u32 {
                near.send(number.to_be_bytes().to_vec(), SendOptions::default()).await.expect("open");
                let answer = within(10, near.recv()).await.expect("answered").into_bytes();
                assert_eq!(answer[..], number.to_be_bytes());
            }
            near.close().await.expect("in order");
            echo.await.expect("joined");
        })
    });
    for task in bouncing.collect::<Vec<_>>() {
        within(60, task).await.expect("joined");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_end_wakes_all_waiting_tasks() {
    let ((_client, near), (_server, far)) = joined(narrow()).await;
    fill(&near).await;
    let (sender, reader) = (near.clone(), near.clone());
    let sending = tokio::spawn(async move { sender.send(vec![0; 60_000], SendOptions::default()).await });
    let receiving = tokio::spawn(async move { reader.recv().await.map(|_| ()) });
    let other = near.clone();
    let closing = tokio::spawn(async move { other.closed().await });
    tokio::task::yield_now().await;
    far.abort("enough");
    let reason = within(5, closing).await.expect("joined");
    assert_eq!(within(5, receiving).await.expect("joined"), Err(reason.clone()));
    assert_eq!(within(5, sending).await.expect("joined"), Err(SendError::Closed(reason)));
}

#[tokio::test]
async fn a_sender_that_waits_for_room_gets_an_error_when_this_end_closes() {
    let cabled = cabled().await;
    fill(&cabled.near).await;
    // From here on nothing arrives that could wake a task before the peer is given up.
    cabled.cables.iter().for_each(crate::cable::Cable::cut);
    let (near, sender) = (cabled.near.clone(), cabled.near.clone());
    let waiting = tokio::spawn(async move { sender.send(vec![0; 60_000], SendOptions::default()).await });
    tokio::task::yield_now().await;
    assert!(tokio::time::timeout(Duration::ZERO, near.close()).await.is_err(), "the peer does not read");
    assert_eq!(within(5, waiting).await.expect("joined"), Err(SendError::Closing));
}

/// The peer's runtime ends without sending a packet, and another begins at the same address.
#[test]
fn a_sender_that_waits_for_room_continues_when_the_peer_restarts() {
    let runtime = || Runtime::new().expect("a runtime");
    let (here, there, again) = (runtime(), runtime(), runtime());
    let options = |local, accepts| {
        // No peer is given up, however long the test's machine pauses.
        let config = Config { failover: Failover::OFF, ..narrow() };
        Options { local, accepts, config, ..Options::with(Security::Insecure) }
    };
    let server = here.block_on(async { Endpoint::bind(options(addresses(&["127.0.0.1:0"]), true)) });
    let server = server.expect("a server");
    let remote = server.local_addresses();
    let (near, far, local) = there.block_on(async {
        let client = Endpoint::bind(options(addresses(&["127.0.0.1:0"]), false)).expect("a client");
        let (near, far) = within(5, join(&client, &server, &remote)).await;
        (near, far, client.local_addresses())
    });
    here.block_on(fill(&far));
    let mut events = far.subscribe();
    let waiting = here.spawn(async move {
        far.send(vec![1; 60_000], SendOptions::default()).await?;
        Ok::<_, SendError>((events.next().await, far))
    });
    drop(there);
    let near_again = again.block_on(async {
        let client = Endpoint::bind(options(local, false)).expect("the address is free again");
        within(5, client.connect(&remote)).await.expect("connected")
    });
    let (told, _far) = here.block_on(within(5, waiting)).expect("joined").expect("sent");
    assert_eq!(told, Some(Ok(Event::Restarted)));
    let first = again.block_on(within(5, near_again.recv())).expect("arrived").into_bytes();
    assert!(first == vec![1; 60_000], "what was sent before the restart is lost");
    drop(near);
}

/// Sends until neither end has room.
async fn fill(association: &Association) {
    let patience = Duration::from_millis(300);
    while let Ok(sent) =
        tokio::time::timeout(patience, association.send(vec![0; 10_000], SendOptions::default())).await
    {
        sent.expect("open");
    }
}
