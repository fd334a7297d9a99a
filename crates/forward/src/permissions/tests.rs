//! Destinations and rules, and the property that no form of an IPv4 address passes where the address does not.

use std::net::{Ipv4Addr, Ipv6Addr};

use proptest::prelude::*;

use super::*;

fn permissions(allowed: &[&str]) -> Permissions {
    let allowed = allowed.iter().map(|text| text.parse().expect("an allowance")).collect();
    Permissions { allowed, own: vec![ip("198.41.0.4"), ip("::ffff:199.7.83.42"), ip("2001:503:ba3e::2:30")] }
}

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn refusal(permissions: &Permissions, text: &str) -> Option<String> {
    permissions.check(ip(text), 80).err().map(|refusal| refusal.to_string())
}

/// The forms of an IPv4 address in IPv6: mapped, compatible, NAT64, IPv4-translated, 6to4, Teredo, and the local NAT64
/// prefix with the lengths of RFC 6052 §2.2.
fn forms(ip: Ipv4Addr) -> Vec<Ipv6Addr> {
    let bits = u128::from(u32::from(ip));
    let local = 0x64_ff9b_0001_u128 << 80;
    // Bits 64 to 71 are zero, and the IPv4 address continues after them.
    let around = |before: u32| {
        let (first, second) = (bits >> (32 - before), bits & ((1 << (32 - before)) - 1));
        (first << 64) | (second << (24 + before))
    };
    let all = [
        (0xffff << 32) | bits,
        bits,
        (0x64_ff9b << 96) | bits,
        (0xffff << 48) | bits,
        (0x2002 << 112) | (bits << 80),
        (0x2001 << 112) | (bits << 64) | (bits ^ 0xffff_ffff),
        local | bits,
        local | around(16),
        local | around(8) | (1 << 72),
        local | (bits << 24),
    ];
    all.map(Ipv6Addr::from).to_vec()
}

#[test]
fn the_public_internet_is_permitted() {
    for text in ["1.1.1.1", "::ffff:1.1.1.1", "2606:4700::1111", "2002:101:101::1"] {
        assert_eq!(refusal(&Permissions::default(), text), None, "{text}");
    }
}

#[test]
fn a_refusal_names_the_class_and_what_would_allow_it() {
    let says = |text: &str| refusal(&permissions(&[]), text).expect(text);
    let refuses = "the server refuses it unless --allow";
    let expected = [
        ("127.0.0.1", "127.0.0.1 is a loopback address", "127.0.0.1:80"),
        ("::1", "::1 is a loopback address", "[::1]:80"),
        ("::ffff:10.0.0.1", "::ffff:10.0.0.1 is a private address", "10.0.0.1:80"),
        ("2002:a00:1::", "2002:a00:1:: carries 10.0.0.1, a private address", "10.0.0.1:80"),
        (
            "64:ff9b::1.1.1.1",
            "64:ff9b::101:101 is an address of a translator to IPv4",
            "[64:ff9b::101:101]:80",
        ),
        ("64:ff9b:1::1", "64:ff9b:1::1 is an address of a local translator to IPv4", "all:80"),
        ("2001::1", "2001::1 is a Teredo address", "all:80"),
        ("198.41.0.4", "198.41.0.4 is an address of the server itself", "198.41.0.4:80"),
    ];
    for (text, is, allow) in expected {
        assert_eq!(says(text), format!("{is}: {refuses} {allow}"));
    }
}

#[test]
fn port_zero_is_refused_whatever_is_allowed() {
    for text in ["1.1.1.1", "127.0.0.1"] {
        assert_eq!(permissions(&["all"]).check(ip(text), 0), Err(Refusal::PortZero));
    }
}

#[test]
fn every_class_is_refused_in_every_form_and_passes_where_all_is_allowed() {
    let refused = [
        "0.0.0.0",
        "0.255.255.255",
        "10.1.2.3",
        "100.64.0.1",
        "127.0.0.1",
        "127.255.255.255",
        "169.254.169.254",
        "172.31.255.255",
        "192.0.0.1",
        "192.0.2.1",
        "192.168.1.1",
        "198.19.0.1",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "198.41.0.4",
        "199.7.83.42",
    ];
    for text in refused {
        let plain: Ipv4Addr = text.parse().expect("an address");
        for form in forms(plain).into_iter().map(IpAddr::V6).chain([plain.into()]) {
            assert!(permissions(&[]).check(form, 80).is_err(), "{form}");
            assert_eq!(permissions(&["all"]).check(form, 80), Ok(()), "{form}");
            assert!(permissions(&["all:81"]).check(form, 80).is_err(), "{form}");
        }
    }
}

