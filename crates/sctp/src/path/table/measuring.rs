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
        let before = self.paths[by.index()].measured.delay.back();
        if let Some(sent_at) = sent_at.filter(|_| id != by) {
            self.doubt_back(by, id, now.since(sent_at));
        }
        let back = self.paths[by.index()].measured.delay.back();
        let (measured, sample) = (&mut self.paths[id.index()].measured, &mut self.samples[id.index()]);
        measured.on_delivered(weight, sample, now);
        if let Some(sent_at) = sent_at {
            let least = measured.delay.least();
            measured.on_acknowledged(&Acknowledgement { sent_at, back, is_same_path: id == by }, now);
            if measured.delay.least() != least {
                self.paths[id.index()].least_by = Some(by);
            }
        }
        self.paths[id.index()].measured.show(sample, now);
        let way = sent_at.and(sample.one_way).map(|OneWay { way, .. }| way);
        self.correct_ways(by, before);
        way
    }

    /// A packet of path `of` and the SACK for it by path `by` took `round_trip`. If that left less than half of the least way there,
    /// the way back is not as long as it seemed: all that was measured of it had waited in a queue.
    fn doubt_back(&mut self, by: PathId, of: PathId, round_trip: Duration) {
        let known =
            self.paths[by.index()].measured.delay.back().zip(self.paths[of.index()].measured.delay.least());
        let Some((_, least)) = known.filter(|(back, least)| round_trip.saturating_sub(*back) * 2 < *least)
        else {
            return;
        };
        let back = round_trip.saturating_sub(least);
        if !back.is_zero() {
            self.paths[by.index()].measured.delay.on_back_at_most(back);
        }
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
        for (index, path) in self.paths.iter_mut().enumerate() {
            if path.least_by == Some(by) && index != by.index() {
                path.measured.delay.on_shorter_back(shorter);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::table;
    use super::*;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    /// The first answer on the second path took 60 ms, half of which is taken for its way back. A SACK that came back by it
    /// after 40 ms left 10 ms for the way there; the next answers took 40 ms, so that it was 20.
    #[test]
    fn a_way_there_is_corrected_when_the_way_back_proves_shorter() {
        let mut table = table();
        let (data, other) = (PathId::FIRST, PathId::from_index(1));
        table.on_round_trip(other, Duration::from_millis(60), at(60));
        table.measure(data, ByteCount::new(1_452), Some(at(60)), other, at(100));
        let least = |table: &PathTable| table.sample(data).one_way.map(|way| way.least.as_millis());
        assert_eq!(least(&table), Some(10));
        table.measure(other, ByteCount::new(1_452), Some(at(80)), other, at(120));
        table.measure(data, ByteCount::new(1_452), Some(at(90)), other, at(130));
        assert_eq!(least(&table), Some(20));
        assert_eq!(table.sample(other).one_way.map(|way| way.least.as_millis()), Some(20));
    }

    /// The way there takes 100 ms. All that was measured on the other path waited in its queue, so that its way back seemed to take
    /// 240 ms: more than the whole round trip.
    #[test]
    fn a_way_back_that_leaves_no_way_there_is_not_believed() {
        let mut table = table();
        let (data, other) = (PathId::FIRST, PathId::from_index(1));
        table.on_round_trip(data, Duration::from_millis(200), at(200));
        table.on_round_trip(other, Duration::from_millis(480), at(480));
        let way = table.measure(data, ByteCount::new(1_452), Some(at(400)), other, at(536));
        assert_eq!(way, Some(Duration::from_millis(100)), "and 36 ms back");
        let least = |table: &PathTable| table.sample(data).one_way.map(|way| way.least.as_millis());
        assert_eq!(least(&table), Some(100));
        table.measure(data, ByteCount::new(1_452), Some(at(500)), other, at(590));
        assert_eq!(least(&table), Some(54), "a path may become shorter");
    }
}
