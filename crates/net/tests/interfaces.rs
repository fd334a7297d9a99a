//! Interfaces and addresses that appear and vanish in the test's own network namespace.
#![allow(clippy::print_stderr, reason = "the harness keeps what a test prints")]
#![cfg(target_os = "linux")]

mod enclosed;

use std::time::Duration;

use anabranch_net::{Interface, InterfaceMonitor, local_addresses_for};
use enclosed::{enclosed, ip};

#[test]
fn interfaces_and_addresses_that_come_and_go_are_reported() {
    let name = "interfaces_and_addresses_that_come_and_go_are_reported";
    if enclosed(name, &[""]).is_none() {
        return;
    }
    within_a_runtime(async {
        lay_cable();
        ip("link set one up");
        let mut monitor = InterfaceMonitor::begin().expect("a list");
        assert_eq!(shown(monitor.known()), "");

        ip("addr add 10.0.0.1/24 dev one");
        assert_eq!(nothing_for(200, &mut monitor).await, "", "there is no carrier");
        ip("link set other up");
        assert_eq!(next(&mut monitor).await, "one 10.0.0.1");

        ip("addr add 10.0.1.1/24 dev one");
        assert_eq!(next(&mut monitor).await, "one 10.0.0.1 10.0.1.1");
        ip("addr del 10.0.0.1/24 dev one");
        assert_eq!(next(&mut monitor).await, "one 10.0.1.1");
        // The address is back before the next check: nothing runs in between.
        ip("addr del 10.0.1.1/24 dev one");
        ip("addr add 10.0.1.1/24 dev one");
        assert_eq!(nothing_for(200, &mut monitor).await, "one 10.0.1.1");
        ip("link set other down");
        assert_eq!(next(&mut monitor).await, "");
        ip("link set other up");
        assert_eq!(next(&mut monitor).await, "one 10.0.1.1");
        ip("link set one down");
        assert_eq!(next(&mut monitor).await, "");
    });
}

#[test]
fn ipv6_addresses_are_told_of_when_they_may_be_used() {
    let name = "ipv6_addresses_are_told_of_when_they_may_be_used";
    if enclosed(name, &[""]).is_none() {
        return;
    }
    if !std::path::Path::new("/proc/net/if_inet6").exists() {
        return eprintln!("skipped: there is no IPv6 here");
    }
    within_a_runtime(async {
        lay_cable();
        ip("link set one up");
        ip("link set other up");
        let mut monitor = InterfaceMonitor::begin().expect("a list");
        ip("addr add fd00::1/64 dev one preferred_lft 0 nodad");
        assert_eq!(next(&mut monitor).await, "one fd00::1");
        ip("addr add fd00::2/64 dev one nodad");
        assert_eq!(next(&mut monitor).await, "one fd00::2 fd00::1", "the deprecated one is last");
        ip("addr add fd00::3/64 dev one");
        assert_eq!(nothing_for(200, &mut monitor).await, "one fd00::2 fd00::1", "it is not verified yet");
        let verified = next(&mut monitor).await;
        assert!(verified.contains("fd00::3") && verified.ends_with("fd00::1"), "{verified}");
    });
}

/// Container bridges have no route to a server; an uplink has one in the main table, or in one for its source address.
#[test]
fn an_interface_without_a_route_to_the_peer_is_no_way_out() {
    let name = "an_interface_without_a_route_to_the_peer_is_no_way_out";
    if enclosed(name, &[""]).is_none() {
        return;
    }
    let out = |peer: &str, via: &[&str]| {
        let (peer, via) =
            (peer.parse().expect("a peer"), via.iter().map(ToString::to_string).collect::<Vec<_>>());
        let found = local_addresses_for(&[peer], &via).expect("a list");
        found.iter().map(|one| one.ip().to_string()).collect::<Vec<_>>()
    };
    for (number, name) in ["bridge", "uplink", "modem", "tunnel"].into_iter().enumerate() {
        ip(&format!("link add {name} type veth peer name {name}-peer"));
        ip(&format!("link set {name}-peer up"));
        ip(&format!("link set {name} up"));
        ip(&format!("addr add 172.{}.0.1/16 dev {name}", 16 + number));
        ip(&format!("addr add fd00:{number}::1/64 dev {name} nodad"));
    }
    assert_eq!(out("203.0.113.1:9", &[]), ["0.0.0.0"], "the system has the last word");
    ip("route add default via 172.17.0.2 dev uplink metric 100");
    ip("route add default via fd00:1::2 dev uplink metric 100");
    assert_eq!(out("203.0.113.1:9", &[]), ["172.17.0.1"]);
    assert_eq!(out("[2001:db8::1]:9", &[]), ["fd00:1::1"]);
    assert_eq!(out("172.16.0.9:9", &[]), ["172.16.0.1", "172.17.0.1"], "a container, and the default route");
    assert_eq!(out("203.0.113.1:9", &["bridge"]), ["172.16.0.1"], "the user has chosen");
    ip("route add default via 172.18.0.2 dev modem metric 600");
    assert_eq!(out("203.0.113.1:9", &[]), ["172.18.0.1", "172.17.0.1"]);
    ip("route add default dev tunnel table 7");
    assert_eq!(out("203.0.113.1:9", &[]), ["172.18.0.1", "172.17.0.1"], "no rule leads to that table");
    ip("rule add from 172.19.0.1 lookup 7");
    assert_eq!(out("203.0.113.1:9", &[]), ["172.18.0.1", "172.19.0.1", "172.17.0.1"]);
    ip("route add unreachable 203.0.113.0/24");
    assert_eq!(out("203.0.113.1:9", &[]), ["172.19.0.1"]);
}

/// Two interfaces, `one` and `other`, with a cable between them.
fn lay_cable() {
    ip("link add one type veth peer name other");
    ip("link set one addrgenmode none");
    ip("link set other addrgenmode none");
}

fn within_a_runtime(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(test);
}

/// The next report.
async fn next(monitor: &mut InterfaceMonitor) -> String {
    let changed = tokio::time::timeout(Duration::from_secs(10), monitor.changed()).await;
    shown(changed.expect("a change within 10 s"))
}

/// The known interfaces, if no report arrives for `milliseconds`.
async fn nothing_for(milliseconds: u64, monitor: &mut InterfaceMonitor) -> String {
    let changed = tokio::time::timeout(Duration::from_millis(milliseconds), monitor.changed()).await;
    assert!(changed.is_err(), "{}", shown(monitor.known()));
    shown(monitor.known())
}

/// The interfaces and their addresses, except loopback.
fn shown(interfaces: &[Interface]) -> String {
    let others = interfaces.iter().filter(|interface| interface.name != "lo");
    let each = others.map(|interface| {
        let addresses = interface.addresses.iter().map(ToString::to_string).collect::<Vec<_>>();
        format!("{} {}", interface.name, addresses.join(" "))
    });
    each.collect::<Vec<_>>().join(", ")
}