#[test]
fn an_allowance_of_ipv4_allows_the_mapped_form() {
    let some = permissions(&["10.0.0.0/8:80"]);
    assert_eq!(refusal(&some, "10.0.0.1"), None);
    assert_eq!(refusal(&some, "::ffff:10.0.0.1"), None);
    assert!(some.check(ip("::ffff:10.0.0.1"), 81).is_err());
    assert!(refusal(&some, "::ffff:127.0.0.1").is_some());
    assert!(refusal(&some, "::10.0.0.1").is_some(), "the deprecated form is reserved");
}

#[test]
fn an_ipv4_address_behind_a_translator_needs_both_allowances() {
    let public = permissions(&["64:ff9b::/96"]);
    assert_eq!(refusal(&public, "64:ff9b::1.1.1.1"), None);
    assert!(
        refusal(&public, "64:ff9b::10.0.0.1")
            .is_some_and(|text| text.contains("carries 10.0.0.1, a private"))
    );
    assert_eq!(refusal(&permissions(&["64:ff9b::/96", "10.0.0.0/8"]), "64:ff9b::10.0.0.1"), None);
    assert!(refusal(&permissions(&["::/0", "0.0.0.0/0"]), "64:ff9b:1::1").is_some());
}

#[test]
fn own_addresses_are_refused_unless_allowed() {
    for text in ["198.41.0.4", "::ffff:198.41.0.4", "199.7.83.42", "2001:503:ba3e::2:30"] {
        assert!(
            refusal(&permissions(&[]), text).is_some_and(|text| text.contains("of the server itself")),
            "{text}"
        );
        assert_eq!(refusal(&Permissions::default(), text), None, "{text}");
    }
    assert_eq!(refusal(&permissions(&["198.41.0.4:80"]), "198.41.0.4"), None);
    assert_eq!(refusal(&permissions(&["[2001:503:ba3e::]/48:80"]), "2001:503:ba3e::2:30"), None);
}

fn allowances() -> impl Strategy<Value = Vec<&'static str>> {
    let some = [
        "10.0.0.0/8",
        "127.0.0.1:80",
        "0.0.0.0/0:443",
        "::/0",
        "::/96",
        "64:ff9b::/96",
        "64:ff9b:1::/48",
        "2002::/16",
        "2001::/32",
        "[::ffff:0:0]/96:80",
        "fc00::/7",
        "::ffff:0:0:0/96",
        "192.168.0.0/16:1-1023",
        "::/1",
        "all:8080",
    ];
    prop::collection::vec(prop::sample::select(some.to_vec()), 0..4)
}

fn ipv4() -> impl Strategy<Value = Ipv4Addr> {
    let known = [
        [10, 0, 0, 1],
        [127, 0, 0, 1],
        [192, 168, 1, 1],
        [198, 41, 0, 4],
        [1, 1, 1, 1],
        [0, 0, 0, 0],
        [0, 0, 0, 1],
    ];
    prop_oneof![any::<Ipv4Addr>(), prop::sample::select(known.to_vec()).prop_map(Ipv4Addr::from)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_form_of_an_ipv4_address_passes_where_the_address_does_not(
        plain in ipv4(),
        allowed in allowances(),
        port in prop::sample::select(vec![0, 22, 80, 443, 8080]),
    ) {
        let permissions = permissions(&allowed);
        let is_refused = permissions.check(plain.into(), port).is_err();
        for form in forms(plain) {
            // `::` and `::1` are addresses of their own.
            let is_special = form.is_unspecified() || form.is_loopback();
            if is_refused && !is_special {
                prop_assert!(permissions.check(form.into(), port).is_err(), "{} as {}", plain, form);
            }
        }
        let mapped = permissions.check(plain.to_ipv6_mapped().into(), port);
        prop_assert_eq!(mapped.is_err(), is_refused);
    }

    #[test]
    fn the_allowance_that_a_refusal_names_lifts_it(ip: IpAddr, port in 1..=u16::MAX) {
        let mut permissions = permissions(&[]);
        // A translated address is refused for itself, then for what it carries.
        for _ in 0..2 {
            let Err(refusal) = permissions.check(ip, port) else { break };
            let text = refusal.to_string();
            let (_, allow) = text.split_once("--allow ").expect("a remedy");
            permissions.allowed.push(allow.parse().expect("an allowance"));
        }
        prop_assert_eq!(permissions.check(ip, port), Ok(()));
    }
}
