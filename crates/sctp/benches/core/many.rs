//! The cost of a packet where an endpoint has one association, and where it has many, each with a peer of its own.
#![allow(clippy::print_stdout, reason = "a benchmark prints its table")]

use std::net::{IpAddr, SocketAddr};

use anabranch_base::{ByteCount, Duration, Seed, Time};
use anabranch_sctp::association::{Ecn, Outgoing, Reliability};
use anabranch_sctp::config::Config;
use anabranch_sctp::endpoint::{Arrival, AssociationId, Channel, Endpoint, EndpointConfig, join};
use anabranch_sctp::policy::Registry;
use anabranch_sctp::wire::{Ppid, StreamId};
use bytes::Bytes;

use crate::cost::{Cost, median};

const ASSOCIATIONS: [usize; 3] = [1, 100, 1_000];
const REPEATS: usize = 3;
const MESSAGES: u64 = 200_000;
/// The time between two messages, of any association.
const STEP: Duration = Duration::from_micros(100);
const PORT: u16 = 9_899;

/// Prints the table: messages of 1,400 B, the associations one after another, the endpoint asked for packets and for its
/// next timer after every packet.
pub(crate) fn compare(wanted: &str) {
    if !"associations".contains(wanted) {
        return;
    }
    let mut repeats = ASSOCIATIONS.map(|_| Vec::new());
    for _ in 0..REPEATS {
        for (count, costs) in ASSOCIATIONS.iter().zip(&mut repeats) {
            costs.push(measure(*count));
        }
    }
    println!("\n| associations | CPU µs a packet, both ends | to one association |\n|---|---|---|");
    let costs = repeats.map(|costs| median(costs).microseconds_per_packet());
    for (count, cost) in ASSOCIATIONS.iter().zip(costs) {
        println!("| {count} | {cost:.2} | {:.2} |", cost / costs[0]);
    }
}

fn measure(count: usize) -> Cost {
    let mut star = Star::new(count);
    let message = Bytes::from(vec![7; 1_400]);
    (0..MESSAGES / 10).for_each(|_| star.exchange(&message));
    let before = star.packets;
    Cost::of(|| {
        (0..MESSAGES).for_each(|_| star.exchange(&message));
        (ByteCount::new(MESSAGES * message.len() as u64), star.packets - before)
    })
}

/// An endpoint and those that send to it.
struct Star {
    hub: Endpoint,
    peers: Vec<Peer>,
    now: Time,
    /// The peer that sent last.
    next: usize,
    packets: u64,
}

struct Peer {
    endpoint: Endpoint,
    id: AssociationId,
    at_hub: AssociationId,
}

impl Star {
    fn new(count: usize) -> Star {
        let mut hub = endpoint(hub_address(), count);
        let mut peers = Vec::new();
        for index in 0..count {
            let mut endpoint = endpoint(peer_address(index), 1);
            let (at_hub, id) = join(Time::ZERO, &mut hub, &mut endpoint).expect("strangers");
            peers.push(Peer { endpoint, id, at_hub });
        }
        Star { hub, peers, now: Time::ZERO, next: 0, packets: 0 }
    }

    /// The next peer sends a message, which is read and acknowledged.
    fn exchange(&mut self, message: &Bytes) {
        self.now += STEP;
        self.next = (self.next + 1) % self.peers.len();
        let peer = &mut self.peers[self.next];
        let association = peer.endpoint.association_mut(peer.id).expect("it is open");
        let (stream, ppid) = (StreamId::new(0), Ppid::new(0));
        let outgoing = Outgoing {
            stream,
            ppid,
            unordered: false,
            immediate: false,
            reliability: Reliability::Full,
            payload: message.clone(),
        };
        association.send(self.now, outgoing).expect("there is room");
        let at_hub = peer.at_hub;
        let leaving = step(&mut peer.endpoint, self.now, None);
        self.deliver(leaving);
        while self.hub.receive(at_hub).is_some() {}
        let answers = step(&mut self.hub, self.now, None);
        self.deliver(answers);
    }

    /// Lets packets arrive, and those that answer them.
    fn deliver(&mut self, mut packets: Vec<Arrival>) {
        while let Some(arrival) = packets.pop() {
            self.packets += 1;
            let to = if arrival.local == hub_address() {
                &mut self.hub
            } else {
                &mut self.peers[index_of(arrival.local)].endpoint
            };
            packets.extend(step(to, self.now, Some(&arrival)));
        }
    }
}

/// The work of a driver at each packet; returns what leaves, as arrivals elsewhere.
fn step(endpoint: &mut Endpoint, now: Time, arrival: Option<&Arrival>) -> Vec<Arrival> {
    if let Some(arrival) = arrival {
        endpoint.handle(now, arrival);
    }
    let mut leaving = Vec::new();
    collect(endpoint, now, &mut leaving);
    if endpoint.poll_timeout().is_some_and(|due| due <= now) {
        endpoint.handle_timeout(now);
        collect(endpoint, now, &mut leaving);
    }
    while endpoint.poll_event().is_some() {}
    leaving
}

fn collect(endpoint: &mut Endpoint, now: Time, leaving: &mut Vec<Arrival>) {
    let mut packet = Vec::new();
    while let Some(departure) = endpoint.poll_transmit(now, &mut packet, 1) {
        let bytes = Bytes::from(std::mem::take(&mut packet));
        leaving.push(Arrival {
            local: departure.remote,
            remote: departure.local,
            channel: Channel::PLAIN,
            ecn: Ecn::NotEct,
            memory: ByteCount::of_len(bytes.len()),
            bytes,
        });
    }
}

fn endpoint(local: SocketAddr, max_associations: usize) -> Endpoint {
    let config = EndpointConfig {
        association: Config::rfc9260(),
        registry: Registry::standard(),
        port: PORT,
        accepts: true,
        local: vec![local],
        max_associations,
    };
    Endpoint::new(config, Seed::from_number(1)).expect("sound settings")
}

fn hub_address() -> SocketAddr {
    SocketAddr::new(IpAddr::from([10, 0, 0, 1]), PORT)
}

fn peer_address(index: usize) -> SocketAddr {
    let [_, _, high, low] = u32::try_from(index).expect("none was missed").to_be_bytes();
    SocketAddr::new(IpAddr::from([10, 1, high, low]), PORT)
}

fn index_of(address: SocketAddr) -> usize {
    match address.ip() {
        IpAddr::V4(ip) => usize::from(ip.octets()[2]) << 8 | usize::from(ip.octets()[3]),
        IpAddr::V6(_) => unreachable!("all addresses are IPv4"),
    }
}
