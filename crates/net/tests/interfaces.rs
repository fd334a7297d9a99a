//! Interfaces and addresses that come and go in a network namespace of the test's own.
#![allow(clippy::print_stderr, reason = "the harness keeps what a test prints")]
#![cfg(target_os = "linux")]

use std::process::Command;
use std::time::Duration;

use anabranch_net::{Interface, InterfaceMonitor};

/// Set in the namespace.
const ENCLOSED: &str = "ANABRANCH_TEST_ENCLOSED";

#[test]
fn interfaces_and_addresses_that_come_and_go_are_reported() {
    let name = "interfaces_and_addresses_that_come_and_go_are_reported";
    if std::env::var_os(ENCLOSED).is_none() {
        return enclose(name);
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
        // The address is back before it is missed: nothing runs in between.
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
    if std::env::var_os(ENCLOSED).is_none() {
        return enclose(name);
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

/// Runs a test again in its own network namespace; without root, in its own user namespace as well.
fn enclose(name: &str) {
    let within = |spaces: &[&str], program: &str, arguments: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(spaces).args(["--net", "--", program]).args(arguments).env(ENCLOSED, "1").output()
    };
    let veth = ["link", "add", "one", "type", "veth", "peer", "name", "other"];
    let is_possible =
        |spaces: &&[&str]| within(spaces, "ip", &veth).is_ok_and(|tried| tried.status.success());
    let choices: [&[&str]; 2] = [&[], &["--user", "--map-root-user"]];
    let Some(spaces) = choices.into_iter().find(is_possible) else {
        return eprintln!("skipped: there are no network namespaces here, or no `ip` and `unshare`");
    };
    let this = std::env::current_exe().expect("this program");
    let this = this.to_str().expect("a path in UTF-8");
    let output = within(spaces, this, &["--exact", name, "--nocapture"]).expect("unshare");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn ip(words: &str) {
    let status = Command::new("ip").args(words.split(' ')).status().expect("ip");
    assert!(status.success(), "ip {words}");
}

/// The next report.
async fn next(monitor: &mut InterfaceMonitor) -> String {
    let changed = tokio::time::timeout(Duration::from_secs(10), monitor.changed()).await;
    shown(changed.expect("a change within 10 s"))
}

/// The known interfaces, if no report comes for `milliseconds`.
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
