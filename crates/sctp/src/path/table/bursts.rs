//! The number of packets that may leave the paths at once: bursts after an event, trains at a rate.

use anabranch_base::{BitRate, ByteCount, Time};

use super::PathTable;
use crate::config::MaxBurst;
use crate::path::gate::Gate;
use crate::policy::PathId;

impl PathTable {
    /// An event happened: each path may send another burst.
    pub(crate) fn on_event(&mut self, limit: MaxBurst) {
        self.each_gate(|gate| gate.on_event(limit));
    }

    /// The event acknowledged a retransmitted chunk.
    pub(crate) fn on_acked_retransmission(&mut self, limit: MaxBurst) {
        self.each_gate(|gate| gate.on_acked_retransmission(limit));
    }

    /// Path `id` may send `packets` more at this event than the limit of a burst allows.
    pub(crate) fn widen_burst(&mut self, id: PathId, packets: u32) {
        let (path, sample) = self.at(id);
        path.gate.widen(packets);
        path.show_blocker(sample);
    }

    /// Sending begins: packets leave path `id` at `rate`, in trains of at least `packets` packets.
    pub(crate) fn begin_pacing(&mut self, id: PathId, now: Time, rate: Option<BitRate>, packets: u32) {
        let (path, sample) = self.at(id);
        path.gate.begin_pacing(now, rate, packets, sample);
        path.show_blocker(sample);
    }

    /// A chunk was lost: each path may send one packet, even if a train has just left.
    pub(crate) fn allow_one_packet(&mut self) {
        self.each_gate(Gate::allow_one_packet);
    }

    /// A packet with data of weight `weight` left on path `id`.
    pub(crate) fn on_burst(&mut self, id: PathId, weight: ByteCount, now: Time) {
        let (path, sample) = self.at(id);
        path.gate.on_packet(weight, now);
        path.show_blocker(sample);
    }

    /// Allows only one packet in flight until a chunk is acknowledged (RFC 9260 §7.2.3).
    pub(crate) fn limit_to_one_packet(&mut self, id: PathId) {
        let (path, sample) = self.at(id);
        path.gate.limit_to_one_packet();
        path.show_blocker(sample);
    }

    /// Ends sending; `has_more` is true if data remains. If only the pacer of path `id` stops packets for which its
    /// window has room, returns the time at which the path may continue.
    pub(crate) fn end_pacing(&mut self, id: PathId, has_more: bool) -> Option<Time> {
        let (path, sample) = self.at(id);
        let held_back = path.gate.opens_at().filter(|_| has_more && sample.flight < sample.cwnd);
        sample.is_paced = held_back.is_some();
        held_back
    }

    /// Nothing more is to be sent: the bursts of the event end.
    pub(crate) fn end_event(&mut self) {
        self.each_gate(Gate::end_event);
    }

    /// Returns true if the window and the pacer of path `id` allow a packet.
    pub(crate) fn has_spare_window(&self, id: PathId) -> bool {
        let (gate, sample) = (&self.path(id).gate, self.sample(id));
        gate.opens_at().is_none() && sample.flight + sample.unit <= sample.cwnd
    }

    /// Changes every gate, which may block or unblock its path.
    fn each_gate(&mut self, change: impl Fn(&mut Gate)) {
        for (path, sample) in self.paths.iter_mut().zip(&mut self.samples) {
            change(&mut path.gate);
            path.show_blocker(sample);
        }
    }
}
