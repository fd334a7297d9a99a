//! The messages that may be given up, and the order in which that happens. A transfer without such messages costs nothing
//! here.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

use anabranch_base::{ByteCount, Time};

use super::chunk::MessageHead;
use super::reliability::Reliability;

/// A message of which chunks are in the send buffer, and which may be given up.
#[derive(Clone, Debug)]
pub(super) struct LimitedMessage {
    /// The number of the message among all messages of the association.
    pub number: u64,
    /// The positions of its chunks.
    pub chunks: Range<u64>,
    pub head: MessageHead,
    pub reliability: Reliability,
    /// The user data.
    pub bytes: ByteCount,
    /// The losses of each of its chunks, if they count and there were any.
    losses: Vec<u32>,
}

/// The messages that may be given up.
#[derive(Debug, Default)]
pub(super) struct Limited {
    /// Those with chunks, in the order of their positions.
    cut: VecDeque<LimitedMessage>,
    /// The deadlines of all messages that have one, each with the message's number.
    deadlines: BTreeSet<(Time, u64)>,
    /// The priorities of all messages that have one, the most dispensable last.
    priorities: BTreeSet<(u32, u64)>,
    /// The messages that were lost too often.
    exhausted: Vec<u64>,
}

impl LimitedMessage {
    pub(super) fn new(
        number: u64,
        chunks: Range<u64>,
        head: MessageHead,
        reliability: Reliability,
        bytes: ByteCount,
    ) -> LimitedMessage {
        LimitedMessage { number, chunks, head, reliability, bytes, losses: Vec::new() }
    }

    /// Counts a loss of the chunk at `position`. Returns true if the message was lost too often.
    fn is_exhausted_by(&mut self, position: u64) -> bool {
        let Reliability::Retransmissions(most) = self.reliability else { return false };
        let length = (self.chunks.end - self.chunks.start) as usize;
        self.losses.resize(length, 0);
        let losses = &mut self.losses[(position - self.chunks.start) as usize];
        *losses += 1;
        *losses > most
    }
}

impl Limited {
    /// Adds the message `number`, which was queued.
    pub(super) fn on_queued(&mut self, number: u64, reliability: Reliability) {
        match reliability {
            Reliability::Full | Reliability::Retransmissions(_) => {}
            Reliability::Until(deadline) => _ = self.deadlines.insert((deadline, number)),
            Reliability::Priority(value) => _ = self.priorities.insert((value, number)),
        }
    }

    /// Adds the chunks of a message that was cut.
    pub(super) fn on_cut(&mut self, message: LimitedMessage) {
        self.cut.push_back(message);
    }

    /// Forgets the messages whose chunks are all before position `first`: they are acknowledged.
    pub(super) fn pass(&mut self, first: u64) {
        while let Some(message) = self.cut.front()
            && message.chunks.end <= first
        {
            let (number, reliability) = (message.number, message.reliability);
            self.forget(number, reliability);
            self.cut.pop_front();
        }
    }

    /// Counts the loss of the chunk at `position`.
    pub(super) fn on_lost(&mut self, position: u64) {
        let at = self.cut.partition_point(|message| message.chunks.end <= position);
        let Some(message) = self.cut.get_mut(at).filter(|message| message.chunks.contains(&position)) else {
            return;
        };
        if message.is_exhausted_by(position) {
            self.exhausted.push(message.number);
        }
    }

    /// The position from which the chunks of these messages may have been cut anew: those from `settled` on.
    pub(super) fn first_from(&self, settled: u64) -> Option<u64> {
        let at = self.cut.partition_point(|message| message.chunks.end <= settled);
        self.cut.get(at).map(|message| message.chunks.start)
    }

    /// Replaces the ends of the chunks of the messages that end at `settled` or after it, which were cut anew: `ends`
    /// has one for each, ascending, and each begins where the chunk after its predecessor says.
    pub(super) fn refit(&mut self, settled: u64, ranges: impl Iterator<Item = Range<u64>>) {
        let at = self.cut.partition_point(|message| message.chunks.end <= settled);
        for (message, range) in self.cut.range_mut(at..).zip(ranges) {
            message.chunks = range;
            message.losses.clear();
        }
    }

