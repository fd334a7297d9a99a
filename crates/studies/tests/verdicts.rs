//! The judge of the figures, fed with made-up samples on both sides of each bound.
//!
//! Each bound has four samples: intervals that end just before it and just beyond it, with their mean on either side. A
//! comparison of means would change the verdict of two of them; a bound that moved by a thousandth would change one.

use anabranch_studies::figures::claim::{Expression, Finding, NOWHERE, Number, PointTest, Verdict};
use anabranch_studies::figures::results::{CurvePoints, Metric, Results};

const UP: f64 = f64::INFINITY;

/// Two paths' worth of names: curve `a` has the sample, curve `b` is 1 everywhere.
const METRIC: Metric = Metric::Time;

/// A mean and half of its 95 % interval's width.
type Sample = (f64, f64);

/// Three values with this mean and this interval: t of two degrees of freedom is 4.302653.
fn values((mean, half): Sample) -> Vec<f64> {
    let step = half * 3_f64.sqrt() / 4.302_652_7;
    vec![mean - step, mean, mean + step]
}

/// Curve `a` through these samples, and `b` = 1 at the same places.
fn results(points: &[(f64, Sample)]) -> Results {
    let mut results = Results::default();
    for (x, sample) in points {
        results.add("", "a", METRIC, *x, values(*sample));
        results.add("", "b", METRIC, *x, vec![1.0]);
    }
    results
}

fn at(series: &'static str, x: &[f64]) -> CurvePoints {
    CurvePoints { panel: "", series, metric: METRIC, x: x.to_vec() }
}

fn over(test: PointTest, x: &[f64], share: f64) -> Expression {
    Expression::Points { test, panel: "", metric: METRIC, x: x.to_vec(), share }
}

/// The number that is the mean of `a` at 0.
fn number() -> Number {
    Number::Mean(vec![at("a", &[0.0])])
}

fn in_range(number: Number, range: (f64, f64), direction: (f64, f64)) -> Expression {
    Expression::Number { number, range, direction }
}

/// The samples at a bound, with the verdict of each, where what lies `inward` of it (1: above, −1: below) is
/// `inside`, and what lies on its other side is `outside`.
fn sides(bound: f64, inward: f64, inside: Verdict, outside: Verdict) -> [(Sample, Verdict); 4] {
    let (into, out) = (bound + inward * 0.02, bound - inward * 0.02);
    [
        ((into, 0.019), inside),
        ((into, 0.021), Verdict::Inconclusive),
        ((out, 0.021), Verdict::Inconclusive),
        ((out, 0.019), outside),
    ]
}

fn refuted(bound: f64, inward: f64) -> [(Sample, Verdict); 4] {
    sides(bound, inward, Verdict::Reproduced, Verdict::NotReproduced)
}

/// Judges `claim` for each case; `world` puts its sample where the claim looks.
fn check(name: &str, claim: &Expression, world: impl Fn(Sample) -> Results, cases: &[(Sample, Verdict)]) {
    for (sample, expected) in cases {
        let found = claim.judge(&world(*sample));
        assert_eq!(found.verdict, *expected, "{name} of {sample:?}: {found:?}");
    }
}

const CERTAIN: Sample = (1.0, 0.0);

#[test]
fn a_test_at_a_point_looks_at_the_whole_interval() {
    let lone = |sample| results(&[(0.0, sample)]);
    let near = over(PointTest::Near("a", "b", 0.1), &[0.0], 1.0);
    check("near", &near, lone, &[refuted(0.9, 1.0), refuted(1.1, -1.0)].concat());
    let within = over(PointTest::Within("a", -5.0, 7.0), &[0.0], 1.0);
    check("within", &within, lone, &[refuted(-5.0, 1.0), refuted(7.0, -1.0)].concat());
    let less = over(PointTest::Lt("a", "b"), &[0.0], 1.0);
    check("lt", &less, lone, &refuted(1.0, -1.0));
}

