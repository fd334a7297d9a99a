//! The invariants for any bytes that a peer or a client sends as a destination, and for its addresses.
#![no_main]

use std::net::{IpAddr, Ipv4Addr};

use anabranch_forward::{Destination, Host, Permissions};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| destination(bytes));

/// Reading a destination does not panic and does not depend on the sizes of the reads. A destination that is written and
/// read again is the same, and a terminal can show it safely.
fn destination(bytes: &[u8]) {
    let whole = Destination::decode(bytes);
    let parts = (0..bytes.len().min(MOST_READ)).map(|len| Destination::decode(&bytes[..len]));
    assert_eq!(parts.into_iter().find(|part| *part != Ok(None)).unwrap_or_else(|| whole.clone()), whole);
    match whole {
        Ok(Some((destination, used))) => {
            assert!(used <= bytes.len());
            check(&destination);
        }
        Ok(None) => assert!(bytes.len() < MOST_READ),
        Err(error) => assert!(!error.to_string().contains(char::is_control)),
    }
    if let Ok(destination) = String::from_utf8_lossy(bytes).parse() {
        check(&destination);
    }
}

fn check(destination: &Destination) {
    let mut written = Vec::new();
    destination.encode(&mut written);
    assert_eq!(Destination::decode(&written), Ok(Some((destination.clone(), written.len()))));
    let shown = destination.to_string();
    assert!(shown.chars().all(|c| c.is_ascii_graphic()));
    if destination.port != 0 {
        assert_eq!(shown.parse().as_ref(), Ok(destination));
    }
    match &destination.host {
        Host::Ip(ip) => check_permission(*ip, destination.port),
        Host::Name(name) => assert!((1..=255).contains(&name.as_str().len())),
    }
}

/// An address that ends with a private IPv4 address, or is one, is refused where it is a form of that address.
fn check_permission(ip: IpAddr, port: u16) {
    let result = Permissions::default().check(ip, port);
    if let Err(refusal) = &result {
        assert!(!refusal.to_string().contains(char::is_control));
    }
    let IpAddr::V6(ipv6) = ip else { return };
    let [.., a, b, c, d] = ipv6.octets();
    let inner = Ipv4Addr::new(a, b, c, d);
    let is_form = ipv6.segments()[..5] == [0; 5] || ipv6.segments()[..6] == [0x64, 0xff9b, 0, 0, 0, 0];
    if is_form && (inner.is_private() || inner.is_loopback() || inner.is_link_local()) {
        assert!(result.is_err(), "{ip}");
    }
}

/// The longest destination has a name of 255 bytes.
const MOST_READ: usize = 1 + 1 + 255 + 2;
