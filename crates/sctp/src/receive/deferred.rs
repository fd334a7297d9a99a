//! Messages of streams that the peer resets after data that has not arrived yet: they are held until it has (RFC 6525
//! §5.2.2 E2).

use std::collections::{BTreeMap, VecDeque};

use super::load::MemoryLoad;
use super::message::Message;
use crate::seq::Tsn;
use crate::wire::{StreamId, StreamSet};

/// The complete messages of `streams` beyond a TSN. Their numbers have no meaning before the reset.
#[derive(Debug)]
pub(crate) struct Deferred {
    streams: StreamSet,
    after: Tsn,
    messages: VecDeque<(Tsn, Message)>,
    load: MemoryLoad,
    /// The streams without earlier messages of which some were released, and the TSN of the first.
    released: BTreeMap<StreamId, Tsn>,
}

impl Deferred {
    /// Holds messages of `streams` beyond the TSN `after`.
    pub(crate) fn new(streams: StreamSet, after: Tsn) -> Deferred {
        let (messages, released) = Default::default();
        Deferred { streams, after, messages, load: MemoryLoad::NONE, released }
    }

    /// Returns true if data of `stream` with `tsn` follows the reset.
    pub(crate) fn covers(&self, tsn: Tsn, stream: StreamId) -> bool {
        tsn.is_after(self.after) && self.streams.contains(stream)
    }

    /// Adds `message`, whose last chunk to arrive has `tsn`, or returns it if it is not held.
    pub(crate) fn push(&mut self, tsn: Tsn, message: Message) -> Option<Message> {
        if !self.covers(tsn, message.stream) {
            return Some(message);
        }
        self.load += message.load();
        self.messages.push_back((tsn, message));
        None
    }

    /// Takes the messages, in the order of their TSNs.
    pub(crate) fn take_messages(&mut self) -> Vec<(Tsn, Message)> {
        self.load = MemoryLoad::NONE;
        let mut messages = Vec::from(std::mem::take(&mut self.messages));
        messages.sort_by_key(|(tsn, _)| tsn.distance_from(self.after));
        messages
    }

    /// The streams.
    pub(crate) fn streams(&self) -> &StreamSet {
        &self.streams
    }

    /// The last TSN before the reset.
    pub(crate) fn after(&self) -> Tsn {
        self.after
    }

    /// Moves the last TSN before the reset.
    pub(crate) fn set_after(&mut self, after: Tsn) {
        self.after = after;
    }

    /// Returns true if a message is held whose TSN is not after `last`.
    pub(crate) fn holds_up_to(&self, last: Tsn) -> bool {
        self.messages.iter().any(|(tsn, _)| !tsn.is_after(last))
    }

    /// The cost of the messages.
    pub(crate) fn load(&self) -> MemoryLoad {
        self.load
    }

    /// Notes that the first message of `stream` is released before the reset.
    pub(crate) fn on_first_released(&mut self, stream: StreamId, tsn: Tsn) {
        self.released.entry(stream).or_insert(tsn);
    }

    /// The streams whose first message was released, although it follows the reset: its TSN is not before `next`.
    pub(crate) fn released_after(&self, next: Tsn) -> Vec<StreamId> {
        let is_after = |(stream, tsn): (&StreamId, &Tsn)| (!tsn.is_before(next)).then_some(*stream);
        self.released.iter().filter_map(is_after).collect()
    }

    /// The messages with TSNs before `next`, and the others, in the order of their TSNs.
    pub(crate) fn into_parts(mut self, next: Tsn) -> (Vec<Message>, Vec<Message>) {
        let (before, after): (Vec<_>, Vec<_>) =
            self.take_messages().into_iter().partition(|(tsn, _)| tsn.is_before(next));
        let without_tsns = |messages: Vec<(Tsn, Message)>| messages.into_iter().map(|(_, message)| message);
        (without_tsns(before).collect(), without_tsns(after).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::message::tests::message;
    use super::*;

    #[test]
    fn only_messages_of_the_streams_beyond_the_tsn_are_held() {
        let streams = StreamSet::of_list(std::iter::once(StreamId::new(3)));
        let mut deferred = Deferred::new(streams, Tsn::new(u32::MAX));
        assert!(deferred.push(Tsn::new(u32::MAX), message(3, 7, b"before")).is_some());
        assert!(deferred.push(Tsn::new(1), message(2, 7, b"other")).is_some());
        assert!(deferred.push(Tsn::new(1), message(3, 1, b"held")).is_none());
        assert!(deferred.push(Tsn::new(0), message(3, 0, b"held")).is_none());
        assert_ne!(deferred.load(), MemoryLoad::NONE);
        assert!(deferred.holds_up_to(Tsn::new(0)) && !deferred.holds_up_to(Tsn::new(u32::MAX)));
        let (before, after) = deferred.into_parts(Tsn::new(1));
        assert_eq!([before, after].map(|messages| messages[0].ssn.get()), [0, 1]);
    }
}
