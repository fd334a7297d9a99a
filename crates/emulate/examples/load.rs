//! Measures the links' own timing error under load: paths of MBPS Mbit/s, filled both ways by threads of this process,
//! beside BUSY threads that only use up processor time; through the relay, or between interfaces in two network
//! namespaces.
//!
//! `cargo run --release -p anabranch-emulate --example load -- [MBPS [PATHS [SECONDS [BUSY [tun]]]]]`, by default
//! `50 2 10 0`.
#![allow(clippy::print_stdout, reason = "an example prints what it shows")]

use std::io::ErrorKind;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

use anabranch_base::{BitRate, Seed};
use anabranch_emulate::{Relay, RelayConfig, RelayReport};
use anabranch_link::LinkConfig;
use anabranch_scenario::Scenario;
use anabranch_scenario::model::{Link, Path, RunSettings};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "tun").collect();
    let numbers: Vec<u64> = words.iter().map(|word| word.parse().expect("a number")).collect();
    let number = |index: usize, default| numbers.get(index).copied().unwrap_or(default);
    let (mbps, paths, seconds, busy) = (number(0, 50), number(1, 2), number(2, 10), number(3, 0));
    let scenario = scenario(mbps, paths);
    let field = if std::env::args().any(|word| word == "tun") {
        between_interfaces(&scenario)
    } else {
        through_a_relay(&scenario)
    };
    let ends = Arc::new(AtomicBool::new(false));
    let mut work = Vec::new();
    for Exchange { client, server, listening, answers } in field.exchanges {
        work.push(spawn_until(&ends, fill(&client, listening, mbps)));
        work.push(spawn_until(&ends, fill(&server, answers, mbps)));
        work.push(spawn_until(&ends, drain(&client)));
        work.push(spawn_until(&ends, drain(&server)));
    }
    let burners = (0..busy).map(|_| spawn_until(&ends, burn));
    let burners: Vec<_> = burners.collect();
    sleep(Duration::from_secs(seconds));
    let report = (field.stop)();
    ends.store(true, Ordering::Relaxed);
    work.into_iter().chain(burners).for_each(|thread| thread.join().expect("it ends"));
    print(&report, mbps);
}

/// Links at work, and the sockets that send over them.
struct Field {
    exchanges: Vec<Exchange>,
    stop: Box<dyn FnOnce() -> RelayReport>,
}

/// Two sockets that send to each other.
struct Exchange {
    client: UdpSocket,
    server: UdpSocket,
    /// The addresses that the client sends to.
    listening: Vec<SocketAddr>,
    /// The addresses that the server sends to.
    answers: Vec<SocketAddr>,
}

fn through_a_relay(scenario: &Scenario) -> Field {
    let [client, server] = [(), ()].map(|()| socket("127.0.0.1"));
    let relay = Relay::start(&RelayConfig {
        scenario,
        seed: Seed::from_number(1),
        listen: vec![SocketAddr::from(([127, 0, 0, 1], 0)); scenario.paths.len()],
        to: vec![server.local_addr().expect("it is bound")],
    });
    let relay = relay.expect("free ports");
    let listening = relay.listen_addresses().to_vec();
    // The server learns its clients' addresses from the first arrivals.
    let answers: Vec<SocketAddr> =
        listening.iter().map(|address| hello(&client, &server, *address)).collect();
    Field {
        exchanges: vec![Exchange { client, server, listening, answers }],
        stop: Box::new(move || relay.stop()),
    }
}

#[cfg(target_os = "linux")]
fn between_interfaces(scenario: &Scenario) -> Field {
    use anabranch_emulate::namespaces::{NamespacePair, Side, may_have_namespaces};
    may_have_namespaces().expect("a network namespace");
    let namespaces = NamespacePair::open(scenario, &Seed::from_number(1)).expect("TUN interfaces");
    let open = |side: Side| {
        let addresses: Vec<String> = namespaces.addresses(side).map(|address| address.to_string()).collect();
        let all = || addresses.iter().map(|address| socket(address)).collect::<Vec<_>>();
        namespaces.namespace(side).within(all).expect("a thread")
    };
    let pairs = open(Side::Near).into_iter().zip(open(Side::Far));
    let exchanges = pairs.map(|(client, server)| {
        let [listening, answers] =
            [&server, &client].map(|socket| vec![socket.local_addr().expect("it is bound")]);
        Exchange { client, server, listening, answers }
    });
    let exchanges = exchanges.collect();
    Field { exchanges, stop: Box::new(move || namespaces.stop()) }
}

