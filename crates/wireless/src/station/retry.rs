//! The limits on the attempts of a frame (M-MAC-4), in both readings.

use crate::config::{RadioConfig, RetryCount};

/// The limits of a radio.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RetryLimits {
    count: RetryCount,
    short: u32,
    long: u32,
}

/// The failed attempts of the frame in service.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Attempts {
    short: u32,
    long: u32,
}

/// The frame of an exchange that had no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unanswered {
    Rts,
    Data,
}

impl RetryLimits {
    pub(crate) fn new(config: &RadioConfig) -> RetryLimits {
        RetryLimits { count: config.retry_count, short: config.short_retry, long: config.long_retry }
    }
}

impl Attempts {
    /// An attempt of a frame failed; `is_long` says whether the frame is above the RTS threshold. Returns whether the
    /// frame is given up.
    #[must_use]
    pub(crate) fn fail(&mut self, limits: RetryLimits, what: Unanswered, is_long: bool) -> bool {
        let counts_long = match limits.count {
            RetryCount::Every => is_long,
            RetryCount::Standard => is_long && what == Unanswered::Data,
        };
        if counts_long {
            self.long += 1;
            self.long >= limits.long
        } else {
            self.short += 1;
            self.short >= limits.short
        }
    }

    /// A CTS arrived. IEEE 802.11 then counts RTSs anew.
    pub(crate) fn on_cts(&mut self, limits: RetryLimits) {
        if limits.count == RetryCount::Standard {
            self.short = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(count: RetryCount) -> RetryLimits {
        RetryLimits { count, short: 7, long: 4 }
    }

    #[test]
    fn with_every_attempt_counted_rts_and_data_share_the_long_limit() {
        let limits = limits(RetryCount::Every);
        let mut attempts = Attempts::default();
        let failures = [Unanswered::Rts, Unanswered::Data, Unanswered::Rts, Unanswered::Data];
        let given_up = failures.map(|what| {
            attempts.on_cts(limits);
            attempts.fail(limits, what, true)
        });
        assert_eq!(given_up, [false, false, false, true]);
    }

    #[test]
    fn a_short_frame_has_seven_attempts_in_both_readings() {
        for count in [RetryCount::Every, RetryCount::Standard] {
            let mut attempts = Attempts::default();
            let tries = (1..).find(|_| attempts.fail(limits(count), Unanswered::Data, false));
            assert_eq!(tries, Some(7));
        }
    }

    #[test]
    fn in_the_standard_a_cts_restarts_the_count_of_rtss_and_not_that_of_data() {
        let limits = limits(RetryCount::Standard);
        let mut attempts = Attempts::default();
        for round in 1..=4 {
            for _ in 0..6 {
                assert!(!attempts.fail(limits, Unanswered::Rts, true));
            }
            attempts.on_cts(limits);
            assert_eq!(attempts.fail(limits, Unanswered::Data, true), round == 4);
        }
    }
}
