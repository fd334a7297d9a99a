//! Data over sockets: several paths, both directions, both IP versions, more than the buffers hold.

use std::net::SocketAddr;
use std::time::Duration;

use anabranch_net::{PathState, SendOptions};

use crate::party::{cabled, client, content, exchange, join, receive_all, send_all, server, within};

const MB: usize = 1_000_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_paths_carry_8_mb_both_ways_whole() {
    let server = server(&["127.0.0.1:0", "127.0.0.2:0"]);
    let client = client(&["127.0.0.1:0", "127.0.0.2:0"]);
    exchange(&client, &server).await;
}

#[tokio::test]
async fn two_local_addresses_are_two_paths_to_one_server_address() {
    let server = server(&["127.0.0.1:0"]);
    let client = client(&["127.0.0.1:0", "127.0.0.2:0"]);
    let (near, far) = within(5, join(&client, &server, &server.local_addresses())).await;
    let there = content(2 * MB, 3);
    let (sent, arrived) =
        within(20, async { tokio::join!(send_all(&near, &there), receive_all(&far, there.len())) }).await;
    assert_eq!(sent, Ok(()));
    assert!(arrived.expect("all") == there);
    let paths = near.paths();
    let locals: Vec<SocketAddr> = paths.iter().map(|path| path.addresses.local).collect();
    assert_eq!(locals, client.local_addresses());
    assert!(paths.iter().all(|path| path.counters.sent_bytes.get() > 100_000), "{paths:?}");
}

#[tokio::test]
async fn ipv6_carries_data() {
    let (server, client) = (server(&["[::1]:0"]), client(&["[::]:0"]));
    let (near, far) = within(5, join(&client, &server, &server.local_addresses())).await;
    let there = content(MB, 4);
    let (sent, arrived) =
        within(10, async { tokio::join!(send_all(&near, &there), receive_all(&far, there.len())) }).await;
    assert_eq!(sent, Ok(()));
    assert!(arrived.expect("all") == there);
}

#[tokio::test]
async fn a_wildcard_server_answers_from_the_address_that_was_asked() {
    let (server, client) = (server(&["0.0.0.0:0"]), client(&["127.0.0.1:0"]));
    let asked: SocketAddr = ([127, 0, 0, 5], server.local_addresses()[0].port()).into();
    let (near, far) = within(5, join(&client, &server, &[asked])).await;
    near.send("over here", SendOptions::default()).await.expect("sent");
    assert_eq!(within(5, far.recv()).await.expect("arrived").into_bytes(), "over here");
    far.send("from there", SendOptions::default()).await.expect("sent");
    assert_eq!(within(5, near.recv()).await.expect("arrived").into_bytes(), "from there");
    let remotes: Vec<SocketAddr> = near.paths().iter().map(|path| path.addresses.remote).collect();
    assert_eq!(remotes, [asked]);
    let locals: Vec<SocketAddr> = far.paths().iter().map(|path| path.addresses.local).collect();
    assert_eq!(locals, [asked]);
}

#[tokio::test]
async fn a_wildcard_client_uses_every_address_of_the_server() {
    let (server, client) = (server(&["127.0.0.1:0", "127.0.0.2:0"]), client(&["0.0.0.0:0"]));
    let (near, far) = within(5, join(&client, &server, &server.local_addresses())).await;
    let there = content(MB, 5);
    let (sent, arrived) =
        within(10, async { tokio::join!(send_all(&near, &there), receive_all(&far, there.len())) }).await;
    assert_eq!(sent, Ok(()));
    assert!(arrived.expect("all") == there);
    assert!(near.paths().iter().all(|path| path.sample.state == PathState::Active), "{:?}", near.paths());
}

#[tokio::test]
async fn a_sender_waits_for_a_reader_and_a_send_that_is_given_up_sends_nothing() {
    let cabled = cabled().await;
    let (near, far) = (&cabled.near, &cabled.far);
    let part = |number: u32| [number.to_be_bytes().as_slice(), &[0; 50_000]].concat();
    // Without a reader, at most the peer's receive buffer of 1 MiB and our send buffer of 2 MiB are filled.
    let mut sent = 0;
    while let Ok(result) =
        tokio::time::timeout(Duration::from_millis(300), near.send(part(sent), SendOptions::default())).await
    {
        result.expect("open");
        sent += 1;
    }
    assert!((30..=63).contains(&sent), "{sent} messages of 50 kB were taken");
    for number in 0..sent {
        let message = within(5, far.recv()).await.expect("arrived");
        assert_eq!(message.into_bytes()[..4], number.to_be_bytes());
    }
    near.send("last", SendOptions::default()).await.expect("room again");
    assert_eq!(within(5, far.recv()).await.expect("arrived").into_bytes(), "last");
}

#[tokio::test]
async fn a_lossy_and_slow_cable_loses_no_data_permanently() {
    let cabled = cabled().await;
    cabled.cables[0].delay(Duration::from_millis(5));
    cabled.cables[1].delay(Duration::from_millis(15));
    cabled.cables[1].lose_every(50);
    let there = content(MB, 6);
    let (sent, arrived) = within(30, async {
        tokio::join!(send_all(&cabled.near, &there), receive_all(&cabled.far, there.len()))
    })
    .await;
    assert_eq!(sent, Ok(()));
    assert!(arrived.expect("all") == there);
    let resent: u64 = cabled.near.paths().iter().map(|path| path.counters.retransmitted_chunks).sum();
    assert!(resent > 0, "the cable lost something");
    assert!(cabled.cables[1].carried() >= 50, "the lossy cable was used until it lost something");
    assert!(cabled.near.paths()[1].counters.acked_bytes.get() > 0);
}
