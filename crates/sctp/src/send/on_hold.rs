//! Messages on streams whose numbering begins anew: they get no number before the peer has answered (RFC 6525 §5.1.2 A1).
//! A transfer without such streams costs nothing here.

use std::collections::VecDeque;

use anabranch_base::ByteCount;

use super::fragmentation::Outgoing;
use crate::wire::{StreamId, StreamSet};

/// The streams on hold, and their messages.
#[derive(Debug, Default)]
pub(super) struct OnHold {
    streams: StreamSet,
    messages: VecDeque<Outgoing>,
    bytes: ByteCount,
    /// The position of a chunk of these streams that was not sent when it was last looked for.
    unsent: Option<u64>,
    /// One past the last chunk before the reset that is requested.
    requested: u64,
    /// One past the last chunk before the last reset that the peer has performed: it has all before.
    performed: u64,
}

impl OnHold {
    /// Returns true if messages on `stream` wait.
    #[inline]
    pub(super) fn has(&self, stream: StreamId) -> bool {
        !self.streams.is_empty() && self.streams.contains(stream)
    }

    /// Lets later messages on `streams` wait.
    pub(super) fn begin(&mut self, streams: &StreamSet) {
        self.streams.add(streams);
        self.unsent = None;
    }

    /// Adds a message of one of the streams.
    pub(super) fn push(&mut self, message: Outgoing) {
        self.bytes += message.length();
        self.messages.push_back(message);
    }

    /// Ends the hold of `streams`, and takes the messages that need not wait, in their order.
    pub(super) fn end(&mut self, streams: &StreamSet) -> Vec<Outgoing> {
        self.streams.remove(streams);
        let (waiting, free) = self
            .messages
            .drain(..)
            .partition(|message| !self.streams.is_empty() && self.streams.contains(message.stream));
        self.messages = waiting;
        self.bytes = self.messages.iter().map(Outgoing::length).sum();
        let free: VecDeque<Outgoing> = free;
        free.into()
    }

    /// Notes that a reset is requested behind the chunks before `end`.
    pub(super) fn on_requested(&mut self, end: u64) {
        self.requested = end;
    }

    /// Notes that the peer has performed the reset.
    pub(super) fn on_performed(&mut self) {
        self.performed = self.performed.max(std::mem::take(&mut self.requested));
    }

    /// The end of what one FORWARD-TSN skips of the chunks from `first` to `end`. One that crosses a reset might name a
    /// message before it to a peer that counts anew, and takes it for a later one.
    pub(super) fn bound_skip(&self, first: u64, end: u64) -> u64 {
        if first < self.requested { end.min(self.requested) } else { end }
    }

    /// Returns true if a FORWARD-TSN may name the message of the chunk at `position`: its number does not begin anew.
    pub(super) fn may_name(&self, position: u64) -> bool {
        position >= self.performed
    }

    /// The chunk that was found unsent.
    pub(super) fn unsent(&self) -> Option<u64> {
        self.unsent
    }

    /// Notes that the chunk at `position` was found unsent, or that none was.
    pub(super) fn set_unsent(&mut self, position: Option<u64>) {
        self.unsent = position;
    }

    /// The number of messages.
    pub(super) fn count(&self) -> usize {
        self.messages.len()
    }

    /// Their user data.
    pub(super) fn bytes(&self) -> ByteCount {
        self.bytes
    }
}
