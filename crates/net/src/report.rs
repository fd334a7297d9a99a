//! What a socket and a path did so far, for those who watch. It changes nothing.

use std::net::SocketAddr;

use anabranch_base::ByteCount;
use anabranch_sctp::association::{PathAddresses, PathCounters, TimeInLimit};
use anabranch_sctp::policy::{PathId, PathSample};

/// One UDP socket of an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SocketReport {
    /// The address it is bound to.
    pub address: SocketAddr,
    /// The receive buffer that the operating system gave, in its own way of counting; 4 MiB is asked for.
    pub receive_buffer: ByteCount,
    /// The send buffer that the operating system gave, likewise.
    pub send_buffer: ByteCount,
    /// What could not be sent.
    pub unsent: Unsent,
}

/// Packets that the operating system refused, because of an unreachable network for instance. To the
/// association they are lost like any others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unsent {
    /// How many.
    pub packets: u64,
    /// What it said last.
    pub last_error: Option<String>,
}

impl Unsent {
    /// So many more, and why.
    pub(crate) fn add(&mut self, packets: u64, error: String) {
        self.packets += packets;
        self.last_error = Some(error);
    }
}

/// One path of an association.
#[derive(Clone, Debug)]
pub struct PathReport {
    /// Which path; an id is never used twice.
    pub id: PathId,
    /// Its addresses at both ends.
    pub addresses: PathAddresses,
    /// Its state, windows and times just now.
    pub sample: PathSample,
    /// What it carried.
    pub counters: PathCounters,
    /// What held it back, since the association opened.
    pub limits: TimeInLimit,
    /// Its congestion window averaged over the same time, in bytes.
    pub mean_cwnd: f64,
    /// What its socket could not send, on this path or another that uses the socket.
    pub unsent: Unsent,
}
