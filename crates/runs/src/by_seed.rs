//! One quantity over the seeds of an experiment: its values, and the confidence interval of their mean. Samples of the
//! same seeds are compared seed by seed.

use anabranch_sim::Summary;

/// One value for each seed, in order; a single value stands for every seed: it has no randomness.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BySeed(Vec<f64>);

/// A mean with its 95 % confidence interval, by Student's t. A single value without randomness has an interval of width
/// zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConfidenceInterval {
    /// The estimate.
    pub mean: f64,
    /// Half of the interval's width.
    pub half: f64,
}

impl BySeed {
    /// The values of each seed; `None` without any.
    pub fn new(values: Vec<f64>) -> Option<BySeed> {
        (!values.is_empty()).then_some(BySeed(values))
    }

    /// The mean of samples of the same seeds, seed by seed; `None` without any.
    pub fn average(samples: &[&BySeed]) -> Option<BySeed> {
        let seeds = samples.iter().map(|sample| sample.0.len()).filter(|seeds| *seeds > 1).min();
        let seeds = seeds.or(samples.first().map(|_| 1))?;
        let of_seed = |seed: usize| samples.iter().map(|sample| sample.of_seed(seed)).sum::<f64>();
        BySeed::new((0..seeds).map(|seed| of_seed(seed) / samples.len() as f64).collect())
    }

    /// The values.
    pub fn values(&self) -> &[f64] {
        &self.0
    }

    /// The mean.
    pub fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len() as f64
    }

    /// The mean with its interval.
    pub fn interval(&self) -> ConfidenceInterval {
        interval(self.0.iter().copied())
    }

    /// The mean of the differences to `other`, seed by seed, with its interval.
    pub fn minus(&self, other: &BySeed) -> ConfidenceInterval {
        interval(self.pairs(other).map(|(one, two)| one - two))
    }

    /// The ratio of the means, of the same seeds, with the interval of [`ratios_to`](BySeed::ratios_to).
    pub fn over(&self, other: &BySeed) -> ConfidenceInterval {
        self.ratios_to(other).interval()
    }

    /// The contribution of each seed to the ratio r of the means, r + (aᵢ − r bᵢ) / mean(b): the linear approximation
    /// of a ratio, whose mean is r.
    pub fn ratios_to(&self, other: &BySeed) -> BySeed {
        let below = other.mean();
        let ratio = self.mean() / below;
        BySeed(self.pairs(other).map(|(one, two)| ratio + (one - ratio * two) / below).collect())
    }

    /// Applies `change` to each value.
    pub fn map(&self, change: impl Fn(f64) -> f64) -> BySeed {
        BySeed(self.0.iter().copied().map(change).collect())
    }

    /// Pairs the values of the same seeds.
    fn pairs<'a>(&'a self, other: &'a BySeed) -> impl Iterator<Item = (f64, f64)> + 'a {
        let seeds = match (self.0.len(), other.0.len()) {
            (1, seeds) | (seeds, 1) => seeds,
            (one, two) => one.min(two),
        };
        (0..seeds).map(|seed| (self.of_seed(seed), other.of_seed(seed)))
    }

    /// The value of seed number `seed`.
    fn of_seed(&self, seed: usize) -> f64 {
        if self.0.len() == 1 { self.0[0] } else { self.0[seed] }
    }
}

impl ConfidenceInterval {
    /// The lower end.
    pub fn low(self) -> f64 {
        self.mean - self.half
    }

    /// The upper end.
    pub fn high(self) -> f64 {
        self.mean + self.half
    }

    /// Returns true if the interval is finite: values that are not numbers have none.
    pub fn is_known(self) -> bool {
        !self.mean.is_nan() && !self.half.is_nan()
    }
}

impl std::fmt::Display for ConfidenceInterval {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let digits = digits_for(self.mean);
        match self.half {
            0.0 => write!(f, "{:.digits$}", self.mean),
            half => write!(f, "{:.digits$} ± {half:.digits$}", self.mean),
        }
    }
}

/// The decimals that give three significant digits, and distinguish 1.02 from 1.
fn digits_for(value: f64) -> usize {
    match value.abs() {
        value if value >= 100.0 => 1,
        value if value >= 10.0 => 2,
        _ => 3,
    }
}

fn interval(values: impl Iterator<Item = f64>) -> ConfidenceInterval {
    let estimate = values.collect::<Summary>().estimate();
    let (mean, half) = estimate.map_or((f64::NAN, f64::NAN), |found| (found.mean, found.ci95.unwrap_or(0.0)));
    ConfidenceInterval { mean, half }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(values: &[f64]) -> BySeed {
        BySeed::new(values.to_vec()).expect("there are values")
    }

    #[test]
    fn what_seeds_have_in_common_does_not_blur_their_difference() {
        let (one, two) = (sample(&[10.0, 20.0, 30.0]), sample(&[11.0, 21.0, 31.0]));
        assert_eq!(one.minus(&two), ConfidenceInterval { mean: -1.0, half: 0.0 });
        assert!(one.interval().half > 20.0);
    }

    #[test]
    fn a_ratio_of_proportional_samples_is_known_exactly() {
        let ratio = sample(&[2.0, 4.0, 6.0]).over(&sample(&[1.0, 2.0, 3.0]));
        assert!((ratio.mean - 2.0).abs() < 1e-12 && ratio.half < 1e-12, "{ratio:?}");
        let rough = sample(&[2.0, 4.0, 6.0]).over(&sample(&[2.0, 1.0, 3.0]));
        // aᵢ − 2 bᵢ = −2, 2, 0: their standard deviation is 2, t of two degrees of freedom 4.302653.
        assert!((rough.half - 4.302_653 * 2.0 / 3_f64.sqrt() / 2.0).abs() < 1e-5, "{rough:?}");
    }

    #[test]
    fn an_average_is_taken_within_each_seed() {
        let average = BySeed::average(&[&sample(&[1.0, 5.0]), &sample(&[3.0, 7.0])]);
        assert_eq!(average, Some(sample(&[2.0, 6.0])));
        assert_eq!(BySeed::average(&[]), None);
    }

    #[test]
    fn a_value_without_chance_stands_beside_every_seed() {
        let (model, runs) = (sample(&[4.0]), sample(&[1.0, 2.0, 3.0]));
        assert_eq!(runs.minus(&model), sample(&[-3.0, -2.0, -1.0]).interval());
        assert_eq!(model.over(&runs).half, model.ratios_to(&runs).interval().half);
        assert!(model.over(&runs).half > 0.5);
        assert_eq!(BySeed::average(&[&model, &runs]), Some(sample(&[2.5, 3.0, 3.5])));
    }

    #[test]
    fn an_interval_is_printed_with_three_digits() {
        assert_eq!(ConfidenceInterval { mean: 3.567_829, half: 0.0 }.to_string(), "3.568");
        assert_eq!(ConfidenceInterval { mean: 45.678, half: 1.234 }.to_string(), "45.68 ± 1.23");
    }
}
