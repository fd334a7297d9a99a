//! Tests: a queue between real sockets marks packets, and the receivers see these marks and no others. If the system
//! refuses IPv6 or namespaces, the test prints this and passes.

use std::net::SocketAddr;
use std::os::fd::AsFd as _;

use anabranch_base::{BitRate, Duration, Ecn, Seed};
use anabranch_link::LinkConfig;
use anabranch_scenario::Scenario;
use anabranch_scenario::model::{Link, Path, RunSettings};
use anabranch_sctp::wire::PathRole;

use crate::clock::Clock;
use crate::network::{Network, Way};
use crate::relay::{Relay, RelayConfig};
use crate::socket::{OutgoingDatagram, ReceiveBuffers, Socket};
use crate::waiting::wait;

#[path = "../../link/tests/marking/mod.rs"]
mod marking;
use marking::MarkEach;

/// The number of datagrams in each direction.
const COUNT: u8 = 12;
/// The bytes in each datagram.
const SIZE: usize = 100;
/// The longest wait, reached only by a fault: no datagram is lost here.
const PATIENCE: Duration = Duration::from_secs(10);

/// One path over one link of 100 Mbit/s.
fn scenario() -> Scenario {
    one_path(&LinkConfig::new(BitRate::from_mbps(100), Duration::from_millis(1)))
}

/// One path over one link, equal in both directions.
pub(crate) fn one_path(config: &LinkConfig) -> Scenario {
    Scenario {
        radios: Vec::new(),
        nodes: Vec::new(),
        title: String::new(),
        run: RunSettings { time: None, warmup: Duration::ZERO, seed: 1, runs: 1 },
        links: vec![Link { name: "only".to_owned(), forward: config.clone(), reverse: config.clone() }],
        paths: vec![Path { name: "only".to_owned(), links: vec![0], air: None, role: PathRole::Ordinary }],
        events: Vec::new(),
        node_events: Vec::new(),
        flows: Vec::new(),
        registry: anabranch_scenario::registry(),
    }
}

/// The scenario's network, which marks each third packet in the forward direction and each second in the reverse
/// direction.
fn marking_network(scenario: &Scenario) -> Network {
    let mut network = Network::new(scenario, &Seed::from_number(1));
    network.link_mut(0, Way::Forward).set_queue(Box::new(MarkEach::new(3)));
    network.link_mut(0, Way::Reverse).set_queue(Box::new(MarkEach::new(2)));
    network
}

/// Sends numbered datagrams with this codepoint in one call, which the system passes on in one piece if it can.
fn send(socket: &Socket, to: SocketAddr, ecn: Ecn) {
    let bytes: Vec<u8> = (1..=COUNT).flat_map(|number| [number; SIZE]).collect();
    socket.send_batch(&OutgoingDatagram { to, source: None, ecn, bytes: &bytes }, SIZE).expect("sent");
}

/// Receives as many datagrams. Returns their numbers and codepoints, and the sender of the last.
fn receive(socket: &Socket) -> (Vec<(u8, Ecn)>, SocketAddr) {
    let (clock, mut buffers, mut arrivals) = (Clock::start(), ReceiveBuffers::new(), Vec::new());
    while arrivals.len() < usize::from(COUNT) {
        assert!(wait(&[socket.as_fd()], Some(PATIENCE))[0], "{} of {COUNT} came", arrivals.len());
        while socket.receive(&clock, &mut buffers, &mut arrivals).is_ok() {}
    }
    let from = arrivals.last().expect("there are some").from;
    (arrivals.iter().map(|arrival| (arrival.bytes[0], arrival.ecn)).collect(), from)
}

/// The expected arrivals if each n-th of the packets with `ecn` is marked.
fn marked(ecn: Ecn, every: u8) -> Vec<(u8, Ecn)> {
    let seen = |number: u8| if number.is_multiple_of(every) { Ecn::Ce } else { ecn };
    (1..=COUNT).map(|number| (number, seen(number))).collect()
}

/// Sends `ecn` in both directions between two sockets, the first of which reaches the other at `to`.
fn there_and_back(near: &Socket, to: SocketAddr, far: &Socket, ecn: Ecn) {
    let (there, back) = match ecn {
        Ecn::NotEct => ((1..=COUNT).map(|number| (number, ecn)).collect(), None),
        _ => (marked(ecn, 3), Some(marked(ecn, 2))),
    };
    send(near, to, ecn);
    let (came, from) = receive(far);
    assert_eq!(came, there, "{ecn} to {to}");
    send(far, from, ecn);
    assert_eq!(receive(near).0, back.unwrap_or(there), "{ecn} from {to}");
}

#[test]
fn a_relay_hands_on_codepoints_and_the_marks_of_its_links_over_both_versions_of_ip() {
    for (loopback, listen) in
        [("127.0.0.1:0", "127.0.0.1:0"), ("[::1]:0", "[::1]:0"), ("127.0.0.1:0", "0.0.0.0:0")]
    {
        let [address, listen]: [SocketAddr; 2] =
            [loopback, listen].map(|text| text.parse().expect("an address"));
        let (near, far) = match (Socket::bind(address), Socket::bind(address)) {
            (Ok(near), Ok(far)) => (near, far),
            (Err(error), _) | (_, Err(error)) => {
                println!("skipped {address}: {error}");
                continue;
            }
        };
        let scenario = scenario();
        for ecn in [Ecn::Ect0, Ecn::Ect1, Ecn::NotEct] {
            let config = RelayConfig {
                scenario: &scenario,
                seed: Seed::from_number(1),
                listen: vec![listen],
                to: vec![far.address()],
            };
            let relay = Relay::start_over(marking_network(&scenario), &config).expect("a relay");
            let to = SocketAddr::new(address.ip(), relay.listen_addresses()[0].port());
            there_and_back(&near, to, &far, ecn);
            let link = &relay.stop().links[0];
            let counted = [link.forward, link.reverse].map(|side| side.counters.marked);
            assert_eq!(counted, if ecn.is_capable() { [4, 6] } else { [0, 0] });
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn interfaces_hand_on_codepoints_and_the_marks_of_their_links_over_both_versions_of_ip() {
    use std::net::IpAddr;

    use crate::namespaces::{NamespacePair, SetupError, Side};

    let scenario = scenario();
    let namespaces = match NamespacePair::open_over(marking_network(&scenario), &scenario) {
        Ok(namespaces) => namespaces,
        Err(error @ (SetupError::Namespace(_) | SetupError::Device { .. } | SetupError::NoIp(_))) => {
            println!("skipped: {error}");
            return;
        }
        Err(error) => panic!("{error}"),
    };
    let addresses = |side| -> [IpAddr; 2] {
        let v4 = namespaces.addresses(side).next().expect("one path");
        let v6 = namespaces.addresses_v6(side).next().expect("the path is wide enough");
        [v4.into(), v6.into()]
    };
    for (near, far) in addresses(Side::Near).into_iter().zip(addresses(Side::Far)) {
        let bound = |side, address: IpAddr| {
            let made = namespaces.namespace(side).within(|| Socket::bind((address, 0).into()));
            made.expect("a thread").expect("an address of this side")
        };
        let (near, far) = (bound(Side::Near, near), bound(Side::Far, far));
        for ecn in [Ecn::Ect0, Ecn::Ect1, Ecn::NotEct] {
            there_and_back(&near, far.address(), &far, ecn);
        }
    }
}
