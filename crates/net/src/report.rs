//! Reports of sockets and paths.

use std::collections::VecDeque;
use std::net::SocketAddr;

use anabranch_base::ByteCount;
use anabranch_sctp::association::{PathAddresses, PathCounters, TimeInLimit};
use anabranch_sctp::policy::{PathId, PathSample};

use crate::links::Links;
use crate::socket::Socket;

/// The report of one UDP socket of an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SocketReport {
    /// The address to which it is bound.
    pub address: SocketAddr,
    /// The receive buffer granted by the operating system, in the system's own accounting; 4 MiB is requested.
    pub receive_buffer: ByteCount,
    /// The send buffer granted by the operating system, likewise.
    pub send_buffer: ByteCount,
    /// The packets that could not be sent.
    pub unsent: Unsent,
    /// The datagrams that the operating system dropped because the receive buffer was full; `None` if it does not tell.
    pub drops: Option<u64>,
    /// True if many packets wait for room in the socket.
    pub(crate) is_busy: bool,
}

/// Packets that the operating system refused, for instance because the network is unreachable. The association treats
/// them as lost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unsent {
    /// The number of packets.
    pub packets: u64,
    /// The last error.
    pub last_error: Option<String>,
}

/// The messages of an association that were given up after [`send`](crate::Association::send) had accepted them. The
/// counts are exact, unlike those of a listener who missed [`Event::GivenUp`](crate::Event::GivenUp).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GivenUpCounters {
    /// The messages of which nothing was sent.
    pub unsent: u64,
    /// The messages of which a part was sent. Some may still have arrived whole.
    pub sent: u64,
    /// The user data of all of them.
    pub bytes: ByteCount,
}

impl GivenUpCounters {
    /// Adds a message of `bytes`.
    pub(crate) fn add(&mut self, bytes: ByteCount, was_sent: bool) {
        let messages = if was_sent { &mut self.sent } else { &mut self.unsent };
        *messages += 1;
        self.bytes += bytes;
    }
}

impl SocketReport {
    /// The report of a new socket.
    pub(crate) fn of(socket: &Socket) -> SocketReport {
        let (receive_buffer, send_buffer) = socket.buffer_sizes();
        SocketReport {
            address: socket.address(),
            receive_buffer,
            send_buffer,
            unsent: Unsent::default(),
            drops: None,
            is_busy: false,
        }
    }

    /// Returns true if packets from `local` are sent by the socket.
    fn sends_from(&self, local: SocketAddr) -> bool {
        let own = self.address;
        own.port() == local.port() && (own.ip() == local.ip() || own.ip().is_unspecified())
    }
}

impl Unsent {
    /// Adds `packets` with their error.
    pub(crate) fn add(&mut self, packets: u64, error: String) {
        self.packets += packets;
        self.last_error = Some(error);
    }
}

/// The reports of an endpoint's open and closed sockets.
#[derive(Debug, Default)]
pub(crate) struct SocketReports {
    /// The reports of the open sockets, in the driver's order.
    pub open: Vec<SocketReport>,
    /// The reports of the sockets closed last.
    closed: VecDeque<SocketReport>,
    /// The traffic of the links.
    pub links: Links,
}

/// The report of one path of an association.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PathReport {
    /// The path's id; an id is reused only if its first path never carried data, or after very many paths.
    pub id: PathId,
    /// The addresses at both ends.
    pub addresses: PathAddresses,
    /// The present state, windows and times.
    pub sample: PathSample,
    /// The counters.
    pub counters: PathCounters,
    /// The time in each limit since the association opened.
    pub limits: TimeInLimit,
    /// The congestion window averaged over that time, in bytes.
    pub mean_cwnd: f64,
    /// The packets that its socket could not send, on this path or another that uses the socket.
    pub unsent: Unsent,
}

impl SocketReports {
    /// No sockets yet.
    pub(crate) fn with(links: Links) -> SocketReports {
        SocketReports { links, ..SocketReports::default() }
    }

    /// Adds a socket. A socket at the address of a closed one continues its counts, which are returned.
    pub(crate) fn on_opened(&mut self, mut report: SocketReport) -> Unsent {
        if let Some(index) = self.closed.iter().position(|closed| closed.address == report.address)
            && let Some(closed) = self.closed.remove(index)
        {
            report.unsent = closed.unsent;
        }
        let unsent = report.unsent.clone();
        self.open.push(report);
        unsent
    }

    /// Removes the socket at `index`; its report is kept among the latest.
    pub(crate) fn on_closed(&mut self, index: usize, unsent: Unsent) {
        let report = self.open.remove(index);
        self.closed.push_back(SocketReport { unsent, ..report });
        if self.closed.len() > MOST_CLOSED {
            self.closed.pop_front();
        }
    }

    /// Adds unsent packets of a socket that was closed.
    pub(crate) fn add_unsent(&mut self, local: SocketAddr, packets: u64, error: String) {
        if let Some(closed) = self.closed.iter_mut().rev().find(|closed| closed.address == local) {
            closed.unsent.add(packets, error);
        }
    }

    /// Returns true if many packets wait for the socket at a local address.
    pub(crate) fn is_busy(&self, local: SocketAddr) -> bool {
        self.open.iter().find(|socket| socket.sends_from(local)).is_some_and(|socket| socket.is_busy)
    }

    /// The unsent packets of the socket at a local address.
    pub(crate) fn unsent_from(&self, local: SocketAddr) -> Unsent {
        let mut all = self.open.iter().chain(self.closed.iter().rev());
        let socket = all.find(|socket| socket.sends_from(local));
        socket.map_or_else(Unsent::default, |socket| socket.unsent.clone())
    }
}

/// The most reports of closed sockets, so that an address that appears and vanishes repeatedly does not use more
/// memory.
const MOST_CLOSED: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn report(port: u16) -> SocketReport {
        let address = ([127, 0, 0, 1], port).into();
        let (receive_buffer, send_buffer) = (ByteCount::ZERO, ByteCount::ZERO);
        let unsent = Unsent::default();
        SocketReport { address, receive_buffer, send_buffer, unsent, drops: None, is_busy: false }
    }

    fn unsent(packets: u64) -> Unsent {
        Unsent { packets, last_error: None }
    }

    #[test]
    fn what_a_closed_socket_could_not_send_stays_known_and_counts_on_at_its_address() {
        let mut sockets = SocketReports::default();
        sockets.on_opened(report(1));
        sockets.on_opened(report(2));
        sockets.on_closed(0, unsent(3));
        assert_eq!(sockets.unsent_from(report(1).address), unsent(3));
        sockets.add_unsent(report(1).address, 2, "gone".to_owned());
        let expected = Unsent { packets: 5, last_error: Some("gone".to_owned()) };
        assert_eq!(sockets.on_opened(report(1)), expected);
        assert_eq!((sockets.open.len(), sockets.closed.len()), (2, 0));
        assert_eq!(sockets.unsent_from(report(3).address), Unsent::default());
    }

    #[test]
    fn sockets_that_come_and_go_are_remembered_within_bounds() {
        let mut sockets = SocketReports::default();
        for port in 0..1_000 {
            sockets.on_opened(report(port));
            sockets.on_closed(0, unsent(1));
        }
        assert_eq!((sockets.open.len(), sockets.closed.len()), (0, MOST_CLOSED));
        assert_eq!(sockets.unsent_from(report(999).address), unsent(1));
    }
}
