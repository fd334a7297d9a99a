//! How many packets may leave the paths at once: bursts by the event, trains by the rate.

use anabranch_base::{BitRate, ByteCount, Time};

use super::PathTable;
use crate::config::MaxBurst;
use crate::policy::PathId;

impl PathTable {
    /// An event happened: each path may let out another burst.
    pub fn on_event(&mut self, limit: MaxBurst) {
        self.change_all(|path| path.burst.on_event(limit));
    }

    /// The event acknowledged something that had been sent again.
    pub fn on_acked_retransmission(&mut self, limit: MaxBurst) {
        self.change_all(|path| path.burst.on_acked_retransmission(limit));
    }

    /// Sending begins: packets leave the path at `rate`, in trains of at least the given number.
    pub fn begin_pacing(&mut self, id: PathId, now: Time, rate: Option<BitRate>, packets: u32) {
        let unit = self.samples[id.index()].unit;
        self.paths[id.index()].pacer.begin(now, rate, unit, packets);
        self.show_blocker(id);
    }

    /// Something was lost: each path may send one packet of it, whatever has just left.
    pub fn let_one_out(&mut self) {
        self.change_all(|path| path.pacer.let_one_out());
    }

    /// A packet with data of this weight left.
    pub fn on_burst(&mut self, id: PathId, weight: ByteCount, now: Time) {
        let path = &mut self.paths[id.index()];
        path.burst.spend();
        path.pacer.spend(now, weight);
        self.show_blocker(id);
    }

    /// Nothing more was to be sent; `has_more` if the windows alone did not hold everything back. When the path may go
    /// on, if its pacer keeps packets back for which its window has room.
    pub fn end_pacing(&mut self, id: PathId, has_more: bool) -> Option<Time> {
        let sample = &mut self.samples[id.index()];
        let opens_at = self.paths[id.index()].pacer.opens_at();
        let held_back = opens_at.filter(|_| has_more && sample.flight < sample.cwnd);
        sample.is_paced = held_back.is_some();
        held_back
    }

    /// Nothing more was to be sent: the event's bursts are over.
    pub fn end_event(&mut self) {
        self.change_all(|path| path.burst.end());
    }
}
