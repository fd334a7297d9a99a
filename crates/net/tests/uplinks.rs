//! Connecting from realistic hosts: with several links of which few lead to the server, with both IP versions of
//! which one does not work, with bridges of containers, with a VPN, with a link that is silent at first.
#![allow(clippy::print_stderr, reason = "the harness keeps what a test prints")]
#![cfg(target_os = "linux")]

mod enclosed;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use anabranch_net::{
    AddressTracking, Association, Clock, Config, Endpoint, Options, PathState, Security, local_addresses_for,
};
use enclosed::{OtherHost, enclosed, ip_all, is_up};
use tun_rs::{DeviceBuilder, SyncDevice};

/// The server, at addresses that belong to none of its links.
const SERVER: [&str; 2] = ["203.0.113.1", "2001:db8::1"];
const PORT: u16 = 9899;
/// The time within which a host connects, whatever its links. A busy machine may need another attempt.
const SOON: Duration = Duration::from_secs(1);
const TRIES: usize = 3;
/// A hardware address that no host has: packets to it arrive and are dropped silently.
const NOBODY: &str = "02:00:00:00:00:99";

#[test]
fn of_up_to_64_interfaces_the_only_one_that_works_connects() {
    let name = "of_up_to_64_interfaces_the_only_one_that_works_connects";
    let Some(case) = enclosed(name, &["1", "5", "16", "64"]) else { return };
    let count = case.parse().expect("a number");
    let server = Server::start();
    ip_all(&(1..count).flat_map(silent_link).collect::<Vec<_>>());
    server.lay_link(count);
    let association = connects(&[host(&SERVER[..1])]);
    assert_eq!(active(&association), [format!("10.0.{count}.2 203.0.113.1")]);
}

#[test]
fn where_one_ip_version_is_dead_the_other_connects() {
    let name = "where_one_ip_version_is_dead_the_other_connects";
    let cases = ["4 in a name", "6 in a name", "4 in a list", "6 in a list"];
    let Some(case) = enclosed(name, &cases) else { return };
    if !has_ipv6() {
        return eprintln!("skipped: there is no IPv6 here");
    }
    let server = Server::start();
    server.lay_link(1);
    let (gateway, works) = if case.starts_with('4') {
        ("10.0.1.1", "fd00:1::2 2001:db8::1")
    } else {
        ("fd00:1::1", "10.0.1.2 203.0.113.1")
    };
    ip_all(&[format!("neigh replace {gateway} lladdr {NOBODY} nud permanent dev u1")]);
    let hosts = if case.ends_with("name") {
        vec![host(&SERVER)]
    } else {
        SERVER.iter().map(|one| host(&[one])).collect()
    };
    assert_eq!(active(&connects(&hosts)), [works]);
}

/// Bridges as Docker, libvirt and Kubernetes create them: up, with an address, and before the uplink in every order.
#[test]
fn bridges_of_containers_do_not_keep_a_host_from_connecting() {
    let name = "bridges_of_containers_do_not_keep_a_host_from_connecting";
    let Some(case) = enclosed(name, &["1", "6"]) else { return };
    let count: u8 = case.parse().expect("a number");
    let server = Server::start();
    let bridge = |number: u8| {
        [
            format!("link add br-{number} type bridge"),
            format!("link add port{number} type veth peer name container{number}"),
            format!("link set port{number} master br-{number} up"),
            format!("link set container{number} up"),
            format!("addr add 172.{}.0.1/16 dev br-{number}", 16 + number),
            format!("link set br-{number} up"),
        ]
    };
    ip_all(&(1..=count).flat_map(bridge).collect::<Vec<_>>());
    server.lay_link(9);
    let to = SocketAddr::new(SERVER[0].parse().expect("an address"), PORT);
    let local = local_addresses_for(&[to], &[]).expect("a list");
    assert_eq!(local.iter().map(|one| one.ip().to_string()).collect::<Vec<_>>(), ["10.0.9.2"]);
    assert_eq!(active(&connects(&[vec![to]])), ["10.0.9.2 203.0.113.1"]);
}

