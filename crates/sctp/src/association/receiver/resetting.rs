//! Resets the numbers of the peer's streams, when the data before the reset has arrived (RFC 6525 §5.2.2).

use std::collections::BTreeSet;

use super::{BadData, Receiver};
use crate::association::ground::Ground;
use crate::event::Event;
use crate::receive::{Deferred, Message};
use crate::seq::{Mid, Tsn};
use crate::wire::{StreamId, StreamSet, UserData};

impl Receiver {
    /// Expects the messages of `streams` to count from zero.
    pub(crate) fn restart_numbers(&mut self, ground: &mut Ground, streams: &StreamSet) {
        self.abort_parts_of(ground, streams);
        self.renumber(ground, streams);
    }

    fn renumber(&mut self, ground: &mut Ground, streams: &StreamSet) {
        let was_empty = self.delivery.is_empty();
        self.delivery.reset(streams);
        self.assembly.reset(streams);
        self.tell_readable(ground, was_empty);
    }

    /// Begins to hold the messages of `streams` beyond the TSN `after`.
    pub(crate) fn defer(&mut self, streams: StreamSet, after: Tsn) {
        self.deferred = Some(Box::new(Deferred::new(streams, after)));
    }

    /// Returns true if I-DATA may have a number after a reset of its stream that this end does not know of yet. Fragments
    /// cannot be held, because numbers before and after the reset are the same. So only the next TSN is taken, unless its
    /// message was delivered or skipped before; the peer sends the others again.
    #[inline]
    pub(super) fn may_be_renumbered(&self, data: &UserData<'_>) -> bool {
        let is_covered = |deferred: &Deferred| deferred.covers(data.tsn, data.stream);
        if !self.deferred.as_deref().is_some_and(is_covered) {
            return false;
        }
        let is_next = data.tsn == self.arrivals.cumulative().next();
        let is_behind = !data.unordered && self.delivery.is_behind(data.stream, data.mid);
        !is_next || is_behind || self.assembly.has_skipped(data.stream, data.unordered, data.mid)
    }

    /// Delivers a message of DATA that was held.
    fn deliver_held(&mut self, ground: &mut Ground, message: Message) -> Result<(), BadData> {
        let mid = Mid::from(message.ssn);
        self.deliver(ground, message, mid)
    }

    /// The messages that are held, if any may be.
    #[inline]
    pub(crate) fn deferred(&mut self) -> Option<&mut Deferred> {
        self.deferred.as_deref_mut()
    }

    /// Delivers the messages that are held, have TSNs up to `last`, and do not count anew: the peer skips messages between
    /// them.
    pub(super) fn release_before(&mut self, ground: &mut Ground, last: Tsn) -> Result<(), BadData> {
        let held = self.deferred.as_deref_mut().map(Deferred::take_messages).unwrap_or_default();
        for (tsn, message) in held {
            let free = if !tsn.is_after(last) && !self.delivery.has_passed(&message) {
                Some(message)
            } else {
                self.deferred.as_deref_mut().and_then(|deferred| deferred.push(tsn, message))
            };
            if let Some(message) = free {
                self.deliver_held(ground, message)?;
            }
        }
        Ok(())
    }

    /// Delivers the messages that are held and continue their streams without a gap: the peer has said that it did not reset
    /// them yet. Otherwise they could fill the buffer, and the data for which the peer waits would find no room. The
    /// peer's word may have been overtaken, so a message that does not continue its stream stops it.
    pub(crate) fn release_continuing(&mut self, ground: &mut Ground) -> Result<(), BadData> {
        let held = self.deferred.as_deref_mut().map(Deferred::take_messages).unwrap_or_default();
        let mut stopped = BTreeSet::new();
        for (tsn, message) in held {
            let has_gap = tsn.is_after(self.arrivals.cumulative());
            let is_free = !has_gap && self.delivery.expects(&message) && !stopped.contains(&message.stream);
            let Some(deferred) = self.deferred.as_deref_mut() else { break };
            if !is_free {
                stopped.insert(message.stream);
                deferred.push(tsn, message);
                continue;
            }
            if !message.unordered && self.delivery.passed(message.stream) == 0 {
                deferred.on_first_released(message.stream, tsn);
            }
            self.deliver_held(ground, message)?;
        }
        Ok(())
    }

    /// Ends the hold without a reset: the messages count on.
    pub(crate) fn cancel_deferral(&mut self, ground: &mut Ground) -> Result<(), BadData> {
        let Some(deferred) = self.deferred.take() else { return Ok(()) };
        let next = deferred.after().next();
        let (before, after) = deferred.into_parts(next);
        before.into_iter().chain(after).try_for_each(|message| self.deliver_held(ground, message))
    }

    /// Resets the streams of the hold, and ends it: messages before the TSN `next` still have the old numbers, the others
    /// the new ones. Returns the streams.
    pub(crate) fn finish_deferral(&mut self, ground: &mut Ground, next: Tsn) -> Result<StreamSet, BadData> {
        let Some(deferred) = self.deferred.take() else { return Ok(StreamSet::default()) };
        let streams = deferred.streams().clone();
        let begun: Vec<(StreamId, u64)> = deferred
            .released_after(next)
            .into_iter()
            .map(|stream| (stream, self.delivery.passed(stream)))
            .collect();
        let (before, after) = deferred.into_parts(next);
        before.into_iter().try_for_each(|message| self.deliver_held(ground, message))?;
        self.abort_parts_before(ground, &streams, next);
        self.renumber(ground, &streams);
        begun.into_iter().for_each(|(stream, passed)| self.delivery.set_passed(stream, passed));
        after.into_iter().try_for_each(|message| self.deliver_held(ground, message))?;
        Ok(streams)
    }

    /// Expects `next` as the next TSN, unless more has arrived: the TSNs before it, and what is incomplete among them, are
    /// skipped.
    pub(crate) fn expect(&mut self, next: Tsn) {
        if self.arrivals.skip_to(next.previous()) {
            let dropped = self.assembly.skip_to(next.previous());
            self.buffer.on_released(dropped);
        }
    }

    /// Takes messages on so many streams.
    pub(crate) fn set_streams(&mut self, streams: u16) {
        self.delivery.set_streams(streams);
    }

    pub(super) fn tell_readable(&self, ground: &mut Ground, was_empty: bool) {
        if was_empty && !self.delivery.is_empty() {
            ground.log.event(Event::Readable);
        }
    }
}
