//! Windows of paths that share a bottleneck grow together as the window of one flow.
//!
//! A flow whose cuts leave the part β of its window takes as much as Reno if it grows by 3 (1 − β) / (1 + β) packets in
//! a round trip (RFC 9438 §4.3). Where a full queue drops packets of all paths at once, the sum of their windows is
//! halved, and it grows by a packet; where it drops those of one path, the cut is smaller, and so is the growth. LIA
//! (RFC 6356) always assumes the second.

use anabranch_base::{ByteCount, Duration, Time};

use crate::policy::{PathId, PathSample};

/// The cuts of each path's group.
#[derive(Clone, Debug, Default)]
pub(super) struct AsOne {
    paths: Vec<GroupCuts>,
}

#[derive(Clone, Copy, Debug, Default)]
struct GroupCuts {
    /// The part of the sum of the windows that a loss episode takes, smoothed.
    taken: Option<f64>,
    /// The last episode, while cuts still belong to it.
    open: Option<Episode>,
    /// Growth of less than a byte.
    part: f64,
}

/// Cuts within a round trip of the first.
#[derive(Clone, Copy, Debug)]
struct Episode {
    begun: Time,
    taken: f64,
}

impl AsOne {
    /// Resets `path`, which was added or removed.
    pub(super) fn reset(&mut self, path: PathId) {
        self.paths.resize(self.paths.len().max(path.index() + 1), GroupCuts::default());
        self.paths[path.index()] = GroupCuts::default();
    }

    /// A cut takes the part `taken` of the windows of the group of `path`, where round trips take at most `round_trip`.
    pub(super) fn on_cut(&mut self, path: PathId, taken: f64, round_trip: Duration, now: Time) {
        let of_path = &mut self.paths[path.index()];
        of_path.close(round_trip, now);
        of_path.open.get_or_insert(Episode { begun: now, taken: 0.0 }).taken += taken;
    }

    /// The growth of the window of `sample`'s path after a SACK for `acked` bytes, where the windows of its group sum
    /// to `group_window`.
    pub(super) fn growth(
        &mut self,
        sample: &PathSample,
        acked: ByteCount,
        group_window: ByteCount,
        now: Time,
    ) -> ByteCount {
        let of_path = &mut self.paths[sample.id.index()];
        of_path.close(sample.srtt.unwrap_or(sample.rto), now);
        let alone = 0.5 * sample.cwnd.get() as f64 / group_window.get().max(1) as f64;
        let taken = of_path.taken.unwrap_or(alone).clamp(0.0, 0.5);
        let units = 3.0 * taken / (2.0 - taken);
        let grown = units * sample.unit.get() as f64 * acked.get() as f64 / group_window.get().max(1) as f64
            + std::mem::take(&mut of_path.part);
        of_path.part = grown.fract();
        ByteCount::new(grown as u64)
    }
}

impl GroupCuts {
    fn close(&mut self, round_trip: Duration, now: Time) {
        let Some(episode) = self.open.take_if(|episode| now.since(episode.begun) > round_trip) else {
            return;
        };
        self.taken =
            Some(self.taken.map_or(episode.taken, |before| before + (episode.taken - before) * GAIN));
    }
}

/// The weight of a new loss episode.
const GAIN: f64 = 0.25;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::testing::sample;

    /// The bytes by which two windows of four packets of 1,500 B grow in ten round trips, where cuts at `cuts` ms each
    /// took a quarter of both.
    fn grown(cuts: &[u64]) -> u64 {
        let paths =
            [0, 1].map(|index| PathSample { srtt: Some(Duration::from_millis(100)), ..sample(index) });
        let mut as_one = AsOne::default();
        paths.iter().for_each(|path| as_one.reset(path.id));
        let at = |millis| Time::ZERO + Duration::from_millis(millis);
        for cut in cuts {
            paths.iter().for_each(|path| {
                as_one.on_cut(path.id, 0.25, Duration::from_millis(100), at(*cut));
            });
        }
        let (window, group_window) = (paths[0].cwnd, paths[0].cwnd + paths[1].cwnd);
        let each = |path: &PathSample, as_one: &mut AsOne| {
            (0..10).map(|_| as_one.growth(path, window, group_window, at(10_000)).get()).sum::<u64>()
        };
        paths.iter().map(|path| each(path, &mut as_one)).sum()
    }

    #[test]
    fn paths_that_are_cut_together_grow_by_a_packet_in_a_round_trip() {
        assert_eq!(grown(&[1_000, 1_050]), 15_000);
    }

    /// 3 · ¼ / 1¾ packets, which is also assumed before the first cut.
    #[test]
    fn paths_that_are_cut_one_at_a_time_grow_by_less() {
        assert_eq!(grown(&[1_000, 2_000, 3_000]), 6_428);
        assert_eq!(grown(&[]), 6_428);
    }

    /// One of four cuts took all at once: a quarter of the difference between a quarter and a half.
    #[test]
    fn what_cuts_take_is_smoothed_over_four() {
        let taken: f64 = 0.25 + 0.25 / 4.0;
        let expected = 3.0 * taken / (2.0 - taken) * 15_000.0;
        assert!((grown(&[1_000, 2_000, 2_050]) as f64 - expected).abs() < 2.0);
    }
}
