//! When replications are enough: a fixed number of them, or as many as it takes for a precise mean. Runs are judged in the
//! order of their seeds, so that the answer depends neither on threads nor on which run ends first.

use crate::measure::Summary;
use crate::result::RunResult;
use crate::unfit::TooFewSeeds;

/// The number of replications to run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stop {
    /// A fixed number of runs.
    After(u64),
    /// Until half the 95 % interval of every flow's goodput is at most `error` of its mean, but at least `least` and
    /// at most `most` runs.
    Until {
        /// As a fraction of the mean.
        error: f64,
        /// The least number of runs.
        least: u64,
        /// The largest number of runs.
        most: u64,
    },
}

/// Judges the runs of one scenario, one after another.
#[derive(Clone, Debug)]
pub struct Sufficiency {
    stop: Stop,
    /// The goodput of each flow in every run so far; empty where only their number counts.
    goodputs: Vec<Summary>,
    runs: u64,
    enough: Option<u64>,
}

impl Stop {
    /// The least number of runs that [`Stop::Until`] should have: an interval from fewer runs is not meaningful.
    pub const LEAST: u64 = 5;
    /// The largest number of runs that [`Stop::Until`] should have.
    pub const MOST: u64 = 10_000;

    /// The least number of runs.
    pub fn least(self) -> u64 {
        match self {
            Stop::After(runs) => runs,
            Stop::Until { least, .. } => least.max(2),
        }
    }

    /// The largest number of runs.
    pub fn most(self) -> u64 {
        match self {
            Stop::After(runs) => runs,
            Stop::Until { most, .. } => most.max(self.least()),
        }
    }

    /// Checks that every run has a seed, from `seed` on.
    ///
    /// # Errors
    /// The seeds of the last runs would be above the largest one.
    pub fn check_seeds(self, seed: u64) -> Result<(), TooFewSeeds> {
        let runs = self.most();
        let is_enough = seed.checked_add(runs.saturating_sub(1)).is_some();
        is_enough.then_some(()).ok_or(TooFewSeeds { seed, runs })
    }
}

impl Sufficiency {
    /// Before the first run.
    pub fn new(stop: Stop) -> Sufficiency {
        let enough = (stop == Stop::After(0)).then_some(0);
        Sufficiency { stop, goodputs: Vec::new(), runs: 0, enough }
    }

    /// Judges the run with the next seed, by the goodput of each of its flows in bits a second.
    pub fn on_run(&mut self, goodputs: impl IntoIterator<Item = f64>) {
        self.runs += 1;
        if matches!(self.stop, Stop::Until { .. }) {
            for (index, goodput) in goodputs.into_iter().enumerate() {
                if index == self.goodputs.len() {
                    self.goodputs.push(Summary::default());
                }
                self.goodputs[index].add(goodput);
            }
        }
        if self.enough.is_none() && self.are_enough() {
            self.enough = Some(self.runs);
        }
    }

    /// The same with a whole result.
    pub(crate) fn on_result(&mut self, result: &RunResult) {
        self.on_run(result.flows.iter().map(|flow| flow.goodput_bps));
    }

    /// The number of the runs so far are enough; `None` if even all of them are not.
    pub fn enough(&self) -> Option<u64> {
        self.enough
    }

    /// The number of runs judged so far.
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// The number of runs there will be, as far as the present ones tell: an interval shrinks with the root of their number.
    pub fn expected(&self) -> u64 {
        match (self.enough, self.stop) {
            (Some(enough), _) => enough,
            (None, Stop::After(wanted)) => wanted,
            (None, Stop::Until { most, .. }) if self.runs < self.stop.least() => {
                self.stop.least().min(most.max(1))
            }
            (None, Stop::Until { error, most, .. }) => {
                let ratio = self.error().unwrap_or(f64::INFINITY) / error;
                let wanted = (self.runs as f64 * ratio * ratio).ceil();
                // Whatever the estimate says, at least one more run is needed.
                (wanted as u64).clamp(self.runs + 1, most.max(self.runs + 1))
            }
        }
    }

    fn are_enough(&self) -> bool {
        match self.stop {
            Stop::After(wanted) => self.runs >= wanted,
            Stop::Until { error, most, .. } => {
                self.runs >= self.stop.least()
                    && (self.runs >= most || self.error().is_some_and(|found| found <= error))
            }
        }
    }

    /// The largest relative error of a flow; `None` without flows, or while one is not known.
    fn error(&self) -> Option<f64> {
        let errors = self.goodputs.iter().map(|flow| flow.estimate()?.relative_error());
        errors.collect::<Option<Vec<f64>>>()?.into_iter().reduce(|a, b| if b <= a { a } else { b })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After which of these runs of one flow there are enough.
    fn enough(stop: Stop, goodputs: &[f64]) -> Option<u64> {
        let mut judge = Sufficiency::new(stop);
        goodputs.iter().for_each(|goodput| judge.on_run([*goodput]));
        judge.enough()
    }

    const UNTIL: Stop = Stop::Until { error: 0.1, least: 5, most: 12 };

    #[test]
    fn a_fixed_number_is_enough_when_it_is_reached() {
        assert_eq!(enough(Stop::After(3), &[1.0, 2.0]), None);
        assert_eq!(enough(Stop::After(3), &[1.0, 2.0, 9.0, 4.0]), Some(3));
        assert_eq!(enough(Stop::After(0), &[]), Some(0));
    }

    #[test]
    fn a_precise_mean_is_enough_once_the_least_number_is_there() {
        assert_eq!(enough(UNTIL, &[5.0; 4]), None);
        assert_eq!(enough(UNTIL, &[5.0; 9]), Some(5));
        let apart = [1.0, 9.0].repeat(10);
        assert_eq!(enough(UNTIL, &apart[..11]), None);
        assert_eq!(enough(UNTIL, &apart), Some(12), "no more than the most");
    }

    #[test]
    fn every_flow_must_be_precise() {
        let mut judge = Sufficiency::new(UNTIL);
        for run in 0..8 {
            judge.on_run([5.0, if run % 2 == 0 { 1.0 } else { 9.0 }]);
        }
        assert_eq!((judge.enough(), judge.runs()), (None, 8));
    }

    #[test]
    fn the_expected_number_grows_with_the_square_of_the_error() {
        let mut judge = Sufficiency::new(Stop::Until { error: 0.01, least: 5, most: 10_000 });
        assert_eq!(judge.expected(), 5);
        for goodput in [9.0, 11.0, 9.0, 11.0, 9.0, 11.0, 9.0, 11.0] {
            judge.on_run([goodput]);
        }
        // Half the interval is 2.365 × 1.069 / √8 = 0.894 of a mean of 10: 8.94 times too wide.
        assert_eq!(judge.expected(), 640);
        assert_eq!(Sufficiency::new(Stop::After(7)).expected(), 7);
    }
}
