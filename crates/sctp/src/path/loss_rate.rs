//! An estimate of the fraction of chunks that a path loses (M-CMT-6).

/// The moving average, over the path's windows, of the chunks marked lost divided by the chunks sent.
///
/// A window ends when a chunk that was sent in it is acknowledged, or when a time-out marks everything in flight. A
/// chunk that is marked by mistake counts as lost.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LossRate {
    sent: u32,
    lost: u32,
    rate: f64,
}

impl LossRate {
    /// A chunk left, for the first time or again.
    pub(super) fn on_sent(&mut self) {
        self.sent = self.sent.saturating_add(1);
    }

    /// A chunk last sent here was marked lost.
    pub(super) fn on_lost(&mut self) {
        self.lost = self.lost.saturating_add(1);
    }

    /// A window ended. A window in which nothing was sent is skipped: its losses count with the next.
    pub(super) fn on_window(&mut self) {
        if self.sent == 0 {
            return;
        }
        let share = f64::from(self.lost.min(self.sent)) / f64::from(self.sent);
        *self = LossRate { sent: 0, lost: 0, rate: self.rate + GAIN * (share - self.rate) };
    }

    /// The estimate, from 0 to 1; 0 before the first window.
    pub(super) fn rate(&self) -> f64 {
        self.rate
    }
}

/// The weight of a new window.
const GAIN: f64 = 1.0 / 8.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn window(estimate: &mut LossRate, sent: u32, lost: u32) -> f64 {
        (0..sent).for_each(|_| estimate.on_sent());
        (0..lost).for_each(|_| estimate.on_lost());
        estimate.on_window();
        estimate.rate()
    }

    /// Binary fractions, so that the comparison is exact.
    #[test]
    fn each_window_moves_the_estimate_by_an_eighth_of_the_way() {
        let mut estimate = LossRate::default();
        let rates = [(8, 0), (8, 4), (4, 4), (2, 0)].map(|(sent, lost)| window(&mut estimate, sent, lost));
        assert_eq!(rates, [0.0, 0.0625, 0.179_687_5, 0.157_226_562_5]);
    }

    #[test]
    fn losses_of_an_earlier_window_count_when_they_are_noticed_and_never_more_than_all() {
        let mut estimate = LossRate::default();
        window(&mut estimate, 10, 0);
        assert_eq!(window(&mut estimate, 2, 3), 0.125);
        let mut estimate = LossRate::default();
        assert_eq!(window(&mut estimate, 0, 1), 0.0, "nothing left in it");
        assert_eq!(window(&mut estimate, 2, 0), 0.0625, "one of two");
    }

    /// The estimate stays near the long-term loss rate: it varies with the gain, by about a quarter of one window's
    /// standard deviation.
    #[test]
    fn the_estimate_stays_near_the_share_that_is_lost() {
        let mut estimate = LossRate::default();
        let rates: Vec<f64> = (0..400).map(|n| window(&mut estimate, 20, u32::from(n % 2 == 0))).collect();
        assert!(rates[100..].iter().all(|rate| (rate - 0.025).abs() < 0.0035), "1 of 40");
    }
}
