//! Sends FORWARD-TSN until the peer has skipped what was given up (RFC 3758 §3.5).

use anabranch_base::Time;

use super::Sender;
use crate::association::ground::Ground;
use crate::policy::PathId;
use crate::send::Skip;
use crate::seq::Tsn;
use crate::wire::{EncodeChunk, ForwardTsn, IForwardTsn, MessageKey, SkippedMessage, SkippedStream};

/// The FORWARD-TSN that the peer has not acknowledged.
#[derive(Debug, Default)]
pub(super) struct Forwarding {
    /// The new cumulative TSN that was last sent, its path, and the sending time.
    sent: Option<(Tsn, PathId, Time)>,
    /// The time at which it is sent again.
    due: Option<Time>,
    /// The number of times that passed in a row.
    expired: u32,
}

impl Forwarding {
    /// The time at which the FORWARD-TSN is sent again.
    pub(super) fn due(&self) -> Option<Time> {
        self.due
    }
}

impl Sender {
    /// Sends a FORWARD-TSN if more was given up than the last one said, or if the peer's SACKs do not follow it for a
    /// round trip. RFC 3758 §3.5 C3 demands one for each SACK, which repeats it for each packet in flight.
    pub(super) fn forward(&mut self, ground: &mut Ground, now: Time) {
        let skips = self.buffer.skippable(MOST_STREAMS);
        let Some(tsn) = skips.last().map(|skip| skip.tsn) else {
            self.forwarding = Forwarding::default();
            return;
        };
        if let Some((sent, path, at)) = self.forwarding.sent
            && !tsn.is_after(sent)
            && now < at + ground.paths.sample(path).rto
        {
            return;
        }
        let path = ground.paths.usable(self.forwarding.sent.map_or(ground.paths.primary(), |sent| sent.1));
        self.send_forward(ground, path, tsn, skips, now);
    }

    /// The path of the FORWARD-TSN that is not acknowledged in time.
    pub(crate) fn unanswered_forward(&mut self, now: Time) -> Option<PathId> {
        self.forwarding.due.filter(|due| *due <= now)?;
        if self.buffer.skippable(MOST_STREAMS).is_empty() {
            self.forwarding = Forwarding::default();
            return None;
        }
        self.forwarding.sent.map(|(_, path, _)| path)
    }

    /// Sends a FORWARD-TSN again that was not acknowledged on path `before`: on another path if there is one, and less
    /// often each time.
    pub(crate) fn repeat_forward(&mut self, ground: &mut Ground, before: PathId, now: Time) {
        let skips = self.buffer.skippable(MOST_STREAMS);
        let Some(tsn) = skips.last().map(|skip| skip.tsn) else { return };
        self.forwarding.expired += 1;
        let others = ground.paths.samples().iter().filter(|sample| sample.state.carries_data());
        let other = others.map(|sample| sample.id).find(|id| *id > before);
        let path = other.unwrap_or_else(|| ground.paths.usable(ground.paths.primary()));
        self.send_forward(ground, path, tsn, skips, now);
    }

    /// Sends skips of which `tsn` is the last TSN, a chunk for each, in one packet: the peer takes them in order.
    fn send_forward(&mut self, ground: &mut Ground, path: PathId, tsn: Tsn, skips: Vec<Skip>, now: Time) {
        self.forwarding.sent = Some((tsn, path, now));
        let interleaves = ground.agreement.features.interleaving;
        ground.outbox.withdraw(if interleaves { IForwardTsn::KIND } else { ForwardTsn::KIND });
        for Skip { tsn, messages } in skips {
            if interleaves {
                ground.post(path, with_mids(tsn, &messages));
            } else {
                ground.post(path, SsnForwardTsn { tsn, skipped: with_ssns(&messages) });
            }
        }
        let (rto, most) = (ground.paths.sample(path).rto, ground.settings.config.rto.max);
        let wait = rto * (1 << self.forwarding.expired.min(MOST_DOUBLINGS));
        self.forwarding.due = Some(now + wait.min(most));
    }
}

/// A FORWARD-TSN with a list of its own.
#[derive(Clone, Debug)]
struct SsnForwardTsn {
    tsn: Tsn,
    skipped: Vec<SkippedStream>,
}

impl SsnForwardTsn {
    fn as_chunk(&self) -> ForwardTsn<'_> {
        ForwardTsn { new_cumulative_tsn: self.tsn, skipped: self.skipped.as_slice().into() }
    }
}

impl EncodeChunk for SsnForwardTsn {
    fn kind(&self) -> u8 {
        ForwardTsn::KIND
    }

    fn value_len(&self) -> usize {
        self.as_chunk().value_len()
    }

    fn encode(&self, out: &mut Vec<u8>) {
        self.as_chunk().encode(out);
    }
}

/// The entries of a FORWARD-TSN.
fn with_ssns(messages: &[MessageKey]) -> Vec<SkippedStream> {
    messages.iter().map(|key| SkippedStream { stream: key.stream, ssn: key.mid.ssn() }).collect()
}

fn with_mids(new_cumulative_tsn: Tsn, messages: &[MessageKey]) -> IForwardTsn {
    let entry = |key: &MessageKey| {
        let &MessageKey { stream, unordered, mid } = key;
        SkippedMessage { stream, unordered, mid }
    };
    IForwardTsn { new_cumulative_tsn, skipped: messages.iter().map(entry).collect() }
}

/// The streams of all FORWARD-TSNs of a packet: they fit one that every network carries.
const MOST_STREAMS: usize = 100;
const MOST_DOUBLINGS: u32 = 10;
