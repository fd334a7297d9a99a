//! Values over time, each from its moment until the next.

use anabranch_base::{BitRate, Duration};

/// A quantity that can be averaged.
pub(crate) trait Amount: Copy + PartialEq {
    /// The value as a number.
    fn number(self) -> f64;
    /// The value nearest to a number that is not negative.
    fn nearest(number: f64) -> Self;
}

/// Steps over time: the first at zero, the others in increasing order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Series<T> {
    steps: Vec<(Duration, T)>,
    end: Duration,
}

impl<T: Amount> Series<T> {
    /// Makes a series of samples in order of time, the last of which lasts until `end`. Time starts at the first
    /// sample; of several at one moment the last one counts. `None` without a sample.
    pub(crate) fn of(samples: impl IntoIterator<Item = (Duration, T)>, end: Duration) -> Option<Series<T>> {
        let mut steps: Vec<(Duration, T)> = Vec::new();
        for (at, value) in samples {
            match steps.last_mut() {
                Some(last) if last.0 >= at => last.1 = value,
                _ => steps.push((at, value)),
            }
        }
        let (first, last) = (steps.first()?.0, steps.last()?.0);
        for step in &mut steps {
            step.0 = step.0.saturating_sub(first);
        }
        Some(Series { steps, end: end.max(last).saturating_sub(first) })
    }

    /// The end of the last step.
    pub(crate) fn end(&self) -> Duration {
        self.end
    }

    /// The steps at which the value changes.
    pub(crate) fn changes(&self) -> Vec<(Duration, T)> {
        let mut changes = self.steps.clone();
        changes.dedup_by(|later, earlier| later.1 == earlier.1);
        changes
    }

    pub(crate) fn least(&self) -> T {
        T::nearest(self.numbers().fold(f64::INFINITY, f64::min))
    }

    pub(crate) fn most(&self) -> T {
        T::nearest(self.numbers().fold(0.0, f64::max))
    }

    /// The mean over time; the mean of the samples where all are of one moment.
    pub(crate) fn mean(&self) -> T {
        if self.end.is_zero() {
            return T::nearest(self.numbers().sum::<f64>() / self.steps.len().max(1) as f64);
        }
        let weighed =
            self.spans().map(|(from, to, value)| value.number() * to.saturating_sub(from).as_secs_f64());
        T::nearest(weighed.sum::<f64>() / self.end.as_secs_f64())
    }

    /// The mean of the samples, regardless of the time between them.
    pub(crate) fn mean_of_samples(&self) -> T {
        T::nearest(self.numbers().sum::<f64>() / self.steps.len().max(1) as f64)
    }

    /// Means over spans of this length; `None` for more than `most` spans.
    pub(crate) fn averaged(&self, step: Duration, most: usize) -> Option<Series<T>> {
        let count = self.end.as_nanos().div_ceil(step.as_nanos().max(1)).max(1);
        if count > most as u64 {
            return None;
        }
        let mut sums = vec![0.0; count as usize];
        for (from, to, value) in self.spans() {
            let first = from.as_nanos() / step.as_nanos().max(1);
            for index in first..count {
                let nanos = step.as_nanos();
                let begin = nanos.saturating_mul(index);
                let end = nanos.saturating_mul(index + 1).min(self.end.as_nanos());
                if begin >= to.as_nanos() {
                    break;
                }
                let overlap = to.as_nanos().min(end).saturating_sub(from.as_nanos().max(begin));
                let length = end.saturating_sub(begin).max(1);
                sums[index as usize] += value.number() * overlap as f64 / length as f64;
            }
        }
        let steps = (0..count).zip(sums).map(|(index, sum)| (step * index, T::nearest(sum)));
        Series::of(steps, self.end)
    }

    fn numbers(&self) -> impl Iterator<Item = f64> {
        self.steps.iter().map(|(_, value)| value.number())
    }

    /// The start, end and value of each step.
    fn spans(&self) -> impl Iterator<Item = (Duration, Duration, T)> {
        let ends = self.steps.iter().skip(1).map(|step| step.0).chain([self.end]);
        self.steps.iter().zip(ends).map(|((from, value), to)| (*from, to, *value))
    }
}

impl Amount for BitRate {
    fn number(self) -> f64 {
        self.bits_per_second() as f64
    }

    /// Rounds to kbit/s from 1 Mbit/s on: no recording is more exact.
    fn nearest(number: f64) -> BitRate {
        let bits = number.round() as u64;
        BitRate::from_bits_per_second(if bits < 1_000_000 { bits } else { (bits + 500) / 1_000 * 1_000 })
    }
}

impl Amount for Duration {
    fn number(self) -> f64 {
        self.as_nanos() as f64
    }

    /// Rounds to microseconds.
    fn nearest(number: f64) -> Duration {
        Duration::from_micros((number / 1e3).round() as u64)
    }
}

/// A share of packets, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Share(pub f64);

impl Amount for Share {
    fn number(self) -> f64 {
        self.0
    }

    /// Rounds to millionths.
    fn nearest(number: f64) -> Share {
        Share(((number * 1e6).round() / 1e6).clamp(0.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(steps: &[(u64, u64)], end: u64) -> Series<BitRate> {
        let samples = steps.iter().map(|(at, mbps)| (Duration::from_secs(*at), BitRate::from_mbps(*mbps)));
        Series::of(samples, Duration::from_secs(end)).expect("some samples")
    }

    #[test]
    fn a_mean_counts_each_value_for_its_time() {
        let rates = series(&[(100, 10), (101, 30)], 104);
        assert_eq!(rates.mean(), BitRate::from_mbps(25));
        assert_eq!((rates.least(), rates.most()), (BitRate::from_mbps(10), BitRate::from_mbps(30)));
        assert_eq!(rates.end(), Duration::from_secs(4));
    }

    #[test]
    fn averages_keep_the_mean_and_end_where_the_series_does() {
        let rates = series(&[(0, 10), (1, 30), (4, 0)], 5);
        let averaged = rates.averaged(Duration::from_secs(2), 3).expect("three steps");
        let seconds = |steps: Vec<(Duration, BitRate)>| {
            steps
                .iter()
                .map(|(at, rate)| (at.as_millis(), rate.bits_per_second() / 1_000_000))
                .collect::<Vec<_>>()
        };
        assert_eq!(seconds(averaged.changes()), [(0, 20), (2_000, 30), (4_000, 0)]);
        assert_eq!((averaged.mean(), averaged.end()), (rates.mean(), rates.end()));
        assert_eq!(rates.averaged(Duration::from_secs(2), 2), None);
    }

    #[test]
    fn steps_without_a_change_are_left_out() {
        assert_eq!(series(&[(0, 5), (1, 5), (2, 6), (3, 6)], 9).changes().len(), 2);
    }
}
