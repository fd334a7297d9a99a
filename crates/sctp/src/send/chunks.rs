//! The chunks after the cumulative ack point, sent or not, by TSN.

use std::collections::{BTreeMap, VecDeque};

use anabranch_base::ByteCount;

use super::chunk::{OutboundChunk, State};
use super::refit::refit;
use crate::seq::{Fsn, Tsn};
use crate::wire::MessageKey;

/// Every chunk from the time it gets its TSN until it is cumulatively acknowledged.
///
/// A chunk is identified by its position, which is its TSN without the wrap: its number among all chunks of the
/// association, counted from 1.
#[derive(Debug)]
pub(super) struct Chunks {
    /// The TSN and the position of the first chunk in `chunks`: the one after the cumulative ack point.
    first_tsn: Tsn,
    first: u64,
    chunks: VecDeque<OutboundChunk>,
    /// One past the highest position ever sent.
    sent_end: u64,
}

impl Chunks {
    /// No chunks yet; the first one will have TSN `initial` and position 1.
    pub(super) fn new(initial: Tsn) -> Chunks {
        Chunks { first_tsn: initial, first: 1, chunks: VecDeque::new(), sent_end: 1 }
    }

    /// Adds `chunk` with the next TSN.
    pub(super) fn push(&mut self, chunk: OutboundChunk) {
        self.chunks.push_back(chunk);
    }

    /// Records the chunk at `position` as sent.
    #[inline]
    pub(super) fn on_left(&mut self, position: u64) {
        self.sent_end = self.sent_end.max(position + 1);
    }

    /// Removes the first chunk, which is cumulatively acknowledged.
    #[inline]
    pub(crate) fn take_first(&mut self) -> Option<OutboundChunk> {
        let chunk = self.chunks.pop_front()?;
        self.first += 1;
        self.first_tsn = self.first_tsn.next();
        if self.chunks.is_empty() {
            self.chunks.shrink_to(KEPT_CHUNKS);
        }
        Some(chunk)
    }

    /// Cuts chunks that were never sent into pieces of at most `largest` bytes of user data. Those before a chunk that
    /// was sent keep their TSNs.
    pub(crate) fn refit(&mut self, largest: ByteCount) {
        let settled = index(self.sent_end - self.first).min(self.chunks.len());
        refit(&mut self.chunks, settled, largest);
    }

    /// Numbers the fragments of messages anew after they were cut. Returns the next FSN of each message that has no last
    /// fragment yet.
    pub(super) fn renumber_fragments(&mut self) -> BTreeMap<MessageKey, u32> {
        let settled = index(self.sent_end.max(self.first) - self.first).min(self.chunks.len());
        let mut next: BTreeMap<MessageKey, u32> = BTreeMap::new();
        for chunk in self.chunks.range_mut(settled..) {
            let key = chunk.head().key();
            let fsn = next.get(&key).copied().unwrap_or(chunk.fsn().get());
            chunk.set_fsn(Fsn::new(fsn));
            next.insert(key, fsn + 1);
            if chunk.bounds().1 {
                next.remove(&key);
            }
        }
        next
    }

    /// Gives the next chunk the TSN `next`. There are no chunks.
    pub(super) fn renumber(&mut self, next: Tsn) {
        self.first_tsn = next;
    }

    /// The chunk at `position`, which is kept.
    #[inline]
    pub(crate) fn at_mut(&mut self, position: u64) -> &mut OutboundChunk {
        &mut self.chunks[index(position - self.first)]
    }

    /// The chunk at `position`, which is kept.
    #[inline]
    pub(super) fn at(&self, position: u64) -> &OutboundChunk {
        &self.chunks[index(position - self.first)]
    }

    /// The chunk at `position`, unless it is cumulatively acknowledged.
    #[inline]
    pub(super) fn held(&self, position: u64) -> Option<&OutboundChunk> {
        (position >= self.first).then(|| self.at(position))
    }

    /// Returns true if the chunk at `position` is acknowledged, cumulatively or by a gap block.
    pub(super) fn is_acked(&self, position: u64) -> bool {
        self.held(position).is_none_or(|chunk| chunk.state() == State::Acked)
    }

    /// The position of the lowest chunk in flight at position `from` or above.
    pub(crate) fn in_flight_from(&self, from: u64) -> Option<u64> {
        (from..self.sent_end).find(|&position| self.at(position).is_in_flight())
    }

    /// The position of the first chunk kept: the one after the cumulative ack point.
    pub(super) fn first(&self) -> u64 {
        self.first
    }

    /// One past the highest position.
    #[inline]
    pub(super) fn end(&self) -> u64 {
        self.first + self.chunks.len() as u64
    }

    /// One past the highest position ever sent.
    pub(crate) fn sent_end(&self) -> u64 {
        self.sent_end
    }

    /// The number of chunks kept.
    pub(super) fn count(&self) -> usize {
        self.chunks.len()
    }

