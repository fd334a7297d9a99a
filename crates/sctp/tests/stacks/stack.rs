//! The trait by which a test or a benchmark drives one end of an association in virtual time, and the settings that every
//! stack gets alike.

use std::net::SocketAddr;

use anabranch_base::{ByteCount, Time};
use bytes::Bytes;

/// One end of an association without sockets, in virtual time. After every call that changes something,
/// [`poll_transmit`](Stack::poll_transmit) and then [`poll_timeout`](Stack::poll_timeout).
pub(crate) trait Stack {
    /// Begins to open the association.
    fn connect(&mut self, now: Time);

    /// A packet arrived, or those that the other end sent at once.
    fn handle(&mut self, now: Time, datagram: &Datagram);

    /// Lets every timer act whose time has come.
    fn handle_timeout(&mut self, now: Time);

    /// Appends all packets that want to leave.
    fn poll_transmit(&mut self, now: Time, out: &mut Vec<Datagram>);

    /// When [`handle_timeout`](Stack::handle_timeout) is due.
    fn poll_timeout(&self) -> Option<Time>;

    /// Gives an ordered message to be sent on stream 0; `false` if the send buffer is full.
    fn send(&mut self, now: Time, message: &Bytes) -> bool;

    /// Puts the next message that arrived into `message`, in one piece; `false` if there is none.
    fn receive(&mut self, now: Time, message: &mut Vec<u8>) -> bool;

    /// Ends the association in order.
    fn shutdown(&mut self, now: Time);

    /// Returns the state of the association.
    fn life(&self) -> Life;
}

impl<S: Stack + ?Sized> Stack for Box<S> {
    fn connect(&mut self, now: Time) {
        (**self).connect(now);
    }

    fn handle(&mut self, now: Time, datagram: &Datagram) {
        (**self).handle(now, datagram);
    }

    fn handle_timeout(&mut self, now: Time) {
        (**self).handle_timeout(now);
    }

    fn poll_transmit(&mut self, now: Time, out: &mut Vec<Datagram>) {
        (**self).poll_transmit(now, out);
    }

    fn poll_timeout(&self) -> Option<Time> {
        (**self).poll_timeout()
    }

    fn send(&mut self, now: Time, message: &Bytes) -> bool {
        (**self).send(now, message)
    }

    fn receive(&mut self, now: Time, message: &mut Vec<u8>) -> bool {
        (**self).receive(now, message)
    }

    fn shutdown(&mut self, now: Time) {
        (**self).shutdown(now);
    }

    fn life(&self) -> Life {
        (**self).life()
    }
}

/// The state of an association.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Life {
    /// The handshake is not done.
    Opening,
    /// Messages may be sent.
    Open,
    /// It ended in order.
    Closed,
    /// It broke.
    Lost,
}

/// A packet on its way, or several that a driver with segmentation offload hands over at once.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Datagram {
    /// On which path, from 0; only ours has more than one.
    pub(crate) path: usize,
    /// The SCTP packets, one behind the other.
    pub(crate) bytes: Bytes,
    /// The length of each but the last.
    pub(crate) segment_size: usize,
}

impl Datagram {
    /// One packet.
    pub(crate) fn single(path: usize, bytes: Bytes) -> Datagram {
        Datagram { path, segment_size: bytes.len(), bytes }
    }

    /// The number of packets it is.
    pub(crate) fn count(&self) -> u64 {
        self.bytes.len().div_ceil(self.segment_size.max(1)) as u64
    }
}

/// Which end of an association a stack is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// It sends INIT.
    Client,
    /// It answers.
    Server,
}

/// The settings that all stacks share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Buffers {
    /// The amount of user data that may wait to be acknowledged.
    pub(crate) send: ByteCount,
    /// The receive buffer: the window that is advertised.
    pub(crate) receive: ByteCount,
}

/// The SCTP port of both ends.
pub(crate) const PORT: u16 = 5000;

/// The longest SCTP packet: what IPv4 and UDP leave of 1,500 bytes.
pub(crate) const PACKET: usize = 1472;

/// The longest message that is accepted.
pub(crate) const LONGEST_MESSAGE: u32 = 4 << 20;

impl Role {
    /// The address on a path.
    pub(crate) fn address(self, path: usize) -> SocketAddr {
        let host = match self {
            Role::Client => 1,
            Role::Server => 2,
        };
        SocketAddr::from(([10, 0, path as u8, host], PORT))
    }

    /// The other one.
    pub(crate) fn other(self) -> Role {
        match self {
            Role::Client => Role::Server,
            Role::Server => Role::Client,
        }
    }
}
