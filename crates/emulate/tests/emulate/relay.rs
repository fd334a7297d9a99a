//! Datagrams through a relay between real sockets of this machine. Lower bounds of time are strict; upper ones allow
//! for a busy machine.

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use anabranch_base::Seed;
use anabranch_emulate::{PathEnds, PathReport, Relay, RelayConfig, RelayReport, StartError};
use anabranch_link::Change;
use anabranch_link::config::LossKind;
use anabranch_scenario::Scenario;

use crate::scene::{event, link, losing, scenario};

fn socket() -> UdpSocket {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
    socket.set_read_timeout(Some(PATIENCE)).expect("a socket");
    socket
}

fn address(socket: &UdpSocket) -> SocketAddr {
    socket.local_addr().expect("it is bound")
}

/// A relay to the server, with a port chosen by the system for each path.
fn relay(scenario: &Scenario, server: SocketAddr) -> Relay {
    let listen = vec![SocketAddr::from(([127, 0, 0, 1], 0)); scenario.paths.len()];
    let config = RelayConfig { scenario, seed: Seed::from_number(1), listen, to: vec![server] };
    Relay::start(&config).expect("ports of the system's choice")
}

/// The number of clients of the only path.
fn served(report: &RelayReport) -> usize {
    match &report.paths[..] {
        [PathReport { ends: PathEnds::Sockets { clients, .. }, .. }] => *clients,
        paths => panic!("one path between sockets: {paths:?}"),
    }
}

fn receive(socket: &UdpSocket) -> (Vec<u8>, SocketAddr) {
    let mut buffer = vec![0; 65_536];
    let (length, from) = socket.recv_from(&mut buffer).expect("something comes");
    buffer.truncate(length);
    (buffer, from)
}

