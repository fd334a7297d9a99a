//! What waits while a link transmits, one discipline a file. A queue may refuse or mark a packet when it comes and when
//! the line is free for it.

mod drop_tail;

use std::fmt::Debug;

use anabranch_base::{BitRate, Seed, Time};

use crate::config::QueueConfig;
use crate::packet::{Backlog, Packet};

/// The line behind a queue, at the moment at which the queue is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineView {
    /// The moment.
    pub now: Time,
    /// The line's rate at that moment; `None` for a trace, which has moments and no rate.
    pub rate: Option<BitRate>,
}

/// The next packet that a queue hands out.
#[derive(Clone, Debug, PartialEq)]
pub enum Taken<L> {
    /// This packet is transmitted.
    Next(Packet<L>),
    /// This packet is dropped, and the queue is asked again.
    Refused(Packet<L>),
}

/// A queueing discipline.
///
/// A queue marks a packet by [`Packet::mark`], at any of its methods, and counts it in [`marked`](Queue::marked).
pub trait Queue<L>: Debug + Send {
    /// A packet comes while the line is busy.
    ///
    /// # Errors
    /// The packet itself where the queue refuses it.
    fn offer(&mut self, line: LineView, packet: Packet<L>) -> Result<(), Packet<L>>;

    /// Whether a packet that comes while the line is idle and nothing waits goes straight to the line. Otherwise it is
    /// dropped.
    fn passes(&mut self, _line: LineView, _packet: &mut Packet<L>) -> bool {
        true
    }

    /// The line is free; `None` only where nothing waits.
    fn take(&mut self, line: LineView) -> Option<Taken<L>>;

    /// The link has gone down, and loses what waits: the next of these packets.
    fn discard(&mut self) -> Option<Packet<L>>;

    /// What waits.
    fn backlog(&self) -> Backlog;

    /// Packets marked so far.
    fn marked(&self) -> u64 {
        0
    }
}

/// The queue of a configuration. A discipline that draws random numbers draws them from `seed`, which is the queue's
/// alone.
pub fn build<L: Debug + Send + 'static>(config: &QueueConfig, _seed: &Seed) -> Box<dyn Queue<L>> {
    match config {
        QueueConfig::DropTail(limit) => Box::new(drop_tail::DropTail::new(*limit)),
    }
}
