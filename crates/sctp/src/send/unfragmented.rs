//! Messages that are fragmented shortly before they are sent. The size of the largest chunk is not known earlier: paths
//! are added and removed, and their packet sizes change.

use std::collections::VecDeque;

use anabranch_base::ByteCount;

use super::chunks::KEPT_CHUNKS;
use super::fragmentation::Outgoing;
use super::streams::StreamQueues;
use super::turn::Turn;
use crate::config::StreamScheduler;
use crate::wire::{StreamId, StreamSet};

/// The messages that are not fragmented yet, after all chunks.
#[derive(Debug, Default)]
pub(super) struct Unfragmented {
    /// In the order in which they were given. One that was given up has no user data, and is not the first.
    messages: VecDeque<Outgoing>,
    /// The number of the first of them among all messages of the association.
    first: u64,
    /// Their user data.
    bytes: ByteCount,
    /// By stream, if a stream scheduler orders them. Then the list is empty.
    streams: Option<Box<StreamQueues>>,
}

impl Unfragmented {
    /// Lets a scheduler choose among streams.
    pub(super) fn schedule(&mut self, scheduler: StreamScheduler, interleaves: bool) {
        self.streams =
            (!scheduler.keeps_order()).then(|| Box::new(StreamQueues::new(scheduler, interleaves)));
    }

    /// Sets the priority or the weight of a stream. It has no meaning without a scheduler.
    pub(super) fn set_value(&mut self, stream: StreamId, value: u16) {
        if let Some(streams) = &mut self.streams {
            streams.set_value(stream, value);
        }
    }

    /// Sets the FSN of the next fragment of the message that `stream` is sending.
    pub(super) fn renumber(&mut self, stream: StreamId, fsn: u32) {
        if let Some(streams) = &mut self.streams {
            streams.renumber(stream, fsn);
        }
    }

    /// Queues `message` after the others. Returns its number.
    pub(super) fn push(&mut self, message: Outgoing) -> u64 {
        if let Some(streams) = &mut self.streams {
            return streams.push(message);
        }
        self.bytes += message.length();
        self.messages.push_back(message);
        self.first + self.messages.len() as u64 - 1
    }

    /// True if a message of `stream` may be cut before all of these: a scheduler orders them, and none is of this stream.
    pub(super) fn may_pass(&self, stream: StreamId) -> bool {
        self.streams.as_ref().is_some_and(|streams| !streams.has(stream))
    }

    /// The number of a message that is cut at once; without a scheduler, no other waits.
    #[inline]
    pub(super) fn pass(&mut self) -> u64 {
        if let Some(streams) = &mut self.streams {
            return streams.pass();
        }
        let number = self.first;
        self.first += 1;
        number
    }

    /// Takes the next message or fragment of at most `largest` bytes, if the waiting chunks have less user data,
    /// `waiting`, than `wanted`, the amount from which the path scheduler chooses. Without a stream scheduler, they have
    /// at least as much as one call sends.
    pub(super) fn take_due(
        &mut self,
        waiting: ByteCount,
        wanted: ByteCount,
        largest: ByteCount,
    ) -> Option<Turn> {
        if let Some(streams) = &mut self.streams {
            // A chunk with a TSN cannot be overtaken.
            let is_enough = waiting >= wanted.max(ByteCount::new(1));
            return if is_enough { None } else { streams.take_next(largest.as_len()) };
        }
        if waiting >= wanted.max(AHEAD) { None } else { self.take_first() }
    }

    /// Takes the oldest message.
    pub(super) fn take_first(&mut self) -> Option<Turn> {
        let Some(part) = self.messages.pop_front() else {
            self.messages.shrink_to(KEPT_CHUNKS);
            return None;
        };
        self.bytes -= part.length();
        let number = self.first;
        self.first += 1;
        self.trim();
        Some(Turn { number, fsn: 0, begins: true, ends: true, part })
    }

    /// Takes the message `number`, or its rest, out of the middle, if it is one of these. The second value is true if
    /// fragments of it were taken.
    pub(super) fn give_up(&mut self, number: u64) -> Option<(Outgoing, bool)> {
        if let Some(streams) = &mut self.streams {
            return streams.give_up(number);
        }
        let index = usize::try_from(number.checked_sub(self.first)?).ok()?;
        let message = self.messages.get_mut(index).filter(|message| !message.payload.is_empty())?;
        let payload = std::mem::take(&mut message.payload);
        let taken = Outgoing { payload, ..*message };
        self.bytes -= taken.length();
        self.trim();
        Some((taken, false))
    }

    /// True if a part of the message `number`, which may be given up, is one of these.
    pub(super) fn holds(&self, number: u64) -> bool {
        self.streams.as_ref().is_some_and(|streams| streams.holds(number))
    }

    /// Returns true if a message on one of `streams` waits.
    pub(super) fn has_any(&self, streams: &StreamSet) -> bool {
        self.messages.iter().rev().any(|message| streams.contains(message.stream))
            || self.streams.as_ref().is_some_and(|queues| queues.has_any(streams))
    }

    /// Drops the first messages that were given up.
    #[inline]
    fn trim(&mut self) {
        while self.messages.front().is_some_and(|message| message.payload.is_empty()) {
            self.messages.pop_front();
            self.first += 1;
        }
    }

    /// True if a scheduler chooses among streams.
    pub(super) fn is_scheduled(&self) -> bool {
        self.streams.is_some()
    }

    /// The number of messages.
    pub(super) fn count(&self) -> usize {
        self.messages.len() + self.streams.as_ref().map_or(0, |streams| streams.count())
    }

    /// Returns true if no message waits.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.messages.is_empty() && self.streams.as_ref().is_none_or(|streams| streams.count() == 0)
    }

    /// Their user data.
    pub(super) fn bytes(&self) -> ByteCount {
        self.bytes + self.streams.as_ref().map_or(ByteCount::ZERO, |streams| streams.bytes())
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
    use crate::wire::Ppid;

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
                immediate: false,
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
        assert_eq!(buffer.data(last).mid.get(), 2, "numbered in the order in which they were given");
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
                immediate: false,
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
