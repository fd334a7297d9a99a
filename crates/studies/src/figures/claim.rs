//! The claims of a paper about its figure, as expressions over curves, and the rules by which a claim is judged.
//!
//! The shorthands are those of the paper (0.3), the verdicts its 0.1, "better" and "not worse" its 0.2.4. The rule by
//! which an interval decides about a number is in [`verdict`](super::verdict). A claim over points asks for a share of
//! them, all if nothing else is said:
//!
//! - REPRODUCED if it holds at so many points;
//! - INCONCLUSIVE if it does not, and with the points that are INCONCLUSIVE it would;
//! - else PARTIAL if it holds at half of the points at least;
//! - else INCONCLUSIVE if with the points that are INCONCLUSIVE it would hold at half of them, else NOT REPRODUCED.

use super::by_seed::{BySeed, ConfidenceInterval};
use super::curve_statistics::{
    all_points, deviation, exponent, extreme, linearity, mean, mean_ratio, size_gap, size_ratio,
};
use super::results::{CurvePoints, Metric, Results};
use super::verdict::Standing;
pub use super::verdict::{NOWHERE, Verdict};

/// A claim about a figure.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The name.
    pub id: &'static str,
    /// The panel that it is about; empty for all of them.
    pub panel: &'static str,
    /// True if the figure's verdict depends on it.
    pub weight: Weight,
    /// The statement of the paper, or our own.
    pub stated: &'static str,
    /// When it holds.
    pub expression: Expression,
}

/// The weight of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// The figure's verdict is the worst of its core claims'.
    Core,
    /// The paper says so, and the verdict does not depend on it.
    Side,
    /// Not in the paper: it guards the experiment.
    Sanity,
}

/// A judged claim.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The verdict.
    pub verdict: Verdict,
    /// The measured value, with its interval.
    pub measured: String,
    /// The seeds of the runs, where these are fewer or smaller than those of the full scale.
    pub provisional: Option<u64>,
}

