//! Numbers that summarize curves, with their intervals over seeds: means, extremes, exponents, how straight a line is.

use super::by_seed::{BySeed, ConfidenceInterval};
use super::results::{CurvePoints, Results};

/// Both samples at each point.
fn pairs<'a>(
    one: &CurvePoints,
    two: &CurvePoints,
    results: &'a Results,
) -> Option<Vec<(&'a BySeed, &'a BySeed)>> {
    let point = |at: &CurvePoints, x: f64| results.point(at.panel, at.series, at.metric, x);
    one.x.iter().map(|x| Some((point(one, *x)?, point(two, *x)?))).collect()
}

pub(super) fn mean_ratio(
    one: &CurvePoints,
    two: &CurvePoints,
    results: &Results,
) -> Option<ConfidenceInterval> {
    let pairs = pairs(one, two, results)?;
    let ratios: Vec<BySeed> = pairs.iter().map(|(one, two)| one.ratios_to(two)).collect();
    Some(BySeed::average(&ratios.iter().collect::<Vec<_>>())?.interval())
}

/// The mean over points of |A / B − 1|: its interval is the mean of theirs, since the points share their seeds.
pub(super) fn deviation(
    one: &CurvePoints,
    two: &CurvePoints,
    results: &Results,
) -> Option<ConfidenceInterval> {
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

pub(super) fn size_gap(
    one: &CurvePoints,
    two: &CurvePoints,
    results: &Results,
) -> Option<ConfidenceInterval> {
    let (one, two) = sizes(one, two, results)?;
    Some(one.minus(&two))
}

pub(super) fn size_ratio(
    one: &CurvePoints,
    two: &CurvePoints,
    results: &Results,
) -> Option<ConfidenceInterval> {
    let (one, two) = sizes(one, two, results)?;
    Some(one.over(&two))
}

/// The means over points of |A| and of |B|. The signs are those of each point's mean, so that what a seed adds stays linear.
fn sizes(one: &CurvePoints, two: &CurvePoints, results: &Results) -> Option<(BySeed, BySeed)> {
    let size = |sample: &BySeed| {
        let sign = if sample.mean() < 0.0 { -1.0 } else { 1.0 };
        sample.map(|value| sign * value)
    };
    let pairs = pairs(one, two, results)?;
    let ones: Vec<BySeed> = pairs.iter().map(|(one, _)| size(one)).collect();
    let twos: Vec<BySeed> = pairs.iter().map(|(_, two)| size(two)).collect();
    let average = |sizes: &[BySeed]| BySeed::average(&sizes.iter().collect::<Vec<_>>());
    Some((average(&ones)?, average(&twos)?))
}

/// The points of the curves, each with its place; `None` where one was not measured.
pub(super) fn all_points<'a>(curves: &[CurvePoints], results: &'a Results) -> Option<Vec<(f64, &'a BySeed)>> {
    let places = curves.iter().flat_map(|at| at.x.iter().map(move |x| (at, *x)));
    places.map(|(at, x)| Some((x, results.point(at.panel, at.series, at.metric, x)?))).collect()
}

pub(super) fn mean(curves: &[CurvePoints], results: &Results) -> Option<ConfidenceInterval> {
    let points = all_points(curves, results)?;
    Some(BySeed::average(&points.iter().map(|(_, sample)| *sample).collect::<Vec<_>>())?.interval())
}

/// The point whose mean is greatest when multiplied by `sign`.
pub(super) fn extreme(
    curves: &[CurvePoints],
    results: &Results,
    sign: f64,
) -> Option<(f64, ConfidenceInterval)> {
    let points = all_points(curves, results)?;
    let (x, sample) =
        points.into_iter().max_by(|one, two| (sign * one.1.mean()).total_cmp(&(sign * two.1.mean())))?;
    Some((x, sample.interval()))
}

pub(super) fn exponent(curve: &CurvePoints, results: &Results) -> Option<ConfidenceInterval> {
    let points = all_points(std::slice::from_ref(curve), results)?;
    let sums =
        Deviations::of(&points.iter().map(|(x, sample)| (x.ln(), sample.mean().ln())).collect::<Vec<_>>());
    Some(ConfidenceInterval { mean: sums.products / sums.squares.0, half: 0.0 })
}

pub(super) fn linearity(curve: &CurvePoints, results: &Results) -> Option<ConfidenceInterval> {
    let points = all_points(std::slice::from_ref(curve), results)?;
    let sums = Deviations::of(&points.iter().map(|(x, sample)| (*x, sample.mean())).collect::<Vec<_>>());
    let share = sums.products * sums.products / (sums.squares.0 * sums.squares.1);
    Some(ConfidenceInterval { mean: share, half: 0.0 })
}

/// Sums over points, of deviations from their mean.
struct Deviations {
    /// Of the squares of both coordinates.
    squares: (f64, f64),
    /// Of their products.
    products: f64,
}

impl Deviations {
    fn of(points: &[(f64, f64)]) -> Deviations {
        let count = points.len() as f64;
        let centre = points.iter().fold((0.0, 0.0), |sum, at| (sum.0 + at.0 / count, sum.1 + at.1 / count));
        let across = |value: &dyn Fn(f64, f64) -> f64| -> f64 {
            points.iter().map(|(x, y)| value(x - centre.0, y - centre.1)).sum()
        };
        let squares = (across(&|x, _| x * x), across(&|_, y| y * y));
        Deviations { squares, products: across(&|x, y| x * y) }
    }
}
