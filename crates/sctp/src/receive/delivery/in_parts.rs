//! The delivery of messages in parts: a message that began holds its place in the stream until its last part.

use super::{Delivery, DeliveryError};
use crate::receive::message::{Message, Part};
use crate::seq::{Mid, Tsn};
use crate::wire::{MessageKey, Ppid, StreamId, StreamSet};

/// A message of which a part was delivered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Begun {
    mid: Mid,
    ppid: Ppid,
    /// The cumulative TSN when its first part was delivered.
    cumulative: Tsn,
}

impl Delivery {
    /// Returns true if the message `key` may be delivered in parts now: it is the turn of an ordered one, and no other of
    /// its kind is delivered in parts on its stream.
    pub(crate) fn may_begin(&self, key: MessageKey) -> bool {
        let MessageKey { stream, unordered, mid } = key;
        (unordered || mid == self.next(stream)) && !self.begun.contains_key(&(stream, unordered))
    }

    /// Adds a part of the message `mid`: its first one, or one between.
    pub(crate) fn push_part(&mut self, part: Message, mid: Mid, cumulative: Tsn) {
        if part.part == Part::First {
            let begun = Begun { mid, ppid: part.ppid, cumulative };
            self.begun.insert((part.stream, part.unordered), begun);
        }
        self.ready.push_part(part);
    }

    /// Adds the last part of the ordered or unordered message `mid`. Messages that waited for it are ready.
    ///
    /// # Errors
    /// No part of the message was delivered before.
    pub(crate) fn push_last(&mut self, last: Message, mid: Mid) -> Result<(), DeliveryError> {
        let (stream, unordered) = (last.stream, last.unordered);
        let begun = self.begun.remove(&(stream, unordered)).filter(|begun| begun.mid == mid || unordered);
        if begun.is_none() {
            return Err(DeliveryError::UsedNumber { stream, mid, next: self.next(stream) });
        }
        self.ready.push_part(last);
        if !unordered {
            self.states.entry(stream).or_default().passed += 1;
            self.release(stream);
        }
        Ok(())
    }

    /// Returns true if an ordered message of `stream` was delivered in part.
    #[inline]
    pub(super) fn has_begun(&self, stream: StreamId) -> bool {
        !self.begun.is_empty() && self.begun.contains_key(&(stream, false))
    }

    /// The message of `stream` that was delivered in part.
    pub(crate) fn begun(&self, stream: StreamId, unordered: bool) -> Option<MessageKey> {
        self.begun.get(&(stream, unordered)).map(|begun| MessageKey { stream, unordered, mid: begun.mid })
    }

    /// The messages of `streams` that were delivered in part.
    pub(crate) fn begun_on(&self, streams: &StreamSet) -> Vec<MessageKey> {
        let on_streams = self.begun.iter().filter(|((stream, _), _)| streams.contains(*stream));
        on_streams
            .map(|(&(stream, unordered), begun)| MessageKey { stream, unordered, mid: begun.mid })
            .collect()
    }

    /// Returns true if the message `key` began after a reset of its stream, whose first TSN is `next`: it has the first
    /// number.
    pub(crate) fn began_after_reset(&self, key: MessageKey, next: Tsn) -> bool {
        let begun = self.begun.get(&(key.stream, key.unordered));
        begun.is_some_and(|begun| !begun.cumulative.is_before(next))
            && (key.unordered || key.mid == Mid::new(0))
    }

    /// Ends the message `key`, which was delivered in part, without its rest. Returns its PPID.
    pub(crate) fn abort(&mut self, key: MessageKey) -> Option<Ppid> {
        let MessageKey { stream, unordered, mid } = key;
        let Begun { ppid, .. } = self.begun.remove(&(stream, unordered))?;
        self.ready.push_part(Message::aborted((stream, mid.ssn(), ppid), unordered));
        Some(ppid)
    }
}
