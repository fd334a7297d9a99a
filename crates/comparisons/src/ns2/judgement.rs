//! Decides whether a point of ours agrees with ns-2's: a rule that was fixed before anything was run.

use std::fmt;

use crate::sample::Sample;

/// The largest accepted distance between ours and theirs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// As a share of theirs.
    pub share: f64,
    /// Combined standard errors that are added.
    pub errors: f64,
}

/// The verdict on a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointVerdict {
    /// Within the tolerance.
    Holds,
    /// Outside.
    Outside,
    /// Not all of our runs ended.
    Incomplete,
}

/// Ours beside theirs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// Our result; `None` if no run ended.
    pub ours: Option<Sample>,
    /// Theirs.
    pub theirs: Sample,
    /// The verdict.
    pub verdict: PointVerdict,
}

impl Tolerance {
    /// Points with random loss in sets a and b: 6 % and two combined standard errors.
    pub const LOSS: Tolerance = Tolerance { share: 0.06, errors: 2.0 };
    /// Points without, of all sets: 2 %. Nothing in them is random.
    pub(crate) const LOSSLESS: Tolerance = Tolerance { share: 0.02, errors: 0.0 };
    /// Points of set c: 15 %.
    pub(crate) const CHAINS: Tolerance = Tolerance { share: 0.15, errors: 0.0 };
    /// Points of set d with random loss: 15 % and two combined standard errors.
    pub(crate) const SHARED_BUFFER: Tolerance = Tolerance { share: 0.15, errors: 2.0 };
}

impl Judgement {
    /// Compares `ours`, of which there should be `wanted`, with `theirs`.
    pub fn of(ours: &[f64], wanted: usize, theirs: Sample, tolerance: Tolerance) -> Judgement {
        let ours_sample = Sample::of(ours);
        let verdict = match ours_sample {
            Some(sample) if sample.count == wanted => {
                let allowed =
                    tolerance.share * theirs.mean + tolerance.errors * sample.combined_error(&theirs);
                let is_near = (sample.mean - theirs.mean).abs() <= allowed;
                if is_near { PointVerdict::Holds } else { PointVerdict::Outside }
            }
            _ => PointVerdict::Incomplete,
        };
        Judgement { ours: ours_sample, theirs, verdict }
    }

    /// Ours as a multiple of theirs.
    pub fn ratio(&self) -> Option<f64> {
        self.ours.map(|ours| ours.mean / self.theirs.mean)
    }

    /// The difference in combined standard errors; `None` where nothing is random.
    pub(crate) fn deviations(&self) -> Option<f64> {
        let ours = self.ours?;
        let error = ours.combined_error(&self.theirs);
        (error > 0.0).then(|| (ours.mean - self.theirs.mean) / error)
    }
}

impl fmt::Display for PointVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            PointVerdict::Holds => "holds",
            PointVerdict::Outside => "outside",
            PointVerdict::Incomplete => "incomplete",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THEIRS: Sample = Sample { count: 4, mean: 100.0, error: 3.0 };

    fn verdict(ours: &[f64], tolerance: Tolerance) -> PointVerdict {
        Judgement::of(ours, ours.len(), THEIRS, tolerance).verdict
    }

    #[test]
    fn a_point_holds_within_the_share_and_two_combined_errors() {
        // The error of ours is 4 and that of both 5: 6 + 10 are allowed.
        let around = |mean: f64| [mean - 4.0, mean + 4.0];
        assert_eq!(verdict(&around(115.9), Tolerance::LOSS), PointVerdict::Holds);
        assert_eq!(verdict(&around(116.1), Tolerance::LOSS), PointVerdict::Outside);
        assert_eq!(verdict(&around(83.9), Tolerance::LOSS), PointVerdict::Outside);
    }

    #[test]
    fn without_loss_chance_excuses_nothing() {
        assert_eq!(verdict(&[101.9], Tolerance::LOSSLESS), PointVerdict::Holds);
        assert_eq!(verdict(&[102.1], Tolerance::LOSSLESS), PointVerdict::Outside);
    }

    #[test]
    fn a_run_that_did_not_end_does_not_match() {
        let judged = Judgement::of(&[100.0], 2, THEIRS, Tolerance::LOSS);
        assert_eq!(judged.verdict, PointVerdict::Incomplete);
        assert_eq!(Judgement::of(&[], 0, THEIRS, Tolerance::LOSS).verdict, PointVerdict::Incomplete);
    }
}
