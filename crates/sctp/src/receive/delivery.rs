//! The order in which whole messages are handed to the application. It knows each stream's next SSN, and
//! nothing of TSNs and fragments.

use std::collections::{BTreeMap, VecDeque};

use super::load::Load;
use super::message::Message;
use crate::seq::Ssn;
use crate::wire::StreamId;

/// Messages that are due, and messages that wait for others of their stream (RFC 9260 §6.5, §6.6).
///
/// A stream costs memory from its first ordered message on, a few tens of bytes. What waits lies in one tree for all streams:
/// one for each would cost more than a kilobyte for a single small message.
#[derive(Debug)]
pub struct Delivery {
    streams: u16,
    lanes: BTreeMap<StreamId, Lane>,
    /// What has come too early, by its stream and the count that its SSN stands for.
    early: BTreeMap<(StreamId, u64), Message>,
    ready: VecDeque<Message>,
    ready_load: Load,
    waiting_load: Load,
}

/// A message that cannot be delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeliveryError {
    /// The association has no such stream: the TSN is acknowledged, the message dropped and the sender told
    /// (RFC 9260 §6.5).
    #[error("stream {stream} does not exist, there are {streams}")]
    InvalidStream {
        /// The stream of the message.
        stream: StreamId,
        /// How many streams there are, from 0.
        streams: u16,
    },
    /// A message with this SSN was delivered before, or waits already.
    #[error("SSN {ssn} of stream {stream} comes a second time, {next} is next")]
    UsedSsn {
        /// The stream of the message.
        stream: StreamId,
        /// Its SSN.
        ssn: Ssn,
        /// The SSN that is due on this stream.
        next: Ssn,
    },
}

/// One stream: what comes next.
#[derive(Debug, Default)]
struct Lane {
    /// How many SSNs have passed; the lower 16 bits are the next SSN.
    passed: u64,
}

impl Delivery {
    /// Nothing was delivered yet on any of the streams 0 to `streams` − 1.
    pub fn new(streams: u16) -> Delivery {
        Delivery {
            streams,
            lanes: BTreeMap::new(),
            early: BTreeMap::new(),
            ready: VecDeque::new(),
            ready_load: Load::NONE,
            waiting_load: Load::NONE,
        }
    }

    /// A message is whole: it is due at once if it is unordered or next in its stream, with all that waited
    /// for it.
    ///
    /// # Errors
    /// There is no such stream, or the SSN was used before. The message is gone; what it weighed is the
    /// caller's to take off the buffer.
    pub fn push(&mut self, message: Message) -> Result<(), DeliveryError> {
        let (stream, ssn) = (message.stream, message.ssn);
        if !self.has_stream(stream) {
            return Err(DeliveryError::InvalidStream { stream, streams: self.streams });
        }
        if message.unordered {
            self.make_ready(message);
            return Ok(());
        }
        let lane = self.lanes.entry(stream).or_default();
        match lane.count_of(ssn) {
            Some(count) if count == lane.passed => {
                lane.passed += 1;
                self.make_ready(message);
                self.release(stream);
            }
            Some(count) if !self.early.contains_key(&(stream, count)) => {
                self.waiting_load += message.load;
                self.early.insert((stream, count), message);
            }
            _ => return Err(DeliveryError::UsedSsn { stream, ssn, next: lane.next() }),
        }
        Ok(())
    }

    /// The next message for the application.
    pub fn take(&mut self) -> Option<Message> {
        let message = self.ready.pop_front()?;
        self.ready_load = self.ready_load.saturating_sub(message.load);
        Some(message)
    }

    /// The sender gave up what is missing of `stream` up to `ssn` (RFC 3758 §3.6): what arrived of it is due
    /// now, in order. Streams that do not exist and SSNs that have passed are ignored.
    pub fn skip(&mut self, stream: StreamId, ssn: Ssn) {
        if !self.has_stream(stream) {
            return;
        }
        let lane = self.lanes.entry(stream).or_default();
        let Some(count) = lane.count_of(ssn) else { return };
        lane.passed = count + 1;
        self.release(stream);
    }

