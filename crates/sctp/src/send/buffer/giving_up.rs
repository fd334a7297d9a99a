//! Gives messages up, and finds how far the peer may skip them (RFC 3758 §3.5).

use std::collections::BTreeMap;

use anabranch_base::{ByteCount, Duration, Time};
use bytes::Bytes;

use super::super::chunk::{MessageHead, MessageMarks, OutboundChunk, State};
use super::super::fragmentation::Fragment;
use super::super::limited::LimitedMessage;
use super::{Left, SendBuffer};
use crate::policy::PathId;
use crate::seq::{Fsn, Mid, Tsn};
use crate::wire::{MessageKey, Ppid, StreamId};

/// A message that was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GivenUp {
    /// The stream.
    pub stream: StreamId,
    /// The application's identifier for the content.
    pub ppid: Ppid,
    /// The user data.
    pub bytes: ByteCount,
    /// True if a part of it was sent.
    pub was_sent: bool,
}

/// The chunks and messages that the peer may skip together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Skip {
    /// The new cumulative TSN of the peer.
    pub tsn: Tsn,
    /// The last message of each stream.
    pub messages: Vec<MessageKey>,
}

/// The messages of a skip.
#[derive(Debug, Default)]
struct SkippedMessages {
    /// The last message of each stream that did not arrive, by stream and order.
    missing: BTreeMap<(StreamId, bool), Mid>,
    /// The first message of each stream that arrived after those, in part at least.
    arrived: BTreeMap<StreamId, Mid>,
}

impl SkippedMessages {
    /// Adds a chunk that arrived.
    fn on_arrived(&mut self, stream: StreamId, unordered: bool, mid: Mid) {
        // Unordered messages wait for nothing.
        if !unordered && self.missing.get(&(stream, false)) != Some(&mid) {
            self.arrived.entry(stream).or_insert(mid);
        }
    }

    /// Adds a chunk that did not arrive. Returns false if there are `most` streams, or if an earlier message of its stream
    /// did arrive.
    fn may_miss(&mut self, stream: StreamId, unordered: bool, mid: Mid, most: usize) -> bool {
        let is_new = !self.missing.contains_key(&(stream, unordered));
        if is_new && self.missing.len() == most {
            return false;
        }
        if !unordered && self.arrived.get(&stream).is_some_and(|arrived| *arrived != mid) {
            return false;
        }
        self.arrived.remove(&stream);
        self.missing.insert((stream, unordered), mid);
        true
    }

    fn into_keys(self) -> Vec<MessageKey> {
        let messages = self.missing.into_iter();
        messages.map(|((stream, unordered), mid)| MessageKey { stream, unordered, mid }).collect()
    }
}

impl SendBuffer {
    /// True if messages may be given up, or the peer was not told of all that were.
    #[inline]
    pub(crate) fn may_give_up(&self) -> bool {
        !self.limited.is_empty() || self.given_up > 0
    }

    /// The time at which the next message is due to be given up, if what leaves takes `delay` to arrive.
    pub(crate) fn next_due(&self, delay: Duration) -> Option<Time> {
        self.limited.next_due(delay)
    }

    /// Gives up the next message that was lost too often, or is too late for its deadline if it leaves at `now` and takes
    /// `delay` to arrive. Adds the transmissions that leave the flights to `left`. A message that is in flight for no longer
    /// than an acknowledgement takes on its path, `answer`, waits for it: it has left, and windows grow by
    /// acknowledgements.
    pub(crate) fn give_up_due(
        &mut self,
        now: Time,
        delay: Duration,
        answer: &dyn Fn(PathId) -> Duration,
        left: &mut Vec<Left>,
    ) -> Option<GivenUp> {
        loop {
            let number = self.limited.take_due(now, now + delay)?;
            if let Some(until) = self.answered_by(number, answer).filter(|until| *until > now) {
                self.limited.postpone(number, until);
                continue;
            }
            if let Some(given_up) = self.give_up(number, left) {
                return Some(given_up);
            }
        }
    }

