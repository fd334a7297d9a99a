//! Finds the paths that share a bottleneck: those whose queues rise and fall together.
//!
//! A queue shows in the one-way delays of the packets that pass it. Two paths over one queue have the same rises, of
//! the same size, at the same time; the queues of two bottlenecks may both rise, but not alike second by second. The
//! queues of equal links without other traffic may match by chance; therefore each path must also respond to cuts of the
//! other (`cut_effects.rs`). RFC 8382 compares the skewness, the variability and the oscillation of delays over long
//! intervals instead, because its flows have different senders with different clocks. Here one sender measures all of
//! them, and compares the queues themselves.

use anabranch_base::{Duration, Time};

use super::cut_effects::CutEffects;
use super::queue_trace::QueueTrace;
use crate::policy::PathId;

/// Detects shared bottlenecks.
#[derive(Clone, Debug, Default)]
pub struct Bottlenecks {
    paths: Vec<Option<QueueTrace>>,
    /// The judgements on the pairs of paths with a trace; the second path is the later one.
    pairs: Vec<(usize, usize, Judgement)>,
    /// For each path, the first path of its group.
    firsts: Vec<usize>,
    judged_at: Option<Time>,
    cuts: CutEffects,
}

/// The verdict on two paths.
#[derive(Clone, Copy, Debug, Default)]
struct Judgement {
    share: bool,
    /// The number of judgements in a row that contradict the verdict.
    against: u32,
}

impl Judgement {
    /// Judges two queues by their `likeness`, and by the `effect` of one path's cuts on the other.
    fn on_likeness(&mut self, likeness: Option<f64>, effect: Option<f64>) {
        let contradicts = if self.share {
            likeness.is_none_or(|likeness| likeness < UNLIKE)
                || effect.is_some_and(|effect| effect < SEPARATE_EFFECT)
        } else {
            likeness.is_some_and(|likeness| likeness > ALIKE)
                && effect.is_some_and(|effect| effect > SHARED_EFFECT)
        };
        self.against = if contradicts { self.against + 1 } else { 0 };
        let needed = if self.share { BEFORE_PARTING } else { BEFORE_JOINING };
        if self.against >= needed {
            *self = Judgement { share: !self.share, against: 0 };
        }
    }
}

impl Bottlenecks {
    /// Adds `path`, which shares its bottleneck with no other path yet.
    pub fn add_path(&mut self, path: PathId) {
        let count = self.paths.len().max(path.index() + 1);
        self.paths.resize(count, None);
        self.cuts.reset(path);
        self.firsts.extend(self.firsts.len()..count);
    }

    /// Removes `path`.
    pub fn remove_path(&mut self, path: PathId) {
        self.paths[path.index()] = None;
        self.cuts.reset(path);
        self.pairs.retain(|(one, two, _)| ![*one, *two].contains(&path.index()));
        self.group();
    }

    /// A packet on `path` arrived at `arrived` after `delay`; the path's least one-way delay is `least`. The SACK for
    /// it came at `now`. Returns true if the pairs were judged again.
    pub fn on_delay(
        &mut self,
        path: PathId,
        arrived: Time,
        delay: Duration,
        least: Duration,
        now: Time,
    ) -> bool {
        if self.paths[path.index()].is_none() {
            self.paths[path.index()] = Some(QueueTrace::new());
            let others =
                (0..self.paths.len()).filter(|other| *other != path.index() && self.paths[*other].is_some());
            let pair =
                |other: usize| (other.min(path.index()), other.max(path.index()), Judgement::default());
            self.pairs.extend(others.map(pair));
        }
        self.paths[path.index()].iter_mut().for_each(|trace| trace.on_delay(arrived, delay, least));
        self.cuts.on_delay(path, delay, now);
        let judged_at = *self.judged_at.get_or_insert(now);
        let is_due = now.since(judged_at) >= EVERY;
        if is_due {
            self.judge(now);
        }
        is_due
    }

    /// The window of `path` is cut; round trips of the paths take at most `round_trip`.
    pub fn on_cut(&mut self, path: PathId, round_trip: Duration, now: Time) {
        self.cuts.on_cut(path, round_trip, now);
    }

    /// Returns true if two paths share a bottleneck.
    pub(crate) fn share_bottleneck(&self, one: PathId, two: PathId) -> bool {
        self.firsts[one.index()] == self.firsts[two.index()]
    }

    /// The number of paths that share the bottleneck of `path`, with itself.
    pub(crate) fn sharing_paths(&self, path: PathId) -> usize {
        self.firsts
            .get(path.index())
            .map_or(1, |first| self.firsts.iter().filter(|other| *other == first).count())
    }

    /// The first other path that shares the bottleneck of `path`.
    pub fn shares_with(&self, path: PathId) -> Option<PathId> {
        let first = self.firsts.get(path.index())?;
        let mut others = (0..self.firsts.len()).filter(|other| *other != path.index());
        others.find(|other| self.firsts[*other] == *first).map(PathId::from_index)
    }

    fn judge(&mut self, now: Time) {
        self.judged_at = Some(now);
        let (paths, cuts) = (&self.paths, &self.cuts);
        for (one, two, judgement) in &mut self.pairs {
            let traces = paths[*one].as_ref().zip(paths[*two].as_ref());
            let likeness = traces.and_then(|(one, two)| one.likeness(two, now));
            judgement.on_likeness(likeness, cuts.effect(*one, *two));
        }
        self.group();
    }

    /// Groups the paths. Two paths share a bottleneck also if a third one shares it with both.
    fn group(&mut self) {
        self.firsts = (0..self.paths.len()).collect();
        for (one, two, _) in self.pairs.iter().filter(|(.., judgement)| judgement.share) {
            let firsts = [self.firsts[*one], self.firsts[*two]];
            let (kept, gone) = (firsts[0].min(firsts[1]), firsts[0].max(firsts[1]));
            self.firsts.iter_mut().filter(|first| **first == gone).for_each(|first| *first = kept);
        }
    }
}

