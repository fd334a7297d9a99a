//! Where the two ends of a path are attached to the real network: datagrams are received and sent there.

mod udp;

#[cfg(target_os = "linux")]
mod interface;
#[cfg(target_os = "linux")]
mod tun;

use std::fmt::Debug;
use std::net::SocketAddr;
use std::os::fd::BorrowedFd;

use anabranch_base::Time;

use crate::clock::Clock;
use crate::network::{PathInput, PathOutput, Way};
use crate::report::PathReport;
use crate::socket::ReceiveBuffers;

#[cfg(target_os = "linux")]
pub use tun::{TunAttachment, Tunnel};
pub use udp::UdpAttachment;

/// What the two ends of one path are attached to: UDP sockets or TUN interfaces.
pub trait Attachment: Debug + Send {
    /// Receives what waits at one read point, in order of arrival, and only so many that the others get their turn.
    fn receive(
        &mut self,
        point: ReadPoint,
        clock: &Clock,
        buffers: &mut ReceiveBuffers,
        incoming: &mut Vec<ReceivedDatagram>,
    );

    /// Returns true if it knows when a datagram came that is read later.
    fn knows_arrivals(&self) -> bool;

    /// Sends a datagram that leaves the path, or holds it until [`flush`](Attachment::flush). If the system refuses it, it
    /// is lost and counted.
    fn send(&mut self, departure: PathOutput) -> Handover;

    /// Sends what is held.
    fn flush(&mut self) {}

    /// Forgets clients that have been idle for long.
    fn forget_idle(&mut self, now: Time);

    /// The points at which datagrams may wait.
    fn read_points(&self) -> Vec<(ReadPoint, BorrowedFd<'_>)>;

    /// What was received and sent here.
    fn report(&self, name: &str) -> PathReport;
}

/// Where datagrams can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadPoint {
    /// At the listening socket.
    Listen,
    /// At the socket towards the target of this client.
    Upstream(SocketAddr),
    /// At the interface from which packets go this way.
    Interface(Way),
}

/// Where a datagram is that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handover {
    /// With the system.
    Done,
    /// Here, with others that leave together.
    Held,
}

/// A datagram that is to enter the network, and when it came.
#[derive(Debug)]
pub struct ReceivedDatagram {
    /// When.
    pub at: Time,
    /// What and where.
    pub entry: PathInput,
}
