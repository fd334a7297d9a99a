//! A queue for tests alone: first in, first out, without a limit, and each n-th packet that comes is marked. The tests of
//! links, of the simulator and of the emulator include this file.

use std::collections::VecDeque;
use std::fmt::Debug;

use anabranch_base::ByteCount;
use anabranch_link::queue::{LineView, Queue, Taken};
use anabranch_link::{Backlog, Packet};

/// Marks each n-th packet that comes, whether it waits or not. One that cannot be marked passes unmarked.
#[derive(Debug)]
pub(crate) struct MarkEach<L> {
    every: u64,
    come: u64,
    marked: u64,
    waiting: VecDeque<Packet<L>>,
}

impl<L> MarkEach<L> {
    /// A queue that marks each packet whose number, counted from 1, is a multiple of `every`.
    pub(crate) fn new(every: u64) -> MarkEach<L> {
        MarkEach { every, come: 0, marked: 0, waiting: VecDeque::new() }
    }

    fn see(&mut self, packet: &mut Packet<L>) {
        self.come += 1;
        if self.come.is_multiple_of(self.every) && packet.mark() {
            self.marked += 1;
        }
    }
}

impl<L: Debug + Send> Queue<L> for MarkEach<L> {
    fn offer(&mut self, _: LineView, mut packet: Packet<L>) -> Result<(), Packet<L>> {
        self.see(&mut packet);
        self.waiting.push_back(packet);
        Ok(())
    }

    fn passes(&mut self, _: LineView, packet: &mut Packet<L>) -> bool {
        self.see(packet);
        true
    }

    fn take(&mut self, _: LineView) -> Option<Taken<L>> {
        self.discard().map(Taken::Next)
    }

    fn discard(&mut self) -> Option<Packet<L>> {
        self.waiting.pop_front()
    }

    fn backlog(&self) -> Backlog {
        let bytes: ByteCount = self.waiting.iter().map(|packet| packet.size).sum();
        Backlog { packets: self.waiting.len() as u64, bytes }
    }

    fn marked(&self) -> u64 {
        self.marked
    }
}