#[cfg(not(target_os = "linux"))]
fn between_interfaces(_: &Scenario) -> Field {
    panic!("interfaces in network namespaces need Linux");
}

fn scenario(mbps: u64, paths: u64) -> Scenario {
    let config = LinkConfig::new(BitRate::from_mbps(mbps), anabranch_base::Duration::from_millis(10));
    let name = |index: u64| format!("link {index}");
    let link = |index| Link { name: name(index), forward: config.clone(), reverse: config.clone() };
    Scenario {
        title: String::new(),
        run: RunSettings { time: None, warmup: anabranch_base::Duration::ZERO, seed: 1, runs: 1 },
        links: (0..paths).map(link).collect(),
        radios: Vec::new(),
        nodes: Vec::new(),
        paths: (0..paths)
            .map(|index| Path { name: name(index), links: vec![index as usize], air: None })
            .collect(),
        events: Vec::new(),
        node_events: Vec::new(),
        flows: Vec::new(),
        registry: anabranch_scenario::registry(),
    }
}

fn socket(address: &str) -> UdpSocket {
    let socket = UdpSocket::bind((address, 0)).expect("a port");
    socket.set_read_timeout(Some(Duration::from_millis(100))).expect("a socket");
    socket
}

fn hello(client: &UdpSocket, server: &UdpSocket, address: SocketAddr) -> SocketAddr {
    client.send_to(b"hello", address).expect("sent");
    server.recv_from(&mut [0; 100]).expect("it arrives").1
}

/// Repeats `work` until the end.
fn spawn_until(
    ends: &Arc<AtomicBool>,
    mut work: impl FnMut() + Send + 'static,
) -> std::thread::JoinHandle<()> {
    let ends = Arc::clone(ends);
    spawn(move || {
        while !ends.load(Ordering::Relaxed) {
            work();
        }
    })
}

/// Sends full packets to all of `to` at `mbps` each, evenly; it makes up for delays.
#[expect(clippy::disallowed_methods, reason = "load comes in real time")]
fn fill(from: &UdpSocket, to: Vec<SocketAddr>, mbps: u64) -> impl FnMut() + use<> {
    let from = from.try_clone().expect("a socket");
    let start = Instant::now();
    let mut count = 0;
    move || {
        let due = Duration::from_nanos(count * PACKET as u64 * 8 * 1_000 / mbps);
        sleep(due.saturating_sub(start.elapsed()));
        for address in &to {
            let _ = from.send_to(&[0; PACKET - 28], address);
        }
        count += 1;
    }
}

fn drain(socket: &UdpSocket) -> impl FnMut() + use<> {
    let socket = socket.try_clone().expect("a socket");
    move || match socket.recv(&mut [0; 2_000]) {
        Err(error) if ![ErrorKind::WouldBlock, ErrorKind::Interrupted].contains(&error.kind()) => {
            panic!("{error}")
        }
        _ => {}
    }
}

fn print(report: &RelayReport, mbps: u64) {
    for link in &report.links {
        for (way, side) in [("forward", link.forward), ("reverse", link.reverse)] {
            let counters = side.counters;
            println!(
                "{:<8} {way}  {:>8} packets  {:>6} queue drops  {:>6.2} % of {mbps} Mbit/s",
                link.name,
                counters.arrived,
                counters.queue_drops,
                side.utilisation * 100.0
            );
        }
    }
    let timing = report.timing;
    println!(
        "timing error of {} packets: p50 {}, p99 {}, p99.9 {}, max {}; kernel drops {}",
        timing.packets,
        timing.p50,
        timing.p99,
        timing.p999,
        timing.max,
        report.kernel_drops.unwrap_or(0)
    );
}

fn burn() {
    std::hint::black_box((0..1_000).fold(0_u64, |sum, number| sum ^ std::hint::black_box(number)));
}

/// With headers.
const PACKET: usize = 1500;