/// A VPN has the first default route: its far end is silent, or it is the only working link.
#[test]
fn a_vpn_is_a_link_like_others_silent_or_not() {
    let name = "a_vpn_is_a_link_like_others_silent_or_not";
    let Some(case) = enclosed(name, &["silent", "relayed"]) else { return };
    let server = Server::start();
    let Ok(near) = tun("u1") else {
        return eprintln!("skipped: there are no TUN interfaces here");
    };
    ip_all(&ours(1));
    let works = match case.as_str() {
        "silent" => {
            server.lay_link(2);
            "10.0.2.2 203.0.113.1"
        }
        _ => {
            let far = server.host.within(|| tun("l1")).join().expect("no panic").expect("it may");
            server.host.ip_all(&theirs(1));
            relay(near.clone(), far.clone());
            relay(far, near.clone());
            ip_all(&silent_link(2));
            "10.0.1.2 203.0.113.1"
        }
    };
    assert_eq!(active(&connects(&[host(&SERVER[..1])])), [works]);
    drop(near);
}

/// The second of two links is silent for a second. No path on it is called active before it works; later each link is
/// in one path, the one between its own two ends.
#[test]
fn a_link_that_is_silent_at_first_joins_when_it_answers_and_no_pair_across_stays() {
    let name = "a_link_that_is_silent_at_first_joins_when_it_answers_and_no_pair_across_stays";
    if enclosed(name, &[""]).is_none() {
        return;
    }
    let server = Server::start();
    server.lay_link(1);
    server.lay_link(2);
    ip_all(&[format!("neigh replace 10.0.2.1 lladdr {NOBODY} nud permanent dev u2")]);
    server.host.ip_all(&[format!("neigh replace 10.0.2.2 lladdr {NOBODY} nud permanent dev l2")]);
    let began = Clock::start();
    let seen = connects(&[host(&["10.0.1.1"]), host(&["10.0.2.1"])]);
    while began.elapsed().as_secs_f64() < 1.0 {
        let early: Vec<String> =
            active(&seen).into_iter().filter(|path| path.starts_with("10.0.2.2")).collect();
        assert!(early.is_empty(), "{early:?} after {:?}", began.elapsed());
        std::thread::sleep(Duration::from_millis(5));
    }
    ip_all(&["neigh del 10.0.2.1 dev u2".to_owned()]);
    server.host.ip_all(&["neigh del 10.0.2.2 dev l2".to_owned()]);
    let straight = ["10.0.1.2 10.0.1.1", "10.0.2.2 10.0.2.1"];
    while active(&seen) != straight || living(&seen).len() != 2 {
        assert!(began.elapsed().as_secs_f64() < 15.0, "{:?}", living(&seen));
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Another host, with an endpoint that accepts every peer.
struct Server {
    host: OtherHost,
}

impl Server {
    fn start() -> Server {
        let host = OtherHost::new();
        let at = |ip: &str, length: u8| format!("addr add {ip}/{length} dev lo");
        let mut lines = vec!["link set lo up".to_owned(), at(SERVER[0], 32)];
        lines.extend(has_ipv6().then(|| at(SERVER[1], 128) + " nodad"));
        host.ip_all(&lines);
        let (tell, told) = std::sync::mpsc::channel();
        host.within(move || {
            let runtime = runtime();
            runtime.block_on(async {
                let any = if has_ipv6() { vec!["0.0.0.0", "::"] } else { vec!["0.0.0.0"] };
                let options = Options { accepts: true, ..options(self::host(&any)) };
                let endpoint = Endpoint::bind(options).expect("an endpoint");
                tell.send(()).expect("it is waited for");
                let mut associations = Vec::new();
                while let Some(association) = endpoint.accept().await {
                    associations.push(association);
                }
            });
        });
        told.recv().expect("it listens");
        Server { host }
    }

    /// A cable from this host to that one.
    fn lay_link(&self, number: u8) {
        ip_all(&[format!("link add u{number} type veth peer name l{number} netns {}", self.host.id())]);
        self.host.ip_all(&theirs(number));
        ip_all(&ours(number));
        // Until the kernel has noticed the carrier it drops packets, and requests neighbours again only after a
        // second.
        while !is_up(&format!("u{number}")) || !self.host.is_up(&format!("l{number}")) {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// A link whose packets are not received.
fn silent_link(number: u8) -> Vec<String> {
    let mut lines = vec![
        format!("link add u{number} type veth peer name silent{number}"),
        format!("link set silent{number} addrgenmode none up"),
    ];
    lines.extend(ours(number));
    let gateways = [format!("10.0.{number}.1"), format!("fd00:{number}::1")];
    let known = gateways.iter().take(if has_ipv6() { 2 } else { 1 });
    lines.extend(known.map(|one| format!("neigh replace {one} lladdr {NOBODY} nud permanent dev u{number}")));
    lines
}

/// The near end of a link: addresses, and the route to the server.
fn ours(number: u8) -> Vec<String> {
    let mut lines = vec![
        format!("link set u{number} addrgenmode none up"),
        format!("addr add 10.0.{number}.2/24 dev u{number}"),
        format!("route add default via 10.0.{number}.1 dev u{number} metric {number}"),
    ];
    if has_ipv6() {
        lines.extend([
            format!("addr add fe80::2/64 dev u{number} nodad"),
            format!("addr add fd00:{number}::2/64 dev u{number} nodad"),
            format!("route add default via fd00:{number}::1 dev u{number} metric {number}"),
        ]);
    }
    lines
}

fn theirs(number: u8) -> Vec<String> {
    let mut lines = vec![
        format!("link set l{number} addrgenmode none up"),
        format!("addr add 10.0.{number}.1/24 dev l{number}"),
    ];
    if has_ipv6() {
        lines.extend([
            format!("addr add fe80::1/64 dev l{number} nodad"),
            format!("addr add fd00:{number}::1/64 dev l{number} nodad"),
        ]);
    }
    lines
}

fn has_ipv6() -> bool {
    std::path::Path::new("/proc/net/if_inet6").exists()
}

/// A TUN interface of the namespace that the calling thread is in.
fn tun(name: &str) -> std::io::Result<Arc<SyncDevice>> {
    DeviceBuilder::new().name(name).enable(false).build_sync().map(Arc::new)
}

/// Passes packets on, as the other end of a tunnel does.
fn relay(from: Arc<SyncDevice>, to: Arc<SyncDevice>) {
    std::thread::spawn(move || {
        let mut packet = vec![0; 1 << 16];
        while let Ok(length) = from.recv(&mut packet) {
            let _ = to.send(&packet[..length]);
        }
    });
}

fn host(addresses: &[&str]) -> Vec<SocketAddr> {
    addresses.iter().map(|ip| SocketAddr::new(ip.parse().expect("an address"), PORT)).collect()
}

fn options(local: Vec<SocketAddr>) -> Options {
    let config = Config::tuned_2();
    Options { local, config, ..Options::with(Security::Insecure) }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime")
}

/// The runtime that keeps an association alive, and the association.
type Connected = (tokio::runtime::Runtime, Association);

/// Connects as the program does: from each interface with a route.
fn connects(hosts: &[Vec<SocketAddr>]) -> Connected {
    let peers = hosts.concat();
    let of_version = |is_ipv4: bool| {
        let peers: Vec<SocketAddr> = peers.iter().copied().filter(|to| to.is_ipv4() == is_ipv4).collect();
        local_addresses_for(&peers, &[]).expect("a list")
    };
    let local = [true, false].into_iter().filter(|version| peers.iter().any(|to| to.is_ipv4() == *version));
    let local: Vec<SocketAddr> = local.flat_map(of_version).collect();
    let mut took = Vec::new();
    while took.len() < TRIES {
        let began = Clock::start();
        let connected = connects_from(&local, hosts);
        took.push(began.elapsed());
        if let Some(connected) = connected {
            return connected;
        }
    }
    panic!("not connected within {SOON:?}: {took:?}")
}

/// Connects from these addresses, unless that takes too long.
fn connects_from(local: &[SocketAddr], hosts: &[Vec<SocketAddr>]) -> Option<Connected> {
    let runtime = runtime();
    let association = runtime.block_on(async {
        let endpoint = Endpoint::bind(Options {
            by_device: true,
            address_tracking: AddressTracking::EachInterface,
            toward: hosts.concat(),
            ..options(local.to_vec())
        });
        let endpoint = endpoint.expect("an endpoint");
        let opening = endpoint.open_hosts(hosts).expect("an attempt");
        let opened = tokio::time::timeout(SOON, opening.opened()).await;
        opened.ok().map(|opened| opened.expect("an association"))
    });
    association.map(|association| (runtime, association))
}

/// The paths that are not removed, with their states.
fn living((_, association): &Connected) -> Vec<(String, PathState)> {
    let all = association.paths().into_iter().filter(|path| path.sample.state != PathState::Removed);
    let shown = |local: IpAddr, remote: IpAddr| format!("{local} {remote}");
    all.map(|path| (shown(path.addresses.local.ip(), path.addresses.remote.ip()), path.sample.state))
        .collect()
}

/// The active paths, sorted.
fn active(connected: &Connected) -> Vec<String> {
    let all = living(connected).into_iter().filter(|(_, state)| *state == PathState::Active);
    let mut all: Vec<String> = all.map(|(path, _)| path).collect();
    all.sort();
    all
}