    /// Removes the message `number`, if it has chunks.
    pub(super) fn take(&mut self, number: u64) -> Option<LimitedMessage> {
        let at = self.cut.binary_search_by_key(&number, |message| message.number).ok()?;
        let message = self.cut.remove(at)?;
        self.forget(number, message.reliability);
        Some(message)
    }

    /// Forgets the limit of the message `number`.
    pub(super) fn forget(&mut self, number: u64, reliability: Reliability) {
        match reliability {
            Reliability::Full | Reliability::Retransmissions(_) => {}
            Reliability::Until(deadline) => _ = self.deadlines.remove(&(deadline, number)),
            Reliability::Priority(value) => _ = self.priorities.remove(&(value, number)),
        }
    }

    /// Takes the next message to give up at `now`: expired, or lost too often.
    pub(super) fn take_due(&mut self, now: Time) -> Option<u64> {
        if let Some(number) = self.exhausted.pop() {
            return Some(number);
        }
        self.next_deadline().filter(|deadline| *deadline <= now)?;
        self.deadlines.pop_first().map(|(_, number)| number)
    }

    /// Takes the most dispensable message of lower priority than `value`.
    pub(super) fn take_below(&mut self, value: u32) -> Option<u64> {
        self.priorities.last().filter(|(other, _)| *other > value)?;
        self.priorities.pop_last().map(|(_, number)| number)
    }

    /// The first deadline.
    pub(super) fn next_deadline(&self) -> Option<Time> {
        self.deadlines.first().map(|(deadline, _)| *deadline)
    }

    /// True if no message may be given up.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.cut.is_empty() && self.deadlines.is_empty() && self.priorities.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seq::Ssn;
    use crate::wire::{Ppid, StreamId};

    fn message(number: u64, chunks: Range<u64>, reliability: Reliability) -> LimitedMessage {
        let (stream, ssn, ppid) = (StreamId::new(1), Ssn::new(0), Ppid::new(0));
        let head = MessageHead { stream, ssn, ppid, unordered: false, is_limited: true };
        LimitedMessage::new(number, chunks, head, reliability, ByteCount::new(1))
    }

    fn limited(messages: &[(u64, Range<u64>, Reliability)]) -> Limited {
        let mut limited = Limited::default();
        for (number, chunks, reliability) in messages {
            limited.on_queued(*number, *reliability);
            limited.on_cut(message(*number, chunks.clone(), *reliability));
        }
        limited
    }

    #[test]
    fn messages_expire_in_the_order_of_their_deadlines() {
        let at = |seconds| Reliability::Until(Time::from_nanos(seconds));
        let mut limited = limited(&[(1, 1..2, at(30)), (4, 5..9, at(10))]);
        assert_eq!(
            (limited.next_deadline(), limited.take_due(Time::from_nanos(9))),
            (Some(Time::from_nanos(10)), None)
        );
        assert_eq!(limited.take_due(Time::from_nanos(10)), Some(4));
        assert_eq!(limited.take(4).map(|message| message.chunks), Some(5..9));
        assert_eq!(limited.take_due(Time::from_nanos(29)), None);
        limited.pass(2);
        assert!(limited.is_empty(), "the other one is acknowledged");
    }

    #[test]
    fn a_chunk_may_be_lost_as_often_as_its_message_allows() {
        let mut limited = limited(&[
            (1, 1..4, Reliability::Retransmissions(1)),
            (2, 6..7, Reliability::Retransmissions(0)),
        ]);
        [1, 2, 3, 5, 9].into_iter().for_each(|position| limited.on_lost(position));
        assert_eq!(limited.take_due(Time::ZERO), None, "each chunk was lost once");
        limited.on_lost(2);
        assert_eq!((limited.take_due(Time::ZERO), limited.take_due(Time::ZERO)), (Some(1), None));
        limited.on_lost(6);
        assert_eq!(limited.take_due(Time::ZERO), Some(2));
    }

    #[test]
    fn the_least_important_message_makes_room_first() {
        let of = Reliability::Priority;
        let mut limited = limited(&[(1, 1..2, of(7)), (2, 2..3, of(3)), (3, 3..4, of(7))]);
        assert_eq!((limited.take_below(7), limited.take_below(2)), (None, Some(3)));
        assert!(limited.take(3).is_some() && limited.take(3).is_none());
        assert_eq!(
            (limited.take_below(3), limited.take_below(6), limited.take_below(2)),
            (Some(1), None, Some(2))
        );
    }
}
