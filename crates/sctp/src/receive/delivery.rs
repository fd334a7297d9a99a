//! The order in which complete messages are delivered to the application.

mod in_parts;

use std::collections::BTreeMap;

use super::bundle::Bundle;
use super::load::MemoryLoad;
use super::message::Message;
use super::ready::{Parcel, ReadyMessages};
use crate::seq::Mid;
use crate::wire::{StreamId, StreamSet};
use in_parts::Begun;

/// Messages that are ready, and messages that wait for others of their stream (RFC 9260 §6.5, §6.6).
///
/// A stream costs some tens of bytes of memory from its first ordered message on. The streams store their waiting
/// messages in one tree: a tree for each stream would cost more than a kilobyte for a single small message. Small
/// messages with consecutive SSNs are stored together, in a [`Bundle`].
#[derive(Debug)]
pub(crate) struct Delivery {
    streams: u16,
    numbering: Numbering,
    states: BTreeMap<StreamId, StreamState>,
    /// Messages that arrived too early, by stream and by the count of their first SSN.
    early: BTreeMap<(StreamId, u64), Parcel>,
    waiting: MemoryLoad,
    ready: ReadyMessages,
    /// The messages that are delivered in parts, by their stream and whether they are unordered.
    begun: BTreeMap<(StreamId, bool), Begun>,
}

/// The reason for which a message cannot be delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DeliveryError {
    /// The association does not have this stream: the TSN is acknowledged, the message dropped, and an error reported
    /// to the sender (RFC 9260 §6.5).
    #[error("stream {stream} does not exist: the association has {streams}")]
    InvalidStream {
        /// The stream of the message.
        stream: StreamId,
        /// The number of streams, from 0.
        streams: u16,
    },
    /// A message with this number was delivered before, or already waits.
    #[error("message {mid} of stream {stream} arrived a second time; message {next} is expected")]
    UsedNumber {
        /// The stream of the message.
        stream: StreamId,
        mid: Mid,
        /// The next number of this stream.
        next: Mid,
    },
}

/// The numbers of ordered messages on their streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbering {
    /// 16 bits, in DATA.
    Ssn,
    /// 32 bits, in I-DATA.
    Mid,
}

/// The state of one stream.
#[derive(Debug, Default)]
struct StreamState {
    /// The number of messages that were delivered; the lower bits are the next one's number.
    passed: u64,
}

impl Delivery {
    /// No message was delivered yet on any of the streams 0 to `streams` − 1.
    pub(crate) fn new(streams: u16, numbering: Numbering) -> Delivery {
        Delivery {
            streams,
            numbering,
            states: BTreeMap::new(),
            early: BTreeMap::new(),
            waiting: MemoryLoad::NONE,
            ready: ReadyMessages::default(),
            begun: BTreeMap::new(),
        }
    }

    /// Adds the complete message with number `mid`. It is ready at once if it is unordered or the next of its stream; then all messages
    /// that waited for it are ready too. `span` is the distance from the cumulative TSN to the highest TSN that
    /// arrived.
    ///
    /// The 65,536 SSNs of a stream may be in use at once, so an SSN alone does not distinguish a message far ahead from
    /// a delivered one. TSNs do: the next message, and each message between it and this one, has its own TSN beyond the
    /// cumulative TSN, so this message is less than `span` ahead.
    ///
    /// # Errors
    /// The stream does not exist, or the SSN was used before. The message is dropped; the caller must subtract its
    /// weight from the buffer.
    #[inline]
    pub(crate) fn push(&mut self, message: Message, mid: Mid, span: u32) -> Result<(), DeliveryError> {
        let stream = message.stream;
        if !self.has_stream(stream) {
            return Err(DeliveryError::InvalidStream { stream, streams: self.streams });
        }
        if message.unordered {
            self.ready.push(message);
            return Ok(());
        }
        let has_begun = self.has_begun(stream);
        let state = self.states.entry(stream).or_default();
        let ahead = self.numbering.ahead(mid, state.passed);
        let count = state.passed + u64::from(ahead);
        if ahead == 0 && !has_begun {
            state.passed += 1;
            self.ready.push(message);
            self.release(stream);
        } else if ahead >= span || has_begun && ahead == 0 || !self.keep(stream, count, message) {
            let next = self.next(stream);
            return Err(DeliveryError::UsedNumber { stream, mid, next });
        }
        Ok(())
    }

