//! Queries to a name server on loopback.

use tokio::net::{TcpListener, UdpSocket};

use crate::ends::{USER, as_user, at, is_beside, talk, tcp_socket, udp_socket};
use crate::hosts::far;
use crate::{capture, not_soon, open, request, soon};

#[tokio::test]
async fn queries_of_a_selected_user_to_a_stub_are_answered_from_its_address() {
    let Some(_far) = far() else { return };
    let capture = capture(&[&format!("uid={USER}")]);
    for ip in ["127.0.0.53", "127.0.0.1", "::1"] {
        let to = at(ip, 53);
        let socket = as_user(USER, || udp_socket(to));
        socket.connect(to).await.expect("a route");
        socket.send(b"query").await.expect("sent");
        let (query, program) = soon(capture.stub().receive()).await.expect("a query");
        assert_eq!(query, b"query");
        capture.stub().answer(b"answer", program).await.expect("answered");
        let mut bytes = [0; 16];
        let length = soon(socket.recv(&mut bytes)).await.expect("an answer");
        assert_eq!(&bytes[..length], b"answer", "{ip}");

        let program = as_user(USER, || tcp_socket(to));
        let (connected, accepted) =
            soon(async { tokio::join!(program.connect(to), capture.stub().accept()) }).await;
        let (mut program, (mut stream, from)) =
            (connected.expect("a connection"), accepted.expect("a connection"));
        assert_eq!(from, program.local_addr().expect("connected"));
        soon(talk(&mut program, &mut stream)).await.expect("both ways");
    }
}

#[tokio::test]
async fn queries_of_others_and_all_queries_with_host_reach_the_stub() {
    let Some(_far) = far() else { return };
    let stub = UdpSocket::bind("127.0.0.53:53").await.expect("port 53");
    let tcp = TcpListener::bind("127.0.0.53:53").await.expect("port 53");
    let to = at("127.0.0.53", 53);
    let user = format!("uid={USER}");
    for (taken, user) in [(user.as_str(), USER + 1), ("host", USER)] {
        let capture = capture(&[taken]);
        as_user(user, || udp_socket(to)).send_to(b"query", to).await.expect("sent");
        soon(stub.recv_from(&mut [0; 16])).await.expect("a query");
        is_beside(&tcp, as_user(user, || tcp_socket(to)), to).await;
        not_soon(capture.stub().receive()).await;
    }
    // An excepted stub as well.
    let capture = open(&request(&[&user], &["127.0.0.53"]));
    as_user(USER, || udp_socket(to)).send_to(b"query", to).await.expect("sent");
    soon(stub.recv_from(&mut [0; 16])).await.expect("a query");
    not_soon(capture.stub().receive()).await;
}
