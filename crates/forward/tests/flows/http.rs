//! HTTP CONNECT, and its refusals.

use std::net::SocketAddr;

use anabranch_forward::Front;
use tokio::io::AsyncWriteExt as _;

use crate::party::{Party, Setup};
use crate::programs::{closed_port, connect, content, echo, ping, read, read_to_end};

const OPENED: &[u8] = b"HTTP/1.1 200 Connection established\r\n\r\n";

fn head(target: &str) -> Vec<u8> {
    format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n").into_bytes()
}

#[tokio::test]
async fn a_tunnel_carries_what_is_sent_early_behind_the_head() {
    let party = Party::new().await;
    let (port, echo) = (party.front(Front::Http).await, echo().await);
    for (target, early) in [(echo.to_string(), 0), (format!("localhost:{}", echo.port()), 30_000)] {
        let early = content(early, 1);
        let mut connection = connect(port).await;
        connection.write_all(&[head(&target), early.clone()].concat()).await.expect("sent");
        assert_eq!(read(&mut connection, OPENED.len()).await, OPENED);
        assert!(read(&mut connection, early.len()).await == early);
        ping(&mut connection, b"and more").await;
    }
}

/// The whole answer to `request`.
async fn answer(port: SocketAddr, request: &[u8]) -> String {
    let mut connection = connect(port).await;
    connection.write_all(request).await.expect("sent");
    String::from_utf8(read_to_end(&mut connection).await).expect("text")
}

#[tokio::test]
async fn each_refusal_has_its_status_and_its_reason() {
    let party = Party::with(Setup { allowed: &["127.0.0.1"], ..Setup::default() }).await;
    let port = party.front(Front::Http).await;
    let closed = closed_port().await.to_string();
    let large = format!("CONNECT a:1 HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(20_000)).into_bytes();
    let post = [&b"POST / HTTP/1.1\r\nContent-Length: 90000\r\n\r\n"[..], &[b'x'; 90_000]].concat();
    let cases: [(Vec<u8>, &str, &str); 7] = [
        (head("127.0.0.2:80"), "403 Forbidden", "127.0.0.2"),
        (head(&closed), "502 Bad Gateway", "refused"),
        (head("unknown.invalid:80"), "504 Gateway Timeout", "unknown.invalid"),
        (b"CONNECT\x01\r\n\r\n".to_vec(), "400 Bad Request", "malformed"),
        (head("no-port"), "400 Bad Request", "without a port"),
        (post, "405 Method Not Allowed", "other than CONNECT"),
        (large, "431 Request Header Fields Too Large", "16384 bytes"),
    ];
    for (request, status, reason) in cases {
        let answer = answer(port, &request).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}\r\n")), "{status}: {answer}");
        assert!(answer.to_lowercase().contains(&reason.to_lowercase()), "{reason}: {answer}");
    }
    party.here.wait_for("an HTTP request other than CONNECT").await;
    party.there.wait_for("no flow to 127.0.0.2:80").await;
}
