//! Echo requests.

use std::io::{ErrorKind, Read as _};
use std::time::Duration;

use socket2::{Domain, Protocol, Socket, Type};

use crate::ends::at;

/// The end of an echo request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Echo {
    Answer,
    /// An ICMP error: administratively prohibited.
    Prohibited,
}

/// Sends an echo request from this thread's host to an IPv4 address.
pub(crate) fn ping(ip: &str) -> Option<Echo> {
    const REQUEST: [u8; 8] = [8, 0, 0xf7, 0xfd, 0, 1, 0, 1];
    let socket = Socket::new(Domain::IPV4, Type::RAW, Some(Protocol::ICMPV4)).expect("root");
    socket.set_read_timeout(Some(Duration::from_secs(1))).expect("a socket");
    match socket.send_to(&REQUEST, &at(ip, 0).into()) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {}
        other => drop(other.expect("sent")),
    }
    let mut packet = [0; 256];
    while let Ok(length) = (&socket).read(&mut packet) {
        match packet.get(20..length).and_then(|icmp| icmp.first_chunk::<2>()) {
            Some([0, 0]) => return Some(Echo::Answer),
            Some([3, 13]) => return Some(Echo::Prohibited),
            _ => {}
        }
    }
    None
}

/// Sends an echo request from this thread's host to an IPv6 address.
pub(crate) fn ping_v6(ip: &str) -> Option<Echo> {
    let socket = Socket::new(Domain::IPV6, Type::RAW, Some(Protocol::ICMPV6)).expect("root");
    socket.set_read_timeout(Some(Duration::from_secs(1))).expect("a socket");
    match socket.send_to(&[128, 0, 0, 0, 0, 1, 0, 1], &at(ip, 0).into()) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {}
        other => drop(other.expect("sent")),
    }
    let mut packet = [0; 256];
    while let Ok(length) = (&socket).read(&mut packet) {
        match packet.get(..length).and_then(|icmp| icmp.first_chunk::<2>()) {
            Some([129, 0]) => return Some(Echo::Answer),
            Some([1, 1]) => return Some(Echo::Prohibited),
            _ => {}
        }
    }
    None
}

/// Waits until this thread's host has answers from both addresses: a new link takes a moment.
pub(crate) fn wait_for(ipv4: &str, ipv6: &str) {
    let has_answer = |_| ping(ipv4) == Some(Echo::Answer) && ping_v6(ipv6) == Some(Echo::Answer);
    assert!((0..10).any(has_answer), "no answer from {ipv4} and {ipv6}");
}