#[test]
fn a_step_along_a_curve_looks_at_the_whole_interval() {
    // Of each, the step from x = 1 to x = 2 is judged.
    let next = |sample| results(&[(1.0, CERTAIN), (2.0, sample)]);
    check("up", &over(PointTest::Up("a", 0.1), &[1.0], 1.0), next, &refuted(0.9, 1.0));
    check("down", &over(PointTest::Down("a", 0.1), &[1.0], 1.0), next, &refuted(1.1, -1.0));
    check("outward", &over(PointTest::Outward("a", 0.1), &[1.0], 1.0), next, &refuted(0.9, 1.0));
    let mirrored = |sample| results(&[(-1.0, CERTAIN), (1.0, sample)]);
    let symmetric = over(PointTest::Symmetric("a", 0.1), &[1.0], 1.0);
    check("symmetric", &symmetric, mirrored, &[refuted(0.9, 1.0), refuted(1.1, -1.0)].concat());
    // From the centre the worse of two steps counts, on whichever side it is, and although its mean is the higher.
    let centre = over(PointTest::Outward("a", 0.1), &[0.0], 1.0);
    for side in [-1.0, 1.0] {
        let valley = |sample| results(&[(side, sample), (0.0, CERTAIN), (-side, (0.91, 0.0))]);
        check("outward from the centre", &centre, valley, &refuted(0.9, 1.0));
        check("outward from the centre", &centre, valley, &[((0.95, 0.06), Verdict::Inconclusive)]);
    }
}

/// Atlas 0.2.4: the tolerance is one of the mean, the interval has to exclude 1, and nothing is INCONCLUSIVE.
#[test]
fn not_worse_is_what_nothing_shows_to_be_worse() {
    let [holds, fails] = [Verdict::Reproduced, Verdict::NotReproduced];
    let cases = [
        ((0.9, 0.0), holds),
        ((1.099, 0.0), holds),
        ((1.101, 0.0), fails),
        // Worse for certain, and by less than the tolerance.
        ((1.099, 0.09), holds),
        ((1.101, 0.09), fails),
        // The mean is beyond the tolerance, and the interval ends just beyond 1 and just before it.
        ((1.2, 0.201), holds),
        ((1.2, 0.199), fails),
    ];
    let claim = over(PointTest::Le("a", "b", 0.1), &[0.0], 1.0);
    check("le", &claim, |sample| results(&[(0.0, sample)]), &cases);
    let strict = over(PointTest::Le("a", "b", 0.0), &[0.0], 1.0);
    let cases = [((1.0, 0.0), holds), ((1.001, 0.0), fails), ((1.02, 0.021), holds), ((1.02, 0.019), fails)];
    check("le without tolerance", &strict, |sample| results(&[(0.0, sample)]), &cases);
}

#[test]
fn a_number_lies_in_a_range_or_in_a_direction_with_its_whole_interval() {
    let lone = |sample| results(&[(0.0, sample)]);
    let [holds, partly, fails] = [Verdict::Reproduced, Verdict::Partial, Verdict::NotReproduced];
    let sized = in_range(number(), (1.6, 2.6), (1.0, 9.0));
    check("range", &sized, lone, &sides(1.6, 1.0, holds, partly));
    check("range", &sized, lone, &sides(2.6, -1.0, holds, partly));
    check("direction", &sized, lone, &sides(1.0, 1.0, partly, fails));
    check("direction", &sized, lone, &sides(9.0, -1.0, partly, fails));
    let nowhere = in_range(number(), (1.6, 2.6), NOWHERE);
    check("range alone", &nowhere, lone, &[refuted(1.6, 1.0), refuted(2.6, -1.0)].concat());
    check("more", &Expression::More(number(), 0.0), lone, &refuted(0.0, 1.0));
    check("less", &Expression::Less(number(), -3.0), lone, &refuted(-3.0, -1.0));
}