/// The interval between judgements.
const EVERY: Duration = Duration::from_millis(500);
/// Queues that are more alike are one.
const ALIKE: f64 = 0.28;
/// Queues that are less alike are two.
const UNLIKE: f64 = 0.1;
/// A path whose delay falls by more than this part of the other's fall at a cut shares its queue. Without a cut
/// nothing is known.
const SHARED_EFFECT: f64 = 0.35;
const SEPARATE_EFFECT: f64 = 0.1;
/// The number of judgements in a row that join a pair, or part it.
const BEFORE_JOINING: u32 = 3;
const BEFORE_PARTING: u32 = 8;

#[cfg(test)]
mod tests {
    use super::*;

    fn both() -> [PathId; 2] {
        [0, 1].map(PathId::from_index)
    }

    fn share_bottleneck(detector: &Bottlenecks) -> bool {
        detector.share_bottleneck(both()[0], both()[1])
    }

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    /// A random delay of up to `most` milliseconds.
    fn chance(state: &mut u64, most: u64) -> u64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) % (most + 1)
    }

    /// A queue of up to `most` milliseconds that rises and falls at random, every 10 ms.
    fn queue(seed: u64, most: u64) -> impl FnMut() -> u64 {
        let (mut state, mut waits) = (seed, most / 2);
        move || {
            waits = (waits + chance(&mut state, 8)).saturating_sub(4).min(most);
            waits
        }
    }

    fn detector() -> Bottlenecks {
        let mut detector = Bottlenecks::default();
        both().into_iter().for_each(|path| detector.add_path(path));
        detector
    }

    /// Sends a packet on each path every 10 ms from `seconds.0` to `seconds.1`, where `waits` gives the lengths of the
    /// queues.
    fn play(detector: &mut Bottlenecks, seconds: (u64, u64), mut waits: impl FnMut(u64) -> [Option<u64>; 2]) {
        for step in seconds.0 * 100..seconds.1 * 100 {
            let now = Time::ZERO + ms(1_000 + 10 * step);
            let of_both = waits(step);
            if step.is_multiple_of(100) {
                detector.on_cut(both()[0], ms(80), now);
            }
            for (path, waited) in both().into_iter().zip(of_both) {
                let Some(waited) = waited else { continue };
                detector.on_delay(path, now, ms(20 + waited), ms(20), now);
            }
        }
    }

    #[test]
    fn paths_that_see_one_queue_are_together_within_ten_seconds() {
        let (mut detector, mut waits) = (detector(), queue(1, 60));
        play(&mut detector, (0, 10), |_| [Some(waits()); 2]);
        assert!(share_bottleneck(&detector));
        assert_eq!(both().map(|path| detector.shares_with(path)), [1, 0].map(|index| Some(both()[index])));
    }

    #[test]
    fn a_queue_that_one_path_sees_later_is_the_same_queue() {
        let (mut detector, mut waits) = (detector(), queue(2, 60));
        // The packets of the second path arrive 20 ms after those that left the queue with them.
        let mut before = [0; 2];
        play(&mut detector, (0, 10), |_| {
            let now = waits();
            let late = before[0];
            before = [before[1], now];
            [Some(now), Some(late)]
        });
        assert!(share_bottleneck(&detector));
    }

    /// Random walks are alike for seconds by chance, more than queues are. The goal is 95 %.
    #[test]
    fn two_queues_are_seldom_taken_for_one() {
        let are_mistaken = |seed: &u64| {
            let (mut detector, mut one, mut two) = (detector(), queue(2 * seed, 60), queue(2 * seed + 1, 60));
            play(&mut detector, (0, 10), |_| [Some(one()), Some(two())]);
            share_bottleneck(&detector)
        };
        let mistaken: Vec<u64> = (0..100).filter(are_mistaken).collect();
        assert!(mistaken.len() <= 5, "{mistaken:?}");
    }

    /// Both rise at the same time, as in slow start, once.
    #[test]
    fn one_rise_at_the_same_time_is_not_enough() {
        let (mut detector, mut one, mut two) = (detector(), queue(5, 40), queue(6, 40));
        play(&mut detector, (0, 10), |step| {
            let rise = if step < 100 { step } else { 0 };
            [Some(one() + rise), Some(two() + rise)]
        });
        assert!(!share_bottleneck(&detector));
    }

    #[test]
    fn noise_is_no_queue() {
        let (mut detector, mut state) = (detector(), 3);
        play(&mut detector, (0, 10), |_| [Some(chance(&mut state, 1)); 2]);
        assert!(!share_bottleneck(&detector), "both vary alike, and by half a millisecond");
    }

    #[test]
    fn a_path_that_is_silent_leaves_its_group() {
        let (mut detector, mut waits) = (detector(), queue(1, 60));
        play(&mut detector, (0, 10), |_| [Some(waits()); 2]);
        play(&mut detector, (10, 15), |_| [Some(waits()), None]);
        assert!(share_bottleneck(&detector), "what was seen five seconds ago still counts");
        play(&mut detector, (15, 30), |_| [Some(waits()), None]);
        assert!(!share_bottleneck(&detector));
    }

    #[test]
    fn a_path_that_is_removed_leaves_its_group() {
        let (mut detector, mut waits) = (detector(), queue(1, 60));
        play(&mut detector, (0, 10), |_| [Some(waits()); 2]);
        detector.remove_path(both()[1]);
        assert_eq!(both().map(|path| detector.shares_with(path)), [None; 2]);
    }
}
