//! A server that has a key for each client: their names, clients that are removed, and those it does not know.

use std::net::UdpSocket;

use anabranch_net::{
    Association, ClientKey, Clients, CloseReason, ConnectError, Endpoint, Key, Security, SendOptions,
    Unreadable,
};

use crate::party::{exchange, join, until, within};
use crate::sealed::{restart, sealed_client, sealed_server};
use crate::tap::Tap;

fn key(byte: u8) -> Key {
    Key::from_bytes([byte; Key::LEN])
}

const DOOR: u8 = 0xd0;

fn table(rows: &[(&str, u8)]) -> Vec<(String, Key)> {
    rows.iter().map(|&(name, own)| (name.to_owned(), key(own))).collect()
}

/// A server with Ada and Ben in its table.
fn server() -> (Endpoint, Clients) {
    let clients = Clients::new(key(DOOR));
    clients.replace(table(&[("ada", 1), ("ben", 2)])).expect("two clients");
    (sealed_server(&["127.0.0.1:0"], Security::Clients(clients.clone())), clients)
}

fn client(own: u8) -> Endpoint {
    sealed_client(&["127.0.0.1:0"], Security::Client(ClientKey::new(key(DOOR), key(own))))
}

async fn refused(client: &Endpoint, server: &Endpoint) {
    let error = within(10, client.connect(&server.local_addresses())).await.expect_err("no client");
    assert!(matches!(error, ConnectError::NoAnswer { .. }), "{error:?}");
    assert_eq!(server.unreadable_peers().last().map(|peer| peer.reason), Some(Unreadable::OtherKey));
}

async fn says(from: &Association, to: &Association, text: &'static str) {
    from.send(text, SendOptions::default()).await.expect("open");
    assert_eq!(within(5, to.recv()).await.expect("arrived").into_bytes(), text);
}

