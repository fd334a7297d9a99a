//! Every class with its edges, written by hand and not from the table of the classes.

use AddressClass::*;

use super::*;

fn class(text: &str) -> Option<AddressClass> {
    AddressClass::of(text.parse().unwrap_or_else(|error| panic!("{text}: {error}")))
}

/// First, last, one before, one after; `None` is the public internet.
type Edges = (
    AddressClass,
    [&'static str; 2],
    Option<(&'static str, Option<AddressClass>)>,
    Option<(&'static str, Option<AddressClass>)>,
);

fn check(all: &[Edges]) {
    for (expected, inside, before, after) in all {
        for text in inside {
            assert_eq!(class(text), Some(*expected), "{text}");
        }
        for (text, neighbour) in [before, after].into_iter().flatten() {
            assert_eq!(class(text), *neighbour, "{text}, beside {inside:?}");
        }
    }
}

#[test]
fn every_class_of_ipv4_ends_where_the_registry_says() {
    let public = |text| Some((text, None));
    check(&[
        (Unspecified, ["0.0.0.0", "0.255.255.255"], None, public("1.0.0.0")),
        (Private, ["10.0.0.0", "10.255.255.255"], public("9.255.255.255"), public("11.0.0.0")),
        (
            SharedByProvider,
            ["100.64.0.0", "100.127.255.255"],
            public("100.63.255.255"),
            public("100.128.0.0"),
        ),
        (Loopback, ["127.0.0.0", "127.255.255.255"], public("126.255.255.255"), public("128.0.0.0")),
        (LinkLocal, ["169.254.0.0", "169.254.255.255"], public("169.253.255.255"), public("169.255.0.0")),
        (Private, ["172.16.0.0", "172.31.255.255"], public("172.15.255.255"), public("172.32.0.0")),
        (ProtocolAssignment, ["192.0.0.0", "192.0.0.255"], public("191.255.255.255"), public("192.0.1.0")),
        (Documentation, ["192.0.2.0", "192.0.2.255"], public("192.0.1.255"), public("192.0.3.0")),
        (Private, ["192.168.0.0", "192.168.255.255"], public("192.167.255.255"), public("192.169.0.0")),
        (Benchmarking, ["198.18.0.0", "198.19.255.255"], public("198.17.255.255"), public("198.20.0.0")),
        (Documentation, ["198.51.100.0", "198.51.100.255"], public("198.51.99.255"), public("198.51.101.0")),
        (Documentation, ["203.0.113.0", "203.0.113.255"], public("203.0.112.255"), public("203.0.114.0")),
        (
            Multicast,
            ["224.0.0.0", "239.255.255.255"],
            public("223.255.255.255"),
            Some(("240.0.0.0", Some(Reserved))),
        ),
        (
            Reserved,
            ["240.0.0.0", "255.255.255.254"],
            Some(("239.255.255.255", Some(Multicast))),
            Some(("255.255.255.255", Some(Broadcast))),
        ),
        (Broadcast, ["255.255.255.255"; 2], Some(("255.255.255.254", Some(Reserved))), None),
    ]);
}

#[test]
fn every_class_of_ipv6_ends_where_the_registry_says() {
    let public = |text| Some((text, None));
    let is = |class: AddressClass, text| Some((text, Some(class)));
    check(&[
        (Unspecified, ["::"; 2], None, is(Loopback, "::1")),
        (Loopback, ["::1"; 2], is(Unspecified, "::"), is(Reserved, "::2")),
        (
            Translated,
            ["::ffff:0:0:0", "::ffff:0:ffff:ffff"],
            is(Reserved, "::fffe:ffff:ffff:ffff"),
            is(Reserved, "::ffff:1:0:0"),
        ),
        (
            Translated,
            ["64:ff9b::", "64:ff9b::ffff:ffff"],
            is(Reserved, "64:ff9a:ffff:ffff:ffff:ffff:ffff:ffff"),
            is(Reserved, "64:ff9b::1:0:0"),
        ),
        (
            TranslatedLocally,
            ["64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"],
            is(Reserved, "64:ff9b:0:ffff:ffff:ffff:ffff:ffff"),
            is(Reserved, "64:ff9b:2::"),
        ),
        (
            Reserved,
            ["100::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
            is(Reserved, "ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
            public("2000::"),
        ),
        (
            Teredo,
            ["2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff"],
            public("2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
            is(ProtocolAssignment, "2001:1::"),
        ),
        (
            Benchmarking,
            ["2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff"],
            is(ProtocolAssignment, "2001:1:ffff:ffff:ffff:ffff:ffff:ffff"),
            is(ProtocolAssignment, "2001:2:1::"),
        ),
        (
            ProtocolAssignment,
            ["2001:1::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"],
            is(Teredo, "2001:0:ffff:ffff:ffff:ffff:ffff:ffff"),
            public("2001:200::"),
        ),
        (
            Documentation,
            ["2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"],
            public("2001:db7:ffff:ffff:ffff:ffff:ffff:ffff"),
            public("2001:db9::"),
        ),
        (
            Documentation,
            ["3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"],
            public("3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
            public("3fff:1000::"),
        ),
        (
            Reserved,
            ["4000::", "fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
            public("3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
            is(UniqueLocal, "fc00::"),
        ),
        (
            UniqueLocal,
            ["fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
            is(Reserved, "fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
            is(Reserved, "fe00::"),
        ),
        (
            LinkLocal,
            ["fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
            is(Reserved, "fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
            is(SiteLocal, "fec0::"),
        ),
        (
            SiteLocal,
            ["fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
            is(LinkLocal, "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
            is(Multicast, "ff00::"),
        ),
        (
            Multicast,
            ["ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
            is(SiteLocal, "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
            None,
        ),
    ]);
}

#[test]
fn hosts_of_the_public_internet_have_no_class() {
    for text in
        ["1.1.1.1", "8.8.8.8", "193.0.6.139", "2606:4700::1111", "2a00:1450:4001::1", "2002:808:808::1"]
    {
        assert_eq!(class(text), None, "{text}");
    }
}

#[test]
fn an_ipv4_address_is_found_where_each_form_carries_it() {
    let carried = |text: &str| carried(text.parse().expect("an address")).map(|ip| ip.to_string());
    for text in
        ["::10.1.2.3", "64:ff9b::10.1.2.3", "::ffff:0:10.1.2.3", "2002:a01:203::", "2002:a01:203:9:9:9:9:9"]
    {
        assert_eq!(carried(text).as_deref(), Some("10.1.2.3"), "{text}");
    }
    assert_eq!(carried("::2").as_deref(), Some("0.0.0.2"));
    for text in ["10.1.2.3", "::", "::1", "::1:0:0:1", "64:ff9b:1::10.1.2.3", "2001:db8::1", "2003:a01:203::"]
    {
        assert_eq!(carried(text), None, "{text}");
    }
}
