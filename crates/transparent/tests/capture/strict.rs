//! Captures beside which nothing leaves, killed captures, and what is restored.

use std::io::ErrorKind;
use std::net::{SocketAddr, UdpSocket};

use anabranch_transparent::{Replies, Restored, STRICT_TABLE, TABLE};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use crate::ends::{
    USER, as_user, at, datagram_is_captured, is_beside, is_captured, is_captured_from, own, server,
    tcp_socket, udp_socket,
};
use crate::hosts::{FAR_V4, FAR_V6, Host, NOWHERE_V4, far, ip, ip_output};
use crate::kernel::{has_table, tables};
use crate::ping::{Echo, ping};
use crate::{capture, child, open, release_soon, request, soon, strict};

/// Expects that nothing leaves: connections and datagrams fail at once.
async fn nothing_leaves(far: &Host) {
    far.packets();
    for to in [at(FAR_V4, 80), at(FAR_V6, 80), at("192.0.2.1", 80)] {
        let error = soon(TcpStream::connect(to)).await.expect_err("it would leave");
        assert_eq!(error.kind(), ErrorKind::ConnectionRefused, "{to}");
        let socket = UdpSocket::bind(SocketAddr::new(unspecified(to), 0)).expect("a socket");
        let error = socket.send_to(b"beside", to).expect_err("it would leave");
        assert_eq!(error.kind(), ErrorKind::PermissionDenied, "{to}");
    }
    assert_eq!(ping(FAR_V4), None);
    assert_eq!(far.packets_to(FAR_V4) + far.packets_to(FAR_V6) + far.packets_to("192.0.2.1"), 0);
}

fn unspecified(to: SocketAddr) -> std::net::IpAddr {
    if to.is_ipv4() { at("0.0.0.0", 0).ip() } else { at("::", 0).ip() }
}

#[tokio::test]
async fn a_killed_capture_leaves_no_table_and_the_next_removes_its_rules() {
    let Some(_far) = far() else { return };
    let before = [ip_output("rule"), ip_output("-6 rule")];
    let mut killed = child::start("open host");
    assert_eq!(tables(), [TABLE]);
    killed.kill().and_then(|()| killed.wait()).expect("it runs");
    assert_eq!(tables(), [] as [String; 0]);
    assert_ne!([ip_output("rule"), ip_output("-6 rule")], before);
    let next = capture(&["host"]);
    assert_eq!(ip_output("rule").matches(" lookup 6385250").count(), 1);
    is_captured(&next, at(NOWHERE_V4, 80)).await;
    drop(next);
    assert_eq!([ip_output("rule"), ip_output("-6 rule")], before);
}

#[tokio::test]
async fn after_a_killed_capture_release_removes_its_rules() {
    let Some(_far) = far() else { return };
    let mut killed = child::start("open host");
    killed.kill().and_then(|()| killed.wait()).expect("it runs");
    let released = release_soon();
    assert_eq!((released.strict_table, released.rules, released.routes), (false, 2, 2));
    assert_eq!(release_soon().to_string(), "nothing to remove");
}

#[tokio::test]
async fn after_a_killed_strict_capture_nothing_leaves_until_release() {
    let Some(far) = far() else { return };
    let server = server(&far, FAR_V4, 80);
    let mut killed = child::start("strict host");
    killed.kill().and_then(|()| killed.wait()).expect("it runs");
    assert_eq!(tables(), [STRICT_TABLE]);
    nothing_leaves(&far).await;
    // The next strict capture takes the place of the killed one.
    let next = open(&strict(&["host"], &[]));
    is_captured(&next, at(FAR_V4, 80)).await;
    drop(next);
    nothing_leaves(&far).await;
    let released = release_soon();
    assert_eq!((released.strict_table, released.rules, released.routes), (true, 0, 0));
    assert_eq!(tables(), [] as [String; 0]);
    is_beside(&server, tcp_socket(at(FAR_V4, 80)), at(FAR_V4, 80)).await;
}

#[tokio::test]
async fn a_capture_that_is_not_strict_leaves_the_table_of_a_strict_one() {
    let Some(far) = far() else { return };
    drop(open(&strict(&["host"], &[])));
    let capture = capture(&["port=443"]);
    is_captured(&capture, at(FAR_V4, 443)).await;
    nothing_leaves(&far).await;
    drop(capture);
    assert!(release_soon().strict_table);
}

