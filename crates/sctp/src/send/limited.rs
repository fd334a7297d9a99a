//! The messages that may be given up, and the order in which that happens. A transfer without such messages costs nothing
//! here.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use anabranch_base::{ByteCount, Time};

use super::reliability::Reliability;
use crate::wire::{MessageKey, Ppid};

/// A message of which chunks are in the send buffer, and which may be given up.
#[derive(Clone, Debug)]
pub(super) struct LimitedMessage {
    /// The number of the message among all messages of the association.
    pub number: u64,
    pub key: MessageKey,
    /// The positions of its chunks, between which those of other messages may be.
    pub chunks: Range<u64>,
    pub ppid: Ppid,
    pub reliability: Reliability,
    /// The user data that has chunks.
    pub bytes: ByteCount,
    /// The losses of its chunks, by position, if they count.
    pub losses: BTreeMap<u64, u32>,
    /// True if it has expired and waits for the acknowledgement of what is in flight: it is not sent again.
    pub is_expired: bool,
}

/// The messages that may be given up.
#[derive(Debug, Default)]
pub(super) struct Limited {
    /// Those with chunks.
    cut: BTreeMap<MessageKey, LimitedMessage>,
    /// The keys of the same messages, by their numbers.
    keys: BTreeMap<u64, MessageKey>,
    /// The deadlines of all messages that have one, each with the message's number.
    deadlines: BTreeSet<(Time, u64)>,
    /// The priorities of all messages that have one, the most dispensable last.
    priorities: BTreeSet<(u32, u64)>,
    /// The messages that were lost too often.
    exhausted: Vec<u64>,
}

impl LimitedMessage {
    /// Counts a loss of the chunk at `position`. Returns true if the message was lost too often.
    fn is_exhausted_by(&mut self, position: u64) -> bool {
        if self.is_expired {
            return true;
        }
        let Reliability::Retransmissions(most) = self.reliability else { return false };
        let losses = self.losses.entry(position).or_default();
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

    /// Adds the chunks of a message, or more of them.
    pub(super) fn on_cut(&mut self, message: LimitedMessage) {
        match self.cut.get_mut(&message.key) {
            Some(begun) => {
                begun.chunks.end = message.chunks.end;
                begun.bytes += message.bytes;
            }
            None => {
                self.keys.insert(message.number, message.key);
                self.cut.insert(message.key, message);
            }
        }
    }

    /// Forgets a message whose last chunk is acknowledged, and all before it.
    pub(super) fn on_acknowledged(&mut self, key: MessageKey) {
        if let Some(message) = self.cut.remove(&key) {
            self.keys.remove(&message.number);
            self.forget(message.number, message.reliability);
        }
    }

    /// Counts the loss of the chunk at `position` of the message `key`.
    pub(super) fn on_lost(&mut self, key: MessageKey, position: u64) {
        if let Some(message) = self.cut.get_mut(&key)
            && message.is_exhausted_by(position)
        {
            self.exhausted.push(message.number);
        }
    }

    /// Finds the chunks from `settled` on anew, which were cut into smaller ones: `chunks` has the message and the
    /// position of each that belongs to such a message.
    pub(super) fn refit(&mut self, settled: u64, chunks: impl Iterator<Item = (MessageKey, u64)>) {
        let is_later = |message: &&mut LimitedMessage| message.chunks.end > settled;
        for message in self.cut.values_mut().filter(is_later) {
            let start = message.chunks.start;
            message.chunks = if start < settled { start..settled } else { u64::MAX..u64::MAX };
        }
        for (key, position) in chunks {
            if let Some(message) = self.cut.get_mut(&key) {
                message.chunks = message.chunks.start.min(position)..position + 1;
            }
        }
    }

    /// Removes the message `number`, if it has chunks.
    pub(super) fn take(&mut self, number: u64) -> Option<LimitedMessage> {
        let message = self.cut.remove(&self.keys.remove(&number)?)?;
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

    /// Gives the message `number`, which has expired, time `until` then for an acknowledgement.
    pub(super) fn postpone(&mut self, number: u64, until: Time) {
        if let Some(message) = self.keys.get(&number).and_then(|key| self.cut.get_mut(key)) {
            message.is_expired = true;
            message.reliability = Reliability::Until(until);
            self.deadlines.insert((until, number));
        }
    }

    /// The message `number`, if it has chunks and was not postponed yet.
    pub(super) fn not_postponed(&self, number: u64) -> Option<&LimitedMessage> {
        let message = self.cut.get(self.keys.get(&number)?)?;
        (!message.is_expired).then_some(message)
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
    use crate::seq::Mid;
    use crate::wire::StreamId;

    fn key(number: u64) -> MessageKey {
        MessageKey { stream: StreamId::new(1), unordered: false, mid: Mid::new(number as u32) }
    }

    fn message(number: u64, chunks: Range<u64>, reliability: Reliability) -> LimitedMessage {
        let (ppid, bytes, losses) = (Ppid::new(0), ByteCount::new(1), BTreeMap::new());
        LimitedMessage {
            number,
            key: key(number),
            chunks,
            ppid,
            reliability,
            bytes,
            losses,
            is_expired: false,
        }
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
        limited.on_acknowledged(key(1));
        assert!(limited.is_empty() && limited.keys.is_empty(), "the other one is acknowledged");
    }

    #[test]
    fn a_message_that_expired_in_flight_has_one_more_deadline_and_is_given_up_when_it_is_lost() {
        let at = |nanos| Reliability::Until(Time::from_nanos(nanos));
        let mut limited = limited(&[(1, 1..2, at(10)), (2, 2..3, at(10))]);
        for number in [1, 2] {
            assert_eq!(limited.take_due(Time::from_nanos(10)), Some(number));
            assert!(limited.not_postponed(number).is_some());
            limited.postpone(number, Time::from_nanos(20));
            assert!(limited.not_postponed(number).is_none());
        }
        assert_eq!(limited.take_due(Time::from_nanos(19)), None);
        limited.on_lost(key(2), 2);
        assert_eq!(limited.take_due(Time::from_nanos(19)), Some(2));
        assert!(limited.take(2).is_some());
        assert_eq!(limited.take_due(Time::from_nanos(20)), Some(1));
        assert!(limited.take(1).is_some() && limited.is_empty());
    }

    #[test]
    fn a_chunk_may_be_lost_as_often_as_its_message_allows() {
        let mut limited = limited(&[
            (1, 1..4, Reliability::Retransmissions(1)),
            (2, 6..7, Reliability::Retransmissions(0)),
        ]);
        [1, 2, 3].into_iter().for_each(|position| limited.on_lost(key(1), position));
        limited.on_lost(key(5), 5);
        assert_eq!(limited.take_due(Time::ZERO), None, "each chunk was lost once");
        limited.on_lost(key(1), 2);
        assert_eq!((limited.take_due(Time::ZERO), limited.take_due(Time::ZERO)), (Some(1), None));
        limited.on_lost(key(2), 6);
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

    #[test]
    fn chunks_that_are_cut_anew_are_found_again() {
        let of = Reliability::Priority(1);
        let mut limited = limited(&[(1, 1..3, of), (2, 3..6, of), (3, 6..7, of)]);
        limited.refit(4, [(key(2), 4), (key(2), 5), (key(2), 6), (key(3), 7), (key(3), 8)].into_iter());
        let chunks = [1, 2, 3].map(|number| limited.take(number).map(|message| message.chunks));
        assert_eq!(chunks, [Some(1..3), Some(3..7), Some(7..9)]);
    }
}
