//! Endpoints on a fake machine, and what the real one says of the same things.

use std::net::SocketAddr;
use std::time::Duration;

use anabranch_sctp::policy::PathState;
use tokio::time::{sleep, timeout};

use super::fake::Fake;
use super::{Cause, host};
use crate::address_tracking::AddressTracking;
use crate::association::{Association, SendOptions};
use crate::bind::BindError;
use crate::endpoint::{Endpoint, Options};
use crate::pairing::pair_by_route;
use crate::seal::Key;

const KEY: [u8; 16] = [7; 16];

fn address(text: &str) -> SocketAddr {
    text.parse().expect("an address")
}

fn server() -> Endpoint {
    let options = Options::server(Key::from_bytes(KEY));
    let local = vec![address("127.0.0.1:0")];
    Endpoint::bind(Options { local, address_tracking: AddressTracking::Off, ..options }).expect("a server")
}

/// The options of a client at 127.0.0.2 that tracks three interfaces.
fn client(toward: &[SocketAddr]) -> Options {
    let tracked = ["wlan0", "lte0", "lte1"].map(str::to_owned).to_vec();
    Options {
        local: vec![address("127.0.0.2:0")],
        address_tracking: AddressTracking::Interfaces(tracked),
        toward: toward.to_vec(),
        ..Options::client(Key::from_bytes(KEY))
    }
}

fn with_wlan() -> &'static Fake {
    let machine = Fake::machine();
    machine.plug("wlan0", 2, "127.0.0.2");
    machine
}

/// Waits until `is_so`, for ten seconds.
async fn until(what: &str, is_so: impl Fn() -> bool) {
    let waited = async {
        while !is_so() {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(Duration::from_secs(10), waited).await.unwrap_or_else(|_| panic!("not within 10 s: {what}"));
}

fn works_from(association: &Association, ip: &str) -> bool {
    let ip = address(&format!("{ip}:0")).ip();
    let works = |state| state == PathState::Active;
    association.paths().iter().any(|path| path.addresses.local.ip() == ip && works(path.sample.state))
}

#[tokio::test]
async fn an_interface_that_appears_is_a_path_and_one_that_vanishes_is_none() {
    let (machine, server) = (with_wlan(), server());
    let client = Endpoint::bind_on(machine, client(&[])).expect("a client");
    let near = client.connect(&server.local_addresses()).await.expect("an association");
    let far = server.accept().await.expect("the same");
    machine.plug("lte0", 3, "127.0.0.3");
    until("a path from lte0", || works_from(&near, "127.0.0.3")).await;
    assert_eq!(machine.bound(), ["lte0"], "its socket is bound to it");
    machine.unplug("wlan0");
    until("no path from wlan0", || !works_from(&near, "127.0.0.2")).await;
    near.send("over lte0", SendOptions::default()).await.expect("sent");
    assert_eq!(far.recv().await.expect("received").into_bytes(), "over lte0");
    near.close().await.expect("closed");
}

#[tokio::test]
async fn an_interface_without_a_route_is_used_once_it_has_one() {
    let (machine, server) = (with_wlan(), server());
    let remote = server.local_addresses();
    machine.set_route(3, remote[0].ip(), false);
    let client = Endpoint::bind_on(machine, client(&remote)).expect("a client");
    machine.plug("lte0", 3, "127.0.0.3");
    machine.plug("lte1", 4, "127.0.0.4");
    let is_used = |ip: &str| client.local_addresses().iter().any(|one| one.ip() == address(ip).ip());
    until("a socket of lte1", || is_used("127.0.0.4:0")).await;
    assert!(!is_used("127.0.0.3:0"), "lte0 has no route");
    machine.set_route(3, remote[0].ip(), true);
    until("a socket of lte0", || is_used("127.0.0.3:0")).await;
}

#[tokio::test]
async fn a_report_of_an_undelivered_packet_reaches_the_caller() {
    let (machine, silent) = (with_wlan(), std::net::UdpSocket::bind("127.0.0.1:0").expect("a socket"));
    let remote = silent.local_addr().expect("its address");
    let client = Endpoint::bind_on(machine, client(&[])).expect("a client");
    let opening = client.open(&[remote]).expect("an attempt");
    machine.report(remote, REFUSED);
    until("a report", || opening.undelivered().iter().any(|one| one.remote == remote && one.is_port_closed))
        .await;
}

#[tokio::test]
async fn a_machine_that_lists_no_interfaces_is_named_and_one_that_binds_none_is_used() {
    let machine = with_wlan();
    machine.refuse_binding();
    let endpoint = Endpoint::bind_on(machine, client(&[])).expect("routes select the interface");
    machine.plug("lte0", 3, "127.0.0.3");
    until("a socket", || endpoint.local_addresses().len() == 2).await;
    assert!(machine.bound().is_empty());
    machine.fail_to_list();
    let failed = Endpoint::bind_on(machine, client(&[]));
    assert!(matches!(failed, Err(BindError::NoInterfaces(_))), "{failed:?}");
}

#[test]
fn a_pair_without_a_route_is_left_out() {
    let machine = with_wlan();
    machine.plug("lte0", 3, "127.0.0.3");
    let (local, remote) = ([address("127.0.0.2:1"), address("127.0.0.3:1")], [address("192.0.2.1:9")]);
    let paths = || pair_by_route(machine, &local, &remote).paths.len();
    assert_eq!(paths(), 2);
    machine.set_route(2, remote[0].ip(), false);
    let pairing = pair_by_route(machine, &local, &[remote[0], address("192.0.2.2:9")]);
    let all = pairing.paths.iter().chain(&pairing.further);
    let is_left_out = |pair: &&_| {
        **pair == anabranch_sctp::association::PathAddresses { local: local[0], remote: remote[0] }
    };
    assert_eq!(all.filter(is_left_out).count(), 0, "{pairing:?}");
}

#[test]
fn a_packet_that_is_too_large_is_known_by_its_error() {
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").expect("a socket");
    let error = socket.send_to(&[0; 70_000], "127.0.0.1:9").expect_err("more than a datagram has");
    assert_eq!(host().cause(&error), Some(Cause::TooLarge));
    assert_eq!(host().cause(&std::io::Error::other("none")), None);
}

/// `ECONNREFUSED`.
#[cfg(target_os = "linux")]
const REFUSED: i32 = 111;
#[cfg(all(unix, not(target_os = "linux")))]
const REFUSED: i32 = 61;
#[cfg(windows)]
const REFUSED: i32 = 10_061;
