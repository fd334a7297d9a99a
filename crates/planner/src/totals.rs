//! Resource allocation by dynamic programming: bestᵢ(k) = max over c of bestᵢ₋₁(k − c) + ηᵢ(c).

use std::ops::RangeInclusive;

use crate::PlanError;
use crate::candidates::Candidate;

/// The most sums compared: about two seconds.
pub(crate) const MOST_SUMS: f64 = 4e9;
/// The most sums kept: 256 MiB.
pub(crate) const MOST_KEPT: f64 = 33_554_432.0;

/// Two sums with a smaller relative difference count as equal.
const TIE: f64 = 1e-13;

/// The stage of a path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PathStage<'a> {
    /// The path's index.
    pub path: usize,
    /// The candidates.
    pub candidates: &'a [Candidate],
}

/// The program: its stages, and the relevant totals of each.
#[derive(Debug)]
pub(crate) struct Program<'a> {
    stages: Vec<PathStage<'a>>,
    ranges: Vec<RangeInclusive<u64>>,
    sums: f64,
}

/// The best values of the first stages by total, starting at the total `least`.
struct BestByTotal {
    least: u64,
    values: Vec<f64>,
}

impl<'a> Program<'a> {
    /// The program of these stages, whose total must be within `totals`.
    ///
    /// # Errors
    /// More sums than [`MOST_SUMS`], or more kept than [`MOST_KEPT`].
    pub(crate) fn new(
        stages: Vec<PathStage<'a>>,
        totals: RangeInclusive<u64>,
    ) -> Result<Program<'a>, PlanError> {
        let ranges = ranges(&stages, &totals);
        let sums = |(stage, range): (&PathStage<'_>, &RangeInclusive<u64>)| {
            stage.candidates.len() as f64 * length(range)
        };
        let sums = stages.iter().zip(&ranges).map(sums).sum();
        let kept = ranges.iter().map(length).sum();
        if sums > MOST_SUMS || kept > MOST_KEPT {
            return Err(PlanError::TooMuch { sums, kept, most_sums: MOST_SUMS, most_kept: MOST_KEPT });
        }
        Ok(Program { stages, ranges, sums })
    }

    /// The number of sums that it compares.
    pub(crate) fn sums(&self) -> u64 {
        self.sums as u64
    }

    /// The best limits in the order of the paths' indices: of those within [`TIE`] of the best the smallest total, then
    /// the largest limit for the last stage, then for the one before it.
    pub(crate) fn solve(&self) -> Vec<u32> {
        let mut rows = vec![BestByTotal::start()];
        for (stage, range) in self.stages.iter().zip(&self.ranges) {
            let row = rows[rows.len() - 1].next(stage.candidates, range);
            rows.push(row);
        }
        let last = &rows[rows.len() - 1];
        let best = last.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut slack = best * TIE;
        let place = last.values.iter().position(|value| *value >= best - slack).unwrap_or_default();
        slack -= best - last.values[place];
        let mut total = last.least + place as u64;
        let mut limits = vec![0; self.stages.len()];
        for (stage, rows) in self.stages.iter().zip(rows.windows(2)).rev() {
            let aim = rows[1].at(total);
            let lost = |candidate: &Candidate| aim - (rows[0].below(total, candidate));
            let chosen = stage.candidates.iter().rev().find(|candidate| lost(candidate) <= slack.max(0.0));
            let Some(chosen) = chosen else { continue };
            slack -= lost(chosen);
            total -= u64::from(chosen.limit);
            limits[stage.path] = chosen.limit;
        }
        limits
    }

    /// The best value for each total up to the largest, of all stages together.
    pub(crate) fn values(&self) -> Vec<f64> {
        let mut row = BestByTotal::start();
        for (stage, range) in self.stages.iter().zip(&self.ranges) {
            row = row.next(stage.candidates, range);
        }
        row.values
    }
}

impl BestByTotal {
    /// No stage: total 0 with value 0.
    fn start() -> BestByTotal {
        BestByTotal { least: 0, values: vec![0.0] }
    }

    /// Adds a stage, for the totals relevant then.
    fn next(&self, candidates: &[Candidate], range: &RangeInclusive<u64>) -> BestByTotal {
        let least = *range.start();
        let mut values = vec![f64::NEG_INFINITY; length(range) as usize];
        for &Candidate { limit, value } in candidates {
            let first = self.least + u64::from(limit);
            let (skipped, start) = (least.saturating_sub(first), first.saturating_sub(least));
            let (Some(before), Some(after)) =
                (self.values.get(skipped as usize..), values.get_mut(start as usize..))
            else {
                continue;
            };
            for (after, before) in after.iter_mut().zip(before) {
                let sum = before + value;
                *after = if sum > *after { sum } else { *after };
            }
        }
        BestByTotal { least, values }
    }

    fn at(&self, total: u64) -> f64 {
        let place = total.checked_sub(self.least).and_then(|place| self.values.get(place as usize));
        place.copied().unwrap_or(f64::NEG_INFINITY)
    }

    /// The best value of a total with this candidate as its last.
    fn below(&self, total: u64, candidate: &Candidate) -> f64 {
        let before = total.checked_sub(u64::from(candidate.limit));
        before.map_or(f64::NEG_INFINITY, |before| self.at(before) + candidate.value)
    }
}

/// For each stage the totals up to it from which the later ones can still reach `totals`.
fn ranges(stages: &[PathStage<'_>], totals: &RangeInclusive<u64>) -> Vec<RangeInclusive<u64>> {
    let ends = |stage: &PathStage<'_>| match stage.candidates {
        [first, .., last] => (u64::from(first.limit), u64::from(last.limit)),
        [only] => (u64::from(only.limit), u64::from(only.limit)),
        [] => (0, 0),
    };
    let (mut later_least, mut later_most) =
        stages.iter().map(ends).fold((0, 0), |sums, ends| (sums.0 + ends.0, sums.1 + ends.1));
    let (mut least, mut most) = (0, 0);
    let range = |stage| {
        let (first, last) = ends(stage);
        (least, most) = (least + first, most + last);
        (later_least, later_most) = (later_least - first, later_most - last);
        let from = least.max(totals.start().saturating_sub(later_most));
        from..=most.min(totals.end().saturating_sub(later_least)).max(from)
    };
    stages.iter().map(range).collect()
}

fn length(range: &RangeInclusive<u64>) -> f64 {
    (range.end() - range.start() + 1) as f64
}
