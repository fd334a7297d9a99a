//! The order in which complete messages are delivered to the application.

use std::collections::BTreeMap;

use super::bundle::Bundle;
use super::load::MemoryLoad;
use super::message::Message;
use super::ready::{Parcel, ReadyMessages};
use crate::seq::Ssn;
use crate::wire::StreamId;

/// Messages that are ready, and messages that wait for others of their stream (RFC 9260 §6.5, §6.6).
///
/// A stream costs some tens of bytes of memory from its first ordered message on. The streams store their waiting
/// messages in one tree: a tree for each stream would cost more than a kilobyte for a single small message. Small
/// messages with consecutive SSNs are stored together, in a [`Bundle`].
#[derive(Debug)]
pub(crate) struct Delivery {
    streams: u16,
    states: BTreeMap<StreamId, StreamState>,
    /// Messages that arrived too early, by stream and by the count of their first SSN.
    early: BTreeMap<(StreamId, u64), Parcel>,
    waiting: MemoryLoad,
    ready: ReadyMessages,
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
    /// A message with this SSN was delivered before, or already waits.
    #[error("SSN {ssn} of stream {stream} arrived a second time; SSN {next} is expected")]
    UsedSsn {
        /// The stream of the message.
        stream: StreamId,
        ssn: Ssn,
        /// The next SSN of this stream.
        next: Ssn,
    },
}

/// The state of one stream.
#[derive(Debug, Default)]
struct StreamState {
    /// The number of SSNs that were delivered; the lower 16 bits are the next SSN.
    passed: u64,
}

impl Delivery {
    /// No message was delivered yet on any of the streams 0 to `streams` − 1.
    pub(crate) fn new(streams: u16) -> Delivery {
        Delivery {
            streams,
            states: BTreeMap::new(),
            early: BTreeMap::new(),
            waiting: MemoryLoad::NONE,
            ready: ReadyMessages::default(),
        }
    }

    /// Adds a complete message. It is ready at once if it is unordered or the next of its stream; then all messages
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
    pub(crate) fn push(&mut self, message: Message, span: u32) -> Result<(), DeliveryError> {
        let (stream, ssn) = (message.stream, message.ssn);
        if !self.has_stream(stream) {
            return Err(DeliveryError::InvalidStream { stream, streams: self.streams });
        }
        if message.unordered {
            self.ready.push(message);
            return Ok(());
        }
        let state = self.states.entry(stream).or_default();
        let next = state.next();
        let ahead = ssn.distance_from(next);
        let count = state.passed + u64::from(ahead);
        if ahead == 0 {
            state.passed += 1;
            self.ready.push(message);
            self.release(stream);
        } else if u32::from(ahead) >= span || !self.keep(stream, count, message) {
            return Err(DeliveryError::UsedSsn { stream, ssn, next });
        }
        Ok(())
    }

