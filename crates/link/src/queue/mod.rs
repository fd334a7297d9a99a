//! What waits while a link transmits, one discipline a file. A queue knows packets and moments, not rates.

mod drop_tail;

use std::fmt::Debug;

use anabranch_base::Time;

use crate::config::QueueConfig;
use crate::packet::{Backlog, Packet};

/// What a queue did with a packet.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict<L> {
    /// It waits.
    Queued,
    /// It was marked and waits.
    Marked,
    /// It was refused.
    Dropped(Packet<L>),
}

/// What a queue gives when the line is free.
#[derive(Clone, Debug, PartialEq)]
pub struct Taken<L> {
    /// The packet to transmit.
    pub packet: Option<Packet<L>>,
    /// What was dropped on the way to it.
    pub dropped: Vec<Packet<L>>,
}

/// A queueing discipline.
pub trait Queue<L>: Debug + Send {
    /// A packet comes while the line is busy.
    fn offer(&mut self, now: Time, packet: Packet<L>) -> Verdict<L>;

    /// A packet comes while the line is idle and nothing waits: it goes straight to the line.
    fn on_passed(&mut self, _now: Time, _packet: &mut Packet<L>) {}

    /// The line is free.
    fn take(&mut self, now: Time) -> Taken<L>;

    /// What waits.
    fn backlog(&self) -> Backlog;
}

/// The queue of a configuration.
pub fn build<L: Debug + Send + 'static>(config: &QueueConfig) -> Box<dyn Queue<L>> {
    match config {
        QueueConfig::DropTail(limit) => Box::new(drop_tail::DropTail::new(*limit)),
    }
}
