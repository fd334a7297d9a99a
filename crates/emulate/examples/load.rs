//! Measures the links' own timing error under load: paths of MBPS Mbit/s, filled by threads of this process, beside BUSY
//! threads that only use up processor time; through the relay, or between interfaces in two network namespaces.
//!
//! `cargo run --release -p anabranch-emulate --example load -- [MBPS [PATHS [SECONDS [BUSY]]]] [WORD…]`, by default
//! `50 2 10 0`. The words: `tun` for interfaces; `forward` for one direction instead of both; `trains` for datagrams that
//! are handed to the kernel by the 44; `tcp` for one connection of the kernel's TCP a path and direction, between
//! interfaces only.
#![allow(clippy::print_stdout, reason = "an example prints what it shows")]

use std::fs::read_to_string;
use std::io::{ErrorKind, IoSliceMut, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::{Duration, Instant};

use anabranch_base::{BitRate, Seed};
use anabranch_emulate::{PUNCTUAL, Relay, RelayConfig, RelayReport};
use anabranch_link::LinkConfig;
use anabranch_link::config::{QueueConfig, QueueLimit};
use anabranch_scenario::Scenario;
use anabranch_scenario::model::{Link, Path, RunSettings};
use anabranch_sctp::wire::PathRole;
use quinn_udp::{RecvMeta, Transmit, UdpSocketState};

fn main() {
    let plan = Plan::from_arguments();
    let scenario = scenario(plan.mbps, plan.paths);
    let field =
        if plan.has("tun") { between_interfaces(&scenario, &plan) } else { through_a_relay(&scenario) };
    let work = Work::default();
    let mut threads = Vec::new();
    for exchange in field.exchanges {
        threads.extend(exchange.spawn(&plan, &work));
    }
    threads.extend((0..plan.busy).map(|_| work.spawn(burn)));
    let (begun, used) = (now(), Processor::now());
    sleep(Duration::from_secs(plan.seconds));
    let (took, used) = (begun.elapsed(), Processor::now().since(&used));
    let offered = work.offered.load(Ordering::Relaxed);
    let report = (field.stop)();
    work.ends.store(true, Ordering::Relaxed);
    threads.into_iter().for_each(|thread| thread.join().expect("it ends"));
    print(&report, &plan);
    print_rates(&report, offered, took, &used);
}

/// The settings of the command line.
struct Plan {
    mbps: u64,
    paths: u64,
    seconds: u64,
    busy: u64,
    words: Vec<String>,
}

impl Plan {
    fn from_arguments() -> Plan {
        let (numbers, words): (Vec<String>, Vec<String>) =
            std::env::args().skip(1).partition(|word| word.parse::<u64>().is_ok());
        for word in &words {
            assert!(
                ["tun", "forward", "trains", "tcp"].contains(&word.as_str()),
                "{word} is not a word of this"
            );
        }
        let number = |index: usize, default| {
            numbers.get(index).map_or(default, |word| word.parse().expect("a number"))
        };
        Plan { mbps: number(0, 50), paths: number(1, 2), seconds: number(2, 10), busy: number(3, 0), words }
    }

    fn has(&self, word: &str) -> bool {
        self.words.iter().any(|other| other == word)
    }
}

/// Links at work, and the sockets that send over them.
struct Field {
    exchanges: Vec<Exchange>,
    stop: Box<dyn FnOnce() -> RelayReport>,
}

/// Two ends that send to each other.
enum Exchange {
    Datagrams {
        client: UdpSocket,
        server: UdpSocket,
        /// The addresses that the client sends to.
        listening: Vec<SocketAddr>,
        /// The addresses that the server sends to.
        answers: Vec<SocketAddr>,
    },
    Stream {
        client: TcpStream,
        server: TcpStream,
    },
}

impl Exchange {
    fn spawn(self, plan: &Plan, work: &Work) -> Vec<JoinHandle<()>> {
        let is_mutual = !plan.has("forward");
        match self {
            Exchange::Datagrams { client, server, listening, answers } => {
                let mut threads =
                    vec![work.spawn(fill(&client, listening, plan, work)), work.spawn(drain(&server))];
                if is_mutual {
                    threads.push(work.spawn(fill(&server, answers, plan, work)));
                    threads.push(work.spawn(drain(&client)));
                }
                threads
            }
            Exchange::Stream { client, server } => {
                let mut threads =
                    vec![work.spawn(send_stream(&client, work)), work.spawn(receive_stream(&server))];
                if is_mutual {
                    threads.push(work.spawn(send_stream(&server, work)));
                    threads.push(work.spawn(receive_stream(&client)));
                }
                threads
            }
        }
    }
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
        exchanges: vec![Exchange::Datagrams { client, server, listening, answers }],
        stop: Box::new(move || relay.stop()),
    }
}