    /// Skips the messages of `stream` up to `ssn`, which the sender gave up. The ones that arrived are ready, and so
    /// are the messages that waited for the last one (RFC 3758 §3.6). SSNs behind the next one, and streams that do
    /// not exist, are ignored.
    pub(crate) fn skip_to(&mut self, stream: StreamId, ssn: Ssn) {
        if !self.has_stream(stream) {
            return;
        }
        let state = self.states.entry(stream).or_default();
        let ahead = ssn.distance_from(state.next());
        if ahead >= HALF {
            return;
        }
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

    /// The first waiting parcel of `stream` that begins before the SSN counted `end`.
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

/// An SSN this far ahead, or farther, is behind (RFC 1982).
const HALF: u16 = 1 << 15;

impl StreamState {
    fn next(&self) -> Ssn {
        Ssn::new(self.passed as u16)
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
        delivery.push(message(stream, ssn, b"four"), SPAN)
    }

    /// Takes all messages that are ready, as (stream, SSN).
    fn taken(delivery: &mut Delivery) -> Vec<(u16, u16)> {
        let all = std::iter::from_fn(|| delivery.take());
        all.map(|message| (message.stream.get(), message.ssn.get())).collect()
    }

    #[test]
    fn skipped_messages_are_waited_for_no_longer() {
        let mut delivery = Delivery::new(2);
        for ssn in [1, 2, 4, 6] {
            push(&mut delivery, 0, ssn).expect("early");
        }
        delivery.skip_to(StreamId::new(0), Ssn::new(3));
        assert_eq!(taken(&mut delivery), [(0, 1), (0, 2), (0, 4)], "4 waited for 3 alone");
        delivery.skip_to(StreamId::new(0), Ssn::new(2));
        delivery.skip_to(StreamId::new(9), Ssn::new(2));
        assert!(delivery.is_empty(), "2 was delivered, and there is no stream 9");
        push(&mut delivery, 0, 5).expect("due");
        assert_eq!(taken(&mut delivery), [(0, 5), (0, 6)]);
        assert_eq!(delivery.waiting(), MemoryLoad::NONE);
    }

    #[test]
    fn a_skip_inside_a_bundle_delivers_all_of_it() {
        let mut delivery = Delivery::new(1);
        for ssn in [2, 3, 4] {
            push(&mut delivery, 0, ssn).expect("early");
        }
        delivery.skip_to(StreamId::new(0), Ssn::new(2));
        assert_eq!(taken(&mut delivery), [(0, 2), (0, 3), (0, 4)]);
        push(&mut delivery, 0, 5).expect("due");
        assert_eq!(taken(&mut delivery), [(0, 5)]);
    }

    #[test]
    fn ordered_messages_wait_for_those_before_them() {
        let mut delivery = Delivery::new(1);
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
        let mut delivery = Delivery::new(2);
        push(&mut delivery, 0, 1).expect("early");
        push(&mut delivery, 1, 0).expect("due");
        assert_eq!(taken(&mut delivery), [(1, 0)]);
    }

    #[test]
    fn an_unordered_message_waits_for_nothing_and_takes_no_ssn() {
        let mut delivery = Delivery::new(1);
        push(&mut delivery, 0, 1).expect("early");
        delivery.push(Message { unordered: true, ..message(0, 77, b"now") }, SPAN).expect("due");
        assert_eq!(taken(&mut delivery), [(0, 77)]);
        push(&mut delivery, 0, 0).expect("due");
        assert_eq!(taken(&mut delivery), [(0, 0), (0, 1)]);
    }

    #[test]
    fn ssns_wrap() {
        let mut delivery = Delivery::new(1);
        for ssn in (0..=u16::MAX).chain(0..10) {
            push(&mut delivery, 0, ssn).expect("due");
            assert_eq!(taken(&mut delivery), [(0, ssn)]);
        }
    }

    #[test]
    fn a_stream_that_does_not_exist_is_named() {
        let mut delivery = Delivery::new(2);
        let error = push(&mut delivery, 2, 0).expect_err("no stream 2");
        assert_eq!(error, DeliveryError::InvalidStream { stream: StreamId::new(2), streams: 2 });
        let unordered = Message { unordered: true, ..message(9, 0, b"now") };
        assert!(delivery.push(unordered, SPAN).is_err());
        assert!(delivery.states.is_empty());
    }

    #[test]
    fn an_ssn_is_used_once_and_a_second_message_holds_nothing() {
        let mut delivery = Delivery::new(1);
        push(&mut delivery, 0, 0).expect("due");
        push(&mut delivery, 0, 2).expect("early");
        let (held, next) = (delivery.waiting(), Ssn::new(1));
        for used in [0, 2, 0x8001] {
            let error = push(&mut delivery, 0, used).expect_err("used");
            assert_eq!(error, DeliveryError::UsedSsn { stream: StreamId::new(0), ssn: Ssn::new(used), next });
        }
        assert_eq!(delivery.waiting(), held);
        assert_eq!(taken(&mut delivery), [(0, 0)]);
    }

    #[test]
    fn all_ssns_of_a_stream_may_wait_for_one_of_them() {
        let mut delivery = Delivery::new(1);
        let message = |count: u32| message(0, count as u16, b"x");
        for count in 0..100 {
            delivery.push(message(count), 0).expect("due");
        }
        while delivery.take().is_some() {}
        // TSN 1 is missing, which is message 100; the message with TSN n is message 99 + n.
        for tsn in 2..=65_535u32 {
            delivery.push(message(99 + tsn), tsn).expect("each lies less far ahead than its TSN");
        }
        assert!(delivery.is_empty());
        assert!(delivery.waiting().memory < ByteCount::from_mib(2), "{}", delivery.waiting().memory);
        let used = delivery.push(message(99), 60_000).expect_err("it passed");
        assert_eq!(
            used,
            DeliveryError::UsedSsn { stream: StreamId::new(0), ssn: Ssn::new(99), next: Ssn::new(100) }
        );
        delivery.push(message(100), 65_534).expect("due");
        assert_eq!(delivery.waiting(), MemoryLoad::NONE);
        let ssns: Vec<u16> = taken(&mut delivery).into_iter().map(|(_, ssn)| ssn).collect();
        assert!(ssns.iter().copied().eq((100..=65_634u32).map(|count| count as u16)));
    }

    #[test]
    fn small_messages_of_several_streams_wait_in_little_memory_and_come_out_in_order() {
        let mut delivery = Delivery::new(4);
        for ssn in 1..=500 {
            for stream in 0..4 {
                delivery.push(message(stream, ssn, b"x"), SPAN * 10).expect("early");
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
        let mut delivery = Delivery::new(1);
        for ssn in (1..40).rev() {
            delivery.push(message(0, ssn, if ssn % 3 == 0 { large } else { b"s" }), SPAN).expect("early");
        }
        delivery.push(message(0, 0, b"first"), SPAN).expect("due");
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
