//! Holds messages of streams that are reset, and renumbers streams and TSNs (RFC 6525).

use super::super::chunk::State;
use super::super::fragmentation::Outgoing;
use super::SendBuffer;
use crate::seq::Tsn;
use crate::wire::StreamSet;

impl SendBuffer {
    /// Lets later messages on `streams` wait without numbers.
    pub(crate) fn hold(&mut self, streams: &StreamSet) {
        self.on_hold.begin(streams);
    }

    /// Ends the hold of `streams` and takes the messages that waited for it. They must be queued again.
    pub(crate) fn end_hold(&mut self, streams: &StreamSet) -> Vec<Outgoing> {
        let messages = self.on_hold.end(streams);
        for message in &messages {
            self.held.on_dropped(message.length());
        }
        messages
    }

    /// Notes that a reset is requested behind all that was sent.
    pub(crate) fn on_reset_requested(&mut self) {
        self.on_hold.on_requested(self.chunks.sent_end());
    }

    /// Lets the messages of `streams` count from zero: the peer has reset them.
    pub(crate) fn restart_numbers(&mut self, streams: &StreamSet) {
        self.on_hold.on_performed();
        self.numbers.reset(streams);
        self.limited.restart(streams);
    }

    /// Returns true if a message on `streams`, queued before their hold, was not sent in whole: smaller
    /// packets may still cut it anew, which changes its TSNs.
    pub(crate) fn has_unsent_on(&mut self, streams: &StreamSet) -> bool {
        if self.unfragmented.has_any(streams) {
            return true;
        }
        let is_waiting = |position: u64| {
            let chunk = self.chunks.held(position);
            chunk
                .is_some_and(|chunk| chunk.state() == State::Waiting && streams.contains(chunk.head().stream))
        };
        if self.on_hold.unsent().is_some_and(is_waiting) {
            return true;
        }
        let oldest = self.waiting.oldest();
        let found = (oldest..self.chunks.end()).rev().find(|&position| is_waiting(position));
        self.on_hold.set_unsent(found);
        found.is_some()
    }

    /// Returns true if all data is cumulatively acknowledged, except what is on hold.
    pub(crate) fn is_settled(&self) -> bool {
        self.chunks.count() == 0 && self.unfragmented.is_empty()
    }

    /// Gives the next chunk the TSN `next`, if all data is acknowledged.
    pub(crate) fn renumber(&mut self, next: Tsn) {
        if self.chunks.count() == 0 {
            self.chunks.renumber(next);
        }
    }
}