#[cfg(target_os = "linux")]
fn between_interfaces(scenario: &Scenario, plan: &Plan) -> Field {
    use anabranch_emulate::namespaces::{NamespacePair, Side, may_have_namespaces};
    may_have_namespaces().expect("a network namespace");
    let namespaces = NamespacePair::open(scenario, &Seed::from_number(1)).expect("TUN interfaces");
    let addresses = |side: Side| -> Vec<String> {
        namespaces.addresses(side).map(|address| address.to_string()).collect()
    };
    let near = |work: &mut (dyn FnMut() -> Exchange + Send)| {
        namespaces.namespace(Side::Near).within(work).expect("a thread")
    };
    let pairs = addresses(Side::Near).into_iter().zip(addresses(Side::Far));
    let exchanges = pairs.map(|(from, to)| {
        let far = namespaces.namespace(Side::Far);
        if plan.has("tcp") {
            let listener =
                far.within(|| TcpListener::bind((to.as_str(), 0)).expect("a port")).expect("a thread");
            return near(&mut || stream(&from, &listener));
        }
        let server = far.within(|| socket(&to)).expect("a thread");
        near(&mut || {
            let (client, server) = (socket(&from), server.try_clone().expect("a socket"));
            let [listening, answers] =
                [&server, &client].map(|socket| vec![socket.local_addr().expect("it is bound")]);
            Exchange::Datagrams { client, server, listening, answers }
        })
    });
    let exchanges = exchanges.collect();
    Field { exchanges, stop: Box::new(move || namespaces.stop()) }
}

#[cfg(not(target_os = "linux"))]
fn between_interfaces(_: &Scenario, _: &Plan) -> Field {
    panic!("interfaces in network namespaces need Linux");
}

/// A connection from an address to a listener in the other namespace.
fn stream(from: &str, listener: &TcpListener) -> Exchange {
    let client = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).expect("a socket");
    let from = SocketAddr::new(from.parse().expect("an address"), 0);
    client.bind(&from.into()).expect("a port");
    client.connect(&listener.local_addr().expect("it listens").into()).expect("a connection");
    let (client, (server, _)) = (TcpStream::from(client), listener.accept().expect("a connection"));
    for end in [&client, &server] {
        end.set_read_timeout(Some(PATIENCE)).expect("a socket");
        end.set_write_timeout(Some(PATIENCE)).expect("a socket");
    }
    Exchange::Stream { client, server }
}

fn scenario(mbps: u64, paths: u64) -> Scenario {
    // A queue for the bursts of a sender that waited for a processor: what is measured is the thread of the links.
    let queue = QueueConfig::DropTail(QueueLimit::Packets(1_000));
    let delay = anabranch_base::Duration::from_millis(10);
    let config = LinkConfig { queue, ..LinkConfig::new(BitRate::from_mbps(mbps), delay) };
    let name = |index: u64| format!("link {index}");
    let link = |index| Link { name: name(index), forward: config.clone(), reverse: config.clone() };
    Scenario {
        title: String::new(),
        run: RunSettings { time: None, warmup: anabranch_base::Duration::ZERO, seed: 1, runs: 1 },
        links: (0..paths).map(link).collect(),
        radios: Vec::new(),
        nodes: Vec::new(),
        paths: (0..paths)
            .map(|index| Path {
                name: name(index),
                links: vec![index as usize],
                air: None,
                role: PathRole::Ordinary,
            })
            .collect(),
        events: Vec::new(),
        node_events: Vec::new(),
        flows: Vec::new(),
        registry: anabranch_scenario::registry(),
    }
}

fn socket(address: &str) -> UdpSocket {
    let socket = UdpSocket::bind((address, 0)).expect("a port");
    socket.set_read_timeout(Some(PATIENCE)).expect("a socket");
    socket
}

fn hello(client: &UdpSocket, server: &UdpSocket, address: SocketAddr) -> SocketAddr {
    client.send_to(b"hello", address).expect("sent");
    server.recv_from(&mut [0; 100]).expect("it arrives").1
}

/// The state shared by all threads.
#[derive(Default)]
struct Work {
    ends: Arc<AtomicBool>,
    /// The bytes, with IP headers, passed to the kernel.
    offered: Arc<AtomicU64>,
}

impl Work {
    /// Repeats `work` until the end.
    fn spawn(&self, mut work: impl FnMut() + Send + 'static) -> JoinHandle<()> {
        let ends = Arc::clone(&self.ends);
        spawn(move || {
            while !ends.load(Ordering::Relaxed) {
                work();
            }
        })
    }
}

/// Sends full packets to all of `to` at the planned rate each, evenly; it makes up for delays.
fn fill(from: &UdpSocket, to: Vec<SocketAddr>, plan: &Plan, work: &Work) -> impl FnMut() + use<> {
    let from = from.try_clone().expect("a socket");
    let state = UdpSocketState::new((&from).into()).expect("a socket");
    from.set_nonblocking(false).expect("a socket");
    let offered = Arc::clone(&work.offered);
    let (mbps, train) = (plan.mbps, if plan.has("trains") { TRAIN } else { 1 });
    let bytes = vec![0; train * (PACKET - 28)];
    let start = now();
    let mut count = 0;
    move || {
        let due = Duration::from_nanos(count * PACKET as u64 * 8 * 1_000 / mbps);
        sleep(due.saturating_sub(start.elapsed()));
        for address in &to {
            let segment_size = Some(PACKET - 28);
            let transmit =
                Transmit { destination: *address, ecn: None, contents: &bytes, segment_size, src_ip: None };
            if state.try_send((&from).into(), &transmit).is_ok() {
                offered.fetch_add((train * PACKET) as u64, Ordering::Relaxed);
            }
        }
        count += train as u64;
    }
}

