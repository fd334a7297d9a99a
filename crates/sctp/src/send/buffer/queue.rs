//! The queue of unsent data: queues messages, fragments them into chunks, and selects from these.

use std::collections::BTreeMap;

use anabranch_base::ByteCount;

use super::super::chunk::{MessageHead, MessageMarks, OutboundChunk};
use super::super::fragmentation::{Fragment, Fragments, Outgoing};
use super::super::limited::LimitedMessage;
use super::super::turn::Turn;
use super::SendBuffer;
use crate::policy::schedule::{Index, WaitingChunk, WaitingChunks};
use crate::seq::{Fsn, Tsn};
use crate::wire::StreamId;

impl SendBuffer {
    /// Queues `message` as chunks of at most `largest` bytes of user data. The fragments get consecutive TSNs.
    #[inline]
    pub(crate) fn push(&mut self, message: Outgoing, largest: ByteCount) {
        let must_wait = !self.unfragmented.is_empty() || self.unfragmented.is_scheduled();
        if must_wait || self.on_hold.has(message.stream) {
            return self.push_whole(message);
        }
        self.held.on_queued(message.length());
        let number = self.unfragmented.pass();
        if message.reliability.is_partial() {
            self.limited.on_queued(number, message.length(), message.reliability);
        }
        self.cut(Turn { number, fsn: 0, begins: true, ends: true, part: message }, largest);
    }

    /// Queues a message to be fragmented later. It counts as waiting at once.
    pub(crate) fn push_whole(&mut self, message: Outgoing) {
        self.held.on_queued(message.length());
        if self.on_hold.has(message.stream) {
            return self.on_hold.push(message);
        }
        let (reliability, length) = (message.reliability, message.length());
        let number = self.unfragmented.push(message);
        if reliability.is_partial() {
            self.limited.on_queued(number, length, reliability);
        }
    }

    /// Queues a message that leaves before all that waits, unless data of its stream waits: the peer would keep it for that.
    pub(crate) fn push_prompt(&mut self, message: Outgoing, largest: ByteCount) {
        let stream = message.stream;
        let may_pass = self.unfragmented.may_pass(stream) && !self.on_hold.has(stream);
        if !may_pass || self.has_waiting_of(stream) {
            return self.push_whole(message);
        }
        self.held.on_queued(message.length());
        let number = self.unfragmented.pass();
        if message.reliability.is_partial() {
            self.limited.on_queued(number, message.length(), message.reliability);
        }
        let begin = self.chunks.end();
        self.cut(Turn { number, fsn: 0, begins: true, ends: true, part: message }, largest);
        self.prompt.add(begin..self.chunks.end());
    }

    /// Returns false if no chunk leaves before all that wait.
    #[inline]
    pub(crate) fn may_have_prompt(&self) -> bool {
        !self.prompt.is_empty()
    }

    /// The first chunk that leaves before all that wait, and its place among them.
    pub(crate) fn first_prompt(&mut self) -> Option<(Tsn, Index)> {
        let (position, index) = self.prompt.first(&self.waiting)?;
        Some((self.chunks.tsn(position), Index(index)))
    }

    /// Fragments messages into chunks of at most `largest` bytes of user data, while the waiting chunks have less user
    /// data than `wanted`, the amount from which the path scheduler chooses, or, without a stream scheduler, than one
    /// call sends.
    pub(crate) fn cut_ahead(&mut self, largest: ByteCount, wanted: ByteCount) {
        while let Some(turn) = self.unfragmented.take_due(self.waiting.bytes(), wanted, largest) {
            self.cut(turn, largest);
        }
    }

    /// Sets the priority or the weight of a stream for the stream scheduler.
    pub(crate) fn set_stream_value(&mut self, stream: StreamId, value: u16) {
        self.unfragmented.set_value(stream, value);
    }

    /// Cuts chunks that were never sent into pieces of at most `largest` bytes of user data. Chunks before a chunk
    /// that was sent keep their TSNs (RFC 8899 §6.2: "once an SCTP message has been sent, it cannot be resegmented").
    pub(crate) fn refit(&mut self, largest: ByteCount) {
        self.prompt.clear();
        self.chunks.refit(largest);
        if self.interleaves {
            for (key, fsn) in self.chunks.renumber_fragments() {
                self.unfragmented.renumber(key.stream, fsn);
            }
        }
        if !self.limited.is_empty() {
            self.refit_limits();
        }
    }

