//! Programs whose flows are captured, and servers on other hosts.

use std::io;
use std::net::SocketAddr;
use std::os::fd::AsFd;

use anabranch_transparent::{Capture, Connection, OWN_MARK};
use nix::unistd::{Uid, setfsuid};
use socket2::SockRef;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpSocket, TcpStream, UdpSocket};

use crate::hosts::Host;
use crate::soon;

/// The address `ip:port`.
pub(crate) fn at(ip: &str, port: u16) -> SocketAddr {
    SocketAddr::new(ip.parse().expect(ip), port)
}

/// The user whose flows tests select.
pub(crate) const USER: u32 = 4_242;

/// Runs `open` as this user: sockets that it opens belong to that user.
pub(crate) fn as_user<T>(user: u32, open: impl FnOnce() -> T) -> T {
    let before = setfsuid(Uid::from_raw(user));
    let opened = open();
    setfsuid(before);
    opened
}

/// A socket of TCP for `to`.
pub(crate) fn tcp_socket(to: SocketAddr) -> TcpSocket {
    if to.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }.expect("a socket")
}

/// A socket of UDP for `to`.
pub(crate) fn udp_socket(to: SocketAddr) -> UdpSocket {
    let any = if to.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
    let socket = std::net::UdpSocket::bind(any).expect("a socket");
    socket.set_nonblocking(true).expect("a socket");
    UdpSocket::from_std(socket).expect("a socket")
}

/// Marks a socket as this program's own.
pub(crate) fn own<S: AsFd>(socket: S) -> S {
    SockRef::from(&socket.as_fd()).set_mark(OWN_MARK).expect("root");
    socket
}

/// Connects to `to`, and expects that the connection is captured and carries bytes both ways.
pub(crate) async fn is_captured(capture: &Capture, to: SocketAddr) {
    is_captured_from(capture, tcp_socket(to), to).await;
}

/// The same with this socket.
pub(crate) async fn is_captured_from(capture: &Capture, socket: TcpSocket, to: SocketAddr) {
    let (connected, accepted) = soon(async { tokio::join!(socket.connect(to), capture.accept()) }).await;
    let mut program = connected.unwrap_or_else(|error| panic!("{to}: {error}"));
    let Connection { mut stream, program: from, destination, .. } = accepted.expect("a connection");
    assert_eq!((destination, from), (to, program.local_addr().expect("connected")));
    soon(talk(&mut program, &mut stream)).await.expect("both ways");
    assert_eq!(program.peer_addr().expect("connected"), to);
}

/// Sends bytes both ways.
pub(crate) async fn talk(one: &mut TcpStream, other: &mut TcpStream) -> io::Result<()> {
    let mut bytes = [0; 4];
    one.write_all(b"ping").await?;
    other.read_exact(&mut bytes).await?;
    assert_eq!(&bytes, b"ping");
    other.write_all(b"pong").await?;
    one.read_exact(&mut bytes).await?;
    assert_eq!(&bytes, b"pong");
    Ok(())
}

/// Sends a datagram to `to`, and expects that it is captured, and that an answer comes from there.
pub(crate) async fn datagram_is_captured(
    capture: &Capture,
    replies: &anabranch_transparent::Replies,
    socket: &UdpSocket,
    to: SocketAddr,
) {
    socket.send_to(b"question", to).await.expect("sent");
    let datagram = soon(capture.receive()).await.expect("a datagram");
    assert_eq!((datagram.destination, datagram.data.as_slice()), (to, b"question".as_slice()));
    assert_eq!(datagram.program.port(), socket.local_addr().expect("bound").port());
    replies.send(b"answer", to, datagram.program).expect("answered");
    let mut bytes = [0; 64];
    let (length, from) = soon(socket.recv_from(&mut bytes)).await.expect("an answer");
    assert_eq!((&bytes[..length], from), (b"answer".as_slice(), to));
}

/// A server at an address of another host that accepts connections.
pub(crate) fn server(host: &Host, ip: &str, port: u16) -> TcpListener {
    let listener = host.within(|| std::net::TcpListener::bind(at(ip, port)).expect("an address"));
    listener.set_nonblocking(true).expect("a socket");
    TcpListener::from_std(listener).expect("a socket")
}

/// Connects to `to`, and expects that `server` accepts the connection, beside the capture.
pub(crate) async fn is_beside(server: &TcpListener, socket: TcpSocket, to: SocketAddr) {
    let (connected, accepted) = soon(async { tokio::join!(socket.connect(to), server.accept()) }).await;
    let mut program = connected.unwrap_or_else(|error| panic!("{to}: {error}"));
    let (mut stream, _) = accepted.expect("a connection");
    soon(talk(&mut program, &mut stream)).await.expect("both ways");
}
