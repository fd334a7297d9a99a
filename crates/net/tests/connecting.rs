//! Information while an association is opened: the address pairs tried, undelivered packets, and peers that cannot be
//! read.

use std::net::SocketAddr;
use std::time::Duration;

use anabranch_net::{ClientKey, Clients, Endpoint, Key, Options, Security, Unreadable};

fn endpoint(security: Security, accepts: bool) -> Endpoint {
    let local = vec!["127.0.0.1:0".parse().expect("an address")];
    Endpoint::bind(Options { local, accepts, ..Options::with(security) }).expect("an endpoint")
}

/// An address with a closed port.
fn closed() -> SocketAddr {
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").expect("a socket");
    socket.local_addr().expect("an address")
}

/// Polls until `poll` returns something, for at most ten seconds.
async fn seen<T>(mut poll: impl FnMut() -> Option<T>) -> T {
    for _ in 0..500 {
        match poll() {
            Some(found) => return found,
            None => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    }
    panic!("not seen within ten seconds")
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_closed_port_is_told_in_the_kernels_words_and_does_not_end_the_attempt() {
    let near = endpoint(Security::Insecure, false);
    let remote = closed();
    let opening = near.open(&[remote]).expect("an attempt");
    assert_eq!(opening.tried()[0].remote, remote);
    let word = seen(|| opening.undelivered().into_iter().find(|word| word.remote == remote)).await;
    assert_eq!((word.error.as_str(), word.is_port_closed), ("Connection refused", true));
    let ended = tokio::time::timeout(Duration::from_millis(300), opening.opened()).await;
    assert!(ended.is_err(), "the attempt goes on: {ended:?}");
}

#[tokio::test]
async fn an_attempt_ends_when_its_time_is_over() {
    let local = vec!["127.0.0.1:0".parse().expect("an address")];
    let connect_timeout = Some(anabranch_net::base::Duration::from_millis(300));
    let options = Options { local, connect_timeout, ..Options::with(Security::Insecure) };
    let near = Endpoint::bind(options).expect("an endpoint");
    let remote = [closed()];
    let ended = tokio::time::timeout(Duration::from_secs(3), near.connect(&remote)).await;
    let error = ended.expect("in time").expect_err("no peer");
    assert!(
        matches!(&error, anabranch_net::ConnectError::TimedOut { tried, .. } if tried.len() == 1),
        "{error}"
    );
    assert!(
        error.to_string().starts_with("the peer did not answer within 0.3 s over 127.0.0.1 > "),
        "{error}"
    );
    assert_eq!(near.associations(), 0);
}

#[tokio::test]
async fn a_client_and_a_server_with_the_settings_of_the_programs_need_a_key_and_addresses() {
    let key = Key::fresh().expect("a key");
    let local: Vec<SocketAddr> = vec!["127.0.0.1:0".parse().expect("an address")];
    let server = Options::server(key.clone());
    assert!(server.local.iter().all(|address| address.ip().is_unspecified() && address.port() == 9899));
    let server = Endpoint::bind(Options { local: local.clone(), ..server }).expect("a server");
    let client = Endpoint::bind(Options { local, ..Options::client(key) }).expect("a client");
    let near = client.connect(&server.local_addresses()).await.expect("a server");
    let far = server.accept().await.expect("a client");
    near.send(anabranch_net::bytes::Bytes::from_static(b"sealed"), anabranch_net::SendOptions::default())
        .await
        .expect("an association");
    assert_eq!(far.recv().await.expect("a message").into_bytes(), "sealed");
}

/// A refusal by one address must not cost packets to another: the system reports it at the next call, whichever that is.
#[tokio::test]
async fn a_peer_opens_while_another_address_refuses() {
    let far = endpoint(Security::Insecure, true);
    let near = endpoint(Security::Insecure, false);
    let remote = [closed(), far.local_addresses()[0]];
    let opening = near.open(&remote).expect("an attempt");
    let opened = tokio::time::timeout(Duration::from_secs(10), opening.opened()).await;
    opened.expect("in time").expect("an association");
}

#[tokio::test]
async fn peers_that_cannot_be_read_are_known_with_the_reason() {
    let sealed = || Security::Sealed(Key::fresh().expect("a key"));
    let key = |byte| Key::from_bytes([byte; Key::LEN]);
    let clients = || Security::Clients(Clients::new(key(1)));
    let client = |door| Security::Client(ClientKey::new(key(door), key(9)));
    let cases = [
        (clients(), client(1), Unreadable::OtherKey),
        (clients(), client(2), Unreadable::OtherKey),
        (clients(), Security::Sealed(key(1)), Unreadable::OtherKey),
        (clients(), Security::Insecure, Unreadable::NotSealed),
        (Security::Sealed(key(1)), client(1), Unreadable::OtherKey),
        (Security::Insecure, client(1), Unreadable::Sealed),
        (sealed(), sealed(), Unreadable::OtherKey),
        (sealed(), Security::Insecure, Unreadable::NotSealed),
        (Security::Insecure, sealed(), Unreadable::Sealed),
    ];
    for (here, there, reason) in cases {
        let far = endpoint(here, true);
        let near = endpoint(there, false);
        let _opening = near.open(&far.local_addresses()).expect("an attempt");
        let peer = seen(|| far.unreadable_peers().into_iter().next()).await;
        assert_eq!((peer.remote, peer.reason), ([127, 0, 0, 1].into(), reason));
    }
}

/// A name's addresses are alternatives: only the one that answers is used.
#[tokio::test]
async fn of_a_hosts_addresses_the_one_that_answers_is_used_alone() {
    for security in [Security::Insecure, Security::Sealed(Key::fresh().expect("a key"))] {
        let far = endpoint(security.clone(), true);
        let near = endpoint(security, false);
        let host = vec![closed(), closed(), far.local_addresses()[0]];
        let opening = near.open_hosts(std::slice::from_ref(&host)).expect("an attempt");
        let opened = tokio::time::timeout(Duration::from_secs(1), opening.opened()).await;
        let association = opened.expect("in time").expect("an association");
        let paths: Vec<SocketAddr> = association.paths().iter().map(|path| path.addresses.remote).collect();
        assert_eq!(paths, host[2..]);
    }
}
