//! The packets that wait for a line. First in, first out needs no packets of its own: they stand in the link's ring.

use anabranch_base::{ByteCount, Seed};

use crate::config::{QueueConfig, QueueLimit};
use crate::packet::{Backlog, Payload};
use crate::queue::{Queue, build};

/// Where packets wait.
#[derive(Debug)]
pub(crate) enum Standing<L> {
    /// In the ring, in the order in which they came (M-NET-2).
    InRing(RingQueue),
    /// In a discipline that keeps them itself.
    Apart(Box<dyn Queue<L>>),
}

/// First in, first out, with a limit: refuses a packet that finds it full. Only counts.
#[derive(Debug)]
pub(crate) struct RingQueue {
    limit: QueueLimit,
    backlog: Backlog,
}

impl<L: Payload + 'static> Standing<L> {
    /// The queue of a configuration; a discipline that draws random numbers draws them from `seed`.
    pub(crate) fn new(config: &QueueConfig, seed: &Seed) -> Standing<L> {
        match config {
            QueueConfig::DropTail(limit) => {
                Standing::InRing(RingQueue { limit: *limit, backlog: Backlog::default() })
            }
            other => Standing::Apart(build(other, seed)),
        }
    }
}

impl<L> Standing<L> {
    /// The packets that wait.
    #[inline]
    pub(crate) fn backlog(&self) -> Backlog {
        match self {
            Standing::InRing(queue) => queue.backlog,
            Standing::Apart(queue) => queue.backlog(),
        }
    }

    /// The discipline, if it keeps the packets itself.
    pub(crate) fn apart(&self) -> Option<&dyn Queue<L>> {
        match self {
            Standing::InRing(_) => None,
            Standing::Apart(queue) => Some(&**queue),
        }
    }
}

impl RingQueue {
    /// A packet of `size` joins, if there is room.
    #[inline]
    pub(crate) fn admits(&mut self, size: ByteCount) -> bool {
        let has_room = self.limit.has_room(self.backlog, size);
        if has_room {
            self.backlog.join(size);
        }
        has_room
    }

    /// A packet of `size` leaves.
    #[inline]
    pub(crate) fn leave(&mut self, size: ByteCount) {
        self.backlog.leave(size);
    }

    /// The packets leave.
    pub(crate) fn clear(&mut self) {
        self.backlog = Backlog::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_that_only_counts_refuses_what_finds_it_full() {
        let limit = QueueLimit::Bytes(ByteCount::new(2_000));
        let mut queue = RingQueue { limit, backlog: Backlog::default() };
        let [large, small] = [1_500, 500].map(ByteCount::new);
        assert_eq!([large, large, small].map(|size| queue.admits(size)), [true, false, true]);
        queue.leave(large);
        assert_eq!(queue.backlog, Backlog { packets: 1, bytes: small });
        assert!(queue.admits(large));
        queue.clear();
        assert_eq!(queue.backlog, Backlog::default());
    }
}
