//! Packets in the order of their arrival, each with the time at which it arrived.

use std::collections::VecDeque;

use anabranch_base::Time;

use crate::packet::{Backlog, Packet};

/// A first-in, first-out list of packets and their arrival times.
#[derive(Debug)]
pub(super) struct Timed<L> {
    waiting: VecDeque<(Time, Packet<L>)>,
    backlog: Backlog,
}

impl<L> Timed<L> {
    /// An empty list.
    pub(super) fn new() -> Timed<L> {
        Timed { waiting: VecDeque::new(), backlog: Backlog::default() }
    }

    /// The packets in it.
    pub(super) fn backlog(&self) -> Backlog {
        self.backlog
    }

    /// `packet` arrived at `now`.
    pub(super) fn push(&mut self, now: Time, packet: Packet<L>) {
        self.backlog.join(packet.size);
        self.waiting.push_back((now, packet));
    }

    /// The packet that arrived first, and when.
    pub(super) fn pop(&mut self) -> Option<(Time, Packet<L>)> {
        let (since, packet) = self.waiting.pop_front()?;
        self.backlog.leave(packet.size);
        Some((since, packet))
    }
}
