//! The claims of a paper about its figure, as expressions over curves, and the rules by which a claim is judged.
//!
//! The shorthands are those of the atlas (0.3), the verdicts its 0.1, "better" and "not worse" its 0.2.4.

use super::by_seed::{BySeed, ConfidenceInterval};
use super::results::{CurvePoints, Metric, Results};

/// A claim about a figure.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Its name in the atlas.
    pub id: &'static str,
    /// The panel that it is about; empty for all of them.
    pub panel: &'static str,
    /// Whether the figure's verdict depends on it.
    pub weight: Weight,
    /// What the paper says, or what we ask of ourselves.
    pub stated: &'static str,
    /// When it holds.
    pub expression: Expression,
}

/// What depends on a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// The figure's verdict is the worst of its core claims'.
    Core,
    /// The paper says so, and the verdict does not depend on it.
    Side,
    /// Not in the paper: it guards the experiment.
    Sanity,
}

/// The atlas's verdicts, from the best to the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The criterion holds.
    Reproduced,
    /// The direction holds, the size does not; or it holds at half of the points at least.
    Partial,
    /// The interval contains the boundary.
    Inconclusive,
    /// Something that the judgement needs is missing.
    NotTestable,
    /// The direction fails, and the interval excludes it.
    NotReproduced,
}

/// A judged claim.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The verdict.
    pub verdict: Verdict,
    /// What was measured, with its interval.
    pub measured: String,
}

/// A criterion over `y[series][x]`.
#[derive(Clone, Debug)]
pub enum Expression {
    /// All of these hold.
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
        /// How many of the points have to pass; 1 for all of them.
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
    /// `mono_up`: none of these numbers is below the one before, but for what their intervals allow.
    Rising(Vec<Number>),
    /// The first holds; if only the second does, the claim holds in part.
    OrPartly(Box<Expression>, Box<Expression>),
    /// Something that the judgement needs is missing: what.
    Untestable(&'static str),
    /// A test of the code checks it: which one.
    Tested(&'static str),
}

/// The test at one point. `A` and `B` are series of the same seeds.
#[derive(Clone, Copy, Debug)]
pub enum PointTest {
    /// A is better than B: less, and the interval of the difference excludes 0.
    Lt(&'static str, &'static str),
    /// A ≤ B (1 + t), or the interval of the difference does not exclude 0.
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
    /// The mean over the points of several curves.
    Mean(Vec<CurvePoints>),
    /// The greatest mean at a point of several curves, with that point's interval.
    Greatest(Vec<CurvePoints>),
    /// The least, likewise.
    Least(Vec<CurvePoints>),
    /// Where on the axis the greatest mean is, of several curves.
    PlaceOfGreatest(Vec<CurvePoints>),
    /// The slope of the line nearest to the points, both axes in logarithms: y grows like x to this power.
    Exponent(CurvePoints),
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
            Expression::Number { number, range, direction } => {
                number.judged(results, |found| in_range(found, *range, *direction))
            }
            Expression::More(number, bound) => {
                number.judged(results, |found| strictly(found.low() > *bound, found.high() < *bound))
            }
            Expression::Less(number, bound) => {
                number.judged(results, |found| strictly(found.high() < *bound, found.low() > *bound))
            }
            Expression::Rising(numbers) => rising(numbers, results),
            Expression::OrPartly(full, part) => or_partly(full.judge(results), part.judge(results).verdict),
            Expression::Untestable(what) => {
                Finding { verdict: Verdict::NotTestable, measured: (*what).to_owned() }
            }
            Expression::Tested(place) => {
                Finding { verdict: Verdict::Reproduced, measured: format!("test `{place}`") }
            }
        }
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
            Number::Mean(curves) => mean(curves, results),
            Number::Greatest(curves) => extreme(curves, results, 1.0).map(|(_, found)| found),
            Number::Least(curves) => extreme(curves, results, -1.0).map(|(_, found)| found),
            Number::PlaceOfGreatest(curves) => {
                extreme(curves, results, 1.0).map(|(x, _)| ConfidenceInterval { mean: x, half: 0.0 })
            }
            Number::Exponent(curve) => exponent(curve, results),
        }
    }

    fn judged(&self, results: &Results, judge: impl Fn(ConfidenceInterval) -> Verdict) -> Finding {
        match self.measure(results) {
            Some(found) => Finding { verdict: judge(found), measured: found.to_string() },
            None => not_measured(),
        }
    }
}

