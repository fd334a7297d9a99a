//! How often a frame is tried (M-MAC-4), by both readings of the limits.

use crate::config::{RadioConfig, RetryCount};

/// What an attempt failed to get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unanswered {
    /// A CTS for the RTS.
    Rts,
    /// An ACK for the frame.
    Frame,
}

/// The failed attempts of one frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retries {
    short: u32,
    long: u32,
}

/// The limits of a station's radio.
#[derive(Clone, Copy, Debug)]
pub struct RetryLimits {
    short: u32,
    long: u32,
    count: RetryCount,
}

impl RetryLimits {
    /// Those of a configuration.
    pub fn of(config: &RadioConfig) -> RetryLimits {
        RetryLimits { short: config.short_retry, long: config.long_retry, count: config.retry_count }
    }

    /// Counts a failed attempt of a frame, which `is_long` if it is above the RTS threshold. Returns whether that was the
    /// last one.
    pub fn fail(&self, retries: &mut Retries, is_long: bool, what: Unanswered) -> bool {
        let counts_long = match self.count {
            RetryCount::Every => is_long,
            RetryCount::Standard => is_long && what == Unanswered::Frame,
        };
        if counts_long {
            retries.long += 1;
        } else {
            retries.short += 1;
        }
        retries.short >= self.short || retries.long >= self.long
    }

    /// A CTS arrived.
    pub fn on_cts(&self, retries: &mut Retries) {
        if self.count == RetryCount::Standard {
            retries.short = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempts(count: RetryCount, is_long: bool, what: Unanswered) -> u32 {
        let limits = RetryLimits::of(&RadioConfig { retry_count: count, ..RadioConfig::default() });
        let mut retries = Retries::default();
        let mut attempts = 1;
        while !limits.fail(&mut retries, is_long, what) {
            attempts += 1;
        }
        attempts
    }

    #[test]
    fn each_reading_gives_a_frame_its_attempts() {
        use RetryCount::{Every, Standard};
        use Unanswered::{Frame, Rts};
        assert_eq!([attempts(Every, true, Rts), attempts(Every, true, Frame)], [4, 4]);
        assert_eq!([attempts(Standard, true, Rts), attempts(Standard, true, Frame)], [7, 4]);
        assert_eq!([attempts(Every, false, Frame), attempts(Standard, false, Frame)], [7, 7]);
    }

    #[test]
    fn by_the_standard_a_cts_begins_the_short_count_anew() {
        let limits =
            RetryLimits::of(&RadioConfig { retry_count: RetryCount::Standard, ..Default::default() });
        let mut retries = Retries::default();
        for _ in 0..20 {
            assert!(!limits.fail(&mut retries, true, Unanswered::Rts));
            limits.on_cts(&mut retries);
        }
    }
}
