//! The messages that the ends' applications send and receive.

use anabranch_base::Duration;
use anabranch_sctp::association::{Message, Outgoing, Reliability, SendError};
use anabranch_sctp::wire::{Ppid, StreamId};
use bytes::Bytes;

use super::{End, Pair};

/// A message of an application.
pub(crate) fn outgoing(stream: u16, unordered: bool, reliability: Reliability, payload: Bytes) -> Outgoing {
    let (stream, ppid) = (StreamId::new(stream), Ppid::new(0));
    Outgoing { stream, ppid, unordered, immediate: false, reliability, payload }
}

impl Pair {
    /// Sends a message of `length` bytes on stream 0.
    pub(crate) fn send(&mut self, end: End, length: usize) {
        self.try_send(end, 0, false, Bytes::from(vec![7; length])).expect("there is room");
    }

    pub(crate) fn try_send(
        &mut self,
        end: End,
        stream: u16,
        unordered: bool,
        payload: Bytes,
    ) -> Result<(), SendError> {
        self.try_send_with(end, stream, unordered, Reliability::Full, payload)
    }

    /// Sends a message that may be given up.
    pub(crate) fn try_send_with(
        &mut self,
        end: End,
        stream: u16,
        unordered: bool,
        reliability: Reliability,
        payload: Bytes,
    ) -> Result<(), SendError> {
        let now = self.now;
        let result = self.at(end).send(now, outgoing(stream, unordered, reliability, payload));
        self.settle(end);
        result
    }

    /// Sends a message that leaves before all that wait.
    pub(crate) fn try_send_prompt(&mut self, end: End, mut message: Outgoing) -> Result<(), SendError> {
        let now = self.now;
        let result = self.at(end).try_send_prompt(now, &mut message);
        self.settle(end);
        result
    }

    /// The messages that wait at an end, and those whose last part waits.
    pub(crate) fn receive(&mut self, end: End) -> Vec<Message> {
        let received = self.receive_parts(end);
        let side = self.side(end);
        let Some(id) = side.id else { return received };
        let parts = side.parts.entry(id).or_default();
        received.into_iter().filter_map(|part| parts.take(part).expect("parts in order")).collect()
    }

    /// The messages and parts of messages that wait at an end.
    pub(crate) fn receive_parts(&mut self, end: End) -> Vec<Message> {
        let mut messages = Vec::new();
        if self.side(end).id.is_some() {
            while let Some(message) = self.at(end).receive() {
                messages.push(message);
            }
            self.settle(end);
        }
        messages
    }

    /// Gives messages of `length` bytes to an end before it may send any of them, all on stream 0.
    pub(crate) fn send_at_once(&mut self, end: End, count: usize, length: usize) {
        let now = self.now;
        for _ in 0..count {
            let message = outgoing(0, false, Reliability::Full, Bytes::from(vec![7; length]));
            self.at(end).send(now, message).expect("there is room");
        }
        self.settle(end);
    }

    /// Fails unless both ends are open, and data flows both ways.
    pub(crate) fn assert_flows(&mut self) {
        assert!(self.at(End::A).is_open() && self.at(End::Z).is_open());
        for end in [End::A, End::Z] {
            self.send(end, 500);
            self.run_for(Duration::from_secs(5));
            assert_eq!(self.receive(end.other()).len(), 1, "{end:?} sent a message");
        }
    }
}
