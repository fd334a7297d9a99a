//! The time the program has been running.

use anabranch_base::Duration;
use anabranch_net::Clock;

/// The time the program has been running, from the first time it was asked.
pub fn since_start() -> Duration {
    static START: std::sync::LazyLock<Clock> = std::sync::LazyLock::new(Clock::start);
    START.elapsed()
}
