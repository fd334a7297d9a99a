//! Flows of a network behind this host.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::sync::Arc;

use anabranch_transparent::{Capture, Replies};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::task::{JoinHandle, spawn_blocking};

use crate::ends::{at, is_beside, is_captured, server, tcp_socket};
use crate::hosts::{FAR_V4, Host, NOWHERE_V4, NOWHERE_V6, behind, far};
use crate::ping::{Echo, ping};
use crate::{PATIENCE, capture, not_soon, open, request, soon, strict};

/// Runs a program on a host.
fn run<T: Send + 'static>(host: &Arc<Host>, program: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    let host = host.clone();
    spawn_blocking(move || host.within(program))
}

/// Connects from `host` to `to`, and expects that it is captured and carries bytes both ways.
async fn connection_is_captured(capture: &Capture, host: &Arc<Host>, to: SocketAddr) {
    let program = run(host, move || {
        let mut stream = TcpStream::connect_timeout(&to, PATIENCE).expect("a connection");
        stream.write_all(b"ping").expect("sent");
        let mut bytes = [0; 4];
        stream.read_exact(&mut bytes).expect("an answer");
        (bytes, stream.local_addr().expect("connected"))
    });
    let mut connection = soon(capture.accept()).await.expect("a connection");
    assert_eq!(connection.destination, to);
    let mut bytes = [0; 4];
    soon(connection.stream.read_exact(&mut bytes)).await.expect("bytes");
    connection.stream.write_all(&bytes).await.expect("sent");
    assert_eq!(program.await.expect("the program"), (*b"ping", connection.program));
}

