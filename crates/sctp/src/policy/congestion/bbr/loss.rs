//! When losses are a sign of congestion: the draft's rule, and one deviation from it.

/// Which losses are a sign of congestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossRule {
    /// The draft's: while the sender probes for bandwidth, more than 2 % of what was in flight (`IsInflightTooHigh`); at other
    /// times any loss (`AdaptLowerBoundsFromCongestion`).
    Draft,
    /// The deviation M-BBR-6: the draft's rule while packets wait in a queue of the path. While none do, losses count at all
    /// times if they are more than 2 % of what was in flight by more than chance explains.
    ByQueue,
}

/// The rule for losses on a path, and the state of the path that it needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct LossJudge {
    /// The rule.
    pub rule: LossRule,
    /// The size of a full packet, in bytes.
    pub unit: f64,
    /// True if packets wait in a queue of the path, or if that is unknown.
    pub is_queueing: bool,
}

impl LossJudge {
    /// `IsInflightTooHigh`: returns true if `lost` bytes of `in_flight` are too many while the path is probed.
    pub(crate) fn is_too_high(&self, lost: f64, in_flight: f64) -> bool {
        if self.is_literal() {
            lost > in_flight * LOSS_THRESHOLD
        } else {
            self.is_significant(lost, in_flight)
        }
    }

    /// Returns true if a round trip in which `lost` bytes of `in_flight` were lost bounds the path until the next probe.
    pub(crate) fn bounds_short_term(&self, lost: f64, in_flight: f64) -> bool {
        self.is_literal() || self.is_significant(lost, in_flight)
    }

    fn is_literal(&self) -> bool {
        self.rule == LossRule::Draft || self.is_queueing
    }

    fn is_significant(&self, lost: f64, in_flight: f64) -> bool {
        let tolerated = in_flight * LOSS_THRESHOLD;
        lost > tolerated + SIGNIFICANCE * (tolerated * self.unit).sqrt()
    }
}

/// `BBR.LossThresh`
pub(crate) const LOSS_THRESHOLD: f64 = 0.02;
/// The number of standard deviations above the mean beyond which losses are too many. Of n packets, each lost with
/// probability p, the number lost has a mean of np and a standard deviation of nearly √(np).
const SIGNIFICANCE: f64 = 2.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(rule: LossRule, is_queueing: bool) -> LossJudge {
        LossJudge { rule, unit: 1500.0, is_queueing }
    }

    /// Of a hundred packets, two are 2 %, with a standard deviation of √2: 2 + 2 · 1.41 = 4.83.
    #[test]
    fn the_draft_takes_more_than_two_in_a_hundred_and_without_a_queue_more_than_four_are_too_many() {
        let too_high =
            |judge: LossJudge| [2.0, 3.0, 4.0, 5.0].map(|lost| judge.is_too_high(lost * 1500.0, 150_000.0));
        let literal = [false, true, true, true];
        assert_eq!(too_high(judge(LossRule::Draft, false)), literal);
        assert_eq!(too_high(judge(LossRule::ByQueue, true)), literal);
        assert_eq!(too_high(judge(LossRule::ByQueue, false)), [false, false, false, true]);
    }

    #[test]
    fn between_probes_any_loss_counts_unless_no_packet_waits_in_a_queue() {
        let bounds = |rule, is_queueing| judge(rule, is_queueing).bounds_short_term(1500.0, 1_500_000.0);
        assert!(bounds(LossRule::Draft, false) && bounds(LossRule::ByQueue, true));
        assert!(!bounds(LossRule::ByQueue, false));
    }
}
