//! Views of a chunk for the wire, schedulers, retransmission policies and loss detection.

use anabranch_base::ByteCount;

use super::{OutboundChunk, Sends, State};
use crate::policy::loss_detection::{AckedChunk, Hole};
use crate::policy::retransmission::{LostBy, LostChunk};
use crate::policy::schedule::ChunkInFlight;
use crate::seq::Tsn;
use crate::wire::UserData;

impl OutboundChunk {
    /// The chunk in wire format, with the TSN of its position: as I-DATA if it `interleaves`.
    #[inline]
    pub(crate) fn data(&self, tsn: Tsn, interleaves: bool) -> UserData<'_> {
        let (beginning, ending) = self.bounds();
        UserData {
            tsn,
            stream: self.head.stream,
            mid: self.head.mid,
            fsn: self.fsn,
            ppid: self.head.ppid,
            unordered: self.head.unordered,
            beginning,
            ending,
            immediate: ending && self.head.is_immediate(),
            interleaves,
            payload: &self.payload,
        }
    }

    /// The chunk for a scheduler, if it is in flight.
    pub(crate) fn in_flight(&self, tsn: Tsn, packet: ByteCount) -> Option<ChunkInFlight> {
        let &OutboundChunk { path, sent_at, sends, .. } = self;
        let was_copied = sends == Sends::Copied;
        self.is_in_flight().then_some(ChunkInFlight { tsn, path, sent_at, packet, was_copied })
    }

    /// The chunk for a retransmission policy, if it waits for retransmission.
    pub(crate) fn lost(&self, tsn: Tsn) -> Option<LostChunk> {
        match self.state {
            State::Lost(by) | State::RevokedLost(by) => Some(LostChunk { tsn, path: self.path, by }),
            State::Waiting | State::InFlight | State::Acked | State::Revoked | State::GivenUp => None,
        }
    }

    /// The chunk for the loss detection, if it is in flight.
    pub(crate) fn hole(&self, tsn: Tsn, is_reneged: bool) -> Option<Hole> {
        self.is_in_flight().then(|| Hole {
            tsn,
            path: self.path,
            departure: self.departure,
            sent_at: self.sent_at,
            missing_reports: self.missing_reports,
            was_fast_retransmitted: self.losses.had(LostBy::MissingReports),
            has_timed_out: self.losses.had(LostBy::Timeout),
            was_acked: self.state == State::Revoked,
            is_reneged,
        })
    }

    /// The chunk as newly acknowledged, with its `weight` against the window.
    pub(crate) fn acked(&self, tsn: Tsn, weight: ByteCount, was_lost: bool) -> AckedChunk {
        AckedChunk {
            tsn,
            path: self.path,
            round: self.round,
            departure: self.departure,
            sent_at: self.sent_at,
            weight,
            payload: ByteCount::of_len(self.length()),
            is_retransmitted: self.sends != Sends::Once,
            was_copied: self.sends == Sends::Copied,
            was_lost,
        }
    }
}
