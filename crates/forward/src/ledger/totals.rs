//! The sums of a client's flows since the start.

use std::ops::AddAssign;

use anabranch_base::ByteCount;

use crate::socks::Reply;

/// The kind of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowKind {
    /// A TCP connection of a local program to a destination.
    Tcp,
    /// Datagrams of a local program.
    Datagrams,
    /// A TCP connection that arrived at a port of the server.
    Reverse,
}

/// Bytes of programs in both directions, without the addresses of datagrams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Carried {
    /// To the other end of the bond.
    pub sent: ByteCount,
    /// From the other end of the bond.
    pub received: ByteCount,
}

/// The sums of flows since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    opened: [u64; FlowKind::ALL.len()],
    refused: [u64; Reply::ALL.len()],
    /// The connections that ended before both directions had finished.
    pub broken: u64,
    /// The bytes.
    pub carried: Carried,
}

impl FlowKind {
    /// Every kind.
    pub const ALL: [FlowKind; 3] = [FlowKind::Tcp, FlowKind::Datagrams, FlowKind::Reverse];

    /// The kind in a word.
    pub fn word(self) -> &'static str {
        match self {
            FlowKind::Tcp => "tcp",
            FlowKind::Datagrams => "datagrams",
            FlowKind::Reverse => "reverse",
        }
    }
}

impl Carried {
    /// The bytes of both directions.
    pub fn sum(self) -> ByteCount {
        self.sent + self.received
    }

    /// The bytes after `before`.
    pub(super) fn since(self, before: Carried) -> Carried {
        Carried {
            sent: self.sent.saturating_sub(before.sent),
            received: self.received.saturating_sub(before.received),
        }
    }
}

impl Totals {
    pub(super) fn on_opened(&mut self, kind: FlowKind) {
        self.opened[kind as usize] += 1;
    }

    pub(super) fn on_refused(&mut self, reply: Reply) {
        self.refused[usize::from(reply.code())] += 1;
    }

    /// The flows that were opened, by their kind.
    pub fn opened(&self) -> impl Iterator<Item = (FlowKind, u64)> {
        FlowKind::ALL.into_iter().zip(self.opened)
    }

    /// The flows that were not opened, by the reply of SOCKS5 that names the reason.
    pub fn refused(&self) -> impl Iterator<Item = (Reply, u64)> {
        Reply::ALL.into_iter().zip(self.refused).skip(1)
    }
}

impl AddAssign for Carried {
    fn add_assign(&mut self, more: Carried) {
        self.sent += more.sent;
        self.received += more.received;
    }
}

impl AddAssign for Totals {
    fn add_assign(&mut self, more: Totals) {
        self.opened.iter_mut().zip(more.opened).for_each(|(sum, count)| *sum += count);
        self.refused.iter_mut().zip(more.refused).for_each(|(sum, count)| *sum += count);
        self.broken += more.broken;
        self.carried += more.carried;
    }
}
