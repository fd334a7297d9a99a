//! An estimate of a path's delivery rate (M-BERP-1, after Westwood).

use anabranch_base::{BitRate, ByteCount, Time};

/// The smoothed rate at which SACKs acknowledge what was last sent on a path.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bandwidth {
    /// The end of the last sample.
    since: Option<Time>,
    /// The bytes acknowledged since then, at the same time.
    bytes: ByteCount,
    /// The last sample, in bit/s.
    sample: Option<f64>,
    /// BWE, in bit/s.
    estimate: Option<f64>,
}

impl Bandwidth {
    /// A SACK acknowledged `weight` on this path. A weight of zero is not a sample.
    pub(crate) fn on_delivered(&mut self, weight: ByteCount, now: Time) {
        if weight.is_zero() {
            return;
        }
        let Some(since) = self.since else {
            // The rate at which the chunks of the first SACK were sent is unknown.
            self.since = Some(now);
            return;
        };
        self.bytes += weight;
        let span = now.since(since).as_nanos();
        if span == 0 {
            return;
        }
        let sample = self.bytes.get() as f64 * 8e9 / span as f64;
        self.estimate = Some(match (self.estimate, self.sample) {
            (Some(estimate), Some(last)) => MEMORY * estimate + (1.0 - MEMORY) * 0.5 * (sample + last),
            _ => sample,
        });
        self.sample = Some(sample);
        self.since = Some(now);
        self.bytes = ByteCount::ZERO;
    }

    /// BWE; `None` before the second SACK.
    pub(super) fn estimate(&self) -> Option<BitRate> {
        self.estimate.map(|rate| BitRate::from_bits_per_second(rate as u64))
    }
}

/// p of BERP (4): the weight of the old estimate.
const MEMORY: f64 = 0.9;

#[cfg(test)]
mod tests {
    use anabranch_base::Duration;

    use super::*;

    fn at(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    fn kbps(bandwidth: &Bandwidth) -> Option<u64> {
        bandwidth.estimate().map(|rate| rate.bits_per_second() / 1_000)
    }

    #[test]
    fn golden_g12_the_filter_takes_a_tenth_of_the_mean_of_two_samples() {
        let mut bandwidth = Bandwidth::default();
        bandwidth.on_delivered(ByteCount::new(1), at(0));
        assert_eq!(kbps(&bandwidth), None);
        // 100 kbit/s, then 200: 0.9 · 100 + 0.1 · 150.
        bandwidth.on_delivered(ByteCount::new(1_250), at(100));
        assert_eq!(kbps(&bandwidth), Some(100));
        bandwidth.on_delivered(ByteCount::new(2_500), at(200));
        assert_eq!(kbps(&bandwidth), Some(105));
    }

    #[test]
    fn bytes_that_arrive_at_one_moment_are_one_sample_and_zero_bytes_none() {
        let mut bandwidth = Bandwidth::default();
        bandwidth.on_delivered(ByteCount::new(1), at(0));
        bandwidth.on_delivered(ByteCount::new(625), at(0));
        bandwidth.on_delivered(ByteCount::ZERO, at(50));
        bandwidth.on_delivered(ByteCount::new(625), at(100));
        assert_eq!(kbps(&bandwidth), Some(100));
    }
}