    /// The cumulative TSN ack point.
    pub(crate) fn ack_point(&self) -> Tsn {
        self.first_tsn.previous()
    }

    /// The position of `tsn`, which is not below the first TSN kept.
    #[inline]
    pub(super) fn position(&self, tsn: Tsn) -> u64 {
        self.first + u64::from(tsn.distance_from(self.first_tsn))
    }

    /// The position of `tsn`, if its chunk is kept.
    #[inline]
    pub(crate) fn position_if_held(&self, tsn: Tsn) -> Option<u64> {
        let position = self.position(tsn);
        (position < self.end()).then_some(position)
    }

    /// The position of the first chunk after `cumulative`; `None` if `cumulative` is below the ack point.
    pub(crate) fn position_after(&self, cumulative: Tsn) -> Option<u64> {
        let ack_point = self.ack_point();
        let is_old = cumulative.is_before(ack_point);
        (!is_old).then(|| self.first + u64::from(cumulative.distance_from(ack_point)))
    }

    /// The TSN at `position`, which is not below the first position kept.
    #[inline]
    pub(super) fn tsn(&self, position: u64) -> Tsn {
        // The distance is less than 2³²: TSNs of one window are unique.
        self.first_tsn.plus((position - self.first) as u32)
    }

    /// Returns true if `tsn` is cumulatively acknowledged.
    pub(super) fn is_passed(&self, tsn: Tsn) -> bool {
        tsn.is_before(self.first_tsn)
    }
}

fn index(offset: u64) -> usize {
    usize::try_from(offset).expect("a buffer in memory has fewer chunks than addresses")
}

/// The number of chunks or messages for which an empty list keeps memory: megabytes in flight, in chunks of the usual
/// size.
pub(super) const KEPT_CHUNKS: usize = 4_096;

#[cfg(test)]
mod tests {
    use anabranch_base::Time;
    use bytes::Bytes;

    use super::super::chunk::{MessageHead, MessageMarks, Transmission};
    use super::super::fragmentation::Fragment;
    use super::*;
    use crate::policy::PathId;
    use crate::policy::retransmission::LostBy;
    use crate::seq::Mid;
    use crate::wire::{Ppid, StreamId};

    /// Four chunks, the second of which has TSN 0. The first three were sent.
    fn chunks() -> Chunks {
        let mut chunks = Chunks::new(Tsn::new(u32::MAX));
        let head = MessageHead {
            stream: StreamId::new(0),
            mid: Mid::default(),
            ppid: Ppid::new(0),
            unordered: true,
            marks: MessageMarks::default(),
        };
        let left = Transmission { path: PathId::FIRST, round: 0, departure: 1, sent_at: Time::ZERO };
        for position in 1..=4 {
            let payload = Bytes::from_static(&[7; 100]);
            chunks.push(OutboundChunk::new(
                head,
                Fsn::default(),
                Fragment { payload, beginning: true, ending: true },
            ));
            if position < 4 {
                chunks.at_mut(position).leave(left);
                chunks.on_left(position);
            }
        }
        chunks
    }

    #[test]
    fn a_position_is_a_tsn_that_does_not_wrap() {
        let chunks = chunks();
        assert_eq!([1, 2, 4].map(|position| chunks.tsn(position).get()), [u32::MAX, 0, 2]);
        assert_eq!((chunks.position(Tsn::new(1)), chunks.position_if_held(Tsn::new(3))), (3, None));
        assert_eq!(chunks.position_after(Tsn::new(1)), Some(4));
        assert_eq!(chunks.position_after(Tsn::new(u32::MAX - 2)), None, "it is below the ack point");
        assert_eq!((chunks.first(), chunks.sent_end(), chunks.end()), (1, 4, 5));
    }

    #[test]
    fn what_is_taken_is_acknowledged_and_moves_the_ack_point() {
        let mut chunks = chunks();
        assert!(chunks.take_first().is_some() && chunks.take_first().is_some());
        assert_eq!((chunks.ack_point(), chunks.first(), chunks.count()), (Tsn::new(0), 3, 2));
        assert!(chunks.held(2).is_none() && chunks.is_acked(2) && chunks.is_passed(Tsn::new(0)));
        assert!(chunks.held(3).is_some() && !chunks.is_acked(3) && !chunks.is_passed(Tsn::new(1)));
        chunks.at_mut(3).acknowledge();
        assert!(chunks.is_acked(3));
    }

    #[test]
    fn the_lowest_in_flight_is_neither_lost_nor_acknowledged_nor_one_that_waits() {
        let mut chunks = chunks();
        assert_eq!([1, 2].map(|from| chunks.in_flight_from(from)), [Some(1), Some(2)]);
        assert!(chunks.at_mut(1).lose(LostBy::Timeout));
        chunks.at_mut(2).acknowledge();
        assert_eq!([1, 4].map(|from| chunks.in_flight_from(from)), [Some(3), None]);
    }
}