    /// Skips the messages of `stream` up to `mid`, which the sender gave up. The ones that arrived are ready, and so
    /// are the messages that waited for the last one (RFC 3758 §3.6). Numbers behind the next one, and streams that do
    /// not exist, are ignored.
    pub(crate) fn skip_to(&mut self, stream: StreamId, mid: Mid) {
        if !self.has_stream(stream) || self.is_behind(stream, mid) {
            return;
        }
        let state = self.states.entry(stream).or_default();
        let ahead = self.numbering.ahead(mid, state.passed);
        let next = state.passed + u64::from(ahead) + 1;
        while let Some((key, first)) = self.early_before(stream, next) {
            let Some(parcel) = self.early.remove(&key) else { break };
            let state = self.states.entry(stream).or_default();
            state.passed = first + parcel.count();
            self.waiting = self.waiting.saturating_sub(parcel.load());
            self.ready.push_parcel(parcel);
        }
        let state = self.states.entry(stream).or_default();
        state.passed = state.passed.max(next);
        self.release(stream);
    }

    /// Returns true if the ordered message `mid` of `stream` was delivered or skipped (RFC 1982).
    pub(crate) fn is_behind(&self, stream: StreamId, mid: Mid) -> bool {
        let passed = self.states.get(&stream).map_or(0, |state| state.passed);
        self.numbering.ahead(mid, passed) >= self.numbering.half()
    }

    /// Expects the messages of `streams` to count from zero (RFC 6525 §5.2.2 E3). Messages that waited for others of their
    /// stream are ready: what they waited for no longer comes.
    pub(crate) fn reset(&mut self, streams: &StreamSet) {
        if streams.is_all() {
            self.states.clear();
            while let Some((_, parcel)) = self.early.pop_first() {
                self.deliver_late(parcel);
            }
        }
        for stream in streams.to_list() {
            self.states.remove(&stream);
            while let Some((key, _)) = self.early_before(stream, u64::MAX)
                && let Some(parcel) = self.early.remove(&key)
            {
                self.deliver_late(parcel);
            }
        }
    }

    /// Returns true if `message` would be ready at once.
    pub(crate) fn expects(&self, message: &Message) -> bool {
        message.unordered || message.ssn == self.next(message.stream).ssn()
    }

    /// Returns true if the number of `message` was used before.
    pub(crate) fn has_passed(&self, message: &Message) -> bool {
        !message.unordered && message.ssn.is_before(self.next(message.stream).ssn())
    }

    /// The number of SSNs of `stream` that were delivered or skipped.
    pub(crate) fn passed(&self, stream: StreamId) -> u64 {
        self.states.get(&stream).map_or(0, |state| state.passed)
    }

    /// Sets the number of SSNs of `stream` that were delivered.
    pub(crate) fn set_passed(&mut self, stream: StreamId, passed: u64) {
        self.states.entry(stream).or_default().passed = passed;
    }

    /// Takes messages on the streams 0 to `streams` − 1.
    pub(crate) fn set_streams(&mut self, streams: u16) {
        self.streams = streams;
    }

    /// Removes the next message for the application and returns it.
    pub(crate) fn take(&mut self) -> Option<Message> {
        self.ready.take()
    }

    /// The messages that are ready. Messages that wait for others are dropped.
    pub(crate) fn into_ready(self) -> ReadyMessages {
        self.ready
    }

    /// Returns true if the association has the stream `stream`.
    pub(crate) fn has_stream(&self, stream: StreamId) -> bool {
        stream.get() < self.streams
    }

    /// Returns true if no message is ready.
    pub(crate) fn is_empty(&self) -> bool {
        self.ready.is_empty()
    }

    /// The cost of the messages that are ready.
    pub(crate) fn ready(&self) -> MemoryLoad {
        self.ready.load()
    }

    /// The cost of the messages that wait for others of their stream.
    pub(crate) fn waiting(&self) -> MemoryLoad {
        self.waiting
    }

    /// Stores a message until the earlier ones have arrived. Returns false if its SSN was taken.
    fn keep(&mut self, stream: StreamId, count: u64, message: Message) -> bool {
        let before = self.early.range_mut((stream, 0)..=(stream, count)).next_back();
        if let Some((&(_, first), parcel)) = before {
            let end = first + parcel.count();
            if end > count {
                return false;
            }
            if end == count
                && let Parcel::Bundle(bundle) = parcel
            {
                let load = bundle.load();
                if bundle.push(&message) {
                    self.waiting = self.waiting.saturating_sub(load) + bundle.load();
                    return true;
                }
            }
        }
        let parcel = Parcel::of(message, Bundle::default());
        self.waiting += parcel.load();
        self.early.insert((stream, count), parcel);
        true
    }