/// Requests reports until `is_so` returns true.
fn wait_for(relay: &Relay, is_so: impl Fn(&RelayReport) -> bool) -> RelayReport {
    for _ in 0..PATIENCE.as_millis() {
        let report = relay.report();
        if is_so(&report) {
            return report;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("{:#?}", relay.report());
}

#[expect(clippy::disallowed_methods, reason = "what is tested is real time")]
fn now() -> Instant {
    Instant::now()
}

#[test]
fn datagrams_of_all_sizes_arrive_unchanged_in_order_and_not_before_the_links_delay() {
    let (client, server) = (socket(), socket());
    let relay = relay(&scenario(vec![link("only", 1_000, 30)], &[&[0]]), address(&server));
    let sizes = [0, 1, 65_507, 1472, 1473, 9_000, 0, 40_000];
    let datagrams: Vec<Vec<u8>> =
        sizes.iter().enumerate().map(|(number, size)| vec![number as u8; *size]).collect();
    let sent = now();
    for datagram in &datagrams {
        client.send_to(datagram, relay.listen_addresses()[0]).expect("sent");
    }
    for datagram in &datagrams {
        let (bytes, _) = receive(&server);
        assert!(bytes == *datagram, "{} bytes instead of {}", bytes.len(), datagram.len());
        assert!(sent.elapsed() >= Duration::from_millis(30));
    }
    let report = relay.stop();
    assert_eq!(report.timing.packets, 8);
    assert_eq!((report.paths[0].forward.received, report.paths[0].forward.sent), (8, 8));
}

#[test]
fn a_burst_leaves_at_the_links_rate() {
    let (client, server) = (socket(), socket());
    let relay = relay(&scenario(vec![link("only", 12, 0)], &[&[0]]), address(&server));
    // 1,500 bytes with headers: 1 ms each.
    let sent = now();
    for _ in 0..100 {
        client.send_to(&[1; 1472], relay.listen_addresses()[0]).expect("sent");
    }
    for number in 1..=100 {
        receive(&server);
        assert!(sent.elapsed() >= Duration::from_millis(number), "packet {number} is too early");
    }
    let took = sent.elapsed();
    let late = Duration::from(relay.stop().timing.max);
    assert!(took < Duration::from_millis(105) + late + BUSY, "{took:?}");
}

#[test]
fn every_fifth_datagram_is_lost_and_no_other() {
    let (client, server) = (socket(), socket());
    let lossy = losing(link("only", 1_000, 1), LossKind::Every(5));
    let relay = relay(&scenario(vec![lossy], &[&[0]]), address(&server));
    for number in 1..=11 {
        client.send_to(&[number], relay.listen_addresses()[0]).expect("sent");
    }
    let arrived: Vec<u8> = (0..9).map(|_| receive(&server).0[0]).collect();
    assert_eq!(arrived, [1, 2, 3, 4, 6, 7, 8, 9, 11]);
    assert_eq!(relay.stop().links[0].forward.counters.lost, 2);
}

#[test]
fn the_server_sees_an_address_a_client_and_answers_go_back_to_whom_they_are_for() {
    let (one, two, server) = (socket(), socket(), socket());
    let relay = relay(&scenario(vec![link("only", 1_000, 1)], &[&[0]]), address(&server));
    let address = relay.listen_addresses()[0];
    one.send_to(b"one", address).expect("sent");
    let (first, first_from) = receive(&server);
    two.send_to(b"two", address).expect("sent");
    let (second, second_from) = receive(&server);
    assert_eq!((&first[..], &second[..]), (&b"one"[..], &b"two"[..]));
    assert_ne!(first_from, second_from);
    server.send_to(b"to one", first_from).expect("sent");
    server.send_to(b"to two", second_from).expect("sent");
    assert_eq!(receive(&two), (b"to two".to_vec(), address));
    assert_eq!(receive(&one), (b"to one".to_vec(), address));
    one.send_to(b"again", address).expect("sent");
    assert_eq!(receive(&server), (b"again".to_vec(), first_from));
    let report = relay.report();
    assert_eq!((served(&report), report.paths[0].reverse.sent), (2, 2));
    assert_eq!(report.links[0].reverse.counters.arrived, 2);
}

#[test]
fn paths_that_share_a_link_share_its_rate() {
    let (client, server) = (socket(), socket());
    let relay = relay(&scenario(vec![link("shared", 12, 0)], &[&[0], &[0]]), address(&server));
    let sent = now();
    for _ in 0..20 {
        for address in relay.listen_addresses() {
            client.send_to(&[1; 1472], address).expect("sent");
        }
    }
    (0..40).for_each(|_| drop(receive(&server)));
    assert!(sent.elapsed() >= Duration::from_millis(40));
    let report = relay.stop();
    assert_eq!(report.links[0].forward.counters.arrived, 40);
    assert_eq!([0, 1].map(|path| report.paths[path].forward.sent), [20, 20]);
}

#[test]
fn each_path_may_have_a_target_of_its_own() {
    let (client, servers) = (socket(), [socket(), socket()]);
    let scenario = scenario(vec![link("a", 100, 1), link("b", 100, 1)], &[&[0], &[1]]);
    let config = RelayConfig {
        scenario: &scenario,
        seed: Seed::from_number(1),
        listen: vec![SocketAddr::from(([127, 0, 0, 1], 0)); 2],
        to: servers.each_ref().map(address).to_vec(),
    };
    let relay = Relay::start(&config).expect("ports");
    client.send_to(b"b", relay.listen_addresses()[1]).expect("sent");
    client.send_to(b"a", relay.listen_addresses()[0]).expect("sent");
    assert_eq!((receive(&servers[0]).0, receive(&servers[1]).0), (b"a".to_vec(), b"b".to_vec()));
}

#[test]
fn the_scenarios_clock_runs_from_the_first_datagram_and_events_happen_by_it() {
    let (client, server) = (socket(), socket());
    let mut scenario = scenario(vec![link("only", 100, 1)], &[&[0]]);
    scenario.events = vec![event(50, Change::Down), event(150, Change::Up)];
    let relay = relay(&scenario, address(&server));
    let address = relay.listen_addresses()[0];
    // Longer than the time to the first event, had the clock started.
    std::thread::sleep(Duration::from_millis(60));
    assert_eq!(relay.report().time, None);
    client.send_to(b"first", address).expect("sent");
    assert_eq!(receive(&server).0, b"first");
    wait_for(&relay, |report| report.time.is_some_and(|time| time.as_millis() >= 50));
    client.send_to(b"down", address).expect("sent");
    let report = wait_for(&relay, |report| report.links[0].forward.counters.offered == 2);
    if report.time.is_some_and(|time| time.as_millis() < 150) {
        assert_eq!(report.links[0].forward.counters.lost, 1);
    }
    wait_for(&relay, |report| report.time.is_some_and(|time| time.as_millis() >= 150));
    client.send_to(b"up", address).expect("sent");
    // A machine that slept from before the one event to after the other lost nothing.
    let (next, _) = receive(&server);
    assert!(next == b"up" || relay.report().links[0].forward.counters.lost == 0, "{next:?}");
}

#[test]
fn a_target_without_a_listener_does_not_end_the_relay() {
    let (client, gone) = (socket(), socket());
    let target = address(&gone);
    let relay = relay(&scenario(vec![link("only", 1_000, 0)], &[&[0]]), target);
    drop(gone);
    for number in 0..20 {
        client.send_to(b"into the void", relay.listen_addresses()[0]).expect("sent");
        wait_for(&relay, |report| report.timing.packets > number);
    }
    let server = UdpSocket::bind(target).expect("it is free again");
    server.set_read_timeout(Some(PATIENCE)).expect("a socket");
    client.send_to(b"somebody is there", relay.listen_addresses()[0]).expect("sent");
    assert_eq!(receive(&server).0, b"somebody is there");
}

#[test]
fn a_client_that_is_gone_does_not_end_the_relay() {
    let (client, server) = (socket(), socket());
    let relay = relay(&scenario(vec![link("only", 1_000, 0)], &[&[0]]), address(&server));
    client.send_to(b"hello", relay.listen_addresses()[0]).expect("sent");
    let (_, from) = receive(&server);
    drop(client);
    for _ in 0..20 {
        server.send_to(b"no client there", from).expect("sent");
    }
    wait_for(&relay, |report| report.timing.packets == 21);
    let another = socket();
    another.send_to(b"hello", relay.listen_addresses()[0]).expect("sent");
    assert_ne!(receive(&server).1, from);
}

#[test]
fn what_strangers_send_to_the_socket_towards_the_target_goes_nowhere() {
    let (client, server, peer) = (socket(), socket(), socket());
    let relay = relay(&scenario(vec![link("only", 1_000, 0)], &[&[0]]), address(&server));
    client.send_to(b"hello", relay.listen_addresses()[0]).expect("sent");
    let (_, upstream) = receive(&server);
    peer.send_to(b"I am the server", upstream).expect("sent");
    server.send_to(b"I am", upstream).expect("sent");
    assert_eq!(receive(&client).0, b"I am");
    assert_eq!(relay.stop().paths[0].reverse.received, 1);
}

#[test]
fn more_clients_than_there_may_be_are_refused_and_counted() {
    let server = socket();
    let relay = relay(&scenario(vec![link("only", 1_000, 0)], &[&[0]]), address(&server));
    let clients: Vec<UdpSocket> = (0..70).map(|_| socket()).collect();
    for client in &clients {
        client.send_to(b"hello", relay.listen_addresses()[0]).expect("sent");
    }
    let report = wait_for(&relay, |report| report.paths[0].refused() == 6);
    assert_eq!((served(&report), report.paths[0].forward.received), (64, 64));
    clients[0].send_to(b"still known", relay.listen_addresses()[0]).expect("sent");
    wait_for(&relay, |report| report.paths[0].forward.received == 65);
}

#[test]
fn addresses_and_paths_must_go_together() {
    let scenario = scenario(vec![link("a", 1, 1)], &[&[0], &[0]]);
    let start = |listen: &[&str], to: &[&str]| {
        let parse = |all: &[&str]| all.iter().map(|text| text.parse().expect("an address")).collect();
        let (listen, to) = (parse(listen), parse(to));
        Relay::start(&RelayConfig { scenario: &scenario, seed: Seed::from_number(1), listen, to })
    };
    let error = start(&["127.0.0.1:0"], &["127.0.0.1:9"]).expect_err("one address for two paths").to_string();
    assert_eq!(error, "1 addresses to listen on for 2 paths: give one per path");
    let error = start(&["127.0.0.1:0"; 2], &["127.0.0.1:9"; 3]).expect_err("three targets").to_string();
    assert_eq!(error, "3 target addresses for 2 paths: give one for all, or one per path");
    let error = start(&["127.0.0.1:0"; 2], &[]).expect_err("no target");
    assert!(matches!(error, StartError::Targets { paths: 2, addresses: 0 }), "{error}");
    let error = start(&["198.51.100.77:0"; 2], &["127.0.0.1:9"]).expect_err("not here");
    let StartError::Bind { error, .. } = error else { panic!("{error}") };
    assert_eq!(error.kind(), io::ErrorKind::AddrNotAvailable);
}

#[test]
fn a_relay_that_is_dropped_gives_its_ports_back() {
    let server = socket();
    let relay = relay(&scenario(vec![link("only", 1, 1)], &[&[0]]), address(&server));
    let address = relay.listen_addresses()[0];
    assert!(UdpSocket::bind(address).is_err());
    drop(relay);
    UdpSocket::bind(address).expect("it is free again");
}

/// The longest wait of any test here.
const PATIENCE: Duration = Duration::from_secs(30);
/// The delay that a busy machine may add.
const BUSY: Duration = Duration::from_secs(2);