    /// Returns true if the messages of lower priority than `value` have `wanted` bytes.
    pub(crate) fn has_below(&self, value: u32, wanted: ByteCount) -> bool {
        self.limited.has_below(value, wanted)
    }

    /// Gives up the most dispensable message of lower priority than `value`.
    pub(crate) fn give_up_below(&mut self, value: u32, left: &mut Vec<Left>) -> Option<GivenUp> {
        loop {
            let number = self.limited.take_below(value)?;
            if let Some(given_up) = self.give_up(number, left) {
                return Some(given_up);
            }
        }
    }

    /// The skips for the peer, in order: the messages of all chunks from the cumulative ack point up to the TSN of the last
    /// one were given up. None if the next chunk's was not. They list at most `most` messages together, and may end earlier
    /// for that.
    ///
    /// A skip lists the last message of each stream that did not arrive; unordered messages are in it if chunks are I-DATA.
    /// Some receivers drop a message that arrived before a listed one of its stream and waits there, so the next skip begins
    /// between them.
    pub(crate) fn skippable(&mut self, most: usize) -> Vec<Skip> {
        let first = self.chunks.first();
        self.skippable_end = self.skippable_end.max(first);
        // A chunk that a gap block reports is passed if its message was given up too: with a stop at each, the peer's
        // progress would be one gap a round trip, however much is given up in that time.
        while self.skippable_end < self.chunks.end() && self.chunks.at(self.skippable_end).is_given_up() {
            self.skippable_end += 1;
        }
        let mut skips = Vec::new();
        let mut listed = 0;
        let (mut end, bound) = (first, self.on_hold.bound_skip(first, self.skippable_end));
        while end < bound && listed < most && skips.len() < MOST_SKIPS {
            let mut messages = SkippedMessages::default();
            let begin = end;
            while end < bound && self.may_pass(end, &mut messages, most - listed) {
                end += 1;
            }
            debug_assert!(end > begin, "a skip passes its first chunk");
            listed += messages.missing.len();
            skips.push(Skip { tsn: self.chunks.tsn(end - 1), messages: messages.into_keys() });
        }
        skips
    }

    /// Lets a skip pass the chunk at `position`. Returns false if it has to end before.
    fn may_pass(&self, position: u64, messages: &mut SkippedMessages, most: usize) -> bool {
        let chunk = self.chunks.at(position);
        let MessageHead { stream, unordered, mid, .. } = chunk.head();
        let is_listed = (self.interleaves || !unordered) && self.on_hold.may_name(position);
        match chunk.state() {
            _ if !is_listed => true,
            State::Acked => {
                messages.on_arrived(stream, unordered, mid);
                true
            }
            _ => messages.may_miss(stream, unordered, mid, most),
        }
    }

    /// Finds the chunks of messages anew after they were cut into smaller pieces.
    pub(super) fn refit_limits(&mut self) {
        let settled = self.chunks.sent_end().max(self.chunks.first());
        let chunks = &self.chunks;
        let heads = (settled..chunks.end()).map(|position| (chunks.at(position).head(), position));
        let limited =
            heads.filter(|(head, _)| head.is_limited()).map(|(head, position)| (head.key(), position));
        self.limited.refit(settled, limited);
    }

    /// Drops the user data of the chunk at `position`, which an earlier SACK reported, and which belongs to a message
    /// that was given up.
    pub(super) fn drop_taken_back(&mut self, position: u64) {
        let chunk = self.chunks.at_mut(position);
        let (path, length) = (chunk.path(), chunk.drop_payload());
        if length > 0 {
            self.held.on_released(path, length);
        }
        self.given_up += 1;
    }

