//! Measures whether a cut of one path's window shortens the delays of another path.
//!
//! A cut empties the queue of its own path, and no other queue. Two queues may rise and fall alike by chance, as those
//! of equal links without other traffic do, but a cut of one of them then distinguishes them.

use anabranch_base::{Duration, Time};

use crate::policy::PathId;

/// The effects of cuts on the delays of the paths of an association.
#[derive(Clone, Debug, Default)]
pub(super) struct CutEffects {
    paths: Vec<Delays>,
    /// For each pair of paths, the one with the lower index first: the part of the fall of one by which the other fell,
    /// smoothed.
    pairs: Vec<(usize, usize, f64)>,
    trial: Option<Trial>,
}

/// The delay of one path, in seconds.
#[derive(Clone, Copy, Debug, Default)]
struct Delays {
    recent: Option<f64>,
    cut_at: Option<Time>,
    /// The delay before the cut of the current trial; `None` if the path itself was cut at about that time.
    before: Option<f64>,
    /// The sum of the delays after that cut.
    sum: f64,
    count: f64,
}

/// A cut whose effect is awaited.
#[derive(Clone, Copy, Debug)]
struct Trial {
    of: usize,
    begun: Time,
    round_trip: Duration,
}

impl CutEffects {
    /// Resets `path`, which was added or removed.
    pub(super) fn reset(&mut self, path: PathId) {
        self.paths.resize(self.paths.len().max(path.index() + 1), Delays::default());
        self.paths[path.index()] = Delays::default();
        self.pairs.retain(|(one, two, _)| ![*one, *two].contains(&path.index()));
        self.trial = None;
    }

    /// The window of `path` is cut. Round trips of this path and of the others take at most `round_trip`.
    pub(super) fn on_cut(&mut self, path: PathId, round_trip: Duration, now: Time) {
        let of = path.index();
        self.paths[of].cut_at = Some(now);
        if self.trial.is_some() {
            // Another path is cut while the effect of the first is awaited: a fall of its delay would prove nothing.
            if self.trial.is_some_and(|trial| trial.of != of) {
                self.paths[of].before = None;
            }
            return;
        }
        self.trial = Some(Trial { of, begun: now, round_trip });
        for (index, delays) in self.paths.iter_mut().enumerate() {
            let was_cut = delays.cut_at.is_some_and(|at| now.since(at) < round_trip * DISTURBED);
            let before = delays.recent.filter(|_| index == of || !was_cut);
            *delays = Delays { before, sum: 0.0, count: 0.0, ..*delays };
        }
    }

    /// A packet of `path` took `delay`.
    pub(super) fn on_delay(&mut self, path: PathId, delay: Duration, now: Time) {
        let delays = &mut self.paths[path.index()];
        let delay = delay.as_secs_f64();
        let recent = delays.recent.map_or(delay, |before| before + (delay - before) / 8.0);
        delays.recent = Some(recent);
        let Some(trial) = self.trial else { return };
        let elapsed = now.since(trial.begun);
        if elapsed * 2 >= trial.round_trip * 3 {
            delays.sum += delay;
            delays.count += 1.0;
        }
        if elapsed * 2 >= trial.round_trip * 5 {
            self.trial = None;
            self.end(trial.of);
        }
    }

    fn end(&mut self, of: usize) {
        let Some(fall) = self.paths[of].fall().filter(|fall| *fall >= LEAST_FALL) else { return };
        for other in (0..self.paths.len()).filter(|other| *other != of) {
            let Some(effect) = self.paths[other].fall() else { continue };
            let part = (effect / fall).clamp(-1.0, 1.0);
            let (one, two) = (of.min(other), of.max(other));
            match self.pairs.iter_mut().find(|pair| (pair.0, pair.1) == (one, two)) {
                Some((.., known)) => *known += (part - *known) * GAIN,
                None => self.pairs.push((one, two, part)),
            }
        }
    }

    /// The part of the fall of one delay by which the other fell; `None` without such a cut.
    pub(crate) fn effect(&self, one: usize, two: usize) -> Option<f64> {
        self.pairs.iter().find(|pair| (pair.0, pair.1) == (one, two)).map(|(.., part)| *part)
    }
}

impl Delays {
    fn fall(&self) -> Option<f64> {
        let before = self.before.filter(|_| self.count > 0.0)?;
        Some(before - self.sum / self.count)
    }
}

/// The number of round trips after a cut of a path during which its delay proves nothing.
const DISTURBED: u64 = 3;
/// The smallest fall that proves anything, in seconds.
const LEAST_FALL: f64 = 0.002;
/// The weight of a new cut.
const GAIN: f64 = 0.25;

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn paths() -> [PathId; 2] {
        [0, 1].map(PathId::from_index)
    }

    /// Both delays are 40 ms; the first path is cut after a second, and `others` at these times. After it, the delays
    /// are `after` ms.
    fn effect(others: &[u64], after: [u64; 2]) -> Option<f64> {
        let mut cuts = CutEffects::default();
        paths().into_iter().for_each(|path| cuts.reset(path));
        for millis in (0..1_500).step_by(5) {
            let now = Time::ZERO + ms(millis);
            if others.contains(&millis) {
                cuts.on_cut(paths()[1], ms(100), now);
            }
            if millis == 1_000 {
                cuts.on_cut(paths()[0], ms(100), now);
            }
            for (path, after) in paths().into_iter().zip(after) {
                cuts.on_delay(path, ms(if millis < 1_100 { 40 } else { after }), now);
            }
        }
        cuts.effect(0, 1)
    }

    #[test]
    fn a_cut_is_felt_in_the_same_queue_and_in_no_other() {
        let near = |effect: Option<f64>, part: f64| effect.is_some_and(|effect| (effect - part).abs() < 1e-6);
        assert!(near(effect(&[], [20, 20]), 1.0));
        assert!(near(effect(&[], [20, 40]), 0.0));
        assert!(near(effect(&[], [20, 44]), -0.2), "a queue that goes on rising");
        assert_eq!(effect(&[], [39, 20]), None, "the cut itself did nothing");
    }

    #[test]
    fn a_path_that_is_cut_about_then_tells_nothing() {
        assert_eq!(effect(&[800], [20, 20]), None);
        assert_eq!(effect(&[1_100], [20, 20]), None);
        assert!(effect(&[600], [20, 20]).is_some());
    }
}
