//! The congestion window of a subflow in packets, in slow start and beyond, and its mean over time.

use anabranch_base::{ByteCount, Time};

/// A congestion window.
#[derive(Clone, Debug)]
pub(super) struct CongestionWindow {
    cwnd: f64,
    ssthresh: f64,
    mss: ByteCount,
    /// Packet seconds up to `since`.
    area: f64,
    since: Time,
    opened: Option<Time>,
}

impl CongestionWindow {
    /// A window of `first` bytes with a threshold, in segments of `mss`.
    pub(super) fn new(first: ByteCount, threshold: ByteCount, mss: ByteCount) -> CongestionWindow {
        let packets = |bytes: ByteCount| bytes.get() as f64 / mss.get() as f64;
        CongestionWindow {
            cwnd: packets(first),
            ssthresh: packets(threshold),
            mss,
            area: 0.0,
            since: Time::ZERO,
            opened: None,
        }
    }

    /// Sets the window.
    pub(super) fn set(&mut self, now: Time, cwnd: f64) {
        let since = self.since.max(*self.opened.get_or_insert(now));
        self.area += self.cwnd * now.since(since).as_secs_f64();
        self.since = now;
        self.cwnd = cwnd.max(1.0);
    }

    /// Lets the window grow.
    pub(super) fn grow(&mut self, now: Time, packets: f64) {
        self.set(now, self.cwnd + packets);
    }

    /// Sets the slow-start threshold.
    pub(crate) fn set_threshold(&mut self, ssthresh: f64) {
        self.ssthresh = ssthresh;
    }

    /// In packets.
    pub(super) fn packets(&self) -> f64 {
        self.cwnd
    }

    /// The slow-start threshold in packets.
    pub(super) fn threshold(&self) -> f64 {
        self.ssthresh
    }

    /// In bytes.
    pub(super) fn bytes(&self) -> ByteCount {
        self.to_bytes(self.cwnd)
    }

    /// The slow-start threshold in bytes.
    pub(crate) fn threshold_bytes(&self) -> ByteCount {
        self.to_bytes(self.ssthresh)
    }

    /// Returns true if it grows by slow start.
    pub(super) fn is_in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// The mean over the time since the first change, in bytes.
    pub(crate) fn mean_bytes(&self, now: Time) -> f64 {
        let Some(opened) = self.opened else { return self.cwnd * self.mss.get() as f64 };
        let area = self.area + self.cwnd * now.since(self.since).as_secs_f64();
        let span = now.since(opened).as_secs_f64();
        let mean = if span > 0.0 { area / span } else { self.cwnd };
        mean * self.mss.get() as f64
    }

    fn to_bytes(&self, packets: f64) -> ByteCount {
        ByteCount::new((packets * self.mss.get() as f64) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch_base::Duration;

    #[test]
    fn the_mean_weighs_each_window_with_its_time() {
        let at = |seconds| Time::ZERO + Duration::from_secs(seconds);
        let mut window = CongestionWindow::new(ByteCount::new(200), ByteCount::new(400), ByteCount::new(100));
        assert!(window.is_in_slow_start());
        window.set(at(10), 2.0);
        window.grow(at(11), 2.0);
        assert!((window.mean_bytes(at(14)) - (200.0 + 3.0 * 400.0) / 4.0).abs() < 1e-9);
        assert!(!window.is_in_slow_start());
        window.set(at(14), 0.2);
        assert_eq!(window.bytes(), ByteCount::new(100), "never less than a packet");
    }
}
