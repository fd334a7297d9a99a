//! Packets between interfaces in two network namespaces of this machine. Lower bounds of time are strict; upper ones
//! allow for a busy machine. If the system refuses namespaces, the tests print this and pass.
#![allow(clippy::print_stdout, reason = "the harness keeps what a test prints")]

use std::io::{self, Read as _, Write as _};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::time::{Duration, Instant};

use anabranch_base::Seed;
use anabranch_emulate::RelayReport;
use anabranch_emulate::namespaces::{NamespacePair, SetupError, Side};
use anabranch_link::Change;
use anabranch_link::config::LossKind;
use anabranch_scenario::Scenario;

use crate::scene::{event, link, losing, scenario};

/// Namespaces with these links, or `None`, with the reason on standard error, if they cannot be created.
fn namespaces(scenario: &Scenario) -> Option<NamespacePair> {
    match NamespacePair::open(scenario, &Seed::from_number(1)) {
        Ok(namespaces) => Some(namespaces),
        Err(error @ (SetupError::Namespace(_) | SetupError::Device { .. } | SetupError::NoIp(_))) => {
            println!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// A socket at the address of a path, which waits not longer than [`PATIENCE`].
fn socket(namespaces: &NamespacePair, side: Side, path: usize) -> UdpSocket {
    let address = namespaces.addresses(side).nth(path).expect("a path of this number");
    bound(namespaces, side, address.into())
}

fn bound(namespaces: &NamespacePair, side: Side, address: IpAddr) -> UdpSocket {
    let made = namespaces.namespace(side).within(|| UdpSocket::bind((address, 0)));
    let socket = made.expect("a thread").expect("an address of this side");
    socket.set_read_timeout(Some(PATIENCE)).expect("a socket");
    socket
}

fn address(socket: &UdpSocket) -> SocketAddr {
    socket.local_addr().expect("it is bound")
}

fn receive(socket: &UdpSocket) -> (Vec<u8>, SocketAddr) {
    let mut buffer = vec![0; 65_536];
    let (length, from) = socket.recv_from(&mut buffer).expect("something comes");
    buffer.truncate(length);
    (buffer, from)
}

fn wait_for(namespaces: &NamespacePair, is_so: impl Fn(&RelayReport) -> bool) {
    for _ in 0..PATIENCE.as_millis() {
        if is_so(&namespaces.report()) {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("{:#?}", namespaces.report());
}

#[expect(clippy::disallowed_methods, reason = "what is tested is real time")]
fn now() -> Instant {
    Instant::now()
}

#[test]
fn datagrams_go_there_and_back_unchanged_each_path_by_its_own_delay() {
    let mut named = scenario(vec![link("a", 1_000, 10), link("b", 1_000, 40)], &[&[0], &[1]]);
    // Each is also a keyword of `ip`, or begins like one.
    for (path, name) in named.paths.iter_mut().zip(["a", "up"]) {
        path.name = name.to_owned();
    }
    let Some(namespaces) = namespaces(&named) else { return };
    for (path, delay) in [(0, 10), (1, 40)] {
        let [near, far] = [Side::Near, Side::Far].map(|side| socket(&namespaces, side, path));
        for size in [0, 1, 1_472, 1_471] {
            let sent: Vec<u8> = (0..size).map(|byte: u32| byte as u8).collect();
            let begun = now();
            near.send_to(&sent, address(&far)).expect("sent");
            let (came, from) = receive(&far);
            assert!(came == sent && from == address(&near), "{} bytes from {from}", came.len());
            assert!(begun.elapsed() >= Duration::from_millis(delay));
            far.send_to(&came, from).expect("sent");
            assert!(receive(&near).0 == sent);
            let took = begun.elapsed();
            assert!(took >= Duration::from_millis(2 * delay), "{took:?}");
            assert!(took < Duration::from_millis(2 * delay) + BUSY, "{took:?}");
        }
    }
    let report = namespaces.stop();
    assert_eq!((report.timing.packets, report.kernel_drops), (16, Some(0)));
    let carried = [0, 1].map(|path| (report.paths[path].forward, report.paths[path].reverse));
    for (forward, reverse) in carried {
        assert_eq!((forward.received, forward.sent, reverse.received, reverse.sent), (4, 4, 4, 4));
        // The links count 28 bytes of headers each.
        assert_eq!(forward.received_bytes.get(), 1 + 1_472 + 1_471 + 4 * 28);
    }
}

#[test]
fn the_near_address_says_which_path_a_packet_takes_whatever_the_far_one() {
    let links = vec![link("a", 1_000, 1), link("b", 1_000, 1)];
    let Some(namespaces) = namespaces(&scenario(links, &[&[0], &[1]])) else { return };
    let server = socket(&namespaces, Side::Far, 0);
    for path in [0, 1] {
        let client = socket(&namespaces, Side::Near, path);
        client.send_to(b"hello", address(&server)).expect("sent");
        let (_, from) = receive(&server);
        server.send_to(b"good day", from).expect("sent");
        assert_eq!(receive(&client), (b"good day".to_vec(), address(&server)));
    }
    let report = namespaces.stop();
    let carried = [0, 1].map(|path| (report.paths[path].forward.sent, report.paths[path].reverse.sent));
    assert_eq!(carried, [(1, 1), (1, 1)]);
}

#[test]
fn a_burst_leaves_at_the_links_rate_whatever_carries_it() {
    let Some(namespaces) = namespaces(&scenario(vec![link("only", 12, 0)], &[&[0]])) else { return };
    let [near, far] = [Side::Near, Side::Far].map(|side| socket(&namespaces, side, 0));
    // 1,500 bytes with headers: 1 ms each.
    let sent = now();
    for _ in 0..100 {
        near.send_to(&[1; 1472], address(&far)).expect("sent");
    }
    for number in 1..=100 {
        receive(&far);
        assert!(sent.elapsed() >= Duration::from_millis(number), "packet {number} is too early");
    }
    let took = sent.elapsed();
    let late = Duration::from(namespaces.stop().timing.max);
    assert!(took < Duration::from_millis(105) + late + BUSY, "{took:?}");
}

#[test]
fn the_listed_packets_are_lost_and_no_others() {
    let lossy = losing(link("only", 1_000, 1), LossKind::List(vec![2, 3, 7]));
    let Some(namespaces) = namespaces(&scenario(vec![lossy], &[&[0]])) else { return };
    let [near, far] = [Side::Near, Side::Far].map(|side| socket(&namespaces, side, 0));
    for number in 1..=9 {
        near.send_to(&[number], address(&far)).expect("sent");
    }
    let arrived: Vec<u8> = (0..6).map(|_| receive(&far).0[0]).collect();
    assert_eq!(arrived, [1, 4, 5, 6, 8, 9]);
    assert_eq!(namespaces.stop().links[0].forward.counters.lost, 3);
}

#[test]
fn an_outage_cuts_both_ways_from_its_time_after_the_first_packet_on() {
    let mut cut = scenario(vec![link("only", 1_000, 1)], &[&[0]]);
    cut.events = vec![event(100, Change::Down), event(400, Change::Up)];
    let Some(namespaces) = namespaces(&cut) else { return };
    let [near, far] = [Side::Near, Side::Far].map(|side| socket(&namespaces, side, 0));
    near.send_to(b"before", address(&far)).expect("sent");
    assert_eq!(receive(&far).0, b"before");
    let millisecond = |report: &RelayReport| report.time.map_or(0.0, |time| time.as_secs_f64() * 1e3);
    wait_for(&namespaces, |report| millisecond(report) > 120.0);
    let is_within = millisecond(&namespaces.report()) < 350.0;
    near.send_to(b"meanwhile", address(&far)).expect("sent");
    far.send_to(b"meanwhile", address(&near)).expect("sent");
    wait_for(&namespaces, |report| millisecond(report) > 410.0);
    far.send_to(b"after", address(&near)).expect("sent");
    let answer = receive(&near).0;
    // A machine that paused for this long proves nothing.
    if is_within {
        assert_eq!(answer, b"after");
        let link = &namespaces.stop().links[0];
        assert_eq!((link.forward.counters.lost, link.reverse.counters.lost), (1, 1));
    }
}

#[test]
fn both_versions_of_ip_and_the_kernels_own_tcp_go_over_it() {
    let Some(namespaces) = namespaces(&scenario(vec![link("only", 100, 5)], &[&[0]])) else { return };
    if let Some(far) = namespaces.addresses_v6(Side::Far).next().filter(|_| has_v6()) {
        let near = namespaces.addresses_v6(Side::Near).next().expect("as many as there");
        let [near, far] = [(Side::Near, near), (Side::Far, far)]
            .map(|(side, address)| bound(&namespaces, side, address.into()));
        near.send_to(b"six", address(&far)).expect("sent");
        assert_eq!(receive(&far).0, b"six");
    }
    let server = namespaces.addresses(Side::Far).next().expect("a path");
    let listener = namespaces.namespace(Side::Far).within(|| TcpListener::bind((server, 0)));
    let listener = listener.expect("a thread").expect("an address of this side");
    let at = listener.local_addr().expect("bound");
    let sent: Vec<u8> = (0..1_000_000_u32).map(|number| (number % 251) as u8).collect();
    let copy = sent.clone();
    let sending = std::thread::spawn(move || -> io::Result<()> { listener.accept()?.0.write_all(&copy) });
    let stream = namespaces.namespace(Side::Near).within(|| TcpStream::connect(at)).expect("a thread");
    let mut came = Vec::new();
    stream.expect("somebody listens").read_to_end(&mut came).expect("it ends");
    sending.join().expect("it ends").expect("sent");
    assert!(came == sent, "{} bytes", came.len());
    let report = namespaces.stop();
    let largest = report.paths[0].reverse.received_bytes.get() / report.paths[0].reverse.received;
    assert!(largest <= 1500, "no packets larger than the interface's: {largest} on average");
    assert!(report.paths[0].reverse.received > 690);
}

#[test]
fn nothing_begins_before_a_program_sends_something() {
    let Some(namespaces) = namespaces(&scenario(vec![link("only", 100, 5)], &[&[0]])) else { return };
    let near = socket(&namespaces, Side::Near, 0);
    // A kernel sends its own packets in the first moments.
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(namespaces.report().time, None);
    near.send_to(b"first", (namespaces.addresses(Side::Far).next().expect("a path"), 9)).expect("sent");
    wait_for(&namespaces, |report| report.time.is_some());
}

#[test]
fn packets_are_as_large_as_the_smallest_link_lets_them_be() {
    let mut small = link("only", 100, 1);
    small.forward.mtu = Some(anabranch_base::ByteCount::new(600));
    let Some(namespaces) = namespaces(&scenario(vec![small], &[&[0]])) else { return };
    let [near, far] = [Side::Near, Side::Far].map(|side| socket(&namespaces, side, 0));
    near.send_to(&[7; 1400], address(&far)).expect("sent");
    assert_eq!(receive(&far).0, [7; 1400], "the kernel cut it and put it together");
    assert_eq!(namespaces.stop().paths[0].forward.sent, 3);
}

fn has_v6() -> bool {
    std::path::Path::new("/proc/sys/net/ipv6").exists()
}

/// The longest wait of any test here.
const PATIENCE: Duration = Duration::from_secs(20);
/// The delay that a busy machine may add.
const BUSY: Duration = Duration::from_millis(500);
