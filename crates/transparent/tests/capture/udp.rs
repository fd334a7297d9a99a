//! Datagrams.

use std::net::SocketAddr;

use anabranch_transparent::Replies;

use crate::ends::{at, datagram_is_captured, own, udp_socket};
use crate::hosts::{FAR_V4, FAR_V6, Host, NOWHERE_V4, NOWHERE_V6, far};
use crate::{capture, not_soon, soon};

fn far_socket(far: &Host, address: SocketAddr) -> tokio::net::UdpSocket {
    let socket = far.within(|| std::net::UdpSocket::bind(address).expect("an address"));
    socket.set_nonblocking(true).expect("a socket");
    tokio::net::UdpSocket::from_std(socket).expect("a socket")
}

#[tokio::test]
async fn datagrams_arrive_with_their_destination_and_are_answered_from_there() {
    let Some(far) = far() else { return };
    let capture = capture(&["host"]);
    let replies = Replies::new();
    for to in [at(NOWHERE_V4, 443), at(NOWHERE_V4, 53), at(NOWHERE_V6, 53), at(NOWHERE_V6, 9)] {
        let socket = udp_socket(to);
        for _ in 0..3 {
            datagram_is_captured(&capture, &replies, &socket, to).await;
        }
    }
    assert_eq!(far.packets_to(NOWHERE_V4) + far.packets_to(NOWHERE_V6), 0);
}

#[tokio::test]
async fn datagrams_of_every_size_arrive_whole() {
    let Some(_far) = far() else { return };
    let capture = capture(&["host"]);
    let (to, replies) = (at(NOWHERE_V4, 7), Replies::new());
    let socket = udp_socket(to);
    for size in [0, 1, 1_472, 1_473, 65_507] {
        let sent: Vec<u8> = (0..size).map(|byte: u32| byte as u8).collect();
        socket.send_to(&sent, to).await.expect("sent");
        let datagram = soon(capture.receive()).await.expect("a datagram");
        assert!(datagram.data == sent, "{size}");
        replies.send(&sent, to, datagram.program).expect("answered");
        let mut bytes = vec![0; 65_535];
        let (length, from) = soon(socket.recv_from(&mut bytes)).await.expect("an answer");
        assert!(bytes[..length] == sent && from == to, "{size}");
    }
}

#[tokio::test]
async fn answers_come_from_more_addresses_than_sockets_are_kept() {
    let Some(_far) = far() else { return };
    let capture = capture(&["host"]);
    let replies = Replies::new();
    let socket = udp_socket(at(NOWHERE_V4, 1));
    let last = Replies::LARGEST as u16 + 20;
    for port in (1..=last).chain([1]) {
        datagram_is_captured(&capture, &replies, &socket, at(NOWHERE_V4, port)).await;
    }
}

#[tokio::test]
async fn an_answer_that_cannot_be_sent_does_not_matter_to_others() {
    let Some(_far) = far() else { return };
    let capture = capture(&["host"]);
    let replies = Replies::new();
    let socket = udp_socket(at(NOWHERE_V4, 1));
    let program = at("192.0.2.2", socket.local_addr().expect("bound").port());
    for from in [at("192.0.2.2", 53), at("2001:db8:2::2", 53), at("127.0.0.1", 53)] {
        assert!(replies.send(b"x", from, program).is_err(), "{from} is ours");
    }
    assert!(replies.send(&vec![0; 70_000], at(NOWHERE_V4, 1), program).is_err());
    assert!(replies.send(b"x", at(NOWHERE_V6, 1), program).is_err());
    datagram_is_captured(&capture, &replies, &socket, at(NOWHERE_V4, 1)).await;
}

#[tokio::test]
async fn datagrams_of_own_sockets_and_answers_to_others_go_beside() {
    let Some(far) = far() else { return };
    let capture = capture(&["host"]);
    for to in [at(FAR_V4, 443), at(FAR_V6, 53)] {
        let there = far_socket(&far, to);
        let (ours, mut bytes) = (own(udp_socket(to)), [0; 8]);
        ours.send_to(b"own", to).await.expect("sent");
        let (_, from) = soon(there.recv_from(&mut bytes)).await.expect("a datagram");
        there.send_to(b"back", from).await.expect("sent");
        assert_eq!(soon(ours.recv_from(&mut bytes)).await.expect("an answer"), (4, to));
    }
    // A server here answers a question from outside.
    let here = tokio::net::UdpSocket::bind("192.0.2.2:123").await.expect("our address");
    let (there, mut bytes) = (far_socket(&far, at(FAR_V4, 124)), [0; 8]);
    there.send_to(b"question", at("192.0.2.2", 123)).await.expect("sent");
    let (_, from) = soon(here.recv_from(&mut bytes)).await.expect("a question");
    here.send_to(b"answer", from).await.expect("sent");
    assert_eq!(soon(there.recv_from(&mut bytes)).await.expect("an answer"), (6, at("192.0.2.2", 123)));
    not_soon(capture.receive()).await;
}

/// Sends datagrams until one arrives: a host may refuse the first ones to an address that it just got.
async fn reaches(program: &tokio::net::UdpSocket, there: &tokio::net::UdpSocket) {
    let to = there.local_addr().expect("bound");
    let mut bytes = [0; 8];
    loop {
        // The error of an earlier datagram may be reported here.
        let _ = program.send_to(b"beside", to).await;
        if tokio::time::timeout(AGAIN, there.recv_from(&mut bytes)).await.is_ok() {
            return;
        }
    }
}

/// Between two datagrams.
const AGAIN: std::time::Duration = std::time::Duration::from_millis(100);

#[tokio::test]
async fn queries_to_a_private_name_server_are_captured() {
    let Some(far) = far() else { return };
    far.ip("addr add 10.1.0.1/32 dev lo");
    far.ip("addr add fd00:9::1/128 dev lo nodad");
    let capture = capture(&["host"]);
    let replies = Replies::new();
    for ip in ["10.1.0.1", "fd00:9::1"] {
        datagram_is_captured(&capture, &replies, &udp_socket(at(ip, 53)), at(ip, 53)).await;
        crate::ends::is_captured(&capture, at(ip, 53)).await;
        let there = far_socket(&far, at(ip, 54));
        soon(reaches(&udp_socket(at(ip, 54)), &there)).await;
    }
}