#[test]
fn a_number_that_has_no_sign_crosses_no_bound_at_zero() {
    let lone = |sample| results(&[(0.0, sample)]);
    let both = || (at("a", &[0.0]), at("b", &[0.0]));
    let (above, below) = both();
    let ratio = in_range(Number::Ratio(above, below), (0.0, 0.95), (0.0, 1.0));
    check("ratio", &ratio, lone, &sides(0.95, -1.0, Verdict::Reproduced, Verdict::Partial));
    check("ratio", &ratio, lone, &[((0.1, 0.2), Verdict::Reproduced)]);
    let (above, below) = both();
    let mean = in_range(Number::MeanRatio(above, below), (0.0, 0.95), NOWHERE);
    check("mean ratio", &mean, lone, &[((0.1, 0.2), Verdict::Reproduced)]);
    let (above, below) = both();
    let deviation = in_range(Number::Deviation(above, below), (0.0, 0.03), NOWHERE);
    let cases = [
        // |ratio − 1| of 0.01, 0.02, 0.04.
        ((1.01, 0.019), Verdict::Reproduced),
        ((0.99, 0.021), Verdict::Inconclusive),
        ((1.04, 0.011), Verdict::Inconclusive),
        ((0.96, 0.009), Verdict::NotReproduced),
    ];
    check("deviation", &deviation, lone, &cases);
    // A number with a sign crosses it.
    let (above, below) = both();
    let difference = in_range(Number::Difference(above, below), (0.0, UP), NOWHERE);
    check("difference", &difference, lone, &refuted(1.0, 1.0));
}

#[test]
fn numbers_fall_only_where_their_intervals_have_nothing_in_common() {
    let numbers = || [0.0, 1.0].map(|x| Number::Mean(vec![at("a", &[x])])).into();
    let claim = Expression::Rising(numbers());
    let world = |sample| results(&[(0.0, (1.0, 0.1)), (1.0, sample)]);
    let [holds, fails] = [Verdict::Reproduced, Verdict::NotReproduced];
    let cases = [
        ((2.0, 0.0), holds),
        ((0.8, 0.101), holds),
        ((0.8, 0.099), fails),
        ((0.901, 0.0), holds),
        ((0.899, 0.0), fails),
    ];
    check("rising", &claim, world, &cases);
}

/// Points that hold, that may hold, and that fail.
const HOLDS: Sample = (1.0, 0.0);
const MAY_HOLD: Sample = (1.1, 0.1);
const FAILS: Sample = (1.5, 0.0);

#[test]
fn a_claim_over_points_asks_for_its_share_of_them_and_for_half() {
    let cases: [(f64, [Sample; 4], Verdict); 12] = [
        (1.0, [HOLDS, HOLDS, HOLDS, HOLDS], Verdict::Reproduced),
        (1.0, [HOLDS, HOLDS, HOLDS, MAY_HOLD], Verdict::Inconclusive),
        (1.0, [HOLDS, HOLDS, HOLDS, FAILS], Verdict::Partial),
        (0.75, [HOLDS, HOLDS, HOLDS, FAILS], Verdict::Reproduced),
        (0.75, [HOLDS, HOLDS, MAY_HOLD, FAILS], Verdict::Inconclusive),
        (0.76, [HOLDS, HOLDS, MAY_HOLD, FAILS], Verdict::Partial),
        (0.75, [HOLDS, HOLDS, FAILS, FAILS], Verdict::Partial),
        // Half of them may hold: PARTIAL or NOT REPRODUCED.
        (0.75, [HOLDS, MAY_HOLD, FAILS, FAILS], Verdict::Inconclusive),
        (0.75, [MAY_HOLD, MAY_HOLD, FAILS, FAILS], Verdict::Inconclusive),
        (0.75, [HOLDS, FAILS, FAILS, FAILS], Verdict::NotReproduced),
        (0.75, [MAY_HOLD, FAILS, FAILS, FAILS], Verdict::NotReproduced),
        (0.25, [HOLDS, FAILS, FAILS, FAILS], Verdict::Reproduced),
    ];
    let x = [0.0, 1.0, 2.0, 3.0];
    for (share, samples, expected) in cases {
        let points: Vec<(f64, Sample)> = x.into_iter().zip(samples).collect();
        let found = over(PointTest::Near("a", "b", 0.1), &x, share).judge(&results(&points));
        assert_eq!(found.verdict, expected, "{share} of {samples:?}: {found:?}");
    }
}