    fn deliver_late(&mut self, parcel: Parcel) {
        self.waiting = self.waiting.saturating_sub(parcel.load());
        self.ready.push_parcel(parcel);
    }

    /// The first waiting parcel of `stream` that begins before the message counted `end`.
    fn early_before(&self, stream: StreamId, end: u64) -> Option<((StreamId, u64), u64)> {
        let mut early = self.early.range((stream, 0)..(stream, end));
        early.next().map(|(&key, _)| (key, key.1))
    }

    /// Makes ready the messages of `stream` that waited for the last SSN, and those after them without a gap.
    fn release(&mut self, stream: StreamId) {
        while let Some(parcel) = self.take_due(stream) {
            self.waiting = self.waiting.saturating_sub(parcel.load());
            self.ready.push_parcel(parcel);
        }
    }

    /// The next number of `stream`.
    fn next(&self, stream: StreamId) -> Mid {
        let passed = self.states.get(&stream).map_or(0, |state| state.passed);
        match self.numbering {
            Numbering::Ssn => Mid::new(u32::from(passed as u16)),
            Numbering::Mid => Mid::new(passed as u32),
        }
    }

    fn take_due(&mut self, stream: StreamId) -> Option<Parcel> {
        if self.early.is_empty() {
            return None;
        }
        let state = self.states.get_mut(&stream)?;
        let parcel = self.early.remove(&(stream, state.passed))?;
        state.passed += parcel.count();
        Some(parcel)
    }
}

impl Numbering {
    /// The distance of `mid` from the number after `passed` messages, with wrapping.
    #[inline]
    fn ahead(self, mid: Mid, passed: u64) -> u32 {
        let ahead = mid.get().wrapping_sub(passed as u32);
        match self {
            Numbering::Ssn => u32::from(ahead as u16),
            Numbering::Mid => ahead,
        }
    }

    /// A number this far ahead, or farther, is behind (RFC 1982).
    fn half(self) -> u32 {
        match self {
            Numbering::Ssn => 1 << 15,
            Numbering::Mid => 1 << 31,
        }
    }
}

#[cfg(test)]
mod tests {
    use anabranch_base::ByteCount;

    use super::super::message::tests::message;
    use super::*;

    /// The distance that the other TSNs are beyond the cumulative TSN.
    const SPAN: u32 = 1000;

    fn push(delivery: &mut Delivery, stream: u16, ssn: u16) -> Result<(), DeliveryError> {
        delivery.push(message(stream, ssn, b"four"), Mid::new(ssn.into()), SPAN)
    }

    /// Takes all messages that are ready, as (stream, SSN).
    fn taken(delivery: &mut Delivery) -> Vec<(u16, u16)> {
        let all = std::iter::from_fn(|| delivery.take());
        all.map(|message| (message.stream.get(), message.ssn.get())).collect()
    }

    #[test]
    fn a_stream_that_is_reset_counts_from_zero_and_keeps_nothing() {
        let mut delivery = Delivery::new(3, Numbering::Ssn);
        for (stream, ssn) in [(0, 0), (1, 0), (1, 2), (2, 1)] {
            push(&mut delivery, stream, ssn).expect("a number of its own");
        }
        delivery.reset(&StreamSet::of_list(std::iter::once(StreamId::new(1))));
        assert_eq!(taken(&mut delivery), [(0, 0), (1, 0), (1, 2)]);
        assert_eq!((delivery.states.len(), delivery.early.len()), (2, 1));
        assert!(delivery.expects(&message(1, 0, b"four")) && !delivery.expects(&message(0, 0, b"four")));
        push(&mut delivery, 1, 0).expect("the first again");
        delivery.reset(&StreamSet::all());
        assert_eq!(taken(&mut delivery), [(1, 0), (2, 1)]);
        assert_eq!((delivery.states.len(), delivery.waiting()), (0, MemoryLoad::NONE));
    }

