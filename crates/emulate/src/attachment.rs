//! The attachment of a path's two ends to the real network, where datagrams are received and sent.

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
pub(crate) use tun::{TunAttachment, Tunnel};
pub(crate) use udp::UdpAttachment;

/// The attachment of one path's two ends: UDP sockets or TUN interfaces.
pub(crate) trait Attachment: Debug + Send {
    /// Receives waiting datagrams at one read point, in the order of arrival, and at most as many as leave time for
    /// the other read points.
    fn receive(
        &mut self,
        point: ReadPoint,
        clock: &Clock,
        buffers: &mut ReceiveBuffers,
        incoming: &mut Vec<ReceivedDatagram>,
    );

    /// Returns true if it knows the arrival time of a datagram that is read later.
    fn knows_arrivals(&self) -> bool;

    /// Sends a datagram that leaves the path, or holds it until [`flush`](Attachment::flush). If the system refuses
    /// it, it is lost and counted.
    fn send(&mut self, departure: PathOutput) -> Handover;

    /// Sends the held datagrams.
    fn flush(&mut self) {}

    /// Removes clients that have been idle for long.
    fn forget_idle(&mut self, now: Time);

    /// The points at which datagrams may wait.
    fn read_points(&self) -> Vec<(ReadPoint, BorrowedFd<'_>)>;

    /// The report of the traffic received and sent here.
    fn report(&self, name: &str) -> PathReport;
}

/// A point at which datagrams can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
pub(crate) enum ReadPoint {
    /// At the listening socket.
    Listen,
    /// At the socket towards the target of this client.
    Upstream(SocketAddr),
    /// At the interface from which packets go in this direction.
    Interface(Way),
}

/// The state of a datagram after it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
pub(crate) enum Handover {
    /// Passed to the system.
    Done,
    /// Held with others that are sent together.
    Held,
}

/// A received datagram that is to enter the network.
#[derive(Debug)]
pub(crate) struct ReceivedDatagram {
    /// The arrival time.
    pub at: Time,
    /// The datagram and its path.
    pub entry: PathInput,
}
