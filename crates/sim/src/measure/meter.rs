//! Measures what an application receives: how much, when, and with which delay.

use anabranch_base::{ByteCount, Duration, Time};
use hdrhistogram::Histogram;

use crate::result::DelayResult;

/// Counts what is delivered to one application.
#[derive(Debug)]
pub(crate) struct Meter {
    start: Time,
    warmup: Time,
    target: Option<ByteCount>,
    delivered: ByteCount,
    delivered_after_warmup: ByteCount,
    first: Option<Time>,
    last: Option<Time>,
    longest_stall: Duration,
    held_max: ByteCount,
    /// In microseconds, with three significant digits.
    delays: Histogram<u64>,
    longest_delay: Duration,
}

impl Meter {
    /// A meter of a flow that begins at `start` and is complete with `target`. Goodput does not include data that is
    /// delivered before `warmup`.
    pub(crate) fn new(start: Time, warmup: Time, target: Option<ByteCount>) -> Meter {
        Meter {
            start,
            warmup: warmup.max(start),
            target,
            delivered: ByteCount::ZERO,
            delivered_after_warmup: ByteCount::ZERO,
            first: None,
            last: None,
            longest_stall: Duration::ZERO,
            held_max: ByteCount::ZERO,
            delays: Histogram::new(3).expect("three digits are a valid precision"),
            longest_delay: Duration::ZERO,
        }
    }

    /// Returns the bytes of a message of `bytes` that the transfer still needs; `None` once it is complete.
    /// Only AppStripe's associations together deliver more than the transfer.
    pub(crate) fn wanted(&self, bytes: ByteCount) -> Option<ByteCount> {
        let Some(target) = self.target else { return Some(bytes) };
        let missing = target.saturating_sub(self.delivered);
        (!missing.is_zero()).then(|| bytes.min(missing))
    }

    /// User data was delivered to the application.
    pub(crate) fn on_delivery(&mut self, now: Time, bytes: ByteCount, delay: Duration) {
        self.delivered += bytes;
        if now >= self.warmup {
            self.delivered_after_warmup += bytes;
        }
        self.longest_stall = self.longest_stall.max(now.since(self.last.unwrap_or(self.start)));
        self.first.get_or_insert(now);
        self.last = Some(now);
        self.longest_delay = self.longest_delay.max(delay);
        // It grows as needed; a delay that does not fit the histogram would be 584,000 years.
        let _ = self.delays.record(delay.as_nanos().div_ceil(1_000));
    }

    /// Notes how much data is held that cannot be delivered.
    pub(crate) fn on_held(&mut self, held: ByteCount) {
        self.held_max = self.held_max.max(held);
    }

    /// User data delivered.
    pub(crate) fn delivered(&self) -> ByteCount {
        self.delivered
    }

    /// User data delivered after the warm-up.
    pub(crate) fn delivered_after_warmup(&self) -> ByteCount {
        self.delivered_after_warmup
    }

    /// Returns true if the whole transfer was delivered; always `false` for a flow without a transfer.
    pub(crate) fn is_complete(&self) -> bool {
        self.target.is_some_and(|target| self.delivered >= target)
    }

    /// The time from the flow's start to the delivery of the last byte.
    pub(crate) fn completion(&self) -> Option<Duration> {
        self.last.filter(|_| self.is_complete()).map(|last| last.since(self.start))
    }

    /// When the first data was delivered.
    pub(crate) fn first(&self) -> Option<Time> {
        self.first
    }

    /// When the last data was delivered.
    pub(crate) fn last(&self) -> Option<Time> {
        self.last
    }

    /// The longest time without a delivery, until `end` or until the transfer was complete.
    pub(crate) fn longest_stall(&self, end: Time) -> Duration {
        let since = self.last.unwrap_or(self.start);
        self.longest_stall.max(self.end(end).since(since))
    }

