//! The messages that may be given up, and the order in which that happens. A transfer without such messages costs nothing
//! here.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use anabranch_base::{ByteCount, Duration, Time};

use super::reliability::Reliability;
use crate::wire::{MessageKey, Ppid, StreamSet};

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
    /// True if it is too late to be sent, and waits for the acknowledgement of what is in flight: it is not sent again.
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
    /// The times until which messages that are too late wait for an acknowledgement.
    postponed: BTreeSet<(Time, u64)>,
    /// The priorities of all messages that have one, the most dispensable last, and their lengths.
    priorities: BTreeMap<(u32, u64), ByteCount>,
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
    /// Adds the message `number` of `length` bytes, which was queued.
    pub(super) fn on_queued(&mut self, number: u64, length: ByteCount, reliability: Reliability) {
        match reliability {
            Reliability::Full | Reliability::Retransmissions(_) => {}
            Reliability::Until(deadline) => _ = self.deadlines.insert((deadline, number)),
            Reliability::Priority(value) => _ = self.priorities.insert((value, number), length),
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

    /// Forgets a message whose last chunk, at `position`, is acknowledged, and all before it.
    pub(super) fn on_acknowledged(&mut self, key: MessageKey, position: u64) {
        if let Some(message) = self.cut.get(&key).filter(|message| message.chunks.contains(&position)) {
            self.take(message.number);
        }
    }

    /// Forgets the messages on `streams` that have chunks: the peer has reset the streams, and so has all of them. Their
    /// keys name later messages from now on.
    pub(super) fn restart(&mut self, streams: &StreamSet) {
        let arrived = self.keys.iter().filter(|(_, key)| streams.contains(key.stream));
        let arrived: Vec<u64> = arrived.map(|(number, _)| *number).collect();
        for number in arrived {
            self.take(number);
        }
    }

    /// Counts the loss of the chunk at `position` of the message `key`.
    pub(super) fn on_lost(&mut self, key: MessageKey, position: u64) {
        if let Some(message) = self.cut.get_mut(&key)
            && message.chunks.contains(&position)
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
            Reliability::Until(time) => {
                self.deadlines.remove(&(time, number));
                self.postponed.remove(&(time, number));
            }
            Reliability::Priority(value) => _ = self.priorities.remove(&(value, number)),
        }
    }

    /// Takes the next message to give up at `now`: lost too often, not acknowledged in time, or too late if it arrives at
    /// `arrival`.
    pub(super) fn take_due(&mut self, now: Time, arrival: Time) -> Option<u64> {
        if let Some(number) = self.exhausted.pop() {
            return Some(number);
        }
        let is_due = |first: Option<&(Time, u64)>, at: Time| first.is_some_and(|(time, _)| *time <= at);
        let due = if is_due(self.deadlines.first(), arrival) {
            self.deadlines.pop_first()
        } else if is_due(self.postponed.first(), now) {
            self.postponed.pop_first()
        } else {
            None
        };
        due.map(|(_, number)| number)
    }

    /// Gives the message `number`, which is too late, time `until` then for an acknowledgement.
    pub(super) fn postpone(&mut self, number: u64, until: Time) {
        if let Some(message) = self.keys.get(&number).and_then(|key| self.cut.get_mut(key)) {
            message.is_expired = true;
            message.reliability = Reliability::Until(until);
            self.postponed.insert((until, number));
        }
    }

    /// The message `number`, if it has chunks and was not postponed yet.
    pub(super) fn not_postponed(&self, number: u64) -> Option<&LimitedMessage> {
        let message = self.cut.get(self.keys.get(&number)?)?;
        (!message.is_expired).then_some(message)
    }

    /// Takes the most dispensable message of lower priority than `value`.
    pub(super) fn take_below(&mut self, value: u32) -> Option<u64> {
        self.priorities.last_key_value().filter(|((other, _), _)| *other > value)?;
        self.priorities.pop_last().map(|((_, number), _)| number)
    }

    /// Returns true if the messages of lower priority than `value` have `wanted` bytes.
    pub(super) fn has_below(&self, value: u32, wanted: ByteCount) -> bool {
        let mut sum = ByteCount::ZERO;
        let dispensable = self.priorities.iter().rev().take_while(|((other, _), _)| *other > value);
        dispensable.map(|(_, length)| *length).any(|length| {
            sum += length;
            sum >= wanted
        })
    }

    /// The time at which the next message is due, if what leaves takes `delay` to arrive.
    pub(super) fn next_due(&self, delay: Duration) -> Option<Time> {
        let first = |times: &BTreeSet<(Time, u64)>| times.first().map(|(time, _)| *time);
        let late = first(&self.deadlines).map(|deadline| deadline - delay);
        late.into_iter().chain(first(&self.postponed)).min()
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
            limited.on_queued(*number, ByteCount::new(100), *reliability);
            limited.on_cut(message(*number, chunks.clone(), *reliability));
        }
        limited
    }

    fn at(nanos: u64) -> Time {
        Time::from_nanos(nanos)
    }

    /// The message to give up at a time in nanoseconds, if nothing takes time to arrive.
    fn due(limited: &mut Limited, now: u64) -> Option<u64> {
        limited.take_due(at(now), at(now))
    }

    #[test]
    fn messages_expire_in_the_order_of_their_deadlines() {
        let until = |nanos| Reliability::Until(at(nanos));
        let mut limited = limited(&[(1, 1..2, until(30)), (4, 5..9, until(10))]);
        assert_eq!((limited.next_due(Duration::ZERO), due(&mut limited, 9)), (Some(at(10)), None));
        assert_eq!(due(&mut limited, 10), Some(4));
        assert_eq!(limited.take(4).map(|message| message.chunks), Some(5..9));
        assert_eq!(due(&mut limited, 29), None);
        limited.on_acknowledged(key(1), 7);
        assert!(!limited.is_empty(), "it was a chunk of an earlier message of this number");
        limited.on_acknowledged(key(1), 1);
        assert!(limited.is_empty() && limited.keys.is_empty(), "the other one is acknowledged");
    }

    #[test]
    fn a_message_is_due_when_it_would_arrive_too_late() {
        let mut limited = limited(&[(1, 1..2, Reliability::Until(at(30)))]);
        assert_eq!(limited.next_due(Duration::from_nanos(20)), Some(at(10)));
        assert_eq!(limited.next_due(Duration::from_nanos(40)), Some(Time::ZERO));
        assert_eq!(limited.take_due(at(9), at(29)), None);
        assert_eq!(limited.take_due(at(10), at(30)), Some(1));
        limited.postpone(1, at(25));
        assert_eq!(limited.next_due(Duration::from_nanos(20)), Some(at(25)), "the answer is on its way");
        assert_eq!(limited.take_due(at(24), at(44)), None);
        assert_eq!(limited.take_due(at(25), at(45)), Some(1));
    }

    #[test]
    fn a_message_that_expired_in_flight_has_one_more_deadline_and_is_given_up_when_it_is_lost() {
        let until = |nanos| Reliability::Until(at(nanos));
        let mut limited = limited(&[(1, 1..2, until(10)), (2, 2..3, until(10))]);
        for number in [1, 2] {
            assert_eq!(due(&mut limited, 10), Some(number));
            assert!(limited.not_postponed(number).is_some());
            limited.postpone(number, at(20));
            assert!(limited.not_postponed(number).is_none());
        }
        assert_eq!(due(&mut limited, 19), None);
        limited.on_lost(key(2), 2);
        assert_eq!(due(&mut limited, 19), Some(2));
        assert!(limited.take(2).is_some());
        assert_eq!(due(&mut limited, 20), Some(1));
        assert!(limited.take(1).is_some() && limited.is_empty() && limited.postponed.is_empty());
    }

    #[test]
    fn a_chunk_may_be_lost_as_often_as_its_message_allows() {
        let mut limited = limited(&[
            (1, 1..4, Reliability::Retransmissions(1)),
            (2, 6..7, Reliability::Retransmissions(0)),
        ]);
        [1, 2, 3].into_iter().for_each(|position| limited.on_lost(key(1), position));
        limited.on_lost(key(5), 5);
        assert_eq!(due(&mut limited, 0), None, "each chunk was lost once");
        limited.on_lost(key(1), 2);
        assert_eq!((due(&mut limited, 0), due(&mut limited, 0)), (Some(1), None));
        limited.on_lost(key(2), 6);
        assert_eq!(due(&mut limited, 0), Some(2));
    }

    #[test]
    fn messages_after_a_reset_are_not_those_before_it() {
        let mut limited = limited(&[(1, 1..3, Reliability::Retransmissions(0))]);
        limited.restart(&StreamSet::of_list([1].map(StreamId::new).into_iter()));
        let again = LimitedMessage { key: key(1), ..message(2, 5..7, Reliability::Retransmissions(0)) };
        limited.on_cut(again);
        limited.on_lost(key(1), 2);
        assert_eq!(due(&mut limited, 0), None, "the chunk is from before the reset");
        limited.on_lost(key(1), 5);
        assert_eq!(due(&mut limited, 0), Some(2));
        assert_eq!(limited.take(2).map(|message| message.chunks), Some(5..7));
    }

    #[test]
    fn the_least_important_message_makes_room_first() {
        let of = Reliability::Priority;
        let mut limited = limited(&[(1, 1..2, of(7)), (2, 2..3, of(3)), (3, 3..4, of(7))]);
        let bytes = ByteCount::new;
        assert!(limited.has_below(2, bytes(300)) && !limited.has_below(2, bytes(301)));
        assert!(limited.has_below(6, bytes(200)) && !limited.has_below(7, bytes(1)));
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
