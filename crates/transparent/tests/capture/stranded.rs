//! Connections from an address that this host loses.

use std::io::ErrorKind;
use std::time::Duration;

use anabranch_transparent::{Capture, Connection, Stranded};
use socket2::SockRef;
use tokio::io::AsyncReadExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

use crate::ends::{at, own, server, talk, tcp_socket};
use crate::hosts::{FAR_V4, FAR_V6, Host, NOWHERE_V4, NOWHERE_V6, far, ip};
use crate::{capture, not_soon, soon};

/// A second address of the near host in each family, with the length of its prefix.
const ADDRESSES: [(&str, u8); 2] = [("192.0.2.77", 24), ("2001:db8:2::77", 64)];
/// The time in which a program gets its error.
const PROMPT: Duration = Duration::from_secs(3);

fn change(verb: &str, (address, length): (&str, u8)) {
    let family = if address.contains(':') { "-6 " } else { "" };
    let flags = if verb == "add" && address.contains(':') { " nodad" } else { "" };
    ip(&format!("{family}addr {verb} {address}/{length} dev near{flags}"));
}

/// Runs `flow` while connections from lost addresses are ended, which are reported to it.
async fn while_ended<T>(
    capture: &Capture,
    flow: impl AsyncFnOnce(mpsc::UnboundedReceiver<Stranded>) -> T,
) -> T {
    let (reported, reports) = mpsc::unbounded_channel();
    let ending = capture.end_stranded(move |stranded| drop(reported.send(stranded)));
    tokio::select! {
        // Has read the addresses before the flow begins.
        biased;
        never = ending => match never {},
        done = flow(reports) => done,
    }
}

/// A captured connection from `from`, and the program's end.
async fn captured_from(capture: &Capture, from: &str, to: &str) -> (TcpStream, Connection) {
    let (socket, to) = (tcp_socket(at(to, 80)), at(to, 80));
    socket.bind(at(from, 0)).expect("an address");
    let (program, accepted) = soon(async { tokio::join!(socket.connect(to), capture.accept()) }).await;
    (program.expect("captured"), accepted.expect("a connection"))
}

/// A connection to or from the far host beside the capture, and its far end.
async fn beside(far: &Host, address: &str, is_from_outside: bool) -> (TcpStream, TcpStream) {
    let far_address = if address.contains(':') { FAR_V6 } else { FAR_V4 };
    if is_from_outside {
        let here = TcpListener::bind(at(address, 22)).await.expect("our address");
        let outside = far.within(|| std::net::TcpStream::connect(at(address, 22)).expect("a connection"));
        outside.set_nonblocking(true).expect("a socket");
        let (inside, _) = soon(here.accept()).await.expect("a connection");
        return (inside, TcpStream::from_std(outside).expect("a socket"));
    }
    let (server, socket) = (server(far, far_address, 80), own(tcp_socket(at(far_address, 80))));
    socket.bind(at(address, 0)).expect("an address");
    let (program, accepted) =
        soon(async { tokio::join!(socket.connect(at(far_address, 80)), server.accept()) }).await;
    (program.expect("beside"), accepted.expect("a connection").0)
}

#[tokio::test]
async fn a_captured_connection_from_a_lost_address_gets_an_error_and_others_go_on() {
    let Some(far) = far() else { return };
    for (address, nowhere, kept) in
        [(ADDRESSES[0], NOWHERE_V4, "192.0.2.2"), (ADDRESSES[1], NOWHERE_V6, "2001:db8:2::2")]
    {
        change("add", address);
        let capture = capture(&["host"]);
        while_ended(&capture, async |mut reports| {
            let (mut program, mut connection) = captured_from(&capture, address.0, nowhere).await;
            let (mut other, mut other_connection) = captured_from(&capture, kept, nowhere).await;
            let (mut inside, mut outside) = beside(&far, address.0, true).await;
            let (mut near_end, mut far_end) = beside(&far, address.0, false).await;
            change("del", address);
            let read = timeout(PROMPT, program.read(&mut [0])).await.expect("in time");
            assert_eq!(read.map_err(|error| error.kind()), Err(ErrorKind::ConnectionAborted));
            assert_eq!(soon(&mut connection.stranded).await, Ok(()));
            let expected = Stranded { address: at(address.0, 0).ip(), connections: 1, refused: None };
            assert_eq!(soon(reports.recv()).await, Some(expected));
            soon(talk(&mut other, &mut other_connection.stream)).await.expect("from an address that is here");
            // Connections beside hear nothing, and go on when the address is back.
            not_soon(inside.read(&mut [0])).await;
            not_soon(near_end.read(&mut [0])).await;
            change("add", address);
            soon(talk(&mut outside, &mut inside)).await.expect("from outside");
            soon(talk(&mut near_end, &mut far_end)).await.expect("beside");
        })
        .await;
    }
}

#[tokio::test]
async fn a_program_that_waits_to_send_gets_an_error_too() {
    let Some(_far) = far() else { return };
    change("add", ADDRESSES[0]);
    let capture = capture(&["host"]);
    while_ended(&capture, async |_| {
        let (program, _connection) = captured_from(&capture, ADDRESSES[0].0, NOWHERE_V4).await;
        // Nobody reads: the buffers fill.
        while timeout(Duration::from_millis(100), program.writable()).await.is_ok() {
            let _ = program.try_write(&[0; 65_536]);
        }
        change("del", ADDRESSES[0]);
        let writing = async {
            loop {
                program.writable().await.expect("a socket");
                match program.try_write(b"more") {
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                    other => return other.map_err(|error| error.kind()),
                }
            }
        };
        assert_eq!(timeout(PROMPT, writing).await.expect("in time"), Err(ErrorKind::ConnectionAborted));
    })
    .await;
}

/// The reset of the far end meets an address that is missing.
#[tokio::test]
async fn a_program_whose_connection_was_reset_meanwhile_gets_an_error_too() {
    let Some(_far) = far() else { return };
    change("add", ADDRESSES[0]);
    let capture = capture(&["host"]);
    while_ended(&capture, async |_| {
        let (mut program, connection) = captured_from(&capture, ADDRESSES[0].0, NOWHERE_V4).await;
        change("del", ADDRESSES[0]);
        SockRef::from(&connection.stream).set_linger(Some(Duration::ZERO)).expect("a socket");
        drop(connection);
        let read = timeout(PROMPT, program.read(&mut [0])).await.expect("in time");
        assert_eq!(read.map_err(|error| error.kind()), Err(ErrorKind::ConnectionAborted));
    })
    .await;
}

#[tokio::test]
async fn connections_from_an_address_that_comes_back_at_once_go_on() {
    let Some(_far) = far() else { return };
    change("add", ADDRESSES[0]);
    let capture = capture(&["host"]);
    while_ended(&capture, async |mut reports| {
        let (mut program, mut connection) = captured_from(&capture, ADDRESSES[0].0, NOWHERE_V4).await;
        for _ in 0..2 {
            change("del", ADDRESSES[0]);
            sleep(Duration::from_millis(600)).await;
            change("add", ADDRESSES[0]);
            sleep(Duration::from_millis(600)).await;
        }
        soon(talk(&mut program, &mut connection.stream)).await.expect("as before");
        assert!(reports.try_recv().is_err() && connection.stranded.try_recv().is_err());
    })
    .await;
}
