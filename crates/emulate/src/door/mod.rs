//! Where one path meets the real network: datagrams come in there, and leave.

mod udp;

#[cfg(target_os = "linux")]
mod tun;

use std::fmt::Debug;
use std::net::SocketAddr;
use std::os::fd::BorrowedFd;

use anabranch_base::Time;

use crate::clock::Clock;
use crate::network::{Departure, Entry, Way};
use crate::report::PathReport;
use crate::socket::ReceiveBuffers;

#[cfg(target_os = "linux")]
pub use tun::{TunDoor, Tunnel};
pub use udp::UdpDoor;

/// Both ends of one path.
pub trait Door: Debug + Send {
    /// Receives what waits at one place, not more than is good for the others: first to last.
    fn receive(
        &mut self,
        source: Source,
        clock: &Clock,
        buffers: &mut ReceiveBuffers,
        incoming: &mut Vec<Incoming>,
    );

    /// Sends what leaves the path. What the system does not take is lost and counted.
    fn send(&mut self, departure: &Departure);

    /// Gives up what nothing came from and nothing went to for long.
    fn forget_idle(&mut self, now: Time);

    /// All places where something may wait.
    fn sources(&self) -> Vec<(Source, BorrowedFd<'_>)>;

    /// What went through it.
    fn report(&self, name: &str) -> PathReport;
}

/// Where datagrams can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// At the listening socket.
    Listen,
    /// At the socket towards the target of this client.
    Upstream(SocketAddr),
    /// At the interface from which packets go this way.
    Interface(Way),
}

/// A datagram that is to enter the network, and when it came.
#[derive(Debug)]
pub struct Incoming {
    /// When.
    pub at: Time,
    /// What and where.
    pub entry: Entry,
}
