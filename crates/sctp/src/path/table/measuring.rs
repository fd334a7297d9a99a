//! What acknowledgements and HEARTBEATs measure of a path.

use anabranch_base::{ByteCount, Duration, Time};

use super::PathTable;
use crate::path::measured::Acknowledgement;
use crate::policy::{OneWay, PathId};

impl PathTable {
    /// A HEARTBEAT's round trip took `sample`.
    pub fn on_round_trip(&mut self, id: PathId, sample: Duration, now: Time) {
        let path = &mut self.paths[id.index()];
        let (back, least) = (path.measured.delay.back(), path.measured.delay.least());
        path.silence.begin(now);
        path.health.on_sign(now);
        path.round_trip.on_sample(sample);
        path.count_round_trip(sample);
        path.measured.on_round_trip(sample, now);
        if path.measured.delay.least() != least {
            path.least_by = None;
        }
        path.measured.show(&mut self.samples[id.index()], now);
        self.show_round_trip(id);
        self.correct_ways(id, back);
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
            let before = measured.delay.least();
            measured.on_acknowledged(&Acknowledgement { sent_at, back, is_same_path: id == by }, now);
            if measured.delay.least() != before {
                self.paths[id.index()].least_by = Some(by);
            }
        }
        self.paths[id.index()].measured.show(sample, now);
        let way = sent_at.and(sample.one_way).map(|OneWay { way, .. }| way);
        self.correct_ways(by, back);
        way
    }

    /// The way back by path `by` was `before`, for all that was known. If it has proved shorter, ways there that were calculated
    /// with it were longer: else the first, slow answer on one path would leave another with a way that no packet ever took.
    fn correct_ways(&mut self, by: PathId, before: Option<Duration>) {
        let after = self.paths[by.index()].measured.delay.back();
        let Some(shorter) = before.zip(after).map(|(before, after)| before.saturating_sub(after)) else {
            return;
        };
        if shorter.is_zero() {
            return;
        }
        let given = |path: &&mut super::Path| path.least_by == Some(by);
        for path in self.paths.iter_mut().filter(given) {
            path.measured.delay.on_shorter_back(shorter);
        }
    }
}
