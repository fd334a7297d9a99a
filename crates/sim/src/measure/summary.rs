//! Combines several runs: means, and their confidence intervals.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// A quantity over several runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The number of runs.
    pub n: usize,
    /// The arithmetic mean.
    pub mean: f64,
    /// The sample standard deviation; `None` for fewer than two runs.
    pub sd: Option<f64>,
    /// Half the width of the 95 % confidence interval of the mean, by Student's t; `None` for fewer than two runs.
    pub ci95: Option<f64>,
}

/// The values of one quantity, added one by one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    values: Vec<f64>,
}

impl Summary {
    /// Adds another run's value.
    pub fn add(&mut self, value: f64) {
        self.values.push(value);
    }

    /// The estimate from all values so far; `None` without any. The sums follow the order in which the values were
    /// added.
    pub fn estimate(&self) -> Option<Estimate> {
        let n = self.values.len();
        if n == 0 {
            return None;
        }
        let mean = self.values.iter().sum::<f64>() / n as f64;
        if n == 1 {
            return Some(Estimate { n, mean, sd: None, ci95: None });
        }
        let squares: f64 = self.values.iter().map(|value| (value - mean) * (value - mean)).sum();
        let sd = (squares / (n - 1) as f64).sqrt();
        let t = StudentsT::new(0.0, 1.0, (n - 1) as f64).map_or(f64::INFINITY, |t| t.inverse_cdf(0.975));
        Some(Estimate { n, mean, sd: Some(sd), ci95: Some(t * sd / (n as f64).sqrt()) })
    }
}

impl Extend<f64> for Summary {
    fn extend<I: IntoIterator<Item = f64>>(&mut self, values: I) {
        self.values.extend(values);
    }
}

impl FromIterator<f64> for Summary {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Summary {
        Summary { values: values.into_iter().collect() }
    }
}

impl Estimate {
    /// Half the interval's width as a fraction of the mean; `None` while it is not known.
    pub(crate) fn relative_error(&self) -> Option<f64> {
        let ci95 = self.ci95?;
        // Equal values are exact, even if their mean is zero.
        if ci95 == 0.0 { Some(0.0) } else { Some(ci95 / self.mean.abs()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_that_of_students_t() {
        let estimate = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0].into_iter().collect::<Summary>().estimate();
        let estimate = estimate.expect("there are values");
        assert_eq!((estimate.n, estimate.mean), (8, 5.0));
        assert!((estimate.sd.unwrap_or(0.0) - 2.138_089_935).abs() < 1e-9);
        // t with seven degrees of freedom at 97.5 %: 2.364624 (any table).
        assert!((estimate.ci95.unwrap_or(0.0) - 2.364_624 * 2.138_089_935 / 8_f64.sqrt()).abs() < 1e-5);
    }

    #[test]
    fn one_run_says_nothing_of_its_error() {
        let estimate = [7.0].into_iter().collect::<Summary>().estimate().expect("there is a value");
        assert_eq!((estimate.sd, estimate.ci95, estimate.relative_error()), (None, None, None));
        assert_eq!(Summary::default().estimate(), None);
    }
}