    /// Returns true if a message is not fragmented yet.
    pub(crate) fn has_unfragmented(&self) -> bool {
        !self.unfragmented.is_empty()
    }

    /// The chunk at `index` among those that wait to be sent for the first time.
    pub(crate) fn waiting(&self, index: Index) -> Option<Tsn> {
        self.queued(self.waiting.position(index.0))
    }

    /// The chunk at `index` among them, or the nearest older one that does not wait for the quickest path.
    #[inline]
    pub(crate) fn ordinary(&self, index: Index) -> Option<Tsn> {
        if self.prompt.is_empty() { self.waiting(index) } else { self.ordinary_beside_prompt(index) }
    }

    #[inline(never)]
    fn ordinary_beside_prompt(&self, index: Index) -> Option<Tsn> {
        let mut position = self.waiting.position(index.0);
        for before in (0..index.0).rev() {
            if !self.prompt.has(position) {
                break;
            }
            position = self.waiting.position(before);
        }
        self.queued(position)
    }

    /// The oldest chunk that waits to be sent for the first time.
    pub(crate) fn oldest_waiting(&self) -> Option<Tsn> {
        self.queued(self.waiting.oldest())
    }

    /// The number of chunks that wait to be sent for the first time.
    pub(crate) fn waiting_chunks(&self) -> usize {
        self.waiting.count(self.chunks.end())
    }

    /// The user data that was not sent yet.
    pub(crate) fn waiting_bytes(&self) -> ByteCount {
        self.waiting.bytes() + self.unfragmented.bytes() + self.on_hold.bytes()
    }

    /// The user data that may still be queued if the buffer may hold `capacity`. Every chunk, and every message that is
    /// not fragmented yet, costs additional memory. With that memory the buffer may hold twice `capacity`, so that only
    /// chunks of less than a few hundred bytes reduce the room.
    pub(crate) fn room_in(&self, capacity: ByteCount) -> ByteCount {
        let held = self.held.total();
        let whole = self.unfragmented.count() + self.on_hold.count();
        let memory = held + CHUNK_OVERHEAD * (self.chunks.count() + whole) as u64;
        capacity.saturating_sub(held).min((capacity * 2).saturating_sub(memory))
    }

    /// Returns true if a chunk of `stream` waits. The search is short for streams that send much.
    fn has_waiting_of(&self, stream: StreamId) -> bool {
        let waiting =
            (self.waiting.oldest()..self.chunks.end()).filter(|at| self.waiting.index(*at).is_some());
        waiting.map(|at| self.chunks.tsn(at)).any(|tsn| self.data(tsn).stream == stream)
    }

    #[inline]
    fn cut(&mut self, turn: Turn, largest: ByteCount) {
        let Turn { number, fsn, begins, ends, part } = turn;
        let (bytes, begin) = (part.length(), self.chunks.end());
        self.waiting.queue(bytes);
        let Outgoing { stream, ppid, unordered, immediate, reliability, payload } = part;
        let mid =
            if begins { self.numbers.take(stream, unordered) } else { self.numbers.last(stream, unordered) };
        let is_limited = reliability.is_partial();
        let marks = MessageMarks::of(is_limited, immediate);
        let head = MessageHead { stream, mid, ppid, unordered, marks };
        if payload.len() <= largest.as_len() {
            let whole = Fragment { payload, beginning: begins, ending: ends };
            self.chunks.push(OutboundChunk::new(head, Fsn::new(fsn), whole));
        } else {
            self.push_fragments(head, fsn, (begins, ends), Fragments::new(payload, largest.as_len()));
        }
        if is_limited {
            let (chunks, key, losses) = (begin..self.chunks.end(), head.key(), BTreeMap::new());
            self.limited.on_cut(LimitedMessage {
                number,
                key,
                chunks,
                ppid,
                reliability,
                bytes,
                losses,
                is_expired: false,
            });
        }
    }

    /// Adds the chunks of a message, or of a part that has its first and its last fragment as `bounds` say.
    fn push_fragments(&mut self, head: MessageHead, fsn: u32, bounds: (bool, bool), fragments: Fragments) {
        for (fsn, piece) in (fsn..).zip(fragments) {
            let (beginning, ending) = (bounds.0 && piece.beginning, bounds.1 && piece.ending);
            let piece = Fragment { beginning, ending, ..piece };
            self.chunks.push(OutboundChunk::new(head, Fsn::new(fsn), piece));
        }
    }

