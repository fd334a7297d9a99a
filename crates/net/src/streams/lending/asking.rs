//! The streams that ask for credit: a queue for each size of request, so that large requests do not delay small ones and
//! one look a queue finds all that can be served.

use std::collections::{BTreeMap, VecDeque};

use anabranch_base::ByteCount;
use anabranch_sctp::wire::StreamId;

/// The queues, and the queue of each stream.
#[derive(Debug, Default)]
pub(super) struct Asking {
    queues: [VecDeque<StreamId>; CLASSES],
    places: BTreeMap<StreamId, usize>,
}

impl Asking {
    /// Adds a stream that would hold this much, unless it is in a queue.
    pub(super) fn add(&mut self, stream: StreamId, hold: ByteCount) {
        let class = (hold.get() / SMALLEST).checked_ilog2().unwrap_or(0) as usize;
        let class = class.min(CLASSES - 1);
        if let std::collections::btree_map::Entry::Vacant(place) = self.places.entry(stream) {
            place.insert(class);
            self.queues[class].push_back(stream);
        }
    }

    /// Returns true if more than one stream asks.
    pub(super) fn has_others(&self) -> bool {
        self.places.len() > 1
    }

    /// The first stream of a queue.
    pub(super) fn first(&self, class: usize) -> Option<StreamId> {
        self.queues.get(class)?.front().copied()
    }

    /// Removes the first stream of a queue.
    pub(super) fn remove(&mut self, stream: StreamId, class: usize) {
        self.queues[class].pop_front();
        self.places.remove(&stream);
    }

    /// The queues, the smallest requests first.
    pub(super) fn classes() -> std::ops::Range<usize> {
        0..CLASSES
    }
}

/// The number of queues: the requests in one are at most twice as large as in the one before.
const CLASSES: usize = 20;
/// The largest request of the first queue is twice this.
const SMALLEST: u64 = 256;
