//! Messages that are fragmented shortly before they are sent. The size of the largest chunk is not known earlier: paths
//! are added and removed, and their packet sizes change.

use std::collections::VecDeque;

use anabranch_base::ByteCount;

use super::chunks::KEPT_CHUNKS;
use super::fragmentation::Outgoing;

/// The messages that are not fragmented yet, after all chunks.
#[derive(Debug, Default)]
pub(super) struct Unfragmented {
    /// One that was given up has no user data, and is not the first.
    messages: VecDeque<Outgoing>,
    /// The number of the first of them among all messages of the association.
    first: u64,
    /// Their user data.
    bytes: ByteCount,
}

impl Unfragmented {
    /// Queues `message` after the others. Returns its number.
    pub(super) fn push(&mut self, message: Outgoing) -> u64 {
        self.bytes += message.length();
        self.messages.push_back(message);
        self.first + self.messages.len() as u64 - 1
    }

    /// Takes the oldest message, if the waiting chunks have less user data, `waiting`, than one call sends and than
    /// `wanted`, the amount from which the scheduler chooses.
    pub(super) fn take_due(&mut self, waiting: ByteCount, wanted: ByteCount) -> Option<(u64, Outgoing)> {
        if waiting >= wanted.max(AHEAD) { None } else { self.take_first() }
    }

    /// Takes the oldest message with its number.
    pub(super) fn take_first(&mut self) -> Option<(u64, Outgoing)> {
        let Some(message) = self.messages.pop_front() else {
            self.messages.shrink_to(KEPT_CHUNKS);
            return None;
        };
        self.bytes -= message.length();
        let number = self.first;
        self.first += 1;
        self.trim();
        Some((number, message))
    }

    /// Takes the message `number` out of the middle, if it is one of these.
    pub(super) fn give_up(&mut self, number: u64) -> Option<Outgoing> {
        let index = usize::try_from(number.checked_sub(self.first)?).ok()?;
        let message = self.messages.get_mut(index).filter(|message| !message.payload.is_empty())?;
        let payload = std::mem::take(&mut message.payload);
        let taken = Outgoing { payload, ..*message };
        self.bytes -= taken.length();
        self.trim();
        Some(taken)
    }

    /// Drops the first messages that were given up.
    fn trim(&mut self) {
        while self.messages.front().is_some_and(|message| message.payload.is_empty()) {
            self.messages.pop_front();
            self.first += 1;
        }
    }

    /// The number of messages.
    pub(super) fn count(&self) -> usize {
        self.messages.len()
    }

    /// Returns true if no message waits.
    pub(super) fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Their user data.
    pub(super) fn bytes(&self) -> ByteCount {
        self.bytes
    }
}

/// The largest amount that one call to the operating system takes.
const AHEAD: ByteCount = ByteCount::from_kib(64);

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::super::SendBuffer;
    use super::*;
    use crate::config::Charge;
    use crate::policy::PathId;
    use crate::policy::schedule::Index;
    use crate::send::Reliability;
    use crate::seq::Tsn;
    use crate::wire::{Ppid, StreamId};

    fn buffer(count: usize) -> SendBuffer {
        let mut buffer = SendBuffer::new(Tsn::new(1), Charge::Chunk, Charge::User);
        buffer.add_path(PathId::FIRST);
        for _ in 0..count {
            let (stream, ppid) = (StreamId::new(0), Ppid::new(0));
            let payload = Bytes::from(vec![7; 40_000]);
            buffer.push_whole(Outgoing {
                stream,
                ppid,
                unordered: false,
                reliability: Reliability::Full,
                payload,
            });
        }
        buffer
    }

    #[test]
    fn messages_are_cut_when_their_turn_is_near_and_to_what_is_right_then() {
        let mut buffer = buffer(10);
        assert_eq!((buffer.waiting_bytes(), buffer.waiting_chunks()), (ByteCount::new(400_000), 0));
        assert!(!buffer.is_empty());
        buffer.cut_ahead(ByteCount::new(1_000), ByteCount::ZERO);
        assert_eq!((buffer.waiting_bytes(), buffer.waiting_chunks()), (ByteCount::new(400_000), 80));
        for tsn in 1..=30 {
            buffer.on_sent(Tsn::new(tsn), PathId::FIRST, 0);
        }
        buffer.cut_ahead(ByteCount::new(2_000), ByteCount::ZERO);
        assert_eq!(buffer.waiting_chunks(), 50 + 20);
        let last = buffer.waiting(Index(69)).expect("it was counted");
        assert_eq!((buffer.data(last).payload.len(), buffer.data(last).ending), (2_000, true));
        assert_eq!(buffer.data(last).ssn.get(), 2, "numbered in the order in which they were given");
    }

    #[test]
    fn nothing_is_cut_while_exactly_one_turn_waits() {
        let mut buffer = buffer(0);
        for _ in 0..3 {
            let (stream, ppid) = (StreamId::new(0), Ppid::new(0));
            let payload = Bytes::from(vec![7; 32 << 10]);
            buffer.push_whole(Outgoing {
                stream,
                ppid,
                unordered: false,
                reliability: Reliability::Full,
                payload,
            });
        }
        buffer.cut_ahead(ByteCount::new(1_024), ByteCount::ZERO);
        assert_eq!((buffer.waiting_chunks(), buffer.has_unfragmented()), (64, true));
    }

    #[test]
    fn as_much_is_cut_as_the_scheduler_chooses_from() {
        let mut buffer = buffer(10);
        buffer.cut_ahead(ByteCount::new(1_000), ByteCount::new(150_000));
        assert_eq!((buffer.waiting_chunks(), buffer.has_unfragmented()), (160, true));
    }

    #[test]
    fn what_waits_whole_is_held_like_all_else() {
        let mut buffer = buffer(3);
        let held = ByteCount::new(120_000);
        assert_eq!(buffer.held_bytes(), held);
        buffer.cut_ahead(ByteCount::new(1_000), ByteCount::ZERO);
        assert_eq!((buffer.held_bytes(), buffer.has_unfragmented()), (held, true));
    }
}