    /// The TSN at `position`, if a chunk was queued there.
    fn queued(&self, position: u64) -> Option<Tsn> {
        (position < self.chunks.end()).then(|| self.chunks.tsn(position))
    }
}

impl WaitingChunks for SendBuffer {
    fn chunk(&self, index: Index) -> Option<WaitingChunk> {
        let tsn = self.waiting(index)?;
        Some(WaitingChunk { tsn, packet: self.packet_with(tsn) })
    }

    fn index_of(&self, tsn: Tsn) -> Option<Index> {
        let position = self.chunks.position_if_held(tsn)?;
        self.waiting.index(position).map(Index)
    }
}

/// The memory for a chunk besides its payload: its record, twice if the queue has just grown, and the allocator's
/// overhead for the message's memory.
const CHUNK_OVERHEAD: ByteCount = ByteCount::new(192);

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::super::tests::{ONE, buffer, tsn};
    use super::*;
    use crate::config::StreamScheduler;
    use crate::send::Reliability;
    use crate::wire::Ppid;

    #[test]
    fn a_chunk_costs_no_more_than_is_counted() {
        let allocators = 32;
        assert!(2 * size_of::<OutboundChunk>() as u64 + allocators <= CHUNK_OVERHEAD.get());
    }

    #[test]
    fn fragments_of_a_message_have_consecutive_tsns_and_one_ssn() {
        let mut buffer = buffer(1);
        let payload = Bytes::from_static(&[1; 250]);
        let (stream, ppid) = (StreamId::new(3), Ppid::new(9));
        buffer.push(
            Outgoing {
                stream,
                ppid,
                unordered: false,
                immediate: false,
                reliability: Reliability::Full,
                payload,
            },
            ByteCount::new(100),
        );
        let flags = |offset| {
            let data = buffer.data(tsn(offset));
            (data.mid.get(), data.beginning, data.ending, data.payload.len())
        };
        assert_eq!(flags(0), (0, true, true, 100));
        assert_eq!(
            [1, 2, 3].map(flags),
            [(1, true, false, 100), (1, false, false, 100), (1, false, true, 50)]
        );
    }

    /// A message of `length` bytes on stream `number`.
    fn message(number: u16, length: usize) -> Outgoing {
        let (stream, ppid, payload) = (StreamId::new(number), Ppid::new(0), Bytes::from(vec![1; length]));
        Outgoing { stream, ppid, unordered: false, immediate: false, reliability: Reliability::Full, payload }
    }

    #[test]
    fn a_message_passes_the_data_of_other_streams_and_not_of_its_own() {
        let largest = ByteCount::new(100);
        let mut buffer = buffer(0).with_streams(StreamScheduler::FairBandwidth, true);
        buffer.push_whole(message(1, 300));
        buffer.cut_ahead(largest, ByteCount::new(300));
        buffer.push_prompt(message(2, 10), largest);
        assert_eq!(buffer.first_prompt(), Some((tsn(3), Index(3))), "three chunks of the other wait");
        assert_eq!(buffer.ordinary(Index(3)), Some(tsn(2)), "it waits for the quickest path");
        buffer.push_prompt(message(2, 10), largest);
        buffer.push_prompt(message(1, 10), largest);
        buffer.on_sent(tsn(3), ONE, 0);
        assert_eq!(buffer.first_prompt(), None, "both came behind data of their streams");
        assert_eq!(buffer.waiting_bytes(), ByteCount::new(320));
        buffer.push_prompt(message(3, 10), largest);
        assert_eq!(buffer.first_prompt(), Some((tsn(4), Index(3))));
    }

    #[test]
    fn chunks_may_leave_out_of_order() {
        let mut buffer = buffer(4);
        let third = buffer.waiting(Index(2)).expect("four wait");
        assert_eq!(third, tsn(2));
        buffer.on_sent(third, ONE, 0);
        assert_eq!(buffer.waiting(Index(2)), Some(tsn(3)));
        assert_eq!(buffer.oldest_waiting(), Some(tsn(0)));
        assert_eq!(buffer.index_of(tsn(3)), Some(Index(2)));
        assert_eq!(buffer.waiting_chunks(), 3);
    }
}
