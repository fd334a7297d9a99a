//! Intervals of shares, means and quantiles at 95 %.

use statrs::distribution::{Beta, ContinuousCDF, StudentsT};

use crate::estimated::Estimated;

/// The 95 % interval of a probability after `hits` in `trials` independent trials (Clopper and Pearson 1934). Both may
/// have fractions, for an effective number of trials. Without trials it is (0, 1).
pub(super) fn of_share(hits: f64, trials: f64) -> (f64, f64) {
    of_share_at(hits, trials, 0.95)
}

/// The same interval with another `confidence`.
pub(super) fn of_share_at(hits: f64, trials: f64, confidence: f64) -> (f64, f64) {
    let tail = (1.0 - confidence) / 2.0;
    if !(trials > 0.0 && trials.is_finite()) {
        return (0.0, 1.0);
    }
    let hits = hits.clamp(0.0, trials);
    let misses = trials - hits;
    let low = if hits > 0.0 { beta_quantile(hits, misses + 1.0, tail) } else { 0.0 };
    let high = if misses > 0.0 { beta_quantile(hits + 1.0, misses, 1.0 - tail) } else { 1.0 };
    (low, high)
}

/// The 95 % interval of the ratio of a share to its estimate from so many `runs`: their number is that of a Poisson
/// process, and their lengths are exponential, so that the ratio is one of two gamma variables.
pub(super) fn of_runs(runs: f64) -> (f64, f64) {
    let runs = runs.max(0.5);
    let ratio = |number: f64, probability: f64| {
        let part = beta_quantile(number, runs, probability);
        part / (1.0 - part).max(1e-12)
    };
    (ratio(runs, 0.025), ratio(runs + 1.0, 0.975))
}

/// A share of independent trials.
pub(super) fn share(hits: usize, trials: usize) -> Option<Estimated> {
    let (low, high) = of_share(hits as f64, trials as f64);
    Estimated::of(hits as f64 / trials as f64, low, high, trials)
}

/// The half width of the interval of the mean of `values` that may follow one another closely: a positive correlation of
/// neighbours lowers their effective number. `None` for fewer than two values.
pub(super) fn half_of_mean(values: &[f64]) -> Option<f64> {
    let count = values.len() as f64;
    if values.len() < 2 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let products: f64 = values.windows(2).map(|two| (two[0] - mean) * (two[1] - mean)).sum();
    let correlation = if squares > 0.0 { (products / squares).clamp(0.0, 0.9) } else { 0.0 };
    let effective = (count * (1.0 - correlation) / (1.0 + correlation)).max(2.0);
    let error = (squares / (count - 1.0) / effective).sqrt();
    Some(error * t_quantile(effective - 1.0))
}

/// The quantile `at` of `sorted`, with the interval of its order statistics (David and Nagaraja 2003, §7.1).
pub(super) fn quantile(sorted: &[f64], at: f64) -> Option<Estimated> {
    let count = sorted.len();
    let last = count.checked_sub(1)? as f64;
    let spread = 1.96 * (count as f64 * at * (1.0 - at)).sqrt();
    let place = |index: f64| sorted[index.clamp(0.0, last) as usize];
    let middle = at * last;
    Estimated::of(
        place(middle.round()),
        place((middle - spread).floor()),
        place((middle + spread).ceil()),
        count,
    )
}

/// `values` in rising order.
pub(super) fn sorted(values: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut sorted: Vec<f64> = values.into_iter().collect();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

/// The median of `values`; `None` if there are none.
pub(super) fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    quantile(&sorted(values), 0.5).map(|median| median.value)
}

fn beta_quantile(a: f64, b: f64, probability: f64) -> f64 {
    Beta::new(a, b).map_or(f64::NAN, |beta| beta.inverse_cdf(probability)).clamp(0.0, 1.0)
}

fn t_quantile(freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom.max(1.0)).map_or(12.8, |t| t.inverse_cdf(0.975))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() < 2e-4, "{found} instead of {wanted}");
    }

    #[test]
    fn the_interval_of_a_share_is_that_of_clopper_and_pearson() {
        // scipy.stats.binomtest(5, 100).proportion_ci() and (0, 100).
        let (low, high) = of_share(5.0, 100.0);
        near(low, 0.016_43);
        near(high, 0.112_83);
        let (low, high) = of_share(0.0, 100.0);
        near(low, 0.0);
        near(high, 0.036_22);
        near(of_share(100.0, 100.0).0, 0.963_78);
    }

    #[test]
    fn few_runs_bound_a_share_badly_and_many_well() {
        // The quantiles of F(2, 2), F(4, 2) and F(400, 400).
        let (low, high) = of_runs(1.0);
        near(low, 0.025_64);
        assert!((high / (2.0 * 39.248) - 1.0).abs() < 1e-3, "{high}");
        let (low, high) = of_runs(200.0);
        assert!((0.81..0.83).contains(&low) && (1.21..1.24).contains(&high), "{low} {high}");
    }

    #[test]
    fn without_trials_nothing_is_known_of_a_share() {
        assert_eq!(of_share(0.0, 0.0), (0.0, 1.0));
        assert_eq!(share(0, 0), None);
    }

    #[test]
    fn the_interval_of_a_mean_uses_students_t() {
        // Mean 3, deviation 1.5811, t(4) = 2.7764; neighbours do not correlate positively.
        near(half_of_mean(&[1.0, 5.0, 2.0, 4.0, 3.0]).expect("five"), 2.776_445 * 1.581_139 / 5_f64.sqrt());
        assert!(half_of_mean(&[1.0, 2.0, 3.0, 4.0, 5.0]).expect("five") > 3.0);
        assert_eq!(half_of_mean(&[1.0]), None);
    }

    #[test]
    fn the_interval_of_a_quantile_lies_between_order_statistics() {
        let values = sorted((0..=100).rev().map(f64::from));
        let median = quantile(&values, 0.5).expect("values");
        assert_eq!((median.low, median.value, median.high), (40.0, 50.0, 60.0));
        assert_eq!(quantile(&[], 0.5), None);
    }
}
