//! SOCKS5 UDP ASSOCIATE.

use std::net::{IpAddr, SocketAddr};

use anabranch_forward::socks::Datagram;
use anabranch_forward::{Destination, Front, Host};
use tokio::net::{TcpStream, UdpSocket};

use crate::party::{Party, nothing};
use crate::programs::{ask_socks, datagram, destination, udp, udp_echo};

/// The connection of a UDP association, and the address of the relay.
async fn associate(port: SocketAddr) -> (TcpStream, SocketAddr) {
    let (connection, code, bound) =
        ask_socks(port, 3, &Destination::from(SocketAddr::from(([0; 4], 0))), b"").await;
    assert_eq!(code, 0);
    let Host::Ip(IpAddr::V4(ip)) = bound.host else { panic!("{bound}") };
    (connection, (ip, bound.port).into())
}

async fn send(program: &UdpSocket, relay: SocketAddr, to: &Destination, data: &[u8]) {
    let mut bytes = Vec::new();
    Datagram { destination: to.clone(), data }.encode(&mut bytes);
    program.send_to(&bytes, relay).await.expect("sent");
}

/// The next datagram from the relay: its source and its data.
async fn receive(program: &UdpSocket) -> (Destination, Vec<u8>) {
    let (bytes, _) = datagram(program).await;
    let Datagram { destination, data } = Datagram::decode(&bytes).expect("a datagram");
    (destination, data.to_vec())
}

#[tokio::test]
async fn datagrams_to_an_address_and_to_a_name_are_answered_from_the_address() {
    let party = Party::new().await;
    let (_connection, relay) = associate(party.socks().await).await;
    let (program, echo) = (udp().await, udp_echo().await);
    for host in ["127.0.0.1", "localhost"] {
        let to = destination(&format!("{host}:{}", echo.port()));
        send(&program, relay, &to, host.as_bytes()).await;
        assert_eq!(receive(&program).await, (echo.into(), host.as_bytes().to_vec()));
    }
}

#[tokio::test]
async fn a_stranger_is_not_relayed_and_garbage_is_ignored() {
    let party = Party::new().await;
    let (_connection, relay) = associate(party.socks().await).await;
    let (program, stranger, far) = (udp().await, udp().await, udp().await);
    let to = far.local_addr().expect("bound").into();
    program.send_to(&[0, 0, 1, 1], relay).await.expect("sent");
    program.send_to(&[], relay).await.expect("sent");
    send(&program, relay, &to, b"mine").await;
    let (data, mapping) = datagram(&far).await;
    assert_eq!(data, b"mine");
    send(&stranger, relay, &to, b"not mine").await;
    nothing(datagram(&far)).await;
    far.send_to(b"answer", mapping).await.expect("sent");
    assert_eq!(receive(&program).await, (to, b"answer".to_vec()));
    nothing(datagram(&stranger)).await;
}

#[tokio::test]
async fn an_association_ends_with_its_connection() {
    let party = Party::new().await;
    let (connection, relay) = associate(party.socks().await).await;
    let (program, far) = (udp().await, udp().await);
    let to = far.local_addr().expect("bound").into();
    send(&program, relay, &to, b"first").await;
    let (_, mapping) = datagram(&far).await;
    drop(connection);
    for _ in 0..100 {
        // The relay's port is free again when it has ended.
        if UdpSocket::bind(relay).await.is_ok() {
            send(&program, relay, &to, b"too late").await;
            nothing(datagram(&far)).await;
            far.send_to(b"too late", mapping).await.expect("sent");
            return nothing(datagram(&program)).await;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("the relay goes on");
}

#[tokio::test]
async fn a_stranger_answers_with_full_cone() {
    let party = Party::new().await;
    let (_connection, relay) = associate(party.front(Front::Socks { is_full_cone: true }).await).await;
    let (program, far, stranger) = (udp().await, udp().await, udp().await);
    send(&program, relay, &far.local_addr().expect("bound").into(), b"first").await;
    let (_, mapping) = datagram(&far).await;
    stranger.send_to(b"hello", mapping).await.expect("sent");
    let source = stranger.local_addr().expect("bound").into();
    assert_eq!(receive(&program).await, (source, b"hello".to_vec()));
}
