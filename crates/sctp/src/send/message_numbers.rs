//! Assigns to each message the next number of its stream: its SSN (RFC 9260 §6.5) or its MID (RFC 8260 §2.1).

use crate::seq::Mid;
use crate::wire::{StreamId, StreamSet};

/// The next numbers of each stream.
#[derive(Debug, Default)]
pub(super) struct MessageNumbers {
    next: Vec<StreamNumbers>,
}

/// The next number of ordered messages, and of unordered ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct StreamNumbers {
    ordered: Mid,
    unordered: Mid,
}

impl MessageNumbers {
    /// Takes the number of a message.
    #[inline]
    pub(super) fn take(&mut self, stream: StreamId, unordered: bool) -> Mid {
        let stream = usize::from(stream.get());
        if stream >= self.next.len() {
            self.next.resize(stream + 1, StreamNumbers::default());
        }
        let numbers = &mut self.next[stream];
        let next = if unordered { &mut numbers.unordered } else { &mut numbers.ordered };
        let mid = *next;
        *next = mid.next();
        mid
    }

    /// The number that was taken last.
    pub(super) fn last(&self, stream: StreamId, unordered: bool) -> Mid {
        let numbers = self.next.get(usize::from(stream.get())).copied().unwrap_or_default();
        if unordered { numbers.unordered.previous() } else { numbers.ordered.previous() }
    }

    /// Lets `streams` count from zero.
    pub(super) fn reset(&mut self, streams: &StreamSet) {
        for stream in streams.to_list() {
            if let Some(next) = self.next.get_mut(usize::from(stream.get())) {
                *next = StreamNumbers::default();
            }
        }
        if streams.is_all() {
            self.next.clear();
        }
        while self.next.last() == Some(&StreamNumbers::default()) {
            self.next.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordered_and_unordered_messages_are_counted_on_each_stream() {
        let mut numbers = MessageNumbers::default();
        let mut take = |stream, unordered| numbers.take(StreamId::new(stream), unordered).get();
        assert_eq!([take(2, false), take(2, false), take(0, false)], [0, 1, 0]);
        assert_eq!([take(2, true), take(2, false), take(2, true)], [0, 2, 1]);
        assert_eq!(numbers.last(StreamId::new(2), false), Mid::new(2));
    }

    #[test]
    fn a_stream_that_is_reset_counts_from_zero_and_takes_no_room() {
        let mut numbers = MessageNumbers::default();
        for stream in [0, 2, 2] {
            numbers.take(StreamId::new(stream), stream == 0);
        }
        numbers.reset(&StreamSet::of_list([2, 900].map(StreamId::new).into_iter()));
        assert_eq!(numbers.next.len(), 1);
        assert_eq!(numbers.take(StreamId::new(2), false), Mid::new(0));
        numbers.reset(&StreamSet::all());
        assert_eq!(numbers.next, []);
    }
}
