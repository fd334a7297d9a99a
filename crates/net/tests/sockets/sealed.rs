//! Endpoints that seal their packets, with an attacker on the path that sees everything: the attacks that are
//! possible, and those that are not.

use std::net::{SocketAddr, UdpSocket};
use std::time::Duration;

use anabranch_net::{
    CloseReason, ConnectError, Endpoint, Event, Key, Options, PathId, PathState, Security, SendOptions,
};

use crate::cable::Cable;
use crate::party::{
    addresses, content, exchange, impatient, join, receive_all, send_all, server, until, within,
};
use crate::tap::Tap;

fn key(byte: u8) -> Security {
    Security::Sealed(Key::from_bytes([byte; Key::LEN]))
}

pub(crate) fn sealed_server(local: &[&str], security: Security) -> Endpoint {
    let options =
        Options { local: addresses(local), accepts: true, config: impatient(), ..Options::with(security) };
    Endpoint::bind(options).expect("a server")
}

pub(crate) fn sealed_client(local: &[&str], security: Security) -> Endpoint {
    let options = Options { local: addresses(local), config: impatient(), ..Options::with(security) };
    Endpoint::bind(options).expect("a client")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_sealed_paths_carry_8_mb_both_ways_whole() {
    let server = sealed_server(&["127.0.0.1:0", "127.0.0.2:0"], key(1));
    let client = sealed_client(&["127.0.0.1:0", "127.0.0.2:0"], key(1));
    exchange(&client, &server).await;
}

#[tokio::test]
async fn nothing_of_what_is_sent_can_be_read_on_the_way() {
    let server = sealed_server(&["127.0.0.1:0"], key(1));
    let client = sealed_client(&["127.0.0.1:0"], key(1));
    let tap = Tap::before(server.local_addresses()[0]).await;
    let (near, far) = within(5, join(&client, &server, &[tap.address()])).await;
    let secret = "the treasure is under the third oak";
    near.send(secret, SendOptions::default()).await.expect("open");
    assert_eq!(within(5, far.recv()).await.expect("arrived").into_bytes(), secret);
    let has =
        |datagram: &Vec<u8>| datagram.windows(8).any(|part| secret.as_bytes().windows(8).any(|s| s == part));
    assert!(tap.seen().len() >= 3 && !tap.seen().iter().any(has));
    // SCTP is not visible either: its ports do not appear.
    assert!(!tap.seen().iter().any(|datagram| datagram.starts_with(&[0x26, 0xab, 0x26, 0xab])));
}

#[tokio::test]
async fn an_end_with_another_key_gets_no_response() {
    let server = sealed_server(&["127.0.0.1:0"], key(1));
    for other in [key(2), Security::Insecure] {
        let client = sealed_client(&["127.0.0.1:0"], other);
        let error = within(10, client.connect(&server.local_addresses())).await.expect_err("another key");
        assert!(matches!(error, ConnectError::NoAnswer { .. }), "{error:?}");
    }
    assert_eq!(server.associations(), 0);
    // The reverse case.
    let plain = server_without_key();
    let client = sealed_client(&["127.0.0.1:0"], key(1));
    let error = within(10, client.connect(&plain.local_addresses())).await.expect_err("no key");
    assert!(matches!(error, ConnectError::NoAnswer { .. }), "{error:?}");
}

fn server_without_key() -> Endpoint {
    server(&["127.0.0.1:0"])
}

#[tokio::test]
async fn damaged_repeated_and_forged_datagrams_change_nothing_but_the_time_it_takes() {
    let server = sealed_server(&["127.0.0.1:0"], key(1));
    let client = sealed_client(&["127.0.0.1:0"], key(1));
    let tap = Tap::before(server.local_addresses()[0]).await;
    tap.repeat_every(3);
    tap.damage_every(40);
    let (near, far) = within(5, join(&client, &server, &[tap.address()])).await;
    let there = content(1_000_000, 3);
    let (sent, arrived) =
        within(30, async { tokio::join!(send_all(&near, &there), receive_all(&far, there.len())) }).await;
    assert_eq!(sent, Ok(()));
    assert!(arrived.expect("all") == there);
    // All datagrams again, from another address, and damaged.
    let peer = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    for (number, datagram) in tap.seen().into_iter().enumerate() {
        let mut forged = datagram.clone();
        forged[number % datagram.len()] ^= 0x40;
        for bytes in [datagram, forged] {
            peer.send_to(&bytes, server.local_addresses()[0]).expect("sent");
        }
    }
    near.send("unharmed", SendOptions::default()).await.expect("open");
    assert_eq!(within(5, far.recv()).await.expect("arrived").into_bytes(), "unharmed");
    let paths = far.paths();
    assert_eq!((paths.len(), paths[0].addresses.remote), (1, tap.outer_addresses()[0]), "no path moved");
    assert_eq!(server.associations(), 1);
}

#[tokio::test]
async fn a_lost_handshake_is_begun_again() {
    let server = sealed_server(&["127.0.0.1:0"], key(1));
    let client = sealed_client(&["127.0.0.1:0"], key(1));
    for lose_every in [1, 2, 3] {
        let far = server.local_addresses()[0];
        let cable = Cable::lay([127, 0, 0, 3].into(), 0, far).await.expect("a cable");
        cable.lose_every(lose_every);
        let remote = [cable.address()];
        let connect = join(&client, &server, &remote);
        let mend = async {
            while cable.carried() < 3 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            cable.lose_every(0);
        };
        let ((near, _far), ()) = within(10, async { tokio::join!(connect, mend) }).await;
        assert_eq!(within(5, near.close()).await, Ok(()), "every {lose_every}");
    }
}

#[tokio::test]
async fn a_path_follows_a_translator_that_moves_to_another_port() {
    let server = sealed_server(&["127.0.0.1:0"], key(1));
    let client = sealed_client(&["127.0.0.1:0"], key(1));
    let tap = Tap::before(server.local_addresses()[0]).await;
    let (near, far) = within(5, join(&client, &server, &[tap.address()])).await;
    let mut events = far.subscribe();
    let there = content(3_000_000, 4);
    let receive = async {
        let mut arrived = receive_all(&far, 1_000_000).await?;
        tap.move_away();
        arrived.extend(receive_all(&far, 1_000_000).await?);
        tap.move_away();
        arrived.extend(receive_all(&far, there.len() - arrived.len()).await?);
        Ok::<_, CloseReason>(arrived)
    };
    let (sent, arrived) = within(20, async { tokio::join!(send_all(&near, &there), receive) }).await;
    assert_eq!(sent, Ok(()));
    assert!(arrived.expect("all") == there);
    let outer: Vec<SocketAddr> = tap.outer_addresses();
    assert_eq!(outer.len(), 3);
    for moved in &outer[1..] {
        let first = PathId::FIRST;
        within(5, async {
            while events.next().await.expect("open") != Ok(Event::PathMoved(first, *moved)) {}
        })
        .await;
    }
    // The packets of the other end arrive, too.
    far.send("here you are", SendOptions::default()).await.expect("open");
    assert_eq!(within(5, near.recv()).await.expect("arrived").into_bytes(), "here you are");
    until("the path is verified", || far.paths()[0].sample.state == PathState::Active).await;
    let paths = far.paths();
    assert_eq!((paths.len(), paths[0].addresses.remote), (1, outer[2]), "the same path, elsewhere");
}

#[tokio::test]
async fn peers_with_one_key_do_not_disturb_each_other() {
    let server = sealed_server(&["127.0.0.1:0"], key(1));
    let clients: Vec<Endpoint> = (0..3).map(|_| sealed_client(&["127.0.0.1:0"], key(1))).collect();
    let mut ends = Vec::new();
    for client in &clients {
        ends.push(within(5, join(client, &server, &server.local_addresses())).await);
    }
    for (number, (near, far)) in ends.iter().enumerate() {
        near.send(number.to_string(), SendOptions::default()).await.expect("open");
        assert_eq!(within(5, far.recv()).await.expect("arrived").into_bytes(), number.to_string());
    }
    ends[1].0.abort("one of three");
    assert!(within(5, ends[1].1.recv()).await.is_err());
    for (near, far) in [&ends[0], &ends[2]] {
        far.send("still here", SendOptions::default()).await.expect("open");
        assert_eq!(within(5, near.recv()).await.expect("arrived").into_bytes(), "still here");
    }
}

#[tokio::test]
async fn an_initiation_without_the_key_and_rubbish_get_nothing_back() {
    let server = sealed_server(&["127.0.0.1:0"], key(1));
    let peer = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    peer.set_nonblocking(true).expect("a socket");
    for number in 0..500_usize {
        let mut rubbish = content(64 + number % 3, number as u64);
        // An initiation, a response, a packet, each with a valid header.
        rubbish[..8].copy_from_slice(&[1 + (number % 3) as u8, 0, 0, 0, 0, 0, 0, 0]);
        peer.send_to(&rubbish, server.local_addresses()[0]).expect("sent");
    }
    // The next client is served, so all of the garbage was read.
    let client = sealed_client(&["127.0.0.1:0"], key(1));
    let (near, _far) = within(5, join(&client, &server, &server.local_addresses())).await;
    let mut answer = [0; 2_000];
    let nothing = peer.recv(&mut answer).expect_err("no answer");
    assert_eq!(nothing.kind(), std::io::ErrorKind::WouldBlock);
    assert_eq!(within(5, near.close()).await, Ok(()));
}

#[test]
fn a_restarted_peer_is_noticed_although_it_cannot_read_what_is_sent() {
    restart(&key(1), key(1));
}

/// The server ends without sending a packet, as if killed, and is restarted at the same address.
pub(crate) fn restart(server_key: &Security, client_key: Security) {
    let (first, second) = (runtime(), runtime());
    let server = first.block_on(async { sealed_server(&["127.0.0.1:0"], server_key.clone()) });
    let local = server.local_addresses()[0].to_string();
    second.block_on(async {
        let mut config = impatient();
        config.failover.association_max = 20;
        let options = Options { local: addresses(&["127.0.0.1:0"]), config, ..Options::with(client_key) };
        let client = Endpoint::bind(options).expect("a client");
        let (near, far) = within(5, join(&client, &server, &server.local_addresses())).await;
        // Its handles live on: dropping them would send an ABORT.
        let killed = tokio::task::spawn_blocking(move || first.shutdown_timeout(Duration::from_secs(5)));
        killed.await.expect("no panic");
        assert!(!far.is_open(), "its driver is gone");
        let options = || Options {
            local: addresses(&[&local]),
            accepts: true,
            config: impatient(),
            ..Options::with(server_key.clone())
        };
        let anew = loop {
            match Endpoint::bind(options()) {
                Ok(anew) => break anew,
                Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
            }
        };
        // Unless a HEARTBEAT was unanswered before.
        drop(near.send("who are you?", SendOptions::default()).await);
        // 50 and 100 ms without an answer, and one round trip. Time-outs alone would end it at the 21st.
        assert_eq!(within(5, near.closed()).await, CloseReason::PeerRestarted);
        let (near, _far) = within(5, join(&client, &anew, &anew.local_addresses())).await;
        assert_eq!(within(5, near.close()).await, Ok(()));
    });
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("threads")
}