    #[test]
    fn skipped_messages_are_waited_for_no_longer() {
        let mut delivery = Delivery::new(2, Numbering::Ssn);
        for ssn in [1, 2, 4, 6] {
            push(&mut delivery, 0, ssn).expect("early");
        }
        delivery.skip_to(StreamId::new(0), Mid::new(3));
        assert_eq!(taken(&mut delivery), [(0, 1), (0, 2), (0, 4)], "4 waited for 3 alone");
        delivery.skip_to(StreamId::new(0), Mid::new(2));
        delivery.skip_to(StreamId::new(9), Mid::new(2));
        assert!(delivery.is_empty(), "2 was delivered, and there is no stream 9");
        push(&mut delivery, 0, 5).expect("due");
        assert_eq!(taken(&mut delivery), [(0, 5), (0, 6)]);
        assert_eq!(delivery.waiting(), MemoryLoad::NONE);
    }

    #[test]
    fn a_skip_inside_a_bundle_delivers_all_of_it() {
        let mut delivery = Delivery::new(1, Numbering::Ssn);
        for ssn in [2, 3, 4] {
            push(&mut delivery, 0, ssn).expect("early");
        }
        delivery.skip_to(StreamId::new(0), Mid::new(2));
        assert_eq!(taken(&mut delivery), [(0, 2), (0, 3), (0, 4)]);
        push(&mut delivery, 0, 5).expect("due");
        assert_eq!(taken(&mut delivery), [(0, 5)]);
    }

    #[test]
    fn ordered_messages_wait_for_those_before_them() {
        let mut delivery = Delivery::new(1, Numbering::Ssn);
        for ssn in [2, 1] {
            push(&mut delivery, 0, ssn).expect("early");
        }
        assert!(delivery.is_empty());
        assert_eq!(delivery.waiting().charge, ByteCount::new(8));
        push(&mut delivery, 0, 0).expect("due");
        assert_eq!(delivery.ready().charge, ByteCount::new(12));
        assert_eq!(taken(&mut delivery), [(0, 0), (0, 1), (0, 2)]);
        assert_eq!((delivery.ready(), delivery.waiting()), (MemoryLoad::NONE, MemoryLoad::NONE));
    }

    #[test]
    fn a_stream_does_not_wait_for_another() {
        let mut delivery = Delivery::new(2, Numbering::Ssn);
        push(&mut delivery, 0, 1).expect("early");
        push(&mut delivery, 1, 0).expect("due");
        assert_eq!(taken(&mut delivery), [(1, 0)]);
    }

    #[test]
    fn an_unordered_message_waits_for_nothing_and_takes_no_ssn() {
        let mut delivery = Delivery::new(1, Numbering::Ssn);
        push(&mut delivery, 0, 1).expect("early");
        delivery
            .push(Message { unordered: true, ..message(0, 77, b"now") }, Mid::new(77), SPAN)
            .expect("due");
        assert_eq!(taken(&mut delivery), [(0, 77)]);
        push(&mut delivery, 0, 0).expect("due");
        assert_eq!(taken(&mut delivery), [(0, 0), (0, 1)]);
    }

    #[test]
    fn ssns_wrap() {
        let mut delivery = Delivery::new(1, Numbering::Ssn);
        for ssn in (0..=u16::MAX).chain(0..10) {
            push(&mut delivery, 0, ssn).expect("due");
            assert_eq!(taken(&mut delivery), [(0, ssn)]);
        }
    }

    #[test]
    fn mids_have_32_bits() {
        let mut delivery = Delivery::new(1, Numbering::Mid);
        delivery.skip_to(StreamId::new(0), Mid::new(0x7fff_fffe));
        delivery.skip_to(StreamId::new(0), Mid::new(u32::MAX - 1));
        for mid in [u32::MAX, 0, 1] {
            assert!(!delivery.is_behind(StreamId::new(0), Mid::new(mid)));
            delivery.push(message(0, mid as u16, b"x"), Mid::new(mid), SPAN).expect("due");
            assert_eq!(taken(&mut delivery), [(0, mid as u16)]);
            assert!(delivery.is_behind(StreamId::new(0), Mid::new(mid)));
        }
        let ahead = delivery.push(message(0, 2, b"x"), Mid::new(0x1_0002), SPAN).expect_err("too far ahead");
        let (mid, next) = (Mid::new(0x1_0002), Mid::new(2));
        assert_eq!(ahead, DeliveryError::UsedNumber { stream: StreamId::new(0), mid, next });
    }

