//! Programs that say too little, too slowly, or too much: their requests are bounded in time, number and length.

use std::net::SocketAddr;
use std::time::Duration;

use anabranch_forward::Front;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::party::{Party, within};
use crate::programs::{connect, connect_by_socks, echo, ping, read_to_end};

/// Sends `first`, and `more` again and again, until the port ends the connection.
async fn trickle(port: SocketAddr, first: &[u8], more: &[u8]) -> Duration {
    let began = Instant::now();
    let mut connection = connect(port).await;
    connection.write_all(first).await.expect("sent");
    let mut bytes = [0; 64];
    loop {
        tokio::select! {
            read = connection.read(&mut bytes) => if read.unwrap_or(0) == 0 { return began.elapsed() },
            () = tokio::time::sleep(Duration::from_millis(100)) => {
                let _ = connection.write_all(more).await;
            }
        }
    }
}

/// It takes as long as the forwarder's patience.
#[tokio::test]
async fn a_request_that_trickles_for_ever_is_cut_off() {
    let party = Party::new().await;
    let (socks, http) = (party.socks().await, party.front(Front::Http).await);
    let head = b"CONNECT a:1 HTTP/1.1\r\nX: ";
    // A greeting with 255 methods, and the request in its time.
    let all = async {
        tokio::join!(
            trickle(socks, b"\x05", b""),
            trickle(socks, b"\x05\xff", b"\x02"),
            trickle(socks, b"\x05\x01\x00\x05\x01\x00\x03\xff", b"a"),
            trickle(http, head, b"y"),
            trickle(http, b"C", b""),
        )
    };
    let (greeting, methods, request, header, line) = within(20, all).await;
    for time in [greeting, methods, request, header, line] {
        assert!((9..13).contains(&time.as_secs()), "{time:?}");
    }
}

#[tokio::test]
async fn programs_that_say_nothing_keep_no_other_out() {
    let party = Party::new().await;
    let (socks, http) = (party.socks().await, party.front(Front::Http).await);
    let echo = echo().await;
    for port in [socks, http] {
        let mut silent = Vec::new();
        for _ in 0..300 {
            silent.push(connect(port).await);
        }
        // The oldest give way.
        for connection in &mut silent[..44] {
            let end = within(2, connection.read(&mut [0])).await;
            assert_eq!(end.unwrap_or(0), 0);
        }
        let is_open = |connection: &TcpStream| {
            connection.try_read(&mut [0]).is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock)
        };
        assert!(silent[60..].iter().all(is_open));
    }
    let mut flow = within(2, connect_by_socks(socks, &echo.into())).await;
    ping(&mut flow, b"hello").await;
    let mut tunnel = connect(http).await;
    tunnel.write_all(format!("CONNECT {echo} HTTP/1.1\r\n\r\n").as_bytes()).await.expect("sent");
    let answer = within(2, crate::programs::read(&mut tunnel, 12)).await;
    assert_eq!(answer, b"HTTP/1.1 200");
}

/// A name of SOCKS5 has at most 255 bytes.
#[tokio::test]
async fn a_name_of_64_kib_is_refused() {
    let party = Party::new().await;
    let port = party.front(Front::Http).await;
    let mut connection = connect(port).await;
    let request = [b"CONNECT ", &[b'a'; 65_536][..], b":80 HTTP/1.1\r\n\r\n"].concat();
    connection.write_all(&request).await.expect("sent");
    let answer = String::from_utf8(read_to_end(&mut connection).await).expect("text");
    assert!(answer.starts_with("HTTP/1.1 431 "), "{answer}");
    let mut connection = connect(port).await;
    let request = [b"CONNECT ", &[b'a'; 10_000][..], b":80 HTTP/1.1\r\n\r\n"].concat();
    connection.write_all(&request).await.expect("sent");
    let answer = String::from_utf8(read_to_end(&mut connection).await).expect("text");
    assert!(answer.starts_with("HTTP/1.1 400 ") && answer.contains("a host name of 10000 bytes"), "{answer}");
}
