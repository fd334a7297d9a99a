//! Requests of every kind, clients that trickle, and clients that say nothing.

use tokio::io::duplex;
use tokio::time::Instant;

use super::*;

fn here() -> SocketAddr {
    "127.0.0.1:9898".parse().expect("an address")
}

fn page() -> Result<String, String> {
    Ok("metric 1\n".to_owned())
}

fn responded(head: &str) -> String {
    String::from_utf8(respond(head.as_bytes(), here(), page)).expect("text")
}

fn status(head: &str) -> String {
    responded(head).lines().next().unwrap_or_default().trim_start_matches("HTTP/1.1 ").to_owned()
}

#[test]
fn the_page_is_served_by_get_and_head_alone() {
    let text = responded("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:9898\r\n\r\n");
    assert!(text.starts_with("HTTP/1.1 200 OK\r\n") && text.ends_with("\r\n\r\nmetric 1\n"), "{text}");
    assert!(
        text.contains("Content-Type: text/plain; version=0.0.4") && text.contains("Content-Length: 9\r\n")
    );
    let text = responded("HEAD /metrics?x=1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert!(text.contains("Content-Length: 9\r\n") && text.ends_with("\r\n\r\n"), "{text}");
    assert_eq!(status("POST /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"), "405 Method Not Allowed");
    assert_eq!(status("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"), "404 Not Found");
}

#[test]
fn a_request_that_names_another_host_or_none_is_refused() {
    for host in
        ["evil.example", "evil.example:9898", "127.0.0.2:9898", "localhost:80", "[::1]:9898", "127.1:9898"]
    {
        let head = format!("GET /metrics HTTP/1.1\r\nHost: {host}\r\n\r\n");
        assert_eq!(status(&head), "421 Misdirected Request", "{host}");
    }
    for fields in ["", "Host: localhost\r\nHost: evil.example\r\n", "Host: \u{1}\r\n"] {
        let head = format!("GET /metrics HTTP/1.1\r\n{fields}\r\n");
        assert_eq!(status(&head), "400 Bad Request", "{fields:?}");
    }
}

#[test]
fn a_port_on_all_addresses_is_named_by_any_address_but_by_no_name() {
    let any: SocketAddr = "[::]:9898".parse().expect("an address");
    for host in ["192.0.2.7:9898", "[2001:db8::7]:9898", "LOCALHOST:9898", "127.0.0.1"] {
        assert!(is_here(host, any), "{host}");
    }
    for host in ["evil.example:9898", "192.0.2.7:80", "2001:db8::7", "[192.0.2.7]:9898", "", ":9898", "[::"] {
        assert!(!is_here(host, any), "{host}");
    }
    let mapped: SocketAddr = "[::ffff:127.0.0.1]:9898".parse().expect("an address");
    assert!(is_here("127.0.0.1:9898", mapped));
}

#[test]
fn any_head_has_an_answer() {
    let many: String = (0..100).map(|number| format!("X-{number}: 1\r\n")).collect();
    for (head, expected) in [
        ("GET /metrics HTTP/1.1\r\nHost: localhost\r\n".to_owned(), "431"),
        (format!("GET /metrics HTTP/1.1\r\n{many}\r\n"), "431"),
        ("\u{16}\u{3}\u{1}".to_owned(), "400"),
        ("GET  HTTP\r\n\r\n".to_owned(), "400"),
    ] {
        assert!(status(&head).starts_with(expected), "{head:?}: {}", status(&head));
    }
}

/// The bytes that a client of `serve_one` gets back, and the time until the connection is closed.
async fn exchanged(pieces: &[&[u8]], pause: Duration) -> (Vec<u8>, Duration) {
    let (mut client, server) = duplex(64 * 1024);
    let serving = tokio::spawn(serve_one(server, here(), page));
    let began = Instant::now();
    for piece in pieces {
        if client.write_all(piece).await.is_err() {
            break;
        }
        sleep(pause).await;
    }
    let mut answer = Vec::new();
    client.read_to_end(&mut answer).await.expect("readable");
    drop(client);
    serving.await.expect("it ends");
    (answer, began.elapsed())
}

#[tokio::test(start_paused = true)]
async fn a_request_in_pieces_is_answered_and_one_that_trickles_is_cut() {
    let pieces: Vec<&[u8]> = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".chunks(7).collect();
    let (answer, _) = exchanged(&pieces, Duration::from_millis(100)).await;
    assert!(answer.ends_with(b"metric 1\n"));
    let slow: Vec<&[u8]> = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n".chunks(1).collect();
    let (answer, lasted) = exchanged(&slow, Duration::from_secs(1)).await;
    assert!(answer.is_empty(), "{answer:?}");
    assert!(lasted <= PATIENCE + Duration::from_secs(2), "{lasted:?}");
}

#[tokio::test(start_paused = true)]
async fn a_head_that_does_not_end_is_refused_when_it_is_too_long() {
    let endless = [b"GET /metrics HTTP/1.1\r\nX: ".to_vec(), vec![b'x'; 3 * LONGEST_HEAD]].concat();
    let (answer, _) = exchanged(&[&endless], Duration::ZERO).await;
    assert!(answer.starts_with(b"HTTP/1.1 431"), "{}", String::from_utf8_lossy(&answer));
}

#[tokio::test]
async fn many_silent_clients_take_the_places_and_then_others_are_served() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("bound");
    tokio::spawn(serve(listener, address, page));
    let connect = || async { tokio::net::TcpStream::connect(address).await.expect("connected") };
    let mut silent = Vec::new();
    for _ in 0..MOST_CONNECTIONS {
        silent.push(connect().await);
    }
    let mut late = connect().await;
    late.write_all(format!("GET {PATH} HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes()).await.expect("sent");
    let mut answer = Vec::new();
    let early = timeout(Duration::from_millis(300), late.read_to_end(&mut answer)).await;
    assert!(early.is_err() && answer.is_empty(), "there is no place");
    drop(silent);
    timeout(Duration::from_secs(5), late.read_to_end(&mut answer)).await.expect("a place").expect("readable");
    assert!(answer.ends_with(b"metric 1\n"));
}
