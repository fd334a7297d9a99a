//! The sockets of a relayed path: one to which its clients send, and one towards the target for each client, so that
//! the target sees each client at a separate address.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::os::fd::{AsFd as _, BorrowedFd};

use anabranch_base::{ByteCount, Duration, Time};

use crate::attachment::{Attachment, Handover, ReadPoint, ReceivedDatagram};
use crate::clock::Clock;
use crate::network::{Content, Datagram, PathInput, PathOutput, Way};
use crate::report::{PathEnds, PathReport, TrafficCounters};
use crate::socket::{Arrival, OutgoingDatagram, ReceiveBuffers, Rest, Socket};

/// The sockets of a path.
#[derive(Debug)]
pub(crate) struct UdpAttachment {
    path: usize,
    listen: Socket,
    target: SocketAddr,
    /// The local address from which the target is reached.
    local: IpAddr,
    clients: BTreeMap<SocketAddr, Client>,
    forward: TrafficCounters,
    reverse: TrafficCounters,
    refused: u64,
}

/// A program that has sent to the listening socket.
#[derive(Debug)]
struct Client {
    /// The socket towards the target.
    upstream: Socket,
    /// The local address to which it sends, and from which it is answered.
    sends_to: Option<IpAddr>,
    /// The time of the last datagram from or to it.
    last_heard: Time,
}

impl UdpAttachment {
    /// The attachment of the scenario's `path`-th path; determines the local address towards its target.
    ///
    /// # Errors
    /// The error of the operating system for the target.
    pub(crate) fn open(path: usize, listen: Socket, target: SocketAddr) -> io::Result<UdpAttachment> {
        let local = local_address_towards(target)?;
        Ok(UdpAttachment {
            path,
            listen,
            target,
            local,
            clients: BTreeMap::new(),
            forward: TrafficCounters::default(),
            reverse: TrafficCounters::default(),
            refused: 0,
        })
    }

    /// The address to which clients send.
    pub(crate) fn listening(&self) -> SocketAddr {
        self.listen.address()
    }

    fn socket(&self, point: ReadPoint) -> Option<&Socket> {
        match point {
            ReadPoint::Listen => Some(&self.listen),
            ReadPoint::Upstream(client) => self.clients.get(&client).map(|client| &client.upstream),
            ReadPoint::Interface(_) => None,
        }
    }

    /// Handles a datagram at the listening socket. A new client is accepted only if there is room for another client.
    fn handle_from_client(&mut self, arrival: Arrival) -> Option<PathInput> {
        let Arrival { at, from, to, ecn, bytes } = arrival;
        if !self.clients.contains_key(&from) && !self.admit(from, at) {
            self.refused += 1;
            return None;
        }
        let client = self.clients.get_mut(&from)?;
        client.last_heard = at;
        client.sends_to = to;
        self.forward.on_received(ByteCount::of_len(bytes.len()));
        Some(PathInput {
            path: self.path,
            direction: Way::Forward,
            datagram: Datagram::of_client(from, ecn, bytes),
        })
    }

    /// Handles a datagram at a client's socket; it is dropped if it is not from the target.
    fn handle_from_target(&mut self, client: SocketAddr, arrival: Arrival) -> Option<PathInput> {
        let Arrival { at, from, ecn, bytes, .. } = arrival;
        let known = self.clients.get_mut(&client).filter(|_| from == self.target)?;
        known.last_heard = at;
        self.reverse.on_received(ByteCount::of_len(bytes.len()));
        Some(PathInput {
            path: self.path,
            direction: Way::Reverse,
            datagram: Datagram::of_client(client, ecn, bytes),
        })
    }

    fn admit(&mut self, address: SocketAddr, now: Time) -> bool {
        if self.clients.len() >= MOST_CLIENTS {
            self.forget_idle(now);
        }
        if self.clients.len() >= MOST_CLIENTS {
            return false;
        }
        let Ok(upstream) = Socket::bind(SocketAddr::new(self.local, 0)) else { return false };
        self.clients.insert(address, Client { upstream, sends_to: None, last_heard: now });
        true
    }
}

impl Attachment for UdpAttachment {
    fn receive(
        &mut self,
        point: ReadPoint,
        clock: &Clock,
        buffers: &mut ReceiveBuffers,
        incoming: &mut Vec<ReceivedDatagram>,
    ) {
        let mut arrivals = Vec::new();
        let Some(socket) = self.socket(point) else { return };
        for _ in 0..MOST_CALLS {
            match socket.receive(clock, buffers, &mut arrivals) {
                Ok(Rest::Perhaps) if arrivals.len() < MOST_DATAGRAMS => {}
                // The error of an ICMP message, for instance: the next call returns what waits after it.
                Err(error) if error.kind() != io::ErrorKind::WouldBlock => {}
                Ok(_) | Err(_) => break,
            }
        }
        for arrival in arrivals {
            let at = arrival.at;
            let entry = match point {
                ReadPoint::Listen => self.handle_from_client(arrival),
                ReadPoint::Upstream(client) => self.handle_from_target(client, arrival),
                ReadPoint::Interface(_) => None,
            };
            incoming.extend(entry.map(|entry| ReceivedDatagram { at, entry }));
        }
    }

    fn knows_arrivals(&self) -> bool {
        true
    }

