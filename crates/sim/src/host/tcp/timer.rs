//! The retransmission timer of one subflow (RFC 6298). Other than an SCTP path's estimate, it takes a sample with each
//! acknowledgement that gives one, and its back-off can end without a sample (M-MP-3).

use anabranch_base::{Duration, Time};

/// The estimate of the round trip, and when the timer expires.
#[derive(Clone, Debug)]
pub(super) struct RetransmissionTimer {
    least: Duration,
    /// The time-out before a sample.
    initial: Duration,
    srtt: Option<Duration>,
    rttvar: Duration,
    rto: Duration,
    deadline: Option<Time>,
    samples: (Duration, u64),
    /// The shortest of them.
    shortest: Option<Duration>,
}

impl RetransmissionTimer {
    /// A stopped timer without samples, of a connection whose opening took `handshake`. RFC 6298 §5.7: "If the timer
    /// expires awaiting the ACK of a SYN segment and the TCP implementation is using an RTO less than 3 seconds, the RTO
    /// MUST be re-initialized to 3 seconds when data transmission begins". Without that, a round trip of more than 1 s
    /// never has a sample where another subflow ends the back-off of each time-out.
    pub(super) fn new(least: Duration, handshake: Duration) -> RetransmissionTimer {
        let initial = if handshake < INITIAL { INITIAL } else { INITIAL_AFTER_LOST_SYN };
        RetransmissionTimer {
            least,
            initial,
            srtt: None,
            rttvar: Duration::ZERO,
            rto: initial.max(least),
            deadline: None,
            samples: (Duration::ZERO, 0),
            shortest: None,
        }
    }

    /// A round trip took `sample` (RFC 6298 §2.2, §2.3).
    pub(super) fn on_sample(&mut self, sample: Duration) {
        self.samples = (self.samples.0 + sample, self.samples.1 + 1);
        self.shortest = Some(self.shortest.map_or(sample, |shortest| shortest.min(sample)));
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
    pub(super) fn back_off(&mut self) {
        self.rto = (self.rto * 2).min(MOST);
    }

    /// Sets the time-out to what was measured.
    pub(crate) fn end_back_off(&mut self) {
        let measured = self.srtt.map_or(self.initial, |srtt| srtt + self.rttvar * 4);
        self.rto = measured.max(self.least).min(MOST);
    }

    /// Starts the timer anew.
    pub(super) fn restart(&mut self, now: Time) {
        self.deadline = Some(now + self.rto);
    }

    /// Starts the timer unless it runs.
    pub(super) fn start(&mut self, now: Time) {
        if self.deadline.is_none() {
            self.restart(now);
        }
    }

    /// Stops the timer.
    pub(super) fn stop(&mut self) {
        self.deadline = None;
    }

    /// When it expires, if it runs.
    pub(super) fn deadline(&self) -> Option<Time> {
        self.deadline
    }

    /// The retransmission time-out.
    pub(super) fn rto(&self) -> Duration {
        self.rto
    }

    /// The smoothed round-trip time.
    pub(super) fn srtt(&self) -> Option<Duration> {
        self.srtt
    }

    /// The shortest of all samples.
    pub(super) fn shortest(&self) -> Option<Duration> {
        self.shortest
    }

    /// The mean of all samples in seconds.
    pub(super) fn mean_s(&self) -> Option<f64> {
        let (sum, count) = self.samples;
        (count > 0).then(|| sum.as_secs_f64() / count as f64)
    }
}

/// The time-out before a sample (RFC 6298 §2.1), that after a SYN timed out (§5.7), and the largest.
const INITIAL: Duration = Duration::from_secs(1);
const INITIAL_AFTER_LOST_SYN: Duration = Duration::from_secs(3);
const MOST: Duration = Duration::from_secs(60);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_follows_the_samples() {
        let mut timer = RetransmissionTimer::new(Duration::from_millis(200), Duration::from_millis(10));
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
        let mut timer = RetransmissionTimer::new(Duration::from_millis(200), Duration::from_millis(10));
        timer.on_sample(Duration::from_millis(10));
        assert_eq!(timer.rto(), Duration::from_millis(200));
        for _ in 0..10 {
            timer.back_off();
        }
        assert_eq!(timer.rto(), MOST);
        timer.on_sample(Duration::from_millis(10));
        assert_eq!(timer.rto(), Duration::from_millis(200));
    }

    #[test]
    fn a_handshake_that_outlasts_the_first_time_out_leaves_three_seconds() {
        let rto = |handshake| {
            let mut timer = RetransmissionTimer::new(Duration::from_millis(200), handshake);
            timer.back_off();
            timer.end_back_off();
            timer.rto()
        };
        assert_eq!(rto(Duration::from_millis(999)), INITIAL);
        assert_eq!(rto(Duration::from_secs(1)), INITIAL_AFTER_LOST_SYN);
    }
}