/// Sends a datagram from `host` to `to`, and expects that it is captured, and that an answer comes from there.
async fn datagram_is_captured(capture: &Capture, host: &Arc<Host>, to: SocketAddr) {
    let program = run(host, move || {
        let socket = UdpSocket::bind(if to.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" }).expect("a socket");
        socket.set_read_timeout(Some(PATIENCE)).expect("a socket");
        socket.send_to(b"question", to).expect("sent");
        let mut bytes = [0; 16];
        let (length, from) = socket.recv_from(&mut bytes).expect("an answer");
        (bytes[..length].to_vec(), from)
    });
    let datagram = soon(capture.receive()).await.expect("a datagram");
    assert_eq!((datagram.destination, datagram.data), (to, b"question".to_vec()));
    Replies::new().send(b"answer", to, datagram.program).expect("answered");
    assert_eq!(program.await.expect("the program"), (b"answer".to_vec(), to));
}

#[tokio::test]
async fn flows_of_a_network_behind_are_captured_by_address_and_by_interface() {
    let Some(far) = far() else { return };
    let lan = Arc::new(behind());
    for taken in [["from=192.168.7.0/24", "from=fd00:7::/64"].as_slice(), &["from=lan"]] {
        let capture = capture(taken);
        for ip in [NOWHERE_V4, NOWHERE_V6] {
            connection_is_captured(&capture, &lan, at(ip, 80)).await;
            datagram_is_captured(&capture, &lan, at(ip, 53)).await;
        }
        assert_eq!(far.packets_to(NOWHERE_V4) + far.packets_to(NOWHERE_V6), 0);
        is_beside(&server(&far, FAR_V4, 80), tcp_socket(at(FAR_V4, 80)), at(FAR_V4, 80)).await;
    }
}

#[tokio::test]
async fn flows_of_other_networks_are_forwarded_as_before() {
    let Some(far) = far() else { return };
    let lan = Arc::new(behind());
    far.ip("route add 192.168.7.0/24 via 192.0.2.2");
    let capture = capture(&["from=10.9.0.0/16", "host"]);
    let server = server(&far, FAR_V4, 80);
    let program = run(&lan, || TcpStream::connect_timeout(&at(FAR_V4, 80), PATIENCE).map(drop));
    let (_, from) = soon(server.accept()).await.expect("a connection");
    assert_eq!(from.ip(), at("192.168.7.2", 0).ip());
    program.await.expect("the program").expect("a connection");
    is_captured(&capture, at(NOWHERE_V4, 80)).await;
}

#[tokio::test]
async fn a_network_behind_reaches_this_host_exceptions_and_private_networks() {
    let Some(far) = far() else { return };
    let lan = Arc::new(behind());
    far.ip("route add 192.168.7.0/24 via 192.0.2.2");
    far.ip("addr add 10.1.0.1/32 dev lo");
    let capture = open(&request(&["from=lan"], &["198.51.100.9:80"]));
    for (ip, port) in [(FAR_V4, 80), ("10.1.0.1", 80)] {
        let server = server(&far, ip, port);
        let program = run(&lan, move || TcpStream::connect_timeout(&at(ip, port), PATIENCE).map(drop));
        soon(server.accept()).await.expect("a connection");
        program.await.expect("the program").expect("a connection");
    }
    let here = tokio::net::TcpListener::bind("192.168.7.1:22").await.expect("our address");
    let program = run(&lan, || TcpStream::connect_timeout(&at("192.168.7.1", 22), PATIENCE).map(drop));
    soon(here.accept()).await.expect("a connection");
    program.await.expect("the program").expect("a connection");
    // A name server there is not beyond the capture.
    datagram_is_captured(&capture, &lan, at("10.1.0.1", 53)).await;
    connection_is_captured(&capture, &lan, at(FAR_V4, 81)).await;
}

#[tokio::test]
async fn echo_requests_of_a_network_behind_are_refused() {
    let Some(far) = far() else { return };
    let lan = Arc::new(behind());
    far.ip("route add 192.168.7.0/24 via 192.0.2.2");
    let ping = || run(&lan, || ping(FAR_V4));
    assert_eq!(ping().await.expect("the program"), Some(Echo::Answer));
    let _capture = capture(&["from=lan"]);
    assert_eq!(ping().await.expect("the program"), Some(Echo::Prohibited));
}

#[tokio::test]
async fn a_strict_capture_forwards_only_to_exceptions() {
    let Some(far) = far() else { return };
    let lan = Arc::new(behind());
    far.ip("route add 192.168.7.0/24 via 192.0.2.2");
    far.ip("addr add 10.1.0.1/32 dev lo");
    let capture = open(&strict(&["from=192.168.7.0/25"], &["10.1.0.1"]));
    connection_is_captured(&capture, &lan, at(FAR_V4, 80)).await;
    let server = server(&far, "10.1.0.1", 80);
    let program = run(&lan, || TcpStream::connect_timeout(&at("10.1.0.1", 80), PATIENCE).map(drop));
    soon(server.accept()).await.expect("a connection");
    program.await.expect("the program").expect("a connection");
    // Another address of the network is not carried: it reaches the exception, and may not leave otherwise.
    lan.ip("addr add 192.168.7.200/24 dev eth0");
    lan.ip("route replace default via 192.168.7.1 src 192.168.7.200");
    let program = run(&lan, || TcpStream::connect_timeout(&at("10.1.0.1", 80), PATIENCE).map(drop));
    let (_, from) = soon(server.accept()).await.expect("a connection");
    assert_eq!(from.ip(), at("192.168.7.200", 0).ip());
    program.await.expect("the program").expect("a connection");
    far.packets();
    let other = run(&lan, || {
        let socket = UdpSocket::bind("192.168.7.200:0").expect("our address");
        socket.send_to(b"beside", at(FAR_V4, 9)).map(drop)
    });
    other.await.expect("the program").expect("sent");
    not_soon(capture.receive()).await;
    assert_eq!(far.packets_to(FAR_V4), 0);
    let here = tokio::net::TcpListener::bind("192.168.7.1:22").await.expect("our address");
    let program = run(&lan, || TcpStream::connect_timeout(&at("192.168.7.1", 22), PATIENCE).map(drop));
    soon(here.accept()).await.expect("a connection");
    program.await.expect("the program").expect("the network behind is inside");
    let error = soon(tokio::net::TcpStream::connect(at(FAR_V4, 80))).await.expect_err("beside");
    assert_eq!(error.kind(), ErrorKind::ConnectionRefused);
}