impl PointTest {
    /// The ratio that is judged at `x`, and its verdict; `None` where something was not measured.
    fn at(
        self,
        of: (&'static str, Metric),
        x: f64,
        results: &Results,
    ) -> Option<(ConfidenceInterval, Verdict)> {
        let (panel, metric) = of;
        let value = |series, x| results.point(panel, series, metric, x);
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
                // From the centre there are two ways outward: the lower step counts.
                let steps = if x == 0.0 { vec![next, -next] } else { vec![next] };
                let ratios =
                    steps.into_iter().filter_map(|step| Some(value(series, step)?.over(value(series, x)?)));
                ratios.min_by(|one, two| one.mean.total_cmp(&two.mean))?
            }
            PointTest::Up(series, _) | PointTest::Down(series, _) => {
                let axis = results.axis(panel, series, metric);
                let next = *axis.iter().find(|next| **next > x).unwrap_or(&x);
                value(series, next)?.over(value(series, x)?)
            }
            PointTest::Within(series, ..) => value(series, x)?.interval(),
        };
        let verdict = match self {
            PointTest::Lt(..) => strictly(found.high() < 1.0, found.low() > 1.0),
            PointTest::Le(_, _, tolerance) => {
                let is_not_worse = found.mean <= 1.0 + tolerance || found.low() <= 1.0;
                if is_not_worse { Verdict::Reproduced } else { Verdict::NotReproduced }
            }
            PointTest::Near(_, _, t) | PointTest::Symmetric(_, t) => {
                in_range(found, (1.0 - t, 1.0 + t), NOWHERE)
            }
            PointTest::Outward(_, t) | PointTest::Up(_, t) => {
                in_range(found, (1.0 - t, f64::INFINITY), NOWHERE)
            }
            PointTest::Down(_, t) => in_range(found, (0.0, 1.0 + t), NOWHERE),
            PointTest::Within(_, low, high) => in_range(found, (low, high), NOWHERE),
        };
        Some((found, verdict))
    }

    /// The judged quantity in a word.
    fn quantity(self) -> &'static str {
        if matches!(self, PointTest::Within(..)) { "value" } else { "ratio" }
    }
}

impl Verdict {
    /// As the atlas writes it.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Reproduced => "REPRODUCED",
            Verdict::Partial => "PARTIAL",
            Verdict::Inconclusive => "INCONCLUSIVE",
            Verdict::NotTestable => "NOT TESTABLE",
            Verdict::NotReproduced => "NOT REPRODUCED",
        }
    }
}

/// An empty range: a claim without a direction of its own.
pub const NOWHERE: (f64, f64) = (f64::INFINITY, f64::NEG_INFINITY);

fn not_measured() -> Finding {
    Finding { verdict: Verdict::NotTestable, measured: "not measured".to_owned() }
}

fn strictly(holds: bool, fails: bool) -> Verdict {
    match (holds, fails) {
        (true, _) => Verdict::Reproduced,
        (false, true) => Verdict::NotReproduced,
        (false, false) => Verdict::Inconclusive,
    }
}

fn in_range(found: ConfidenceInterval, range: (f64, f64), direction: (f64, f64)) -> Verdict {
    let contains = |range: (f64, f64), value: f64| range.0 <= value && value <= range.1;
    let reaches = |range: (f64, f64)| found.low() <= range.1 && found.high() >= range.0;
    match () {
        () if contains(range, found.mean) => Verdict::Reproduced,
        () if reaches(range) => Verdict::Inconclusive,
        () if contains(direction, found.mean) => Verdict::Partial,
        () => Verdict::NotReproduced,
    }
}

/// The worst verdict of several findings, with what each measured.
fn all(findings: impl Iterator<Item = Finding>) -> Finding {
    let findings: Vec<Finding> = findings.collect();
    let verdict = findings.iter().map(|finding| finding.verdict).max().unwrap_or(Verdict::NotTestable);
    let measured: Vec<&str> = findings.iter().map(|finding| finding.measured.as_str()).collect();
    Finding { verdict, measured: measured.join("; ") }
}

fn or_partly(full: Finding, part: Verdict) -> Finding {
    match (full.verdict, part) {
        (Verdict::Reproduced | Verdict::Inconclusive | Verdict::NotTestable, _) => full,
        (_, Verdict::Reproduced) => Finding { verdict: Verdict::Partial, ..full },
        _ => full,
    }
}

fn points(test: PointTest, of: (&'static str, Metric), x: &[f64], share: f64, results: &Results) -> Finding {
    let found: Option<Vec<(f64, ConfidenceInterval, Verdict)>> =
        x.iter().map(|x| test.at(of, *x, results).map(|(found, verdict)| (*x, found, verdict))).collect();
    let Some(found) = found.filter(|found| !found.is_empty()) else { return not_measured() };
    let count = |wanted: &dyn Fn(Verdict) -> bool| {
        found.iter().filter(|(.., verdict)| wanted(*verdict)).count() as f64 / found.len() as f64
    };
    let holds = count(&|verdict| verdict == Verdict::Reproduced);
    let may_hold = count(&|verdict| verdict <= Verdict::Inconclusive);
    let verdict = match () {
        () if holds >= share => Verdict::Reproduced,
        () if may_hold >= share => Verdict::Inconclusive,
        () if holds >= 0.5 => Verdict::Partial,
        () => Verdict::NotReproduced,
    };
    Finding { verdict, measured: told(test, &found) }
}

/// How many points pass, where the others are, and the range of the measured ratios.
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
    Finding { verdict, measured: measured.join(", ") }
}