    /// The most data that was held and could not be delivered.
    pub(crate) fn held_max(&self) -> ByteCount {
        self.held_max
    }

    /// The bits per second that were delivered after the warm-up.
    pub(crate) fn goodput_bps(&self, end: Time) -> f64 {
        per_second(self.delivered_after_warmup, self.measured(end))
    }

    /// The time over which goodput is measured: from the warm-up or the start to the end of the flow.
    pub(crate) fn measured(&self, end: Time) -> Duration {
        self.end(end).since(self.warmup)
    }

    /// The end of the flow: the time when the transfer was complete, or else `end`.
    pub(crate) fn end(&self, end: Time) -> Time {
        self.last.filter(|_| self.is_complete()).unwrap_or(end)
    }

    /// Percentiles of the delay, each at most 0.1 % above the exact value.
    pub(crate) fn delay(&self) -> Option<DelayResult> {
        let quantile = |share| {
            let micros = self.delays.value_at_quantile(share);
            Duration::from_micros(micros).min(self.longest_delay)
        };
        self.first.map(|_| DelayResult {
            p50: quantile(0.5),
            p95: quantile(0.95),
            p99: quantile(0.99),
            max: self.longest_delay,
        })
    }
}

/// Bits per second; zero if no time has passed.
pub(crate) fn per_second(bytes: ByteCount, span: Duration) -> f64 {
    if span.is_zero() { 0.0 } else { bytes.get() as f64 * 8.0 / span.as_secs_f64() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    #[test]
    fn goodput_leaves_out_the_warm_up_and_the_time_after_completion() {
        let mut meter = Meter::new(at(0), at(1_000), Some(ByteCount::new(3_000)));
        for moment in [500, 1_500, 2_000] {
            meter.on_delivery(at(moment), ByteCount::new(1_000), Duration::from_millis(20));
        }
        assert_eq!(meter.goodput_bps(at(10_000)), 16_000.0);
        assert_eq!(meter.completion(), Some(Duration::from_secs(2)));
        assert_eq!(meter.longest_stall(at(10_000)), Duration::from_secs(1));
    }

    #[test]
    fn no_more_than_the_transfer_is_wanted() {
        let mut meter = Meter::new(at(0), at(0), Some(ByteCount::new(2_500)));
        let message = ByteCount::new(1_000);
        let mut counted = Vec::new();
        for moment in [1, 2, 3, 4] {
            let Some(bytes) = meter.wanted(message) else { break };
            meter.on_delivery(at(moment), bytes, Duration::ZERO);
            counted.push(bytes.get());
        }
        assert_eq!(counted, [1_000, 1_000, 500]);
        assert_eq!(meter.completion(), Some(Duration::from_millis(3)));
        assert_eq!(Meter::new(at(0), at(0), None).wanted(message), Some(message));
    }

    #[test]
    fn a_flow_that_stops_stalls_until_the_end() {
        let mut meter = Meter::new(at(100), at(0), None);
        meter.on_delivery(at(300), ByteCount::new(1_000), Duration::from_millis(20));
        assert_eq!(meter.longest_stall(at(900)), Duration::from_millis(600));
        assert_eq!(meter.completion(), None);
        assert_eq!(meter.goodput_bps(at(900)), 10_000.0);
    }

    #[test]
    fn percentiles_are_within_a_thousandth() {
        let mut meter = Meter::new(at(0), at(0), None);
        for ms in 1..=1_000 {
            meter.on_delivery(at(ms), ByteCount::new(1), Duration::from_millis(ms));
        }
        let delay = meter.delay().expect("there were deliveries");
        let close = |found: Duration, exact: f64| (found.as_secs_f64() / exact - 1.0).abs() < 1e-3;
        assert!(close(delay.p50, 0.5) && close(delay.p95, 0.95) && close(delay.p99, 0.99), "{delay:?}");
        assert_eq!(delay.max, Duration::from_secs(1));
    }
}
