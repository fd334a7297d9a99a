//! The retransmission timer of one subflow (RFC 6298). Other than an SCTP path's estimate, it takes a sample with each
//! acknowledgement that gives one, and its back-off can end without a sample (M-MP-3).

use anabranch_base::{Duration, Time};

/// The estimate of the round trip, and when the timer expires.
#[derive(Clone, Debug)]
pub struct RetransmissionTimer {
    least: Duration,
    srtt: Option<Duration>,
    rttvar: Duration,
    rto: Duration,
    deadline: Option<Time>,
    samples: (Duration, u64),
}

impl RetransmissionTimer {
    /// A stopped timer without samples.
    pub fn new(least: Duration) -> RetransmissionTimer {
        RetransmissionTimer {
            least,
            srtt: None,
            rttvar: Duration::ZERO,
            rto: INITIAL.max(least),
            deadline: None,
            samples: (Duration::ZERO, 0),
        }
    }

    /// A round trip took `sample` (RFC 6298 §2.2, §2.3).
    pub fn on_sample(&mut self, sample: Duration) {
        self.samples = (self.samples.0 + sample, self.samples.1 + 1);
        match self.srtt {
            None => {
                self.srtt = Some(sample);
                self.rttvar = sample / 2;
            }
            Some(srtt) => {
                self.rttvar = (self.rttvar * 3 + srtt.abs_diff(sample)) / 4;
                self.srtt = Some((srtt * 7 + sample) / 8);
            }
        }
        self.end_back_off();
    }

    /// Doubles the time-out (RFC 6298 §5.5).
    pub fn back_off(&mut self) {
        self.rto = (self.rto * 2).min(MOST);
    }

    /// Sets the time-out to what was measured.
    pub fn end_back_off(&mut self) {
        let measured = self.srtt.map_or(INITIAL, |srtt| srtt + self.rttvar * 4);
        self.rto = measured.max(self.least).min(MOST);
    }

    /// Starts the timer anew.
    pub fn restart(&mut self, now: Time) {
        self.deadline = Some(now + self.rto);
    }

    /// Starts the timer unless it runs.
    pub fn start(&mut self, now: Time) {
        if self.deadline.is_none() {
            self.restart(now);
        }
    }

    /// Stops the timer.
    pub fn stop(&mut self) {
        self.deadline = None;
    }

    /// When it expires, if it runs.
    pub fn deadline(&self) -> Option<Time> {
        self.deadline
    }

    /// The retransmission time-out.
    pub fn rto(&self) -> Duration {
        self.rto
    }

    /// The smoothed round-trip time.
    pub fn srtt(&self) -> Option<Duration> {
        self.srtt
    }

    /// The mean of all samples in seconds.
    pub fn mean_s(&self) -> Option<f64> {
        let (sum, count) = self.samples;
        (count > 0).then(|| sum.as_secs_f64() / count as f64)
    }
}

/// The time-out before a sample (RFC 6298 §2.1), and the largest.
const INITIAL: Duration = Duration::from_secs(1);
const MOST: Duration = Duration::from_secs(60);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_follows_the_samples() {
        let mut timer = RetransmissionTimer::new(Duration::from_millis(200));
        assert_eq!(timer.rto(), INITIAL);
        timer.on_sample(Duration::from_millis(100));
        assert_eq!(timer.rto(), Duration::from_millis(300));
        timer.on_sample(Duration::from_millis(200));
        assert_eq!(timer.srtt(), Some(Duration::from_micros(112_500)));
        assert_eq!(timer.rto(), Duration::from_micros(362_500));
        assert_eq!(timer.mean_s(), Some(0.15));
    }

    #[test]
    fn the_time_out_doubles_up_to_a_minute_and_returns_with_a_sample() {
        let mut timer = RetransmissionTimer::new(Duration::from_millis(200));
        timer.on_sample(Duration::from_millis(10));
        assert_eq!(timer.rto(), Duration::from_millis(200));
        for _ in 0..10 {
            timer.back_off();
        }
        assert_eq!(timer.rto(), MOST);
        timer.on_sample(Duration::from_millis(10));
        assert_eq!(timer.rto(), Duration::from_millis(200));
    }
}