    fn send(&mut self, departure: PathOutput) -> Handover {
        let PathOutput { direction, datagram, .. } = departure;
        let Content::Payload { client: address } = datagram.content else { return Handover::Done };
        let client = self.clients.get(&address);
        let message =
            OutgoingDatagram { to: self.target, source: None, ecn: datagram.ecn, bytes: &datagram.bytes };
        let sent = match (direction, client) {
            (Way::Forward, Some(client)) => client.upstream.send(&message),
            // The client was removed while its datagram was on the path.
            (Way::Forward, None) => Err(io::ErrorKind::NotConnected.into()),
            (Way::Reverse, client) => {
                let source = client.and_then(|client| client.sends_to);
                self.listen.send(&OutgoingDatagram { to: address, source, ..message })
            }
        };
        let traffic = match direction {
            Way::Forward => &mut self.forward,
            Way::Reverse => &mut self.reverse,
        };
        match sent {
            Ok(()) => traffic.on_sent(ByteCount::of_len(datagram.bytes.len())),
            Err(_) => traffic.unsent += 1,
        }
        Handover::Done
    }

    fn forget_idle(&mut self, now: Time) {
        self.clients.retain(|_, client| now.since(client.last_heard) < IDLE);
    }

    fn read_points(&self) -> Vec<(ReadPoint, BorrowedFd<'_>)> {
        let upstream = self
            .clients
            .iter()
            .map(|(address, client)| (ReadPoint::Upstream(*address), client.upstream.as_fd()));
        std::iter::once((ReadPoint::Listen, self.listen.as_fd())).chain(upstream).collect()
    }

    fn report(&self, name: &str) -> PathReport {
        PathReport {
            name: name.to_owned(),
            ends: PathEnds::Sockets {
                listen: self.listen.address(),
                to: self.target,
                clients: self.clients.len(),
                refused: self.refused,
            },
            forward: self.forward,
            reverse: self.reverse,
        }
    }
}

/// The local address of packets to `target`; sends no packet.
fn local_address_towards(target: SocketAddr) -> io::Result<IpAddr> {
    let any: IpAddr =
        if target.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let probe = UdpSocket::bind((any, 0))?;
    probe.connect(target)?;
    Ok(probe.local_addr()?.ip())
}

/// The most clients of a path. Each uses a socket.
const MOST_CLIENTS: usize = 64;
/// RFC 4787 REQ-5: a mapping must not expire earlier, and that of many NATs does not last longer.
const IDLE: Duration = Duration::from_secs(120);
/// The most datagrams read before other sockets: half a millisecond.
const MOST_DATAGRAMS: usize = 256;
/// The most calls for these datagrams; some only return an error.
const MOST_CALLS: usize = 64;

#[cfg(test)]
mod tests {
    use anabranch_base::Ecn;

    use super::*;

    fn address(port: u16) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], port))
    }

    fn attachment() -> UdpAttachment {
        let listen = Socket::bind(address(0)).expect("a port of the system's choice");
        UdpAttachment::open(0, listen, address(9)).expect("loopback can be reached")
    }

    fn arrival(seconds: u64, from: SocketAddr) -> Arrival {
        let at = Time::ZERO + Duration::from_secs(seconds);
        Arrival { at, from, to: None, ecn: Ecn::NotEct, bytes: b"hello".to_vec() }
    }

    #[test]
    fn a_client_is_forgotten_when_nothing_came_from_it_or_for_it_for_two_minutes() {
        let (mut attachment, silent, served) = (attachment(), address(1), address(2));
        for client in [silent, served] {
            assert!(attachment.handle_from_client(arrival(0, client)).is_some());
        }
        assert!(attachment.handle_from_target(served, arrival(60, attachment.target)).is_some());
        attachment.forget_idle(Time::ZERO + Duration::from_secs(119));
        assert_eq!(attachment.clients.len(), 2);
        attachment.forget_idle(Time::ZERO + Duration::from_secs(120));
        assert_eq!(attachment.clients.keys().collect::<Vec<_>>(), [&served]);
    }

    #[test]
    fn a_newcomer_takes_the_place_of_one_that_is_idle_and_of_no_other() {
        let mut attachment = attachment();
        let clients = (1..=64).map(address);
        let admitted = clients.filter_map(|client| attachment.handle_from_client(arrival(0, client))).count();
        assert_eq!(admitted, MOST_CLIENTS);
        assert!(attachment.handle_from_client(arrival(100, address(1))).is_some());
        assert!(attachment.handle_from_client(arrival(119, address(65))).is_none());
        assert!(attachment.handle_from_client(arrival(120, address(65))).is_some());
        assert_eq!(attachment.clients.keys().collect::<Vec<_>>(), [&address(1), &address(65)]);
        assert_eq!(attachment.refused, 1);
    }

    #[test]
    fn a_datagram_for_a_client_that_is_forgotten_is_counted_as_unsent() {
        let mut attachment = attachment();
        let datagram = Datagram::of_client(address(1), Ecn::NotEct, b"late".to_vec());
        attachment.send(PathOutput { at: Time::ZERO, path: 0, direction: Way::Forward, datagram });
        assert_eq!((attachment.forward.sent, attachment.forward.unsent), (0, 1));
    }
}
