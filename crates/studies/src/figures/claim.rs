//! What a paper says of its figure, as expressions over curves, and how such a claim is judged. It knows the rules of
//! judgement, and no figure.
//!
//! The shorthands are those of the atlas (0.3), the verdicts its 0.1, "better" and "not worse" its 0.2.4.

use super::by_seed::{BySeed, Interval};
use super::figure::{At, Metric, Results};

/// Something said of a figure.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Its name in the atlas.
    pub id: &'static str,
    /// The panel that it is about; empty for all of them.
    pub panel: &'static str,
    /// Whether the figure's verdict hangs on it.
    pub weight: Weight,
    /// What the paper says, or what we ask of ourselves.
    pub stated: &'static str,
    /// When it holds.
    pub expression: Expression,
}

/// What hangs on a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// The figure's verdict is the worst of its core claims'.
    Core,
    /// The paper says so, and the verdict does not hang on it.
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
    /// Something is missing that it would take to tell.
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
    /// All of them.
    All(Vec<Expression>),
    /// `frac(test) ≥ share` over the points `x`.
    Points {
        /// What is asked at each point.
        test: Test,
        /// The panel.
        panel: &'static str,
        /// Where.
        x: Vec<i32>,
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
    /// It is a test of the code that says so, and where it stands.
    Tested(&'static str),
}

/// What is asked at one point. `A` and `B` are series of the same seeds.
#[derive(Clone, Copy, Debug)]
pub enum Test {
    /// A is better than B: less, and the interval of the difference excludes 0.
    Lt(&'static str, &'static str),
    /// A ≤ B (1 + t), or the interval of the difference does not exclude 0.
    Le(&'static str, &'static str, f64),
    /// |A / B − 1| ≤ t.
    Near(&'static str, &'static str, f64),
    /// |A(x) / A(−x) − 1| ≤ t.
    Symmetric(&'static str, f64),
    /// A at the next point outward is no less than A (1 − t).
    Outward(&'static str, f64),
}

/// A number with an interval.
#[derive(Clone, Debug)]
pub enum Number {
    /// The ratio of two means.
    Ratio(At, At),
    /// The mean over the points of A / B, of the means at each point: every point weighs the same.
    MeanRatio(At, At),
    /// The mean over the points of |A / B − 1|, of the means at each point.
    Deviation(At, At),
    /// The difference of two means.
    Difference(At, At),
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
            Expression::Points { test, panel, x, share } => points(*test, panel, x, *share, results),
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
            Expression::Tested(place) => {
                Finding { verdict: Verdict::Reproduced, measured: format!("test `{place}`") }
            }
        }
    }
}

impl Number {
    /// What it came to; `None` where something was not measured.
    pub fn measure(&self, results: &Results) -> Option<Interval> {
        let both = |one: &At, two: &At| Some((results.at(one)?, results.at(two)?));
        match self {
            Number::Ratio(above, below) => both(above, below).map(|(above, below)| above.over(&below)),
            Number::Difference(one, two) => both(one, two).map(|(one, two)| one.minus(&two)),
            Number::MeanRatio(one, two) => mean_ratio(one, two, results),
            Number::Deviation(one, two) => deviation(one, two, results),
        }
    }

    fn judged(&self, results: &Results, judge: impl Fn(Interval) -> Verdict) -> Finding {
        match self.measure(results) {
            Some(found) => Finding { verdict: judge(found), measured: found.to_string() },
            None => not_measured(),
        }
    }
}

impl Test {
    /// The ratio that is looked at, at `x`, and what it says; `None` where something was not measured.
    fn at(self, panel: &'static str, x: i32, results: &Results) -> Option<(Interval, Verdict)> {
        let time = |series, x| results.point(panel, series, Metric::Time, x);
        let found = match self {
            Test::Lt(one, two) | Test::Le(one, two, _) | Test::Near(one, two, _) => {
                time(one, x)?.over(time(two, x)?)
            }
            Test::Symmetric(series, _) => time(series, x)?.over(time(series, -x)?),
            Test::Outward(series, _) => {
                let axis = results.axis(panel, series);
                let beyond = |next: &&i32| next.signum() != -x.signum() && next.abs() > x.abs();
                let next = axis.iter().filter(beyond).min_by_key(|next| next.abs());
                let next = *next.unwrap_or(&x);
                // From the centre it goes out both ways: the lower step counts.
                let steps = if x == 0 { vec![next, -next] } else { vec![next] };
                let ratios =
                    steps.into_iter().filter_map(|step| Some(time(series, step)?.over(time(series, x)?)));
                ratios.min_by(|one, two| one.mean.total_cmp(&two.mean))?
            }
        };
        let verdict = match self {
            Test::Lt(..) => strictly(found.high() < 1.0, found.low() > 1.0),
            Test::Le(_, _, tolerance) => {
                let is_not_worse = found.mean <= 1.0 + tolerance || found.low() <= 1.0;
                if is_not_worse { Verdict::Reproduced } else { Verdict::NotReproduced }
            }
            Test::Near(_, _, t) | Test::Symmetric(_, t) => in_range(found, (1.0 - t, 1.0 + t), NOWHERE),
            Test::Outward(_, t) => in_range(found, (1.0 - t, f64::INFINITY), NOWHERE),
        };
        Some((found, verdict))
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

/// A range that nothing is in: a claim without a direction of its own.
const NOWHERE: (f64, f64) = (f64::INFINITY, f64::NEG_INFINITY);

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

fn in_range(found: Interval, range: (f64, f64), direction: (f64, f64)) -> Verdict {
    let contains = |range: (f64, f64), value: f64| range.0 <= value && value <= range.1;
    let reaches = |range: (f64, f64)| found.low() <= range.1 && found.high() >= range.0;
    match () {
        () if contains(range, found.mean) => Verdict::Reproduced,
        () if reaches(range) => Verdict::Inconclusive,
        () if contains(direction, found.mean) => Verdict::Partial,
        () => Verdict::NotReproduced,
    }
}

/// The worst of several, and what each came to.
fn all(findings: impl Iterator<Item = Finding>) -> Finding {
    let findings: Vec<Finding> = findings.collect();
    let verdict = findings.iter().map(|finding| finding.verdict).max().unwrap_or(Verdict::NotTestable);
    let measured: Vec<&str> = findings.iter().map(|finding| finding.measured.as_str()).collect();
    Finding { verdict, measured: measured.join("; ") }
}

fn points(test: Test, panel: &'static str, x: &[i32], share: f64, results: &Results) -> Finding {
    let found: Option<Vec<(i32, Interval, Verdict)>> =
        x.iter().map(|x| test.at(panel, *x, results).map(|(found, verdict)| (*x, found, verdict))).collect();
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
    Finding { verdict, measured: told(&found) }
}

/// How many points pass, where the others are, and the range of what was seen.
fn told(found: &[(i32, Interval, Verdict)]) -> String {
    let least = found.iter().min_by(|one, two| one.1.mean.total_cmp(&two.1.mean));
    let most = found.iter().max_by(|one, two| one.1.mean.total_cmp(&two.1.mean));
    let not: Vec<String> = found
        .iter()
        .filter(|(.., verdict)| *verdict != Verdict::Reproduced)
        .map(|(x, ..)| format!("{x}"))
        .collect();
    let holds = found.len() - not.len();
    let place = |point: Option<&(i32, Interval, Verdict)>| {
        point.map(|(x, found, _)| format!("{found} (x = {x})")).unwrap_or_default()
    };
    let but = if not.is_empty() { String::new() } else { format!(", not at x = {}", not.join(", ")) };
    format!("{holds} of {} points{but}; ratio from {} to {}", found.len(), place(least), place(most))
}

fn rising(numbers: &[Number], results: &Results) -> Finding {
    let found: Option<Vec<Interval>> = numbers.iter().map(|number| number.measure(results)).collect();
    let Some(found) = found else { return not_measured() };
    let falls = found.windows(2).any(|pair| pair[1].high() < pair[0].low());
    let verdict = if falls { Verdict::NotReproduced } else { Verdict::Reproduced };
    let measured: Vec<String> = found.iter().map(Interval::to_string).collect();
    Finding { verdict, measured: measured.join(", ") }
}

/// Both samples at each point.
fn pairs<'a>(one: &At, two: &At, results: &'a Results) -> Option<Vec<(&'a BySeed, &'a BySeed)>> {
    let point = |at: &At, x: i32| results.point(at.panel, at.series, at.metric, x);
    one.x.iter().map(|x| Some((point(one, *x)?, point(two, *x)?))).collect()
}

fn mean_ratio(one: &At, two: &At, results: &Results) -> Option<Interval> {
    let pairs = pairs(one, two, results)?;
    let ratios: Vec<BySeed> = pairs.iter().map(|(one, two)| one.ratios_to(two)).collect();
    Some(BySeed::average(&ratios.iter().collect::<Vec<_>>())?.interval())
}

/// The mean over points of |A / B − 1|: its interval is the mean of theirs, since the points share their seeds.
fn deviation(one: &At, two: &At, results: &Results) -> Option<Interval> {
    let ratios: Vec<Interval> = pairs(one, two, results)?.iter().map(|(one, two)| one.over(two)).collect();
    let mean = |value: &dyn Fn(&Interval) -> f64| ratios.iter().map(value).sum::<f64>() / ratios.len() as f64;
    Some(Interval { mean: mean(&|ratio| (ratio.mean - 1.0).abs()), half: mean(&|ratio| ratio.half) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: [i32; 4] = [-1, 0, 1, 2];

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

    /// The same everywhere.
    fn flat(values: [f64; 3]) -> [[f64; 3]; 4] {
        [values; 4]
    }

    fn over(test: Test, share: f64, results: &Results) -> Verdict {
        Expression::Points { test, panel: "", x: X.to_vec(), share }.judge(results).verdict
    }

    fn at(series: &'static str, x: &[i32]) -> At {
        At { panel: "", series, metric: Metric::Time, x: x.to_vec() }
    }

    #[test]
    fn better_means_that_the_interval_of_the_paired_difference_excludes_zero() {
        let b = flat([10.0, 20.0, 30.0]);
        let verdict = |a| over(Test::Lt("a", "b"), 1.0, &results(flat(a), b));
        assert_eq!(verdict([9.0, 18.0, 27.0]), Verdict::Reproduced);
        assert_eq!(verdict([11.0, 22.0, 33.0]), Verdict::NotReproduced);
        assert_eq!(verdict([5.0, 29.0, 25.0]), Verdict::Inconclusive);
        assert_eq!(verdict([10.0, 20.0, 30.0]), Verdict::Inconclusive);
    }

    #[test]
    fn not_worse_is_what_lies_below_the_tolerance_or_may_be_chance() {
        let b = flat([10.0, 20.0, 30.0]);
        let verdict = |a| over(Test::Le("a", "b", 0.03), 1.0, &results(flat(a), b));
        assert_eq!(verdict([10.2, 20.4, 30.6]), Verdict::Reproduced);
        assert_eq!(verdict([10.5, 21.0, 31.5]), Verdict::NotReproduced);
        assert_eq!(verdict([5.0, 35.0, 26.0]), Verdict::Reproduced, "10 % more, but by chance");
    }

    #[test]
    fn a_claim_over_points_holds_in_part_where_half_of_them_do() {
        let b = flat([1.0; 3]);
        let [good, bad] = [[1.0; 3], [2.0; 3]];
        let verdict = |a, share| over(Test::Near("a", "b", 0.1), share, &results(a, b));
        assert_eq!(verdict([good, good, good, bad], 1.0), Verdict::Partial);
        assert_eq!(verdict([good, good, good, bad], 0.75), Verdict::Reproduced);
        assert_eq!(verdict([good, bad, bad, bad], 1.0), Verdict::NotReproduced);
    }

    #[test]
    fn a_number_has_the_right_size_or_the_right_direction_or_neither() {
        let judge = |value: f64, half: f64| {
            in_range(Interval { mean: value, half }, (1.6, 2.6), (1.0, f64::INFINITY))
        };
        assert_eq!(judge(2.0, 1.0), Verdict::Reproduced);
        assert_eq!(judge(1.5, 0.2), Verdict::Inconclusive);
        assert_eq!(judge(1.5, 0.05), Verdict::Partial);
        assert_eq!(judge(0.9, 0.05), Verdict::NotReproduced);
    }

    #[test]
    fn a_valley_rises_outward_on_both_sides() {
        let b = flat([1.0; 3]);
        let verdict = |a, x: &[i32]| {
            let test = Test::Outward("a", 0.01);
            Expression::Points { test, panel: "", x: x.to_vec(), share: 1.0 }.judge(&results(a, b)).verdict
        };
        let of = |values: [f64; 4]| values.map(|value| [value; 3]);
        assert_eq!(verdict(of([2.0, 1.0, 2.0, 3.0]), &[0, 1]), Verdict::Reproduced);
        assert_eq!(verdict(of([2.0, 1.0, 2.0, 1.9]), &[1]), Verdict::NotReproduced);
        assert_eq!(verdict(of([0.9, 1.0, 2.0, 3.0]), &[0]), Verdict::NotReproduced, "the left side falls");
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
        let mean = Number::MeanRatio(at("a", &[0, 1]), at("b", &[0, 1])).measure(&results);
        assert_eq!(mean.map(|found| found.mean), Some(1.5));
    }

    #[test]
    fn what_was_not_measured_cannot_be_judged() {
        let number = Number::Ratio(at("a", &[0]), at("c", &[0]));
        assert_eq!(Expression::More(number, 1.0).judge(&Results::default()).verdict, Verdict::NotTestable);
    }
}
