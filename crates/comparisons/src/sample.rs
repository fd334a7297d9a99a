//! Means and their standard errors.

use statrs::statistics::Statistics;

/// Repeated measurements of one thing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// The number of values.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// The standard error of the mean; 0 for a single measurement.
    pub error: f64,
}

impl Sample {
    /// The mean and the error of `values`; `None` if there are none.
    pub fn of(values: &[f64]) -> Option<Sample> {
        if values.is_empty() {
            return None;
        }
        let deviation = if values.len() > 1 { values.std_dev() } else { 0.0 };
        let error = deviation / (values.len() as f64).sqrt();
        Some(Sample { count: values.len(), mean: values.mean(), error })
    }

    /// The standard error of the difference of two means.
    pub(crate) fn combined_error(&self, other: &Sample) -> f64 {
        self.error.hypot(other.error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_of_a_mean_falls_with_the_root_of_the_count() {
        let sample = Sample::of(&[1.0, 2.0, 3.0, 4.0]).expect("four");
        assert_eq!((sample.count, sample.mean), (4, 2.5));
        assert!((sample.error - (5.0_f64 / 3.0).sqrt() / 2.0).abs() < 1e-12);
        assert_eq!(Sample::of(&[7.0]), Some(Sample { count: 1, mean: 7.0, error: 0.0 }));
        assert_eq!(Sample::of(&[]), None);
    }
}
