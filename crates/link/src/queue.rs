//! The queues of packets that wait while a link transmits, one discipline in each file. A queue may refuse or mark a
//! packet when it arrives and when the line is free for it.

mod codel;
mod drop_tail;
mod fq_codel;
mod pie;
mod red;
mod timed;

use std::fmt::Debug;

use anabranch_base::{BitRate, Seed, Time};

use crate::config::QueueConfig;
use crate::packet::{Backlog, Packet, Payload};

/// The state of the line behind a queue, when a method of the queue is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineView {
    /// The time.
    pub now: Time,
    /// The line's rate at that time; `None` for a trace, which has times and no rate.
    pub rate: Option<BitRate>,
}

/// The next packet that a queue gives.
#[derive(Clone, Debug, PartialEq)]
pub enum Taken<L> {
    /// This packet is transmitted.
    Next(Packet<L>),
    /// This packet is dropped, and the queue is called again.
    Refused(Packet<L>),
}

/// A queueing discipline.
///
/// A queue marks a packet with [`Packet::mark`], in any of its methods, and counts it in [`marked`](Queue::marked).
pub trait Queue<L>: Debug + Send {
    /// A packet arrives while the line is busy.
    ///
    /// # Errors
    /// The packet itself, if the queue refuses it.
    fn offer(&mut self, line: LineView, packet: Packet<L>) -> Result<(), Packet<L>>;

    /// The next of the packets that the queue dropped to make room for the last packet that arrived. A link asks after
    /// every [`offer`](Queue::offer), until there are no more.
    fn shed(&mut self) -> Option<Packet<L>> {
        None
    }

    /// Returns true if a packet that arrives while the line is idle and nothing waits goes directly to the line. Otherwise it
    /// is dropped.
    fn passes(&mut self, _line: LineView, _packet: &mut Packet<L>) -> bool {
        true
    }

    /// The line is free; `None` only if nothing waits. A link calls it until it does not refuse a packet.
    fn take(&mut self, line: LineView) -> Option<Taken<L>>;

    /// The link has gone down and loses the waiting packets: returns the next of them.
    fn discard(&mut self) -> Option<Packet<L>>;

    /// The packets that wait.
    fn backlog(&self) -> Backlog;

    /// The average number of waiting packets by which it decides; `None` for a discipline without one.
    fn average(&self) -> Option<f64> {
        None
    }

    /// Packets marked so far.
    fn marked(&self) -> u64 {
        0
    }
}

/// The queue of a configuration. A discipline that draws random numbers draws them from `seed`, which only the queue
/// uses.
pub fn build<L: Payload + 'static>(config: &QueueConfig, seed: &Seed) -> Box<dyn Queue<L>> {
    match config {
        QueueConfig::DropTail(limit) => Box::new(drop_tail::DropTail::new(*limit)),
        QueueConfig::Red(config) => Box::new(red::Red::new(config, seed)),
        QueueConfig::CoDel(config) => Box::new(codel::CoDel::new(config)),
        QueueConfig::Pie(config) => Box::new(pie::Pie::new(config, seed)),
        QueueConfig::FqCoDel(config) => Box::new(fq_codel::FqCoDel::new(config, seed)),
    }
}