fn drain(socket: &UdpSocket) -> impl FnMut() + use<> {
    let socket = socket.try_clone().expect("a socket");
    let state = UdpSocketState::new((&socket).into()).expect("a socket");
    socket.set_nonblocking(false).expect("a socket");
    let mut memory = vec![0; 65_536];
    move || {
        let received =
            state.recv((&socket).into(), &mut [IoSliceMut::new(&mut memory)], &mut [RecvMeta::default()]);
        tolerate(received.map(drop));
    }
}

/// Writes as much as the stream accepts.
fn send_stream(stream: &TcpStream, work: &Work) -> impl FnMut() + use<> {
    let mut stream = stream.try_clone().expect("a socket");
    let offered = Arc::clone(&work.offered);
    let bytes = vec![0; 65_536];
    move || match stream.write(&bytes) {
        Ok(written) => drop(offered.fetch_add(written as u64, Ordering::Relaxed)),
        Err(error) => tolerate(Err(error)),
    }
}

fn receive_stream(stream: &TcpStream) -> impl FnMut() + use<> {
    let mut stream = stream.try_clone().expect("a socket");
    let mut memory = vec![0; 1 << 18];
    move || tolerate(stream.read(&mut memory).map(drop))
}

/// Ignores errors that the end of the links causes.
fn tolerate(result: std::io::Result<()>) {
    const EXPECTED: [ErrorKind; 5] = [
        ErrorKind::WouldBlock,
        ErrorKind::Interrupted,
        ErrorKind::TimedOut,
        ErrorKind::NetworkUnreachable,
        ErrorKind::HostUnreachable,
    ];
    if let Err(error) = result {
        assert!(EXPECTED.contains(&error.kind()), "{error}");
    }
}

/// The processor time used so far by the thread of the links and by all threads.
struct Processor {
    links: Duration,
    all: Duration,
}

impl Processor {
    /// The processor time counted by the kernel; zero if it is not available.
    fn now() -> Processor {
        let mut used = Processor { links: Duration::ZERO, all: Duration::ZERO };
        for task in std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten() {
            let [time, name] =
                ["schedstat", "comm"].map(|file| read_to_string(task.path().join(file)).unwrap_or_default());
            let time = time.split_whitespace().next().and_then(|word| word.parse().ok());
            let time = Duration::from_nanos(time.unwrap_or(0));
            used.all += time;
            if name.trim() == "links" {
                used.links += time;
            }
        }
        used
    }

    fn since(&self, before: &Processor) -> Processor {
        Processor { links: self.links - before.links, all: self.all - before.all }
    }
}

fn print(report: &RelayReport, plan: &Plan) {
    for link in &report.links {
        for (direction, side) in [("forward", link.forward), ("reverse", link.reverse)] {
            let counters = side.counters;
            println!(
                "{:<8} {direction}  {:>8} packets  {:>6} queue drops  {:>6.2} % of {} Mbit/s",
                link.name,
                counters.arrived,
                counters.queue_drops,
                side.utilisation * 100.0,
                plan.mbps
            );
        }
    }
}

fn print_rates(report: &RelayReport, offered: u64, took: Duration, used: &Processor) {
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
    let sent = report.paths.iter().flat_map(|path| [path.forward, path.reverse]);
    let carried: u64 = sent.map(|traffic| traffic.sent_bytes.get()).sum();
    let megabits = |bytes: u64| bytes as f64 * 8e-6 / took.as_secs_f64();
    let share = |used: Duration| 100.0 * used.as_secs_f64() / took.as_secs_f64();
    println!(
        "offered {:.0} Mbit/s, carried {:.0}; {:.2} % no later than {PUNCTUAL}; the links' thread {:.0} % of a core, all \
         threads {:.0} %",
        megabits(offered),
        megabits(carried),
        100.0 * timing.punctual as f64 / timing.packets.max(1) as f64,
        share(used.links),
        share(used.all),
    );
}

fn burn() {
    std::hint::black_box((0..1_000).fold(0_u64, |sum, number| sum ^ std::hint::black_box(number)));
}

#[expect(clippy::disallowed_methods, reason = "load comes in real time")]
fn now() -> Instant {
    Instant::now()
}

/// The size of a packet, with headers.
const PACKET: usize = 1500;
/// The most packets into which a datagram of the largest size is segmented.
const TRAIN: usize = 44;
/// The time for which a thread waits for traffic before it checks for the end.
const PATIENCE: Duration = Duration::from_millis(100);
