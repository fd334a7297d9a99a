//! The constraints between the settings of a radio.

use thiserror::Error;

use super::RadioConfig;

/// Why the settings of a radio contradict each other.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}: expected {expected}")]
pub struct ConfigError {
    /// The setting to change.
    pub key: &'static str,
    /// The fault.
    pub message: &'static str,
    /// The expected value.
    pub expected: &'static str,
}

impl RadioConfig {
    /// Returns true if the settings agree.
    ///
    /// # Errors
    /// The first two that contradict each other.
    pub fn check(&self) -> Result<(), ConfigError> {
        let refuse = |key, message, expected| Err(ConfigError { key, message, expected });
        if self.carrier_sense < self.range {
            return refuse("carrier_sense", "the carrier is sensed less far than frames", "at least `range`");
        }
        if self.cw_max < self.cw_min {
            return refuse("cw_max", "the largest contention window is the smaller one", "at least `cw_min`");
        }
        if self.difs <= self.sifs {
            return refuse("difs", "the DIFS is not longer than the SIFS", "more than `sifs`");
        }
        if self.slot.is_zero() {
            return refuse("slot", "a slot has no length", "more than 0 s");
        }
        if [self.rate, self.basic_rate].iter().any(|rate| rate.bits_per_second() == 0) {
            return refuse(
                "rate",
                "a rate of 0 sends nothing",
                "more than 0 bit/s for `rate` and `basic_rate`",
            );
        }
        if self.short_retry == 0 || self.long_retry == 0 {
            return refuse("short_retry", "a limit allows no attempt", "at least 1 for both limits");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use anabranch_base::{Distance, Duration};

    use super::*;

    #[test]
    fn settings_that_contradict_each_other_are_refused() {
        let usual = RadioConfig::default();
        assert_eq!(usual.check(), Ok(()));
        let key = |config: RadioConfig| config.check().err().map(|why| why.key);
        assert_eq!(
            key(RadioConfig { range: Distance::from_metres(301), ..usual.clone() }),
            Some("carrier_sense")
        );
        assert_eq!(key(RadioConfig { cw_max: 30, ..usual.clone() }), Some("cw_max"));
        assert_eq!(key(RadioConfig { slot: Duration::ZERO, ..usual.clone() }), Some("slot"));
        assert_eq!(key(RadioConfig { long_retry: 0, ..usual.clone() }), Some("short_retry"));
        assert_eq!(key(RadioConfig { difs: Duration::from_micros(10), ..usual }), Some("difs"));
    }
}
