//! The counters of a relay so far, as plain values.

use std::net::{Ipv4Addr, SocketAddr};

use anabranch_base::{ByteCount, Duration};
use anabranch_link::LinkCounters;

use crate::timing::TimingError;

/// What a relay did so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RelayReport {
    /// The time since the first datagram of a client, when the scenario's clock began to run; `None` before.
    pub time: Option<Duration>,
    /// The links, in the scenario's order.
    pub links: Vec<LinkReport>,
    /// The paths, in the scenario's order.
    pub paths: Vec<PathReport>,
    /// How late packets left.
    pub timing: TimingError,
    /// Datagrams that the kernel dropped because they were not read fast enough, of the sockets or interfaces that are
    /// open; `None` where it does not say.
    pub kernel_drops: Option<u64>,
}

/// What a link did.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkReport {
    /// The name.
    pub name: String,
    /// There.
    pub forward: SideReport,
    /// And back.
    pub reverse: SideReport,
}

/// What one direction of a link did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SideReport {
    /// What came, went and was lost.
    pub counters: LinkCounters,
    /// Packets on it.
    pub in_flight: u64,
    /// The share of what it could have transmitted that it did.
    pub utilisation: f64,
}

/// What went over a path.
#[derive(Clone, Debug, PartialEq)]
pub struct PathReport {
    /// The name.
    pub name: String,
    /// What it joins.
    pub ends: PathEnds,
    /// There: from clients to the target, or from near to far.
    pub forward: TrafficCounters,
    /// Back.
    pub reverse: TrafficCounters,
}

/// What a path joins.
#[derive(Clone, Debug, PartialEq)]
pub enum PathEnds {
    /// Clients and a target, by UDP.
    Sockets {
        /// Where its clients send to.
        listen: SocketAddr,
        /// Where what they send arrives.
        to: SocketAddr,
        /// The number of clients it has.
        clients: usize,
        /// Datagrams of newcomers when there were as many clients as there may be, or when the system had no socket
        /// for them.
        refused: u64,
    },
    /// Two interfaces of one name, in two network namespaces.
    Interfaces {
        /// What both are called.
        name: String,
        /// The address of the one in the near namespace.
        near: Ipv4Addr,
        /// The address of the one in the far namespace.
        far: Ipv4Addr,
    },
}

impl PathReport {
    /// Datagrams of clients for whom there was no room.
    pub fn refused(&self) -> u64 {
        match self.ends {
            PathEnds::Sockets { refused, .. } => refused,
            PathEnds::Interfaces { .. } => 0,
        }
    }
}

/// What came into one end of a path, and what left it at the other: payloads, or whole packets between interfaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrafficCounters {
    /// Datagrams that came in.
    pub received: u64,
    /// Their bytes.
    pub received_bytes: ByteCount,
    /// Datagrams that left.
    pub sent: u64,
    /// Their bytes.
    pub sent_bytes: ByteCount,
    /// Datagrams that were to leave and that the system did not take.
    pub unsent: u64,
}

impl TrafficCounters {
    /// A datagram came in.
    pub(crate) fn on_received(&mut self, size: ByteCount) {
        self.received += 1;
        self.received_bytes += size;
    }

    /// A datagram left.
    pub(crate) fn on_sent(&mut self, size: ByteCount) {
        self.sent += 1;
        self.sent_bytes += size;
    }
}
