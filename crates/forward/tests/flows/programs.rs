//! The programs and destinations of the tests: echoes, listeners that were reset, and the client's side of SOCKS5.

use std::net::SocketAddr;
use std::time::Duration;

use anabranch_forward::Destination;
use socket2::SockRef;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UdpSocket};

use crate::party::within;

/// A destination that waits for connections.
pub(crate) async fn listen() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("bound");
    (listener, address)
}

/// The next connection at a destination.
pub(crate) async fn accept(listener: &TcpListener) -> TcpStream {
    within(10, listener.accept()).await.expect("accepted").0
}

pub(crate) async fn connect(address: SocketAddr) -> TcpStream {
    within(10, TcpStream::connect(address)).await.expect("connected")
}

/// A destination that sends back what it receives, and ends when its peer ends.
pub(crate) async fn echo() -> SocketAddr {
    let (listener, address) = listen().await;
    tokio::spawn(async move {
        while let Ok((mut connection, _)) = listener.accept().await {
            tokio::spawn(async move {
                let (mut from, mut to) = connection.split();
                if tokio::io::copy(&mut from, &mut to).await.is_ok() {
                    let _ = to.shutdown().await;
                }
            });
        }
    });
    address
}

/// A destination that sends each datagram back.
pub(crate) async fn udp_echo() -> SocketAddr {
    let socket = udp().await;
    let address = socket.local_addr().expect("bound");
    tokio::spawn(async move {
        let mut buffer = vec![0; 65_535];
        while let Ok((length, source)) = socket.recv_from(&mut buffer).await {
            let _ = socket.send_to(&buffer[..length], source).await;
        }
    });
    address
}

pub(crate) async fn udp() -> UdpSocket {
    UdpSocket::bind("127.0.0.1:0").await.expect("a port")
}

/// The next datagram at `socket`, and its source.
pub(crate) async fn datagram(socket: &UdpSocket) -> (Vec<u8>, SocketAddr) {
    let mut buffer = vec![0; 65_535];
    let (length, source) = within(10, socket.recv_from(&mut buffer)).await.expect("a datagram");
    buffer.truncate(length);
    (buffer, source)
}

/// An address at which no program listens.
pub(crate) async fn closed_port() -> SocketAddr {
    listen().await.1
}

/// Sends `request`, half-closes, and returns the answer.
pub(crate) async fn exchange(connection: &mut TcpStream, request: &[u8]) -> Vec<u8> {
    let (mut from, mut to) = connection.split();
    let sending = async {
        to.write_all(request).await?;
        to.shutdown().await
    };
    let mut answer = Vec::new();
    let (sent, received) = within(30, async { tokio::join!(sending, from.read_to_end(&mut answer)) }).await;
    sent.expect("sent");
    received.expect("to the end");
    answer
}

/// Sends `request` and reads exactly as much.
pub(crate) async fn ping(connection: &mut TcpStream, request: &[u8]) {
    within(10, connection.write_all(request)).await.expect("sent");
    assert_eq!(read(connection, request.len()).await, request);
}

/// The next `length` bytes.
pub(crate) async fn read(connection: &mut TcpStream, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    within(10, connection.read_exact(&mut bytes)).await.expect("as many bytes");
    bytes
}

/// Reads the bytes until the end.
pub(crate) async fn read_to_end(connection: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    within(10, connection.read_to_end(&mut bytes)).await.expect("to the end");
    bytes
}

/// Resets a connection.
pub(crate) fn reset(connection: TcpStream) {
    SockRef::from(&connection).set_linger(Some(Duration::ZERO)).expect("set");
    drop(connection);
}

/// Waits until a connection is reset.
pub(crate) async fn until_reset(connection: &mut TcpStream) {
    let mut bytes = Vec::new();
    let error = within(10, connection.read_to_end(&mut bytes)).await.expect_err("a reset, not an end");
    assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
}

/// Asks a SOCKS5 port for `command` (1 connect, 3 UDP) with a destination, with `early` behind the request, and returns
/// the connection, the code of the reply and the bound address.
pub(crate) async fn ask_socks(
    port: SocketAddr,
    command: u8,
    destination: &Destination,
    early: &[u8],
) -> (TcpStream, u8, Destination) {
    let mut connection = connect(port).await;
    let mut request = vec![5, 1, 0, 5, command, 0];
    destination.encode(&mut request);
    request.extend(early);
    connection.write_all(&request).await.expect("sent");
    assert_eq!(read(&mut connection, 2).await, [5, 0], "no authentication");
    // Every reply has an IPv4 address here.
    let reply = within(30, async { read(&mut connection, 10).await }).await;
    assert_eq!((reply[0], reply[2]), (5, 0));
    let (bound, _) = Destination::decode(&reply[3..]).expect("an address").expect("complete");
    (connection, reply[1], bound)
}

/// Connects to `destination` through a SOCKS5 port.
pub(crate) async fn connect_by_socks(port: SocketAddr, destination: &Destination) -> TcpStream {
    let (connection, code, _) = ask_socks(port, 1, destination, b"").await;
    assert_eq!(code, 0);
    connection
}

pub(crate) fn destination(text: &str) -> Destination {
    text.parse().expect("a destination")
}

/// Pseudo-random bytes.
pub(crate) fn content(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut bytes = Vec::with_capacity(length + 8);
    while bytes.len() < length {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    bytes.truncate(length);
    bytes
}
