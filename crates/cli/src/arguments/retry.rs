//! Parses how long an interrupted transfer is tried again.

use std::fmt;
use std::str::FromStr;

use anabranch_base::Duration;

use super::quantity;

/// The limit of further attempts after an interruption.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum RetryLimit {
    /// None: until the transfer is done, or Ctrl-C.
    #[default]
    Unlimited,
    /// The number of attempts in a row that transfer nothing.
    Attempts(u32),
    /// The time in which nothing is transferred.
    Time(Duration),
}

impl FromStr for RetryLimit {
    type Err = String;

    /// A number of attempts, or a time with its unit.
    fn from_str(text: &str) -> Result<RetryLimit, String> {
        let text = text.trim();
        if text == UNLIMITED {
            return Ok(RetryLimit::Unlimited);
        }
        if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
            return match text.parse() {
                Ok(0) => Err("expected at least 1 attempt".to_owned()),
                Ok(count) => Ok(RetryLimit::Attempts(count)),
                Err(_) => Err("expected fewer attempts".to_owned()),
            };
        }
        quantity::some_seconds(text).map(RetryLimit::Time)
    }
}

impl fmt::Display for RetryLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RetryLimit::Unlimited => f.write_str(UNLIMITED),
            RetryLimit::Attempts(count) => write!(f, "{count}"),
            RetryLimit::Time(time) => write!(f, "{} s", time.as_secs_f64()),
        }
    }
}

/// The word for no limit.
const UNLIMITED: &str = "unlimited";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_a_number_of_attempts_or_a_time_with_its_unit() {
        assert_eq!("5".parse(), Ok(RetryLimit::Attempts(5)));
        assert_eq!("90s".parse(), Ok(RetryLimit::Time(Duration::from_secs(90))));
        assert_eq!("10 min".parse(), Ok(RetryLimit::Time(Duration::from_secs(600))));
        for wrong in ["", "0", "0 s", "-1", "99999999999", "soonish"] {
            assert!(wrong.parse::<RetryLimit>().is_err(), "{wrong}");
        }
        let unclear = "10m".parse::<RetryLimit>().expect_err("milliseconds or minutes");
        assert!(unclear.contains("min"), "{unclear}");
    }
}