/// Both samples at each point.
fn pairs<'a>(
    one: &CurvePoints,
    two: &CurvePoints,
    results: &'a Results,
) -> Option<Vec<(&'a BySeed, &'a BySeed)>> {
    let point = |at: &CurvePoints, x: f64| results.point(at.panel, at.series, at.metric, x);
    one.x.iter().map(|x| Some((point(one, *x)?, point(two, *x)?))).collect()
}

fn mean_ratio(one: &CurvePoints, two: &CurvePoints, results: &Results) -> Option<ConfidenceInterval> {
    let pairs = pairs(one, two, results)?;
    let ratios: Vec<BySeed> = pairs.iter().map(|(one, two)| one.ratios_to(two)).collect();
    Some(BySeed::average(&ratios.iter().collect::<Vec<_>>())?.interval())
}

/// The mean over points of |A / B − 1|: its interval is the mean of theirs, since the points share their seeds.
fn deviation(one: &CurvePoints, two: &CurvePoints, results: &Results) -> Option<ConfidenceInterval> {
    let ratios: Vec<ConfidenceInterval> =
        pairs(one, two, results)?.iter().map(|(one, two)| one.over(two)).collect();
    let mean = |value: &dyn Fn(&ConfidenceInterval) -> f64| {
        ratios.iter().map(value).sum::<f64>() / ratios.len() as f64
    };
    Some(ConfidenceInterval {
        mean: mean(&|ratio| (ratio.mean - 1.0).abs()),
        half: mean(&|ratio| ratio.half),
    })
}

/// The signs are those of the means, so that what a seed adds stays linear.
fn size_gap(one: &CurvePoints, two: &CurvePoints, results: &Results) -> Option<ConfidenceInterval> {
    let size = |sample: &BySeed| {
        let sign = if sample.mean() < 0.0 { -1.0 } else { 1.0 };
        sample.map(|value| sign * value)
    };
    let pairs = pairs(one, two, results)?;
    let ones: Vec<BySeed> = pairs.iter().map(|(one, _)| size(one)).collect();
    let twos: Vec<BySeed> = pairs.iter().map(|(_, two)| size(two)).collect();
    let average = |sizes: &[BySeed]| BySeed::average(&sizes.iter().collect::<Vec<_>>());
    Some(average(&ones)?.minus(&average(&twos)?))
}

/// All points of the curves, each with its place; `None` where one was not measured.
fn all_points<'a>(curves: &[CurvePoints], results: &'a Results) -> Option<Vec<(f64, &'a BySeed)>> {
    let places = curves.iter().flat_map(|at| at.x.iter().map(move |x| (at, *x)));
    places.map(|(at, x)| Some((x, results.point(at.panel, at.series, at.metric, x)?))).collect()
}

fn mean(curves: &[CurvePoints], results: &Results) -> Option<ConfidenceInterval> {
    let points = all_points(curves, results)?;
    Some(BySeed::average(&points.iter().map(|(_, sample)| *sample).collect::<Vec<_>>())?.interval())
}

/// The point whose mean is greatest when multiplied by `sign`.
fn extreme(curves: &[CurvePoints], results: &Results, sign: f64) -> Option<(f64, ConfidenceInterval)> {
    let points = all_points(curves, results)?;
    let (x, sample) =
        points.into_iter().max_by(|one, two| (sign * one.1.mean()).total_cmp(&(sign * two.1.mean())))?;
    Some((x, sample.interval()))
}

fn exponent(curve: &CurvePoints, results: &Results) -> Option<ConfidenceInterval> {
    let points = all_points(std::slice::from_ref(curve), results)?;
    let logarithms: Vec<(f64, f64)> = points.iter().map(|(x, sample)| (x.ln(), sample.mean().ln())).collect();
    let count = logarithms.len() as f64;
    let centre = logarithms.iter().fold((0.0, 0.0), |sum, at| (sum.0 + at.0 / count, sum.1 + at.1 / count));
    let across = |value: &dyn Fn(f64, f64) -> f64| -> f64 {
        logarithms.iter().map(|(x, y)| value(x - centre.0, y - centre.1)).sum()
    };
    Some(ConfidenceInterval { mean: across(&|x, y| x * y) / across(&|x, _| x * x), half: 0.0 })
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
    fn a_number_has_the_right_size_or_the_right_direction_or_neither() {
        let judge = |value: f64, half: f64| {
            in_range(ConfidenceInterval { mean: value, half }, (1.6, 2.6), (1.0, f64::INFINITY))
        };
        assert_eq!(judge(2.0, 1.0), Verdict::Reproduced);
        assert_eq!(judge(1.5, 0.2), Verdict::Inconclusive);
        assert_eq!(judge(1.5, 0.05), Verdict::Partial);
        assert_eq!(judge(0.9, 0.05), Verdict::NotReproduced);
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
