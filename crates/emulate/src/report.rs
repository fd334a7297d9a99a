//! The counters of a relay so far, as plain values.

use std::net::{Ipv4Addr, SocketAddr};

use anabranch_base::{ByteCount, Duration};
use anabranch_link::LinkCounters;

use crate::timing::TimingError;

/// The report of a relay so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RelayReport {
    /// The time since the first datagram of a client, which started the scenario's clock; `None` before.
    pub time: Option<Duration>,
    /// The links, in the scenario's order.
    pub links: Vec<LinkReport>,
    /// The paths, in the scenario's order.
    pub paths: Vec<PathReport>,
    /// The delay of packets behind their departure times.
    pub timing: TimingError,
    /// Datagrams that the kernel dropped at the open sockets or interfaces because they were not read fast enough;
    /// `None` if it does not report them.
    pub kernel_drops: Option<u64>,
}

/// The report of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkReport {
    /// The name.
    pub name: String,
    /// The forward direction.
    pub forward: SideReport,
    /// The reverse direction.
    pub reverse: SideReport,
}

/// The report of one direction of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SideReport {
    /// The counters of arrived, departed and lost packets.
    pub counters: LinkCounters,
    /// The packets on the link.
    pub in_flight: u64,
    /// The transmitted share of its capacity.
    pub utilisation: f64,
}

/// The report of a path.
#[derive(Clone, Debug, PartialEq)]
pub struct PathReport {
    /// The name.
    pub name: String,
    /// The ends of the path.
    pub ends: PathEnds,
    /// The forward traffic: from clients to the target, or from near to far.
    pub forward: TrafficCounters,
    /// The reverse traffic.
    pub reverse: TrafficCounters,
}

/// The ends of a path.
#[derive(Clone, Debug, PartialEq)]
pub enum PathEnds {
    /// UDP clients and a target.
    Sockets {
        /// The address to which clients send.
        listen: SocketAddr,
        /// The target of their datagrams.
        to: SocketAddr,
        /// The number of clients.
        clients: usize,
        /// Datagrams of new clients while the number of clients was at its limit, or when the system had no socket
        /// for them.
        refused: u64,
    },
    /// Two interfaces of the same name, in two network namespaces.
    Interfaces {
        /// The name of both.
        name: String,
        /// The address in the near namespace.
        near: Ipv4Addr,
        /// The address in the far namespace.
        far: Ipv4Addr,
    },
}

impl PathReport {
    /// The datagrams of refused clients.
    pub fn refused(&self) -> u64 {
        match self.ends {
            PathEnds::Sockets { refused, .. } => refused,
            PathEnds::Interfaces { .. } => 0,
        }
    }
}

/// The traffic that entered one end of a path and left it at the other: payloads, or complete packets between
/// interfaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrafficCounters {
    /// The datagrams received.
    pub received: u64,
    /// Their bytes.
    pub received_bytes: ByteCount,
    /// The datagrams sent.
    pub sent: u64,
    /// Their bytes.
    pub sent_bytes: ByteCount,
    /// The datagrams that the system refused to send.
    pub unsent: u64,
}

impl TrafficCounters {
    /// Counts a received datagram.
    pub(crate) fn on_received(&mut self, size: ByteCount) {
        self.received += 1;
        self.received_bytes += size;
    }

    /// Counts a sent datagram.
    pub(crate) fn on_sent(&mut self, size: ByteCount) {
        self.sent += 1;
        self.sent_bytes += size;
    }
}
