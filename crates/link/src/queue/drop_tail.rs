//! First in, first out, with a limit (M-NET-2).

use std::collections::VecDeque;
use std::fmt::Debug;

use super::{LineView, Queue, Taken};
use crate::config::QueueLimit;
use crate::packet::{Backlog, Packet};

/// Refuses a packet that finds it full.
#[derive(Debug)]
pub(super) struct DropTail<L> {
    limit: QueueLimit,
    waiting: VecDeque<Packet<L>>,
    backlog: Backlog,
}

impl<L> DropTail<L> {
    /// An empty queue with `limit`.
    pub(super) fn new(limit: QueueLimit) -> DropTail<L> {
        DropTail { limit, waiting: VecDeque::new(), backlog: Backlog::default() }
    }
}

impl<L: Debug + Send> Queue<L> for DropTail<L> {
    fn offer(&mut self, _: LineView, packet: Packet<L>) -> Result<(), Packet<L>> {
        if !self.limit.has_room(self.backlog, packet.size) {
            return Err(packet);
        }
        self.backlog.join(packet.size);
        self.waiting.push_back(packet);
        Ok(())
    }

    fn take(&mut self, _: LineView) -> Option<Taken<L>> {
        self.discard().map(Taken::Next)
    }

    fn discard(&mut self) -> Option<Packet<L>> {
        let packet = self.waiting.pop_front()?;
        self.backlog.leave(packet.size);
        Some(packet)
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }
}