#[tokio::test]
async fn each_association_has_the_name_of_its_client() {
    let (server, _) = server();
    let (ada, ben) = (client(1), client(2));
    let mut ends = Vec::new();
    for (client, name) in [(&ada, "ada"), (&ben, "ben"), (&ada, "ada")] {
        let (near, far) = within(5, join(client, &server, &server.local_addresses())).await;
        assert_eq!((far.client().as_deref(), near.client()), (Some(name), None));
        says(&near, &far, name).await;
        says(&far, &near, name).await;
        if name == "ada" {
            assert_eq!(within(5, near.close()).await, Ok(()));
        }
        ends.push((near, far));
    }
    let names: Vec<_> = ends.iter().filter_map(|(_, far)| far.client()).collect();
    assert_eq!(names.iter().map(|name| &**name).collect::<Vec<_>>(), ["ada", "ben", "ada"], "after the end");
    assert!(ends[1].1.is_open());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_paths_of_a_client_carry_8_mb_both_ways_whole() {
    let clients = Clients::new(key(DOOR));
    clients.replace(table(&[("ada", 1)])).expect("one client");
    let server = sealed_server(&["127.0.0.1:0", "127.0.0.2:0"], Security::Clients(clients));
    let ada = Security::Client(ClientKey::new(key(DOOR), key(1)));
    exchange(&sealed_client(&["127.0.0.1:0", "127.0.0.2:0"], ada), &server).await;
}

#[tokio::test]
async fn a_removed_client_is_recognized_and_cannot_reconnect() {
    let (server, clients) = server();
    let (ada, ben) = (client(1), client(2));
    let (near_ada, far_ada) = within(5, join(&ada, &server, &server.local_addresses())).await;
    let (near_ben, far_ben) = within(5, join(&ben, &server, &server.local_addresses())).await;
    assert_eq!(clients.replace(table(&[("ben", 2)])), Ok(vec!["ada".to_owned()]));
    assert!(far_ada.is_client_removed() && !far_ben.is_client_removed());
    assert_eq!(far_ada.client().as_deref(), Some("ada"));
    far_ada.abort("removed");
    let reason = within(1, near_ada.closed()).await;
    assert!(matches!(&reason, CloseReason::AbortedByPeer { .. }), "{reason:?}");
    // Neither from the same endpoint nor from another.
    drop((near_ada, far_ada));
    refused(&ada, &server).await;
    refused(&client(1), &server).await;
    says(&near_ben, &far_ben, "still here").await;
    assert_eq!(server.associations(), 1);
    // Back in the table, she is served.
    clients.replace(table(&[("ben", 2), ("ada", 1)])).expect("two clients");
    let (near, far) = within(5, join(&client(1), &server, &server.local_addresses())).await;
    assert_eq!((far.client().as_deref(), far.is_client_removed()), (Some("ada"), false));
    says(&near, &far, "again").await;
    says(&near_ben, &far_ben, "undisturbed").await;
}

/// The application has not accepted the association when the client is removed.
#[tokio::test]
async fn an_association_of_a_removed_client_is_not_accepted() {
    let (server, clients) = server();
    let (ada, ben) = (client(1), client(2));
    let near = within(5, ada.connect(&server.local_addresses())).await.expect("connected");
    until("the association waits", || server.associations() == 1).await;
    clients.replace(table(&[("ben", 2)])).expect("one client");
    let (_near_ben, far) = within(5, join(&ben, &server, &server.local_addresses())).await;
    assert_eq!(far.client().as_deref(), Some("ben"));
    let reason = within(5, near.closed()).await;
    assert!(matches!(&reason, CloseReason::AbortedByPeer { .. }), "{reason:?}");
}

#[tokio::test]
async fn a_client_with_another_key_or_a_single_key_gets_nothing() {
    let (server, _) = server();
    // Unknown, another door key, the door key alone.
    refused(&client(3), &server).await;
    let other_door = Security::Client(ClientKey::new(key(DOOR + 1), key(1)));
    refused(&sealed_client(&["127.0.0.1:0"], other_door), &server).await;
    refused(&sealed_client(&["127.0.0.1:0"], Security::Sealed(key(DOOR))), &server).await;
    let peers = server.unreadable_peers();
    assert_eq!(peers.len(), 1, "counted as one peer with another key");
    assert!(peers[0].packets >= 9, "{peers:?}");
    // The reverse case.
    let single = sealed_server(&["127.0.0.1:0"], Security::Sealed(key(DOOR)));
    refused(&client(1), &single).await;
    assert_eq!((server.associations(), single.associations()), (0, 0));
}

#[tokio::test]
async fn recorded_first_packets_of_a_client_open_nothing_and_get_nothing_once_it_is_removed() {
    let (server, clients) = server();
    let tap = Tap::before(server.local_addresses()[0]).await;
    let ada = client(1);
    let (near, far) = within(5, join(&ada, &server, &[tap.address()])).await;
    says(&near, &far, "hello").await;
    let seen = tap.seen();
    let peer = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    peer.set_nonblocking(true).expect("a socket");
    let replay =
        || seen.iter().for_each(|bytes| assert!(peer.send_to(bytes, server.local_addresses()[0]).is_ok()));
    replay();
    // Messages that arrive later show that the replayed ones were read.
    says(&near, &far, "unharmed").await;
    let mut answer = [0; 2_000];
    assert_eq!(peer.recv(&mut answer).expect("a response to the initiation"), 64);
    assert!(peer.recv(&mut answer).is_err(), "and nothing else");
    clients.replace(table(&[("ben", 2)])).expect("one client");
    replay();
    says(&near, &far, "until the application ends it").await;
    assert!(peer.recv(&mut answer).is_err(), "silence");
    assert_eq!((server.associations(), far.paths().len()), (1, 1));
}

#[tokio::test]
async fn a_server_of_several_clients_cannot_connect() {
    let ((server, _), (other, _)) = (server(), server());
    let error = within(5, server.connect(&other.local_addresses())).await.expect_err("for whom?");
    assert_eq!(error, ConnectError::ServesClients);
}

#[test]
fn a_restarted_server_is_noticed_by_its_client() {
    let clients = Clients::new(key(DOOR));
    clients.replace(table(&[("ada", 1)])).expect("one client");
    restart(&Security::Clients(clients), Security::Client(ClientKey::new(key(DOOR), key(1))));
}
