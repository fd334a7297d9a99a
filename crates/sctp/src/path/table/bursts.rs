//! How many packets may leave the paths at once: bursts after an event, trains at a rate.

use anabranch_base::{BitRate, ByteCount, Time};

use super::PathTable;
use crate::config::MaxBurst;
use crate::policy::{PathId, PathSample};

impl PathTable {
    /// An event happened: each path may send another burst.
    pub fn on_event(&mut self, limit: MaxBurst) {
        self.change_all(|path| path.burst.on_event(limit));
    }

    /// The event acknowledged a retransmitted chunk.
    pub fn on_acked_retransmission(&mut self, limit: MaxBurst) {
        self.change_all(|path| path.burst.on_acked_retransmission(limit));
    }

    /// Path `id` may send `packets` more at this event than the limit of a burst allows.
    pub fn widen_burst(&mut self, id: PathId, packets: u32) {
        self.paths[id.index()].burst.widen(packets);
        self.show_blocker(id);
    }

    /// Sending begins: packets leave path `id` at `rate`, in trains of at least `packets` packets.
    pub fn begin_pacing(&mut self, id: PathId, now: Time, rate: Option<BitRate>, packets: u32) {
        let PathSample { unit, is_paced, .. } = self.samples[id.index()];
        self.paths[id.index()].pacer.begin(now, rate, unit, packets, is_paced);
        self.show_blocker(id);
    }

    /// A chunk was lost: each path may send one packet, even if a train has just left.
    pub fn let_one_out(&mut self) {
        self.change_all(|path| path.pacer.let_one_out());
    }

    /// A packet with data of weight `weight` left on path `id`.
    pub fn on_burst(&mut self, id: PathId, weight: ByteCount, now: Time) {
        let path = &mut self.paths[id.index()];
        path.burst.spend();
        path.pacer.spend(now, weight);
        self.show_blocker(id);
    }

    /// Nothing more is to be sent; `has_more` says whether data remains. If only the pacer of path `id` stops packets
    /// for which its window has room, returns when the path may continue.
    pub fn end_pacing(&mut self, id: PathId, has_more: bool) -> Option<Time> {
        let sample = &mut self.samples[id.index()];
        let opens_at = self.paths[id.index()].pacer.opens_at();
        let held_back = opens_at.filter(|_| has_more && sample.flight < sample.cwnd);
        sample.is_paced = held_back.is_some();
        held_back
    }

    /// Whether the window and the pacer of path `id` allow a packet.
    pub fn has_spare_window(&self, id: PathId) -> bool {
        let sample = &self.samples[id.index()];
        let is_open = self.paths[id.index()].pacer.opens_at().is_none();
        is_open && sample.flight + sample.unit <= sample.cwnd
    }

    /// Nothing more is to be sent: the bursts of the event end.
    pub fn end_event(&mut self) {
        self.change_all(|path| path.burst.end());
    }
}
