//! Delivers messages in parts, so that the buffer need not hold all of a message (RFC 9260 §6.9, RFC 6458 §8.1.21).

use anabranch_base::ByteCount;

use super::{BadData, Receiver};
use crate::association::ground::Ground;
use crate::event::Event;
use crate::receive::{Assembly, Deferred, Message, Search};
use crate::seq::{Mid, Tsn};
use crate::wire::{MessageKey, StreamSet};

impl Receiver {
    /// Delivers what is held of the message `key`, of which the fragment `tsn` just arrived, if a part of it was delivered
    /// before or if it has reached the partial delivery point.
    pub(super) fn deliver_part(&mut self, ground: &mut Ground, key: MessageKey, tsn: Tsn) {
        let (cumulative, point) = (self.arrivals.cumulative(), delivery_point(self.buffer.capacity()));
        let (delivery, deferred) = (&self.delivery, self.deferred.as_deref());
        let may_begin = |key, tsn| delivery.may_begin(key) && !is_deferred(deferred, key, tsn, cumulative);
        if let Some((mid, part)) = self.assembly.take_part((key, tsn), cumulative, point, may_begin) {
            self.push_part(ground, part, mid);
        }
    }

    /// Delivers the last part of the message `mid`, whose fragment `tsn` was the last to arrive.
    pub(super) fn deliver_last(
        &mut self,
        ground: &mut Ground,
        last: Message,
        (mid, tsn): (Mid, Tsn),
    ) -> Result<(), BadData> {
        let was_empty = self.delivery.is_empty();
        if let Some(deferred) = &mut self.deferred
            && !last.unordered
            && self.delivery.passed(last.stream) == 0
        {
            deferred.on_first_released(last.stream, tsn);
        }
        self.delivery.push_last(last, mid)?;
        self.tell_readable(ground, was_empty);
        Ok(())
    }

    /// Delivers the beginning of a message if nothing can be read and the peer hardly has room to send more.
    pub(super) fn deliver_before_full(&mut self, ground: &mut Ground) {
        if !self.delivery.is_empty() || self.assembly.held().charge.is_zero() {
            return;
        }
        let sample = self.buffer_sample(ground);
        let least_useful = sample.full_chunk.min(sample.capacity / 2);
        if self.rules.flow.advertise(&sample) < least_useful {
            self.may_read_part(ground);
        }
    }

    /// Delivers the beginning of a message, however short. Returns false if no message can be delivered in parts.
    pub(super) fn may_read_part(&mut self, ground: &mut Ground) -> bool {
        let (delivery, deferred) = (&self.delivery, self.deferred.as_deref());
        let cumulative = self.arrivals.cumulative();
        let may_begin = |key, tsn| delivery.may_begin(key) && !is_deferred(deferred, key, tsn, cumulative);
        match self.assembly.take_any(cumulative, may_begin) {
            Search::Found(mid, part) => {
                self.push_part(ground, part, mid);
                true
            }
            Search::NotYet => true,
            Search::Nothing => false,
        }
    }

    /// Aborts the message of DATA that was delivered in part, as the peer skips TSNs: it is the one at the cumulative TSN.
    pub(super) fn abort_skipped(&mut self, ground: &mut Ground) {
        if matches!(self.assembly, Assembly::Consecutive(_)) {
            self.abort_parts_of(ground, &StreamSet::all());
        }
    }

    /// Aborts the message of I-DATA that was delivered in part on the stream of `last`, if it was dropped.
    pub(super) fn abort_if_dropped(&mut self, ground: &mut Ground, last: MessageKey) {
        if let Some(begun) = self.delivery.begun(last.stream, last.unordered)
            && !self.assembly.has_begun(begun)
        {
            self.abort_part(ground, begun);
        }
    }

    /// Aborts the messages of `streams` that were delivered in part.
    pub(super) fn abort_parts_of(&mut self, ground: &mut Ground, streams: &StreamSet) {
        for begun in self.delivery.begun_on(streams) {
            self.drop_part(ground, begun);
        }
    }

    /// Aborts the messages of `streams` that were delivered in part and are older than a reset, whose first TSN is `next`.
    pub(super) fn abort_parts_before(&mut self, ground: &mut Ground, streams: &StreamSet, next: Tsn) {
        for begun in self.delivery.begun_on(streams) {
            if !self.delivery.began_after_reset(begun, next) {
                self.drop_part(ground, begun);
            }
        }
    }

    /// Aborts all messages that were delivered in part: the association ends.
    pub(crate) fn abort_parts(&mut self, ground: &mut Ground) {
        self.abort_parts_of(ground, &StreamSet::all());
    }

    fn drop_part(&mut self, ground: &mut Ground, begun: MessageKey) {
        let dropped = self.assembly.drop_begun(begun);
        self.buffer.on_released(dropped);
        self.abort_part(ground, begun);
    }

    fn abort_part(&mut self, ground: &mut Ground, begun: MessageKey) {
        let was_empty = self.delivery.is_empty();
        let MessageKey { stream, unordered, .. } = begun;
        if let Some(ppid) = self.delivery.abort(begun) {
            ground.log.event(Event::PartialDeliveryAborted { stream, ppid, unordered });
        }
        self.tell_readable(ground, was_empty);
    }

    fn push_part(&mut self, ground: &mut Ground, part: Message, mid: Mid) {
        let was_empty = self.delivery.is_empty();
        self.delivery.push_part(part, mid, self.arrivals.cumulative());
        self.tell_readable(ground, was_empty);
    }
}

/// Returns true if a message may follow a reset of its stream that is not carried out yet, and others that wait for it: then
/// its number may be another. Those behind a gap are later, and may wait for room that only this message can make.
fn is_deferred(deferred: Option<&Deferred>, key: MessageKey, tsn: Tsn, cumulative: Tsn) -> bool {
    deferred.is_some_and(|deferred| deferred.covers(tsn, key.stream) && deferred.holds_up_to(cumulative))
}

/// The weight of the beginning of a message from which on it is delivered in parts: half of the buffer, as in FreeBSD. While
/// the application reads one half, the peer fills the other; a lower point would divide more messages that fit.
fn delivery_point(capacity: ByteCount) -> ByteCount {
    capacity / 2
}
