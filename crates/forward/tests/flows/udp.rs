//! UDP ports: answers, large datagrams, and strangers.

use tokio::net::UdpSocket;

use crate::party::{Party, Setup, nothing};
use crate::programs::{content, datagram, destination, udp, udp_echo};

#[tokio::test]
async fn two_programs_get_their_own_answers() {
    let party = Party::new().await;
    let port = party.udp(udp_echo().await, false).await;
    let programs = [udp().await, udp().await];
    for round in 0..20_u8 {
        for (number, program) in (0_u8..).zip(&programs) {
            program.send_to(&[number, round], port).await.expect("sent");
        }
        for (number, program) in (0_u8..).zip(&programs) {
            assert_eq!(datagram(program).await, (vec![number, round], port));
        }
    }
}

#[tokio::test]
async fn a_large_and_an_empty_datagram_arrive_whole() {
    let party = Party::new().await;
    let port = party.udp(udp_echo().await, false).await;
    let program = udp().await;
    for length in [60_000, 0, 1] {
        let sent = content(length, 1);
        program.send_to(&sent, port).await.expect("sent");
        assert!(datagram(&program).await.0 == sent, "{length}");
    }
}

#[tokio::test]
async fn a_name_is_looked_up_by_the_server() {
    let party = Party::new().await;
    let echo = udp_echo().await;
    let port = party.udp(destination(&format!("localhost:{}", echo.port())), false).await;
    let program = udp().await;
    program.send_to(b"by name", port).await.expect("sent");
    assert_eq!(datagram(&program).await.0, b"by name");
}

#[tokio::test]
async fn a_datagram_to_what_is_not_allowed_is_dropped_with_an_event() {
    let party = Party::with(Setup { allowed: &[], ..Setup::default() }).await;
    let port = party.udp(udp_echo().await, false).await;
    let program = udp().await;
    program.send_to(b"x", port).await.expect("sent");
    party.there.wait_for("was dropped: 127.0.0.1 is").await;
    nothing(datagram(&program)).await;
}

/// A program, the destination, and the address at which the destination sees the program.
async fn mapped(party: &Party, is_full_cone: bool) -> (UdpSocket, UdpSocket, std::net::SocketAddr) {
    let (program, far) = (udp().await, udp().await);
    let port = party.udp(far.local_addr().expect("bound"), is_full_cone).await;
    program.send_to(b"first", port).await.expect("sent");
    let (first, mapping) = datagram(&far).await;
    assert_eq!(first, b"first");
    // On loopback the server's socket is seen at the address of its destination.
    (program, far, mapping)
}

#[tokio::test]
async fn a_stranger_answers_only_with_full_cone() {
    let party = Party::new().await;
    for is_full_cone in [false, true] {
        let (program, far, mapping) = mapped(&party, is_full_cone).await;
        let stranger = udp().await;
        stranger.send_to(b"stranger", mapping).await.expect("sent");
        if is_full_cone {
            assert_eq!(datagram(&program).await.0, b"stranger");
        } else {
            nothing(datagram(&program)).await;
        }
        far.send_to(b"answer", mapping).await.expect("sent");
        assert_eq!(datagram(&program).await.0, b"answer");
    }
}