    /// The time by which the message `number` is acknowledged if it arrives. `None` if a part of it is not in flight.
    fn answered_by(&self, number: u64, answer: &dyn Fn(PathId) -> Duration) -> Option<Time> {
        let LimitedMessage { key, chunks, .. } = self.limited.not_postponed(number)?;
        if self.unfragmented.holds(number) {
            return None;
        }
        let mut first_answer: Option<Time> = None;
        for position in chunks.start.max(self.chunks.first())..chunks.end {
            let chunk = self.chunks.at(position);
            match chunk.state() {
                _ if chunk.head().key() != *key => {}
                State::Acked => {}
                State::InFlight => {
                    let answered = chunk.last().sent_at + answer(chunk.path());
                    first_answer = Some(first_answer.map_or(answered, |other| other.min(answered)));
                }
                _ => return None,
            }
        }
        first_answer
    }

    fn give_up(&mut self, number: u64, left: &mut Vec<Left>) -> Option<GivenUp> {
        let rest = self.unfragmented.give_up(number);
        let unsent = rest.as_ref().map_or(ByteCount::ZERO, |(rest, _)| rest.length());
        self.held.on_dropped(unsent);
        if let Some((message, false)) = rest {
            self.limited.forget(number, message.reliability);
            let (stream, ppid, bytes) = (message.stream, message.ppid, unsent);
            return Some(GivenUp { stream, ppid, bytes, was_sent: false });
        }
        let message = self.limited.take(number)?;
        let mut was_sent = message.chunks.start < self.chunks.first();
        let mut has_arrived = true;
        for position in message.chunks.start.max(self.chunks.first())..message.chunks.end {
            if self.chunks.at(position).head().key() == message.key {
                let before = self.give_up_chunk(position, left);
                was_sent |= before != State::Waiting;
                has_arrived &= before == State::Acked;
            }
        }
        if rest.is_some() {
            self.end_message(&message);
            has_arrived = false;
        }
        let (stream, ppid, bytes) = (message.key.stream, message.ppid, message.bytes + unsent);
        (!has_arrived).then_some(GivenUp { stream, ppid, bytes, was_sent })
    }

    /// Ends a message whose last fragments have no TSN by a chunk without user data, which is skipped: without it, the
    /// peer might wait for an end although it has every chunk.
    fn end_message(&mut self, message: &LimitedMessage) {
        let MessageKey { stream, unordered, mid } = message.key;
        let head = MessageHead { stream, mid, ppid: message.ppid, unordered, marks: MessageMarks::default() };
        let none = Fragment { payload: Bytes::new(), beginning: false, ending: true };
        let mut chunk = OutboundChunk::new(head, Fsn::default(), none);
        chunk.give_up();
        let position = self.chunks.end();
        self.chunks.push(chunk);
        self.waiting.take(position, ByteCount::ZERO);
        self.chunks.on_left(position);
        self.given_up += 1;
    }

    /// Returns the state of the chunk before.
    fn give_up_chunk(&mut self, position: u64, left: &mut Vec<Left>) -> State {
        let chunk = self.chunks.at_mut(position);
        let (length, last) = (chunk.length(), chunk.last());
        let before = chunk.give_up();
        let rwnd_weight = self.rwnd_charge.weigh(length);
        match before {
            State::Acked | State::GivenUp => return before,
            State::Waiting => {
                self.waiting.take(position, ByteCount::of_len(length));
                self.chunks.on_left(position);
                self.held.on_dropped(ByteCount::of_len(length));
            }
            State::InFlight | State::Revoked => {
                self.in_flight.leave(position, rwnd_weight);
                left.push(self.left(last, length, rwnd_weight));
                for copy in self.copies.take_all(position) {
                    left.push(self.left(copy, length, ByteCount::ZERO));
                }
                self.held.on_released(last.path, length);
            }
            State::Lost(_) | State::RevokedLost(_) => {
                self.marked.remove(position, rwnd_weight);
                self.copies.cancel(position);
                self.held.on_released(last.path, length);
            }
        }
        self.given_up += 1;
        before
    }
}

/// The skips of one packet.
const MOST_SKIPS: usize = 16;
