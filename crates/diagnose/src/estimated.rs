//! A value with its interval.

use serde::Serialize;

/// A value that was estimated from samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Estimated {
    /// The estimate.
    pub value: f64,
    /// The lower end of its 95 % interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The number of samples.
    pub samples: u64,
}

impl Estimated {
    /// A value between the ends of its interval, none below zero; `None` if one of the three is not finite.
    pub(crate) fn of(value: f64, low: f64, high: f64, samples: usize) -> Option<Estimated> {
        if !(value.is_finite() && low.is_finite() && high.is_finite()) {
            return None;
        }
        let value = value.max(0.0);
        Some(Estimated {
            value,
            low: low.min(value).max(0.0),
            high: high.max(value),
            samples: samples as u64,
        })
    }

    /// A value with the same distance to both ends.
    pub(crate) fn around(value: f64, half: f64, samples: usize) -> Option<Estimated> {
        Estimated::of(value, value - half, value + half, samples)
    }

    /// The same with ends that lie further out by `by` each.
    #[must_use]
    pub(crate) fn widened(self, by: f64) -> Estimated {
        Estimated::of(self.value, self.low - by, self.high + by, self.samples as usize).unwrap_or(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_lies_in_its_interval_and_nothing_is_negative() {
        let estimated = Estimated::of(2.0, -1.0, 1.0, 3).expect("finite");
        assert_eq!((estimated.low, estimated.value, estimated.high), (0.0, 2.0, 2.0));
        assert_eq!(Estimated::of(f64::NAN, 0.0, 1.0, 3), None);
        assert_eq!(Estimated::around(1.0, f64::INFINITY, 3), None);
    }
}
