//! Records sent chunks: in the send buffer, in the flight and the timers of the path, and in the peer's window.

use anabranch_base::Time;

use super::Sender;
use super::retransmit::{Reason, Resend};
use crate::association::ground::{Ground, Timer};
use crate::association::packing::Packed;
use crate::path::PacketChunks;
use crate::policy::PathId;
use crate::policy::congestion::SentData;
use crate::policy::loss_detection::DepartedChunk;
use crate::send::Sent;
use crate::seq::Tsn;

impl Sender {
    /// Records a chunk in a packet that is sent on `path`.
    #[inline]
    pub(super) fn commit(
        &mut self,
        ground: &mut Ground,
        tsn: Tsn,
        path: PathId,
        now: Time,
        packed: &mut Packed,
    ) {
        let sent = self.buffer.on_sent(tsn, path, ground.paths.round(path));
        packed.has_data = true;
        packed.is_new |= packed.chunks.is_none() && sent.previous.is_none();
        packed.chunks = Some(PacketChunks::with(packed.chunks, tsn));
        packed.weight += sent.weight;
        ground.paths.on_chunk_sent(path, sent.weight, now);
        let counters = ground.paths.counters_mut(path);
        counters.sent_bytes += sent.payload;
        counters.retransmitted_chunks += u64::from(sent.previous.is_some());
        if let Some(from) = sent.previous {
            pace_resends(ground, from, now);
        }
        match sent.previous {
            None => ground.paths.on_first_sent(path, tsn, now),
            Some(from) if from != path => self.on_moved(ground, tsn, from, path, now),
            Some(_) => {}
        }
        self.rules.detection.on_sent(&departed(tsn, path, &sent));
        self.peer_window.on_sent(tsn, sent.rwnd_weight, sent.previous.is_some());
        // RFC 9260 §6.3.2 R1, and R4 for a retransmission of the lowest outstanding chunk.
        if self.is_first_again(tsn, path, &sent) || !ground.timers.is_running(Timer::Retransmission(path)) {
            ground.restart_retransmission_timer(path, now);
        }
        if self.rules.counts_time {
            self.arm_tail_probe(ground, path, now);
        }
    }

    /// Returns true if the chunk was sent before, and is the first in flight on `path` now.
    fn is_first_again(&self, tsn: Tsn, path: PathId, sent: &Sent) -> bool {
        let by_its_order = || self.rules.detection.is_first_outstanding(path, tsn);
        sent.previous.is_some() && by_its_order().unwrap_or(sent.is_lowest_again)
    }

    /// Records a chunk that was not picked by the scheduler in a packet that is sent.
    #[inline]
    pub(super) fn commit_again(
        &mut self,
        ground: &mut Ground,
        again: Resend,
        now: Time,
        packed: &mut Packed,
    ) {
        packed.is_retransmission |= again.reason != Reason::Awaited;
        if again.reason == Reason::Awaited {
            // The index of the chunk that the scheduler picked has changed.
            self.picked = None;
        }
        if again.reason == Reason::Copy {
            return self.commit_copy(ground, again.tsn, again.path, now, packed);
        }
        self.commit(ground, again.tsn, again.path, now, packed);
        if let Some(other) = again.also.filter(|&other| self.buffer.may_copy(again.tsn, other)) {
            self.buffer.want_copy(again.tsn, other);
        }
    }

    /// Records a copy of a chunk in flight in a packet that is sent on `path`.
    fn commit_copy(&mut self, ground: &mut Ground, tsn: Tsn, path: PathId, now: Time, packed: &mut Packed) {
        let sent = self.buffer.on_copied(tsn, path, ground.paths.round(path));
        packed.has_data = true;
        packed.chunks = Some(PacketChunks::with(packed.chunks, tsn));
        packed.weight += sent.weight;
        ground.paths.on_chunk_sent(path, sent.weight, now);
        let counters = ground.paths.counters_mut(path);
        counters.sent_bytes += sent.payload;
        counters.retransmitted_chunks += 1;
        counters.copied_chunks += 1;
        if let Some(first) = sent.previous {
            ground.paths.on_copied(first, tsn);
        }
        self.rules.detection.on_sent(&departed(tsn, path, &sent));
        if !ground.timers.is_running(Timer::Retransmission(path)) {
            ground.restart_retransmission_timer(path, now);
        }
    }

    /// Moves a chunk that was sent on `from` and is sent again on `to`. If the timer of `from` ran for this chunk, it
    /// now runs for the next one (M-SCTP-16).
    fn on_moved(&mut self, ground: &mut Ground, tsn: Tsn, from: PathId, to: PathId, now: Time) {
        let was_first = self.rules.detection.on_moved(tsn, from, to);
        let is_below = || self.buffer.lowest_on(from).is_some_and(|lowest| tsn.is_before(lowest));
        if was_first.unwrap_or_else(is_below) {
            ground.restart_retransmission_timer(from, now);
        }
    }

    /// Records a complete packet that is sent on `path`.
    #[inline]
    pub(crate) fn on_packet_sent(&mut self, ground: &mut Ground, path: PathId, packed: &Packed, now: Time) {
        ground.paths.counters_mut(path).sent_packets += 1;
        if !packed.has_data {
            return;
        }
        ground.paths.on_burst(path, packed.weight, now);
        let sent = SentData {
            at: now,
            departure: self.buffer.departure(),
            bytes: packed.weight,
            retransmission: packed.is_retransmission,
        };
        self.on_data_sent(ground, path, &sent, now);
    }
}

/// Delays the next retransmission on `path` after one was sent, if retransmissions are spread over round trips.
fn pace_resends(ground: &mut Ground, path: PathId, now: Time) {
    let sample = ground.paths.sample(path);
    let round_trip = sample.srtt.unwrap_or(sample.rto);
    if let Some(at) = ground.paths.change_after_loss(path, |state| state.on_resent(round_trip, now)) {
        ground.timers.set(Timer::Resend(path), at);
    }
}

/// The chunk `tsn`, sent on `path`, as the loss detection sees it.
fn departed(tsn: Tsn, path: PathId, sent: &Sent) -> DepartedChunk {
    let (departure, before) = sent.departures;
    DepartedChunk { tsn, path, departure, before: sent.previous.map(|from| (from, before)) }
}
