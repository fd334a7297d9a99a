//! The clock of runs: it sizes the batches of a sweep, and appears in no result.

use std::sync::LazyLock;
use std::time::Instant;

use anabranch_base::Duration;

/// The time since the first call.
pub(crate) fn since_start() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(now);
    Duration::from_nanos(u64::try_from(now().duration_since(*START).as_nanos()).unwrap_or(u64::MAX))
}

#[allow(
    clippy::disallowed_methods,
    reason = "batches of about a second need a clock; nothing simulated reads it"
)]
fn now() -> Instant {
    Instant::now()
}