    /// Whether the association has this stream.
    pub fn has_stream(&self, stream: StreamId) -> bool {
        stream.get() < self.streams
    }

    /// Whether there is nothing for the application to take.
    pub fn is_empty(&self) -> bool {
        self.ready.is_empty()
    }

    /// What the messages weigh that the application could take now.
    pub fn ready(&self) -> Load {
        self.ready_load
    }

    /// What the messages weigh that wait for others of their stream.
    pub fn waiting(&self) -> Load {
        self.waiting_load
    }

    /// Makes due what has waited on `stream` for an SSN that has passed, and what follows it without a gap.
    fn release(&mut self, stream: StreamId) {
        while let Some(message) = self.take_due(stream) {
            self.waiting_load = self.waiting_load.saturating_sub(message.load);
            self.make_ready(message);
        }
    }

    fn take_due(&mut self, stream: StreamId) -> Option<Message> {
        if self.early.is_empty() {
            return None;
        }
        let lane = self.lanes.get_mut(&stream)?;
        let (&first, _) = self.early.range((stream, 0)..=(stream, lane.passed)).next()?;
        lane.passed = lane.passed.max(first.1 + 1);
        self.early.remove(&first)
    }

    fn make_ready(&mut self, message: Message) {
        self.ready_load += message.load;
        self.ready.push_back(message);
    }
}

impl Lane {
    /// The count that `ssn` stands for, if it has not passed: half of all SSNs lie ahead, half behind.
    fn count_of(&self, ssn: Ssn) -> Option<u64> {
        let ahead = ssn.distance_from(self.next());
        (ahead < HALF).then(|| self.passed + u64::from(ahead))
    }

    fn next(&self) -> Ssn {
        Ssn::new(self.passed as u16)
    }
}

/// From here on a distance is one backwards.
const HALF: u16 = 1 << 15;

#[cfg(test)]
mod tests {
    use anabranch_base::ByteCount;

    use super::super::message::tests::message;
    use super::*;

    fn push(delivery: &mut Delivery, stream: u16, ssn: u16) -> Result<(), DeliveryError> {
        delivery.push(message(stream, ssn, b"four"))
    }

    /// Takes all that is due, as (stream, SSN).
    fn taken(delivery: &mut Delivery) -> Vec<(u16, u16)> {
        let all = std::iter::from_fn(|| delivery.take());
        all.map(|message| (message.stream.get(), message.ssn.get())).collect()
    }

    #[test]
    fn ordered_messages_wait_for_those_before_them() {
        let mut delivery = Delivery::new(1);
        for ssn in [2, 1] {
            push(&mut delivery, 0, ssn).expect("early");
        }
        assert!(delivery.is_empty());
        assert_eq!(delivery.waiting(), Load { charge: ByteCount::new(8), chunks: 2 });
        push(&mut delivery, 0, 0).expect("due");
        assert_eq!(delivery.ready(), Load { charge: ByteCount::new(12), chunks: 3 });
        assert_eq!(taken(&mut delivery), [(0, 0), (0, 1), (0, 2)]);
        assert_eq!((delivery.ready(), delivery.waiting()), (Load::NONE, Load::NONE));
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
        delivery.push(Message { unordered: true, ..message(0, 77, b"now") }).expect("due");
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
        assert!(delivery.push(unordered).is_err());
        assert!(delivery.lanes.is_empty());
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
    fn a_skip_delivers_what_arrived_of_the_skipped_and_goes_on_behind_it() {
        let mut delivery = Delivery::new(1);
        for ssn in [1, 3, 4, 6] {
            push(&mut delivery, 0, ssn).expect("early");
        }
        delivery.skip(StreamId::new(0), Ssn::new(2));
        assert_eq!(taken(&mut delivery), [(0, 1), (0, 3), (0, 4)]);
        delivery.skip(StreamId::new(0), Ssn::new(1));
        delivery.skip(StreamId::new(7), Ssn::new(1));
        push(&mut delivery, 0, 5).expect("due");
        assert_eq!(taken(&mut delivery), [(0, 5), (0, 6)]);
        assert_eq!(delivery.waiting(), Load::NONE);
    }
}
