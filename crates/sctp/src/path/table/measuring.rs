//! What acknowledgements and HEARTBEATs measure of a path.

use anabranch_base::{ByteCount, Duration, Time};

use super::PathTable;
use crate::path::measured::Acknowledgement;
use crate::policy::{OneWay, PathId};

impl PathTable {
    /// A HEARTBEAT's round trip took `sample`.
    pub fn on_round_trip(&mut self, id: PathId, sample: Duration, now: Time) {
        let path = &mut self.paths[id.index()];
        path.silence.begin(now);
        path.health.on_sign(now);
        path.round_trip.on_sample(sample);
        path.count_round_trip(sample);
        path.measured.on_round_trip(sample, now);
        path.measured.show(&mut self.samples[id.index()], now);
        self.show_round_trip(id);
    }

    /// A SACK that arrived on path `by` newly acknowledged `weight` that was last sent on path `id`. Of its packets that
    /// left only once, the last one left at `sent_at`. Returns the way there of that packet.
    pub fn measure(
        &mut self,
        id: PathId,
        weight: ByteCount,
        sent_at: Option<Time>,
        by: PathId,
        now: Time,
    ) -> Option<Duration> {
        let back = self.paths[by.index()].measured.delay.back();
        let (measured, sample) = (&mut self.paths[id.index()].measured, &mut self.samples[id.index()]);
        measured.on_delivered(weight, sample, now);
        if let Some(sent_at) = sent_at {
            measured.on_acknowledged(&Acknowledgement { sent_at, back, is_same_path: id == by }, now);
        }
        measured.show(sample, now);
        sent_at.and(sample.one_way).map(|OneWay { way, .. }| way)
    }
}