/// A criterion over `y[series][x]`.
#[derive(Clone, Debug)]
pub enum Expression {
    /// A conjunction.
    All(Vec<Expression>),
    /// `frac(test) ≥ share` over the points `x`.
    Points {
        /// The test at each point.
        test: PointTest,
        /// The panel.
        panel: &'static str,
        /// The judged quantity.
        metric: Metric,
        /// Where.
        x: Vec<f64>,
        /// The number of the points have to pass; 1 for all of them.
        share: f64,
    },
    /// A number lies in a range, ends included.
    Number {
        /// Which.
        number: Number,
        /// Where it has to lie.
        range: (f64, f64),
        /// Where it still has the right direction.
        direction: (f64, f64),
    },
    /// A number is more than a bound, and its interval excludes the bound.
    More(Number, f64),
    /// A number is less than a bound, and its interval excludes the bound.
    Less(Number, f64),
    /// `mono_up`, "within interval": REPRODUCED unless one of these numbers is below the one before it and their intervals
    /// have nothing in common.
    Rising(Vec<Number>),
    /// The first holds; if only the second does, the claim holds in part.
    OrPartly(Box<Expression>, Box<Expression>),
    /// The paper lacks something that the judgement needs: what.
    Untestable(&'static str),
    /// Our simulator lacks something that the judgement needs: what.
    NotBuilt(&'static str),
    /// A test of the code checks it: which one.
    Tested(&'static str),
}

/// The test at one point. `A` and `B` are series of the same seeds.
#[derive(Clone, Copy, Debug)]
pub enum PointTest {
    /// A is better than B: less, and the interval of the difference excludes 0.
    Lt(&'static str, &'static str),
    /// A is not worse than B: A ≤ B (1 + t), or the interval of the difference does not exclude 0
    /// (`Verdict::not_worse`).
    Le(&'static str, &'static str, f64),
    /// |A / B − 1| ≤ t.
    Near(&'static str, &'static str, f64),
    /// |A(x) / A(−x) − 1| ≤ t.
    Symmetric(&'static str, f64),
    /// A at the next point outward is at least A (1 − t).
    Outward(&'static str, f64),
    /// A at the next point to the right is at least A (1 − t).
    Up(&'static str, f64),
    /// A at the next point to the right is at most A (1 + t).
    Down(&'static str, f64),
    /// A is at least (1 − t) of its greatest mean.
    NearGreatest(&'static str, f64),
    /// A lies between the two numbers, ends included.
    Within(&'static str, f64, f64),
}

/// A number with an interval.
#[derive(Clone, Debug)]
pub enum Number {
    /// The ratio of two means.
    Ratio(CurvePoints, CurvePoints),
    /// The mean over the points of A / B, of the means at each point: every point weighs the same.
    MeanRatio(CurvePoints, CurvePoints),
    /// The mean over the points of |A / B − 1|, of the means at each point.
    Deviation(CurvePoints, CurvePoints),
    /// The difference of two means.
    Difference(CurvePoints, CurvePoints),
    /// The mean over the points of |A| − |B|, of the means at each point.
    SizeGap(CurvePoints, CurvePoints),
    /// The mean over the points of |A| to that of |B|, of the means at each point.
    SizeRatio(CurvePoints, CurvePoints),
    /// The mean over the points of several curves.
    Mean(Vec<CurvePoints>),
    /// The greatest mean at a point of several curves, with that point's interval.
    Greatest(Vec<CurvePoints>),
    /// The least, likewise.
    Least(Vec<CurvePoints>),
    /// Where on the axis the greatest mean is, of several curves. A place whose paired difference to the greatest contains 0
    /// may be it as well: that a range has it means that all of these lie in the range.
    PlaceOfGreatest(Vec<CurvePoints>),
    /// The slope of the line nearest to the points, both axes in logarithms: y grows like x to this power.
    Exponent(CurvePoints),
    /// The distance of the means from a line: R² of the line nearest to them.
    Linearity(CurvePoints),
}

impl Claim {
    /// Judges it.
    pub fn judge(&self, results: &Results) -> Finding {
        self.expression.judge(results)
    }
}

impl Expression {
    /// Judges it.
    pub fn judge(&self, results: &Results) -> Finding {
        match self {
            Expression::All(parts) => all(parts.iter().map(|part| part.judge(results))),
            Expression::Points { test, panel, metric, x, share } => {
                points(*test, (panel, *metric), x, *share, results)
            }
            Expression::Number { number: Number::PlaceOfGreatest(curves), range, direction } => {
                place_in_range(curves, *range, *direction, results)
            }
            Expression::Number { number, range, direction } => {
                let [range, direction] = [*range, *direction].map(|range| number.open_below(range));
                number.judged(results, |found| Verdict::in_range(found, range, direction))
            }
            Expression::More(number, bound) => number.judged(results, |found| Verdict::above(found, *bound)),
            Expression::Less(number, bound) => number.judged(results, |found| Verdict::below(found, *bound)),
            Expression::Rising(numbers) => rising(numbers, results),
            Expression::OrPartly(full, part) => or_partly(full.judge(results), part.judge(results).verdict),
            Expression::Untestable(what) => Finding::new(Verdict::NotTestable, (*what).to_owned()),
            Expression::NotBuilt(what) => Finding::new(Verdict::NotBuilt, (*what).to_owned()),
            Expression::Tested(place) => Finding::new(Verdict::Reproduced, format!("test `{place}`")),
        }
    }

    /// The panels whose values decide about it.
    pub fn panels(&self) -> Vec<&'static str> {
        match self {
            Expression::All(parts) => parts.iter().flat_map(Expression::panels).collect(),
            Expression::Points { panel, .. } => vec![*panel],
            Expression::Number { number, .. } | Expression::More(number, _) | Expression::Less(number, _) => {
                number.panels()
            }
            Expression::Rising(numbers) => numbers.iter().flat_map(Number::panels).collect(),
            Expression::OrPartly(full, part) => [full.panels(), part.panels()].concat(),
            Expression::Untestable(_) | Expression::NotBuilt(_) | Expression::Tested(_) => Vec::new(),
        }
    }
}

impl Finding {
    fn new(verdict: Verdict, measured: String) -> Finding {
        Finding { verdict, measured, provisional: None }
    }

    /// The verdict, and how far that can be relied on.
    pub fn standing(&self) -> Standing {
        Standing { verdict: self.verdict, provisional: self.provisional }
    }
}

impl Number {
    /// The number's value; `None` where something was not measured.
    pub fn measure(&self, results: &Results) -> Option<ConfidenceInterval> {
        let both = |one: &CurvePoints, two: &CurvePoints| Some((results.at(one)?, results.at(two)?));
        match self {
            Number::Ratio(above, below) => both(above, below).map(|(above, below)| above.over(&below)),
            Number::Difference(one, two) => both(one, two).map(|(one, two)| one.minus(&two)),
            Number::MeanRatio(one, two) => mean_ratio(one, two, results),
            Number::Deviation(one, two) => deviation(one, two, results),
            Number::SizeGap(one, two) => size_gap(one, two, results),
            Number::SizeRatio(one, two) => size_ratio(one, two, results),
            Number::Mean(curves) => mean(curves, results),
            Number::Greatest(curves) => extreme(curves, results, 1.0).map(|(_, found)| found),
            Number::Least(curves) => extreme(curves, results, -1.0).map(|(_, found)| found),
            Number::PlaceOfGreatest(curves) => {
                extreme(curves, results, 1.0).map(|(x, _)| ConfidenceInterval { mean: x, half: 0.0 })
            }
            Number::Exponent(curve) => exponent(curve, results),
            Number::Linearity(curve) => linearity(curve, results),
        }
    }

    fn judged(&self, results: &Results, judge: impl Fn(ConfidenceInterval) -> Verdict) -> Finding {
        match self.measure(results) {
            Some(found) => Finding::new(judge(found), found.to_string()),
            None => not_measured(),
        }
    }

    /// A range of a number that cannot be below 0 has no bound there that an interval could cross.
    fn open_below(&self, (least, most): (f64, f64)) -> (f64, f64) {
        let has_sign = !matches!(
            self,
            Number::Ratio(..) | Number::MeanRatio(..) | Number::Deviation(..) | Number::SizeRatio(..)
        );
        (if has_sign || least > 0.0 { least } else { f64::NEG_INFINITY }, most)
    }

    fn panels(&self) -> Vec<&'static str> {
        match self {
            Number::Ratio(one, two)
            | Number::MeanRatio(one, two)
            | Number::Deviation(one, two)
            | Number::Difference(one, two)
            | Number::SizeGap(one, two)
            | Number::SizeRatio(one, two) => vec![one.panel, two.panel],
            Number::Mean(curves)
            | Number::Greatest(curves)
            | Number::Least(curves)
            | Number::PlaceOfGreatest(curves) => curves.iter().map(|curve| curve.panel).collect(),
            Number::Exponent(curve) | Number::Linearity(curve) => vec![curve.panel],
        }
    }
}

impl PointTest {
    /// The ratio that is judged at `x`, and its verdict; `None` where something was not measured.
    fn at(self, of: (&'static str, Metric), x: f64, results: &Results) -> Option<Judged> {
        let (panel, metric) = of;
        let value = |series, x| results.point(panel, series, metric, x);
        let judge = |found| (found, self.verdict(found));
        let found = match self {
            PointTest::Lt(one, two) | PointTest::Le(one, two, _) | PointTest::Near(one, two, _) => {
                value(one, x)?.over(value(two, x)?)
            }
            PointTest::Symmetric(series, _) => value(series, x)?.over(value(series, -x)?),
            PointTest::Outward(series, _) => {
                let axis = results.axis(panel, series, metric);
                let is_same_side = |next: f64| x == 0.0 || next == 0.0 || (next > 0.0) == (x > 0.0);
                let beyond = |next: &&f64| is_same_side(**next) && next.abs() > x.abs();
                let next = axis.iter().filter(beyond).min_by(|one, two| one.abs().total_cmp(&two.abs()));
                let next = *next.unwrap_or(&x);
                // From the centre there are two ways outward: the worse step counts, the lower of equal ones.
                let steps = if x == 0.0 { vec![next, -next] } else { vec![next] };
                let ratios =
                    steps.into_iter().filter_map(|step| Some(value(series, step)?.over(value(series, x)?)));
                let worse =
                    |one: &Judged, two: &Judged| one.1.cmp(&two.1).then(two.0.mean.total_cmp(&one.0.mean));
                return ratios.map(judge).max_by(worse);
            }
            PointTest::Up(series, _) | PointTest::Down(series, _) => {
                let axis = results.axis(panel, series, metric);
                let next = *axis.iter().find(|next| **next > x).unwrap_or(&x);
                value(series, next)?.over(value(series, x)?)
            }
            PointTest::NearGreatest(series, _) => {
                let axis = results.axis(panel, series, metric);
                let all = axis.iter().filter_map(|x| value(series, *x));
                let greatest = all.max_by(|one, two| one.mean().total_cmp(&two.mean()))?;
                value(series, x)?.over(greatest)
            }
            PointTest::Within(series, ..) => value(series, x)?.interval(),
        };
        Some(judge(found))
    }

    fn verdict(self, found: ConfidenceInterval) -> Verdict {
        let in_range = |range| Verdict::in_range(found, range, NOWHERE);
        match self {
            PointTest::Lt(..) => Verdict::below(found, 1.0),
            PointTest::Le(_, _, tolerance) => Verdict::not_worse(found, tolerance),
            PointTest::Near(_, _, t) | PointTest::Symmetric(_, t) => in_range((1.0 - t, 1.0 + t)),
            PointTest::Outward(_, t) | PointTest::Up(_, t) | PointTest::NearGreatest(_, t) => {
                in_range((1.0 - t, f64::INFINITY))
            }
            PointTest::Down(_, t) => in_range((f64::NEG_INFINITY, 1.0 + t)),
            PointTest::Within(_, low, high) => in_range((low, high)),
        }
    }

    /// The judged quantity in a word.
    fn quantity(self) -> &'static str {
        if matches!(self, PointTest::Within(..)) { "value" } else { "ratio" }
    }
}

/// A number at a point, and its verdict.
type Judged = (ConfidenceInterval, Verdict);

/// The share of the points at which a claim has to hold to be reproduced in part.
const PARTLY: f64 = 0.5;

fn not_measured() -> Finding {
    Finding::new(Verdict::NotTestable, "not measured".to_owned())
}

/// The worst verdict of several findings, with what each measured.
fn all(findings: impl Iterator<Item = Finding>) -> Finding {
    let findings: Vec<Finding> = findings.collect();
    let verdict = findings.iter().map(|finding| finding.verdict).max().unwrap_or(Verdict::NotTestable);
    let measured: Vec<&str> = findings.iter().map(|finding| finding.measured.as_str()).collect();
    Finding::new(verdict, measured.join("; "))
}

fn or_partly(full: Finding, part: Verdict) -> Finding {
    let verdict = match (full.verdict, part) {
        (Verdict::NotReproduced, Verdict::Reproduced) => Verdict::Partial,
        (Verdict::NotReproduced, Verdict::Inconclusive) => Verdict::Inconclusive,
        (verdict, _) => verdict,
    };
    Finding { verdict, ..full }
}

fn points(test: PointTest, of: (&'static str, Metric), x: &[f64], share: f64, results: &Results) -> Finding {
    let found: Option<Vec<(f64, ConfidenceInterval, Verdict)>> =
        x.iter().map(|x| test.at(of, *x, results).map(|(found, verdict)| (*x, found, verdict))).collect();
    let Some(found) = found.filter(|found| !found.is_empty()) else { return not_measured() };
    let count = |selection: &dyn Fn(Verdict) -> bool| {
        found.iter().filter(|(.., verdict)| selection(*verdict)).count() as f64 / found.len() as f64
    };
    let holds = count(&|verdict| verdict == Verdict::Reproduced);
    let may_hold = count(&|verdict| matches!(verdict, Verdict::Reproduced | Verdict::Inconclusive));
    let verdict = if count(&|verdict| verdict == Verdict::NotTestable) > 0.0 {
        Verdict::NotTestable
    } else if holds >= share {
        Verdict::Reproduced
    } else if may_hold >= share {
        Verdict::Inconclusive
    } else if holds >= PARTLY {
        Verdict::Partial
    } else if may_hold >= PARTLY {
        Verdict::Inconclusive
    } else {
        Verdict::NotReproduced
    };
    Finding::new(verdict, told(test, &found))
}

/// The number of points pass, where the others are, and the range of the measured ratios.
fn told(test: PointTest, found: &[(f64, ConfidenceInterval, Verdict)]) -> String {
    let least = found.iter().min_by(|one, two| one.1.mean.total_cmp(&two.1.mean));
    let most = found.iter().max_by(|one, two| one.1.mean.total_cmp(&two.1.mean));
    let not: Vec<String> = found
        .iter()
        .filter(|(.., verdict)| *verdict != Verdict::Reproduced)
        .map(|(x, ..)| format!("{x}"))
        .collect();
    let holds = found.len() - not.len();
    let place = |point: Option<&(f64, ConfidenceInterval, Verdict)>| {
        point.map(|(x, found, _)| format!("{found} (x = {x})")).unwrap_or_default()
    };
    let but = if not.is_empty() { String::new() } else { format!(", not at x = {}", not.join(", ")) };
    let (count, what) = (found.len(), test.quantity());
    format!("{holds} of {count} points{but}; {what} from {} to {}", place(least), place(most))
}

fn rising(numbers: &[Number], results: &Results) -> Finding {
    let found: Option<Vec<ConfidenceInterval>> =
        numbers.iter().map(|number| number.measure(results)).collect();
    let Some(found) = found else { return not_measured() };
    let falls = found.windows(2).any(|pair| pair[1].high() < pair[0].low());
    let verdict = if falls { Verdict::NotReproduced } else { Verdict::Reproduced };
    let measured: Vec<String> = found.iter().map(ConfidenceInterval::to_string).collect();
    Finding::new(verdict, measured.join(", "))
}

/// Returns true if the greatest value lies in a range, as far as differences of the same seeds tell where it is.
fn place_in_range(
    curves: &[CurvePoints],
    range: (f64, f64),
    direction: (f64, f64),
    results: &Results,
) -> Finding {
    let found = all_points(curves, results).and_then(|points| {
        let greatest = points.iter().max_by(|one, two| one.1.mean().total_cmp(&two.1.mean())).copied()?;
        let may_be = |(_, sample): &&(f64, &BySeed)| greatest.1.minus(sample).low() <= 0.0;
        let places: Vec<f64> = points.iter().filter(may_be).map(|(x, _)| *x).collect();
        Some((greatest.0, places))
    });
    let Some((greatest, places)) = found else { return not_measured() };
    let of = |x: &f64| Verdict::in_range(ConfidenceInterval { mean: *x, half: 0.0 }, range, direction);
    let verdict = of(&greatest);
    let is_certain = places.iter().all(|x| of(x) == verdict);
    let least = places.iter().copied().fold(greatest, f64::min);
    let most = places.iter().copied().fold(greatest, f64::max);
    let others = if least < most { format!("; it may be any from {least} to {most}") } else { String::new() };
    Finding::new(if is_certain { verdict } else { Verdict::Inconclusive }, format!("x = {greatest}{others}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: [f64; 4] = [-1.0, 0.0, 1.0, 2.0];

    /// Curves `a` and `b` of three seeds over [`X`].
    fn results(a: [[f64; 3]; 4], b: [[f64; 3]; 4]) -> Results {
        let mut results = Results::default();
        for (series, curve) in [("a", a), ("b", b)] {
            for (x, values) in X.iter().zip(curve) {
                results.add("", series, Metric::Time, *x, values.to_vec());
            }
        }
        results
    }

    /// The same values at every point.
    fn flat(values: [f64; 3]) -> [[f64; 3]; 4] {
        [values; 4]
    }

    fn over(test: PointTest, share: f64, results: &Results) -> Verdict {
        let metric = Metric::Time;
        Expression::Points { test, panel: "", metric, x: X.to_vec(), share }.judge(results).verdict
    }

    fn at(series: &'static str, x: &[f64]) -> CurvePoints {
        CurvePoints { panel: "", series, metric: Metric::Time, x: x.to_vec() }
    }

    #[test]
    fn better_means_that_the_interval_of_the_paired_difference_excludes_zero() {
        let b = flat([10.0, 20.0, 30.0]);
        let verdict = |a| over(PointTest::Lt("a", "b"), 1.0, &results(flat(a), b));
        assert_eq!(verdict([9.0, 18.0, 27.0]), Verdict::Reproduced);
        assert_eq!(verdict([11.0, 22.0, 33.0]), Verdict::NotReproduced);
        assert_eq!(verdict([5.0, 29.0, 25.0]), Verdict::Inconclusive);
        assert_eq!(verdict([10.0, 20.0, 30.0]), Verdict::Inconclusive);
    }

    #[test]
    fn not_worse_is_what_lies_below_the_tolerance_or_may_be_chance() {
        let b = flat([10.0, 20.0, 30.0]);
        let verdict = |a| over(PointTest::Le("a", "b", 0.03), 1.0, &results(flat(a), b));
        assert_eq!(verdict([10.2, 20.4, 30.6]), Verdict::Reproduced);
        assert_eq!(verdict([10.5, 21.0, 31.5]), Verdict::NotReproduced);
        assert_eq!(verdict([5.0, 35.0, 26.0]), Verdict::Reproduced, "10 % more, but by chance");
    }

    #[test]
    fn a_claim_over_points_holds_in_part_where_half_of_them_do() {
        let b = flat([1.0; 3]);
        let [good, bad] = [[1.0; 3], [2.0; 3]];
        let verdict = |a, share| over(PointTest::Near("a", "b", 0.1), share, &results(a, b));
        assert_eq!(verdict([good, good, good, bad], 1.0), Verdict::Partial);
        assert_eq!(verdict([good, good, good, bad], 0.75), Verdict::Reproduced);
        assert_eq!(verdict([good, bad, bad, bad], 1.0), Verdict::NotReproduced);
    }

    #[test]
    fn a_valley_rises_outward_on_both_sides() {
        let b = flat([1.0; 3]);
        let verdict = |a, x: &[f64]| {
            let test = PointTest::Outward("a", 0.01);
            let metric = Metric::Time;
            let claim = Expression::Points { test, panel: "", metric, x: x.to_vec(), share: 1.0 };
            claim.judge(&results(a, b)).verdict
        };
        let of = |values: [f64; 4]| values.map(|value| [value; 3]);
        assert_eq!(verdict(of([2.0, 1.0, 2.0, 3.0]), &[0.0, 1.0]), Verdict::Reproduced);
        assert_eq!(verdict(of([2.0, 1.0, 2.0, 1.9]), &[1.0]), Verdict::NotReproduced);
        assert_eq!(verdict(of([0.9, 1.0, 2.0, 3.0]), &[0.0]), Verdict::NotReproduced, "the left side falls");
    }

    #[test]
    fn numbers_rise_unless_an_interval_says_otherwise() {
        let rising = |a| {
            let numbers = X[1..].iter().map(|x| Number::Ratio(at("a", &[*x]), at("b", &[*x])));
            Expression::Rising(numbers.collect()).judge(&results(a, flat([1.0; 3]))).verdict
        };
        assert_eq!(rising([[0.0; 3], [1.0; 3], [2.0; 3], [2.0; 3]]), Verdict::Reproduced);
        assert_eq!(rising([[0.0; 3], [1.0; 3], [2.0; 3], [1.5; 3]]), Verdict::NotReproduced);
        assert_eq!(rising([[0.0; 3], [1.0; 3], [2.0; 3], [1.0, 1.5, 2.0]]), Verdict::Reproduced, "by chance");
    }

    #[test]
    fn every_point_weighs_the_same_in_a_mean_ratio() {
        let (a, b) = ([[0.0; 3], [2.0; 3], [100.0; 3], [0.0; 3]], flat([1.0, 1.0, 1.0]));
        let results = results(a, [b[0], [1.0; 3], [100.0; 3], b[3]]);
        let mean = Number::MeanRatio(at("a", &[0.0, 1.0]), at("b", &[0.0, 1.0])).measure(&results);
        assert_eq!(mean.map(|found| found.mean), Some(1.5));
    }

    #[test]
    fn what_was_not_measured_cannot_be_judged() {
        let number = Number::Ratio(at("a", &[0.0]), at("c", &[0.0]));
        assert_eq!(Expression::More(number, 1.0).judge(&Results::default()).verdict, Verdict::NotTestable);
    }

    fn of(values: [f64; 4]) -> [[f64; 3]; 4] {
        values.map(|value| [value; 3])
    }

    #[test]
    fn a_curve_goes_up_or_down_from_point_to_point() {
        let verdict = |test, values| over(test, 1.0, &results(of(values), flat([1.0; 3])));
        assert_eq!(verdict(PointTest::Up("a", 0.02), [1.0, 2.0, 1.99, 3.0]), Verdict::Reproduced);
        assert_eq!(verdict(PointTest::Up("a", 0.02), [1.0, 2.0, 1.9, 3.0]), Verdict::Partial);
        assert_eq!(verdict(PointTest::Down("a", 0.02), [3.0, 2.0, 2.03, 1.0]), Verdict::Reproduced);
        assert_eq!(verdict(PointTest::Down("a", 0.02), [1.0, 2.0, 3.0, 4.0]), Verdict::NotReproduced);
    }

    #[test]
    fn extremes_are_found_with_their_places() {
        let results = results(of([1.0, -4.0, 2.0, 3.0]), of([0.0, 1.0, 5.0, 2.0]));
        let curves = || vec![at("a", &X), at("b", &X)];
        let value = |number: Number| number.measure(&results).map(|found| found.mean);
        assert_eq!(value(Number::Greatest(curves())), Some(5.0));
        assert_eq!(value(Number::PlaceOfGreatest(curves())), Some(1.0));
        assert_eq!(value(Number::Least(curves())), Some(-4.0));
        assert_eq!(value(Number::Mean(curves())), Some(1.25));
        // (1 + 4 + 2 + 3 − 0 − 1 − 5 − 2) / 4
        assert_eq!(value(Number::SizeGap(at("a", &X), at("b", &X))), Some(0.5));
    }

    #[test]
    fn the_exponent_of_a_power_is_its_power() {
        let mut results = Results::default();
        for x in [2.0_f64, 4.0, 8.0] {
            results.add("", "a", Metric::Time, x, vec![7.0 * x * x * x]);
        }
        let found = Number::Exponent(at("a", &[2.0, 4.0, 8.0])).measure(&results);
        assert!(found.is_some_and(|found| (found.mean - 3.0).abs() < 1e-12), "{found:?}");
    }

    #[test]
    fn points_on_a_line_are_linear_and_others_less() {
        let linearity = |y: [f64; 4]| {
            let results = results(y.map(|value| [value; 3]), flat([1.0; 3]));
            Number::Linearity(at("a", &X)).measure(&results).expect("it was measured").mean
        };
        assert!((linearity([1.0, 3.0, 5.0, 7.0]) - 1.0).abs() < 1e-12);
        // By hand: deviations of x are -1.5, -0.5, 0.5, 1.5, those of y -1, 1, -1, 1: 1² · 4 / 20.
        assert!((linearity([0.0, 2.0, 0.0, 2.0]) - 0.2).abs() < 1e-12);
    }

    #[test]
    fn a_point_is_near_the_greatest_of_its_curve() {
        let results = results([[8.0; 3], [10.0; 3], [9.9; 3], [9.0; 3]], flat([1.0; 3]));
        assert_eq!(over(PointTest::NearGreatest("a", 0.1), 0.75, &results), Verdict::Reproduced);
        assert_eq!(over(PointTest::NearGreatest("a", 0.1), 1.0, &results), Verdict::Partial);
    }

    #[test]
    fn what_does_not_hold_may_hold_in_part() {
        let results = results(flat([7.0; 3]), flat([1.0; 3]));
        let within = |bound: f64| {
            Box::new(Expression::Points {
                test: PointTest::Within("a", -bound, bound),
                panel: "",
                metric: Metric::Time,
                x: X.to_vec(),
                share: 1.0,
            })
        };
        let verdict = |full, part| Expression::OrPartly(within(full), within(part)).judge(&results).verdict;
        assert_eq!(verdict(8.0, 10.0), Verdict::Reproduced);
        assert_eq!(verdict(5.0, 10.0), Verdict::Partial);
        assert_eq!(verdict(5.0, 6.0), Verdict::NotReproduced);
    }
}