#[tokio::test]
async fn a_strict_capture_carries_private_destinations_and_lets_only_own_packets_leave() {
    let Some(far) = far() else { return };
    far.ip("addr add 10.1.0.1/32 dev lo");
    far.ip("addr add 10.2.0.1/32 dev lo");
    let capture = open(&strict(&[&format!("uid={USER}")], &["10.2.0.1"]));
    for to in [at("10.1.0.1", 80), at(NOWHERE_V4, 80)] {
        is_captured_from(&capture, as_user(USER, || tcp_socket(to)), to).await;
        datagram_is_captured(&capture, &Replies::new(), &as_user(USER, || udp_socket(to)), to).await;
    }
    nothing_leaves(&far).await;
    for (ip, socket) in [
        (FAR_V4, own(tcp_socket(at(FAR_V4, 80)))),
        (FAR_V6, own(tcp_socket(at(FAR_V6, 80)))),
        ("10.2.0.1", tcp_socket(at("10.2.0.1", 80))),
    ] {
        is_beside(&server(&far, ip, 80), socket, at(ip, 80)).await;
    }
    assert_eq!(ping("10.2.0.1"), Some(Echo::Answer));
    drop(capture);
    release_soon();
}

/// A host that moves to another network loses the address that programs connected from.
#[tokio::test]
async fn answers_to_an_address_that_this_host_no_longer_has_do_not_leave() {
    const GONE: &str = "203.0.113.5";
    let Some(far) = far() else { return };
    let server = server(&far, FAR_V4, 80);
    for request in [request(&["host"], &[]), strict(&["host"], &[])] {
        ip(&format!("addr add {GONE}/32 dev near"));
        let (capture, to) = (open(&request), at(NOWHERE_V4, 80));
        let socket = tcp_socket(to);
        socket.bind(at(GONE, 0)).expect("an address");
        let (program, accepted) = soon(async { tokio::join!(socket.connect(to), capture.accept()) }).await;
        let (program, mut accepted) = (program.expect("captured"), accepted.expect("a connection"));
        ip(&format!("addr del {GONE}/32 dev near"));
        far.packets();
        accepted.stream.write_all(b"secret").await.expect("a buffer");
        let _ = Replies::new().send(b"secret", to, at(GONE, 9));
        // What follows on the same link arrives behind them.
        is_beside(&server, own(tcp_socket(at(FAR_V4, 80))), at(FAR_V4, 80)).await;
        assert_eq!(far.packets_to(GONE), 0);
        drop((program, capture));
    }
    release_soon();
}

#[tokio::test]
async fn removed_rules_routes_and_tables_are_restored_and_meanwhile_nothing_leaves_a_strict_capture() {
    let Some(far) = far() else { return };
    let capture = open(&strict(&["host"], &[]));
    ip("rule del priority 753");
    far.packets();
    let socket = UdpSocket::bind("0.0.0.0:0").expect("a socket");
    let sent = socket.send_to(b"beside", at(FAR_V4, 9));
    assert_eq!(sent.map_err(|error| error.kind()).err(), Some(ErrorKind::PermissionDenied));
    assert_eq!(far.packets_to(FAR_V4), 0);
    ip("-6 route flush table 6385250");
    let (reported, mut reports) = tokio::sync::mpsc::unbounded_channel();
    let keep = capture.keep(move |restored| drop(reported.send(restored)));
    let flow = async {
        let [first, second] = [soon(reports.recv()).await, soon(reports.recv()).await];
        assert_eq!(first, Some(Restored::Route { is_ipv6: true }));
        assert_eq!(second, Some(Restored::Rule { is_ipv6: false }));
        for to in [at(FAR_V4, 80), at(FAR_V6, 80)] {
            is_captured(&capture, to).await;
        }
        crate::not_soon(reports.recv()).await;
        ip("-6 rule del priority 753");
        assert_eq!(soon(reports.recv()).await, Some(Restored::Rule { is_ipv6: true }));
        is_captured(&capture, at(FAR_V6, 80)).await;
    };
    tokio::select! {
        () = flow => {}
        never = keep => match never {},
    }
    assert!(has_table(TABLE) && has_table(STRICT_TABLE));
}