    #[test]
    fn a_stream_that_does_not_exist_is_named() {
        let mut delivery = Delivery::new(2, Numbering::Ssn);
        let error = push(&mut delivery, 2, 0).expect_err("no stream 2");
        assert_eq!(error, DeliveryError::InvalidStream { stream: StreamId::new(2), streams: 2 });
        let unordered = Message { unordered: true, ..message(9, 0, b"now") };
        assert!(delivery.push(unordered, Mid::new(0), SPAN).is_err());
        assert!(delivery.states.is_empty());
    }

    #[test]
    fn an_ssn_is_used_once_and_a_second_message_holds_nothing() {
        let mut delivery = Delivery::new(1, Numbering::Ssn);
        push(&mut delivery, 0, 0).expect("due");
        push(&mut delivery, 0, 2).expect("early");
        let (held, next) = (delivery.waiting(), Mid::new(1));
        for used in [0, 2, 0x8001] {
            let error = push(&mut delivery, 0, used).expect_err("used");
            assert_eq!(
                error,
                DeliveryError::UsedNumber { stream: StreamId::new(0), mid: Mid::new(used.into()), next }
            );
        }
        assert_eq!(delivery.waiting(), held);
        assert_eq!(taken(&mut delivery), [(0, 0)]);
    }

    #[test]
    fn all_ssns_of_a_stream_may_wait_for_one_of_them() {
        let mut delivery = Delivery::new(1, Numbering::Ssn);
        let message = |count: u32| message(0, count as u16, b"x");
        let mid = |count: u32| Mid::new(u32::from(count as u16));
        for count in 0..100 {
            delivery.push(message(count), mid(count), 0).expect("due");
        }
        while delivery.take().is_some() {}
        // TSN 1 is missing, which is message 100; the message with TSN n is message 99 + n.
        for tsn in 2..=65_535u32 {
            delivery
                .push(message(99 + tsn), mid(99 + tsn), tsn)
                .expect("each lies less far ahead than its TSN");
        }
        assert!(delivery.is_empty());
        assert!(delivery.waiting().memory < ByteCount::from_mib(2), "{}", delivery.waiting().memory);
        let used = delivery.push(message(99), mid(99), 60_000).expect_err("it passed");
        assert_eq!(
            used,
            DeliveryError::UsedNumber { stream: StreamId::new(0), mid: mid(99), next: mid(100) }
        );
        delivery.push(message(100), mid(100), 65_534).expect("due");
        assert_eq!(delivery.waiting(), MemoryLoad::NONE);
        let ssns: Vec<u16> = taken(&mut delivery).into_iter().map(|(_, ssn)| ssn).collect();
        assert!(ssns.iter().copied().eq((100..=65_634u32).map(|count| count as u16)));
    }

    #[test]
    fn small_messages_of_several_streams_wait_in_little_memory_and_come_out_in_order() {
        let mut delivery = Delivery::new(4, Numbering::Ssn);
        for ssn in 1..=500 {
            for stream in 0..4 {
                delivery.push(message(stream, ssn, b"x"), Mid::new(ssn.into()), SPAN * 10).expect("early");
            }
        }
        let each = delivery.waiting().memory.get() / 2000;
        assert!(each < 24, "{each} B a message of one byte");
        for stream in [2, 0, 3, 1] {
            push(&mut delivery, stream, 0).expect("due");
            let all = taken(&mut delivery);
            assert!(all.into_iter().eq((0..=500).map(|ssn| (stream, ssn))));
        }
        assert_eq!((delivery.ready(), delivery.waiting()), (MemoryLoad::NONE, MemoryLoad::NONE));
    }

    #[test]
    fn large_messages_among_small_ones_stay_in_their_place() {
        let large: &[u8] = &[7; 700];
        let mut delivery = Delivery::new(1, Numbering::Ssn);
        for ssn in (1..40).rev() {
            let small_or_large = if ssn % 3 == 0 { large } else { b"s" };
            delivery.push(message(0, ssn, small_or_large), Mid::new(ssn.into()), SPAN).expect("early");
        }
        delivery.push(message(0, 0, b"first"), Mid::new(0), SPAN).expect("due");
        let lengths =
            std::iter::from_fn(|| delivery.take()).map(|message| (message.ssn.get(), message.len()));
        assert!(lengths.eq((0..40).map(|ssn| (
            ssn,
            if ssn == 0 {
                5
            } else if ssn % 3 == 0 {
                700
            } else {
                1
            }
        ))));
        assert_eq!((delivery.ready(), delivery.waiting()), (MemoryLoad::NONE, MemoryLoad::NONE));
    }
}
