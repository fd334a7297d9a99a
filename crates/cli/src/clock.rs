//! The time the program has been running.

use anabranch_base::Duration;
use anabranch_net::Clock;

/// The time since this was first called.
pub(crate) fn since_start() -> Duration {
    static START: std::sync::LazyLock<Clock> = std::sync::LazyLock::new(Clock::start);
    START.elapsed()
}
