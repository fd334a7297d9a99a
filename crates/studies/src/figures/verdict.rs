//! The verdicts, and how the place of an interval beside bounds decides between them.
//!
//! The interval comes first: where its mean lies does not matter. A number that is to lie in a range is REPRODUCED if its
//! whole 95 % interval lies inside, INCONCLUSIVE if the interval crosses a bound, on whichever side its mean is, and
//! PARTIAL or NOT REPRODUCED if all of it lies outside. Between these two decides a second range, where the direction is
//! right, in the same way: an interval that crosses one of its bounds is INCONCLUSIVE too. A value without randomness has
//! an interval of width zero, and ends of ranges belong to them.

use super::by_seed::ConfidenceInterval;

/// The verdicts, from the best to the worst: the worst of several counts.
///
/// Inconclusive verdicts stand between those that hold and those that do not, in the order of the remedy: more seeds,
/// more of a simulator, more of a paper. A claim that fails is the worst whatever else is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The criterion holds.
    Reproduced,
    /// The direction holds and the size does not; or it holds at half of the points at least, and cannot at as many as
    /// are asked for.
    Partial,
    /// The interval contains a bound: more seeds would tell.
    Inconclusive,
    /// Our simulator lacks something that the judgement needs.
    NotBuilt,
    /// The paper lacks something that the judgement needs.
    NotTestable,
    /// The criterion fails, and the interval excludes it.
    NotReproduced,
}

/// A verdict, and how far it can be relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The verdict.
    pub verdict: Verdict,
    /// The seeds of its runs, where these are fewer or smaller than those of the full scale.
    pub provisional: Option<u64>,
}

/// Where an interval lies beside a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Inside,
    Across,
    Outside,
}

/// An empty range: a claim without a direction of its own.
pub const NOWHERE: (f64, f64) = (f64::INFINITY, f64::NEG_INFINITY);

impl Verdict {
    /// As tables write it.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Reproduced => "REPRODUCED",
            Verdict::Partial => "PARTIAL",
            Verdict::Inconclusive => "INCONCLUSIVE",
            Verdict::NotBuilt => "NOT BUILT",
            Verdict::NotTestable => "NOT TESTABLE",
            Verdict::NotReproduced => "NOT REPRODUCED",
        }
    }

    /// Of a number that has to lie in `range`, and has the right direction in `direction`; ends included.
    pub fn in_range(found: ConfidenceInterval, range: (f64, f64), direction: (f64, f64)) -> Verdict {
        match (Place::of(found, range), Place::of(found, direction)) {
            _ if !found.is_known() => Verdict::NotTestable,
            (Place::Inside, _) => Verdict::Reproduced,
            (Place::Across, _) | (Place::Outside, Place::Across) => Verdict::Inconclusive,
            (Place::Outside, Place::Inside) => Verdict::Partial,
            (Place::Outside, Place::Outside) => Verdict::NotReproduced,
        }
    }

    /// Of a number that has to be less than `bound`: an interval that contains it does not tell.
    pub fn below(found: ConfidenceInterval, bound: f64) -> Verdict {
        if !found.is_known() {
            Verdict::NotTestable
        } else if found.high() < bound {
            Verdict::Reproduced
        } else if found.low() > bound {
            Verdict::NotReproduced
        } else {
            Verdict::Inconclusive
        }
    }

    /// Of a number that has to be more than `bound`, likewise.
    pub fn above(found: ConfidenceInterval, bound: f64) -> Verdict {
        let turned = ConfidenceInterval { mean: -found.mean, half: found.half };
        Verdict::below(turned, -bound)
    }

    /// "Not worse", of a ratio that is worse the greater it is: it is REPRODUCED if the interval does not
    /// exclude 1 on the bad side, however far beyond the mean lies, or if the mean's deficit is within `tolerance`. It is
    /// never INCONCLUSIVE: who says "worse" has to show it, and what shows it is an interval that lies wholly above 1.
    pub(crate) fn not_worse(found: ConfidenceInterval, tolerance: f64) -> Verdict {
        if !found.is_known() {
            Verdict::NotTestable
        } else if found.low() <= 1.0 || found.mean <= 1.0 + tolerance {
            Verdict::Reproduced
        } else {
            Verdict::NotReproduced
        }
    }
}

impl Standing {
    /// The worst of several verdicts, provisional if one of them is; `None` of none.
    pub fn worst(all: &[Standing]) -> Option<Standing> {
        let verdict = all.iter().map(|standing| standing.verdict).max()?;
        let provisional = all.iter().filter_map(|standing| standing.provisional).min();
        Some(Standing { verdict, provisional })
    }
}

impl Place {
    fn of(found: ConfidenceInterval, (least, most): (f64, f64)) -> Place {
        if least <= found.low() && found.high() <= most {
            Place::Inside
        } else if found.high() < least || found.low() > most {
            Place::Outside
        } else {
            Place::Across
        }
    }
}

impl std::fmt::Display for Standing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let word = self.verdict.word();
        match self.provisional {
            None => write!(f, "{word}"),
            Some(1) => write!(f, "{word} (provisional, 1 seed)"),
            Some(seeds) => write!(f, "{word} (provisional, {seeds} seeds)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_is_what_fails_and_the_unknown_stands_by_what_would_settle_it() {
        let mut verdicts = [
            Verdict::NotReproduced,
            Verdict::NotTestable,
            Verdict::NotBuilt,
            Verdict::Inconclusive,
            Verdict::Partial,
            Verdict::Reproduced,
        ];
        verdicts.sort();
        let words = verdicts.map(Verdict::word);
        let expected =
            ["REPRODUCED", "PARTIAL", "INCONCLUSIVE", "NOT BUILT", "NOT TESTABLE", "NOT REPRODUCED"];
        assert_eq!(words, expected);
    }

    #[test]
    fn no_bound_is_crossed_by_what_has_no_width_and_ends_belong_to_a_range() {
        let found = |mean| ConfidenceInterval { mean, half: 0.0 };
        let judge = |mean| Verdict::in_range(found(mean), (1.6, 2.6), (1.0, f64::INFINITY));
        let ends = [1.6, 2.6, 1.599, 2.601, 1.0, 0.999].map(judge);
        let [within, partly, fails] = [Verdict::Reproduced, Verdict::Partial, Verdict::NotReproduced];
        assert_eq!(ends, [within, within, partly, partly, partly, fails]);
        assert_eq!(Verdict::in_range(found(1.0), NOWHERE, NOWHERE), Verdict::NotReproduced);
    }

    #[test]
    fn what_is_not_a_number_is_not_judged() {
        let unknown =
            [(f64::NAN, 0.0), (1.0, f64::NAN)].map(|(mean, half)| ConfidenceInterval { mean, half });
        for found in unknown {
            let judged = [
                Verdict::in_range(found, (0.0, 2.0), NOWHERE),
                Verdict::below(found, 2.0),
                Verdict::above(found, 0.0),
                Verdict::not_worse(found, 1.0),
            ];
            assert_eq!(judged, [Verdict::NotTestable; 4]);
        }
    }

    #[test]
    fn a_provisional_verdict_says_of_how_many_seeds_it_is() {
        let told = |provisional| Standing { verdict: Verdict::NotBuilt, provisional }.to_string();
        assert_eq!(told(None), "NOT BUILT");
        assert_eq!(told(Some(1)), "NOT BUILT (provisional, 1 seed)");
        assert_eq!(told(Some(5)), "NOT BUILT (provisional, 5 seeds)");
    }
}
