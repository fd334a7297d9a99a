//! Connections.

use std::io::ErrorKind;

use anabranch_transparent::Capture;
use tokio::net::TcpStream;

use crate::ends::{at, is_beside, is_captured, own, server, talk, tcp_socket};
use crate::hosts::{FAR_V4, FAR_V6, NOWHERE_V4, NOWHERE_V6, far};
use crate::{capture, not_soon, open, request, soon};

#[tokio::test]
async fn connections_to_addresses_that_exist_nowhere_arrive_with_their_destination() {
    let Some(far) = far() else { return };
    let capture = capture(&["host"]);
    assert!(capture.carries_ipv6());
    for to in [at(NOWHERE_V4, 80), at(NOWHERE_V6, 443), at(NOWHERE_V4, 65_535), at(FAR_V6, 1)] {
        is_captured(&capture, to).await;
    }
    assert_eq!(far.packets_to(NOWHERE_V4) + far.packets_to(NOWHERE_V6), 0);
}

#[tokio::test]
async fn connections_of_own_sockets_go_beside() {
    let Some(far) = far() else { return };
    let _capture = capture(&["host"]);
    for ip in [FAR_V4, FAR_V6] {
        let server = server(&far, ip, 80);
        is_beside(&server, own(tcp_socket(at(ip, 80))), at(ip, 80)).await;
        assert!(far.packets_to(ip) > 0);
    }
}

#[tokio::test]
async fn a_connection_to_the_own_address_of_the_socket_is_closed() {
    let Some(_far) = far() else { return };
    let capture = capture(&["host"]);
    let listening = std::fs::read_to_string("/proc/thread-self/net/tcp").expect("sockets");
    let ports = listening.lines().filter_map(|line| line.trim().split_once(": 0100007F:")?.1.get(..4));
    let ports: Vec<u16> = ports.map(|port| u16::from_str_radix(port, 16).expect(port)).collect();
    assert_eq!(ports.len(), 2, "one for connections, and one for queries to a stub");
    for port in ports {
        let direct = TcpStream::connect(("127.0.0.1", port)).await.expect("it listens");
        not_soon(capture.accept()).await;
        drop(direct);
    }
}

#[tokio::test]
async fn connections_that_are_older_than_the_capture_or_come_from_outside_stay_as_they_are() {
    let Some(far) = far() else { return };
    let server_far = server(&far, FAR_V4, 80);
    let (connected, accepted) =
        soon(async { tokio::join!(TcpStream::connect(at(FAR_V4, 80)), server_far.accept()) }).await;
    let (mut older, (mut at_far, _)) = (connected.expect("a connection"), accepted.expect("a connection"));
    let capture = capture(&["host"]);
    soon(talk(&mut older, &mut at_far)).await.expect("as before");

    let here = tokio::net::TcpListener::bind("192.0.2.2:22").await.expect("our address");
    let outside = far.within(|| std::net::TcpStream::connect(at("192.0.2.2", 22)).expect("a connection"));
    outside.set_nonblocking(true).expect("a socket");
    let mut outside = TcpStream::from_std(outside).expect("a socket");
    let (mut inside, _) = soon(here.accept()).await.expect("a connection");
    soon(talk(&mut outside, &mut inside)).await.expect("as without a capture");
    is_captured(&capture, at(FAR_V4, 80)).await;
}

#[tokio::test]
async fn destinations_of_this_host_go_beside() {
    let Some(_far) = far() else { return };
    let _capture = capture(&["host"]);
    for ip in ["127.0.0.1", "::1", "192.0.2.2", "2001:db8:2::2"] {
        let server = tokio::net::TcpListener::bind(at(ip, 80)).await.expect(ip);
        is_beside(&server, tcp_socket(at(ip, 80)), at(ip, 80)).await;
    }
}

#[tokio::test]
async fn exceptions_go_beside_at_their_ports() {
    let Some(far) = far() else { return };
    let capture = open(&request(&["host"], &["198.51.100.9:80,90-99", "[2001:db8:9::9]:80"]));
    for (ip, port) in [(FAR_V4, 80), (FAR_V4, 95), (FAR_V6, 80)] {
        is_beside(&server(&far, ip, port), tcp_socket(at(ip, port)), at(ip, port)).await;
    }
    for (ip, port) in [(FAR_V4, 81), (FAR_V4, 100), (FAR_V6, 95), (NOWHERE_V4, 80)] {
        is_captured(&capture, at(ip, port)).await;
    }
}

#[tokio::test]
async fn private_networks_go_beside_but_not_those_that_are_added() {
    let Some(far) = far() else { return };
    far.ip("addr add 10.1.0.1/32 dev lo");
    far.ip("addr add 10.2.0.1/32 dev lo");
    far.ip("addr add fd00:9::1/128 dev lo nodad");
    let capture = capture(&["host", "to=10.2.0.0/16"]);
    for ip in ["10.1.0.1", "fd00:9::1"] {
        is_beside(&server(&far, ip, 80), tcp_socket(at(ip, 80)), at(ip, 80)).await;
    }
    is_captured(&capture, at("10.2.0.1", 80)).await;
}

#[tokio::test]
async fn many_connections_at_once_arrive() {
    let Some(_far) = far() else { return };
    let capture = capture(&["host"]);
    let mut programs = tokio::task::JoinSet::new();
    for port in 1..=200 {
        programs.spawn(TcpStream::connect(at(NOWHERE_V4, port)));
    }
    let mut ports = Vec::new();
    for _ in 0..200 {
        ports.push(soon(capture.accept()).await.expect("a connection").destination.port());
    }
    ports.sort_unstable();
    assert_eq!(ports, (1..=200).collect::<Vec<u16>>());
    assert!(programs.join_all().await.iter().all(Result::is_ok));
}

#[tokio::test]
async fn servers_here_may_have_the_port_of_a_captured_connection() {
    let Some(_far) = far() else { return };
    let capture = capture(&["host"]);
    let (program, accepted) =
        soon(async { tokio::join!(TcpStream::connect(at(NOWHERE_V4, 443)), capture.accept()) }).await;
    let (_program, connection) = (program.expect("a connection"), accepted.expect("a connection"));
    let server = tokio::net::TcpListener::bind("0.0.0.0:443").await.expect("the port is free");
    is_beside(&server, tcp_socket(at("127.0.0.1", 443)), at("127.0.0.1", 443)).await;
    drop(connection);
}

#[tokio::test]
async fn without_ipv6_flows_of_ipv6_are_refused() {
    let Some(far) = far() else { return };
    // Without the address of loopback, the others stay.
    crate::hosts::ip("-6 addr del ::1/128 dev lo");
    let capture = capture(&["host"]);
    assert!(!capture.carries_ipv6());
    let refused = soon(TcpStream::connect(at(FAR_V6, 80))).await;
    assert_eq!(refused.map_err(|error| error.kind()).err(), Some(ErrorKind::ConnectionRefused));
    assert_eq!(far.packets_to(FAR_V6), 0);
    is_captured(&capture, at(NOWHERE_V4, 80)).await;
}

#[test]
fn a_capture_needs_the_loopback_interface() {
    let Some(_far) = far() else { return };
    crate::hosts::ip("link set lo down");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let error = runtime.block_on(async { Capture::open(&request(&["host"], &[])).expect_err("lo is down") });
    assert!(error.to_string().contains("ip link set lo up"), "{error}");
}
