//! SOCKS5 CONNECT, its refusals, and programs that speak another protocol.

use std::net::SocketAddr;

use anabranch_forward::Event;
use anabranch_forward::socks::Reply;
use tokio::io::AsyncWriteExt as _;

use crate::party::{Party, Setup};
use crate::programs::{
    ask_socks, closed_port, connect, connect_by_socks, content, destination, echo, ping, read, read_to_end,
};

#[tokio::test]
async fn a_program_connects_to_an_address_and_to_a_name_and_sends_early() {
    let party = Party::new().await;
    let (port, echo) = (party.socks().await, echo().await);
    for host in ["127.0.0.1", "localhost"] {
        let early = content(20_000, 1);
        let to = destination(&format!("{host}:{}", echo.port()));
        let (mut connection, code, _) = ask_socks(port, 1, &to, &early).await;
        assert_eq!(code, 0, "{host}");
        assert!(read(&mut connection, early.len()).await == early);
        connection.shutdown().await.expect("half-closed");
        assert!(read_to_end(&mut connection).await.is_empty());
    }
    assert!(party.here.lines().is_empty(), "{:?}", party.here.lines());
}

#[tokio::test]
async fn a_request_may_arrive_byte_by_byte() {
    let party = Party::new().await;
    let (port, echo) = (party.socks().await, echo().await);
    let mut request = vec![5, 1, 0, 5, 1, 0];
    destination(&format!("localhost:{}", echo.port())).encode(&mut request);
    let mut connection = connect(port).await;
    connection.set_nodelay(true).expect("set");
    for byte in request {
        connection.write_all(&[byte]).await.expect("sent");
        tokio::task::yield_now().await;
    }
    assert_eq!(read(&mut connection, 12).await, [5, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
    ping(&mut connection, b"hello").await;
}

/// The code at the program, and the refusal in the events of both ends.
async fn is_refused(party: &Party, port: SocketAddr, to: &str, expected: Reply) {
    let to = destination(to);
    let (mut connection, code, _) = ask_socks(port, 1, &to, &[7; 3_000]).await;
    assert_eq!(code, expected.code(), "{to}");
    assert!(read_to_end(&mut connection).await.is_empty());
    let program = connection.local_addr().expect("bound").to_string();
    for (events, name) in [(&party.here, program.as_str()), (&party.there, "alice")] {
        let event = events.wait_for(&format!("no flow to {to}")).await;
        let Event::Refused { client, destination, refused } = event else { panic!("{event}") };
        assert_eq!((client.as_str(), &destination, refused.reply), (name, &to, expected));
    }
}

#[tokio::test]
async fn each_refusal_has_its_code_and_its_event() {
    let party = Party::with(Setup { allowed: &["127.0.0.1"], ..Setup::default() }).await;
    let port = party.socks().await;
    let closed = closed_port().await;
    is_refused(&party, port, "127.0.0.2:80", Reply::NotAllowed).await;
    is_refused(&party, port, "[::1]:80", Reply::NotAllowed).await;
    is_refused(&party, port, &closed.to_string(), Reply::ConnectionRefused).await;
    is_refused(&party, port, "unknown.invalid:80", Reply::HostUnreachable).await;
}

#[tokio::test]
async fn one_flow_too_many_is_refused_until_another_ends() {
    let party = Party::with(Setup { most_flows: 2, ..Setup::default() }).await;
    let (port, to) = (party.socks().await, destination(&echo().await.to_string()));
    let first = connect_by_socks(port, &to).await;
    let mut second = connect_by_socks(port, &to).await;
    is_refused(&party, port, &to.to_string(), Reply::GeneralFailure).await;
    let reason = party.here.lines().join("\n");
    assert!(reason.contains("the client has 2 flows, the most that the server permits"), "{reason}");
    ping(&mut second, b"goes on").await;
    drop(first);
    for _ in 0..100 {
        let (mut third, code, _) = ask_socks(port, 1, &to, b"").await;
        if code == 0 {
            return ping(&mut third, b"there is room").await;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("the flow that ended holds its place");
}

#[tokio::test]
async fn other_protocols_and_commands_are_named() {
    let party = Party::new().await;
    let port = party.socks().await;
    let cases: [(&[u8], &[u8], &str); 5] = [
        (b"\x04\x01\x00\x50\x7f\x00\x00\x01\x00", b"", "a client of SOCKS version 4"),
        (b"GET / HTTP/1.1\r\n\r\n", b"", "an HTTP request on a port of SOCKS5"),
        (b"\x16\x03\x01", b"", "a client of SOCKS version 22"),
        (b"\x05\x01\x00\x05\x02\x00", b"\x05\x00\x05\x07\x00\x01\x00\x00\x00\x00\x00\x00", "a BIND request"),
        (
            b"\x05\x01\x00\x05\x01\x00\x02",
            b"\x05\x00\x05\x08\x00\x01\x00\x00\x00\x00\x00\x00",
            "unknown kind 2",
        ),
    ];
    for (request, answer, what) in cases {
        let mut connection = connect(port).await;
        connection.write_all(request).await.expect("sent");
        assert_eq!(read_to_end(&mut connection).await, answer, "{what}");
        let program = connection.local_addr().expect("bound");
        let event = party.here.wait_for(what).await;
        assert!(matches!(event, Event::Misspoken { client, .. } if client == program), "{event}");
    }
}

#[tokio::test]
async fn a_program_that_must_authenticate_is_refused() {
    let party = Party::new().await;
    let mut connection = connect(party.socks().await).await;
    connection.write_all(&[5, 1, 2]).await.expect("sent");
    assert_eq!(read_to_end(&mut connection).await, [5, 0xff]);
}
