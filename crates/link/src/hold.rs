//! Packets that are delayed before their transmission, as the kernel's netem delays them where it has a rate.
//!
//! A packet of b bytes that is offered at *now* draws a delay d. Netem lets it depart at the later of *now* + d and the last
//! departure among those that it holds, and 8 b / rate after that. This is a line that transmits packets in the order in
//! which they were offered, each no sooner than its delay is over: none overtakes another, and a late one delays those
//! behind it.

use std::collections::VecDeque;

use anabranch_base::{Duration, Time};

use crate::config::{Delay, QueueLimit};
use crate::packet::{Backlog, Packet};

/// Packets before the line, each with the time at which its delay is over.
#[derive(Debug)]
pub(crate) struct Hold<L> {
    delay: Delay,
    limit: QueueLimit,
    held: VecDeque<(Time, Packet<L>)>,
    backlog: Backlog,
}

impl<L> Hold<L> {
    /// Holds nothing yet, and at most `limit`.
    pub(crate) fn new(delay: Delay, limit: QueueLimit) -> Hold<L> {
        Hold { delay, limit, held: VecDeque::new(), backlog: Backlog::default() }
    }

    /// Changes the delay of packets that are offered from now on.
    pub(crate) fn change(&mut self, delay: Delay) {
        self.delay = delay;
    }

    /// The mean delay of a packet that is offered at `now`.
    pub(crate) fn delay_at(&self, now: Time) -> Duration {
        self.delay.at(now)
    }

    /// A packet whose delay is over at `ready`; `sending` is the one in transmission, which counts.
    ///
    /// # Errors
    /// The packet itself, if there is no room.
    pub(crate) fn offer(
        &mut self,
        ready: Time,
        packet: Packet<L>,
        sending: Option<&Packet<L>>,
    ) -> Result<(), Packet<L>> {
        let mut held = self.backlog;
        sending.iter().for_each(|packet| held.join(packet.size));
        if !self.limit.has_room(held, packet.size) {
            return Err(packet);
        }
        self.backlog.join(packet.size);
        self.held.push_back((ready, packet));
        Ok(())
    }

    /// When the delay of the first packet is over.
    pub(crate) fn ready(&self) -> Option<Time> {
        self.held.front().map(|(ready, _)| *ready)
    }

    /// Takes the first packet.
    pub(crate) fn take(&mut self) -> Option<Packet<L>> {
        let (_, packet) = self.held.pop_front()?;
        self.backlog.leave(packet.size);
        Some(packet)
    }

    /// The packets that it holds.
    pub(crate) fn backlog(&self) -> Backlog {
        self.backlog
    }
}