#[test]
fn the_place_of_the_greatest_is_known_only_as_far_as_differences_tell() {
    let claim = in_range(Number::PlaceOfGreatest(vec![at("a", &[0.0, 1.0, 2.0])]), (0.5, 1.5), NOWHERE);
    // At 2 the sample; the greatest of the others is at 1.
    let world = |sample| results(&[(0.0, (0.5, 0.0)), (1.0, CERTAIN), (2.0, sample)]);
    check("place", &claim, world, &refuted(1.0, -1.0));
    let beside = |sample| results(&[(0.0, (0.5, 0.0)), (1.0, CERTAIN), (1.5, sample)]);
    let wide = in_range(Number::PlaceOfGreatest(vec![at("a", &[0.0, 1.0, 1.5])]), (0.5, 1.5), NOWHERE);
    check("place", &wide, beside, &[((0.99, 0.1), Verdict::Reproduced), ((1.2, 0.0), Verdict::Reproduced)]);
}

#[test]
fn what_does_not_hold_may_hold_in_part_with_its_whole_interval() {
    let lone = |sample| results(&[(0.0, sample)]);
    let below = |most| Box::new(in_range(number(), (-UP, most), NOWHERE));
    let claim = Expression::OrPartly(below(5.0), below(10.0));
    let [holds, partly, fails] = [Verdict::Reproduced, Verdict::Partial, Verdict::NotReproduced];
    check("in full", &claim, lone, &sides(5.0, -1.0, holds, partly));
    check("in part", &claim, lone, &sides(10.0, -1.0, partly, fails));
}

#[test]
fn of_several_claims_the_worst_counts() {
    let results = results(&[(0.0, (2.0, 0.1))]);
    let [holds, fails] = [(1.0, 3.0), (3.0, 4.0)].map(|range| in_range(number(), range, NOWHERE));
    let unsure = in_range(number(), (2.0, 3.0), NOWHERE);
    let partly = in_range(number(), (3.0, 4.0), (1.0, UP));
    let from_best_to_worst = [
        holds,
        partly,
        unsure,
        Expression::NotBuilt("a simulator"),
        Expression::Untestable("a number"),
        fails,
    ];
    let verdict = |claim: &Expression| claim.judge(&results).verdict;
    assert!(from_best_to_worst.is_sorted_by(|one, two| verdict(one) < verdict(two)));
    for (index, worse) in from_best_to_worst.iter().enumerate() {
        for better in &from_best_to_worst[..=index] {
            let both = Expression::All(vec![worse.clone(), better.clone()]);
            assert_eq!(verdict(&both), verdict(worse), "{both:?}");
        }
    }
    assert_eq!(verdict(&Expression::Tested("a test")), Verdict::Reproduced);
}

#[test]
fn what_was_not_measured_is_not_judged() {
    let nothing = Results::default();
    let claims = [
        over(PointTest::Near("a", "b", 0.1), &[0.0], 1.0),
        over(PointTest::Near("a", "b", 0.1), &[], 1.0),
        in_range(number(), (0.0, 1.0), NOWHERE),
        in_range(Number::PlaceOfGreatest(vec![at("a", &[0.0])]), (0.0, 1.0), NOWHERE),
        Expression::More(number(), 0.0),
        Expression::Less(number(), 0.0),
        Expression::Rising(vec![number()]),
    ];
    for claim in claims {
        let Finding { verdict, .. } = claim.judge(&nothing);
        assert_eq!(verdict, Verdict::NotTestable, "{claim:?}");
    }
}
