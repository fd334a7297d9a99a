//! The rate that all flows of a client share.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use anabranch_base::BitRate;
use tokio::time::{Instant, sleep_until};

/// A limit that every flow of a client shares, in both directions. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Rate {
    /// `None` if it is unlimited.
    bucket: Option<Arc<Bucket>>,
}

#[derive(Debug)]
struct Bucket {
    rate: BitRate,
    /// The time at which everything taken so far has passed at the rate.
    free_at: Mutex<Instant>,
}

impl Rate {
    /// A limit of `rate`; unlimited without one.
    pub fn new(rate: Option<BitRate>) -> Rate {
        let bucket = |rate| Arc::new(Bucket { rate, free_at: Mutex::new(Instant::now()) });
        Rate { bucket: rate.filter(|rate| rate.bits_per_second() > 0).map(bucket) }
    }

    /// Waits until `bytes` may pass. Callers get their turns in the order of their calls.
    pub(crate) async fn take(&self, bytes: usize) {
        let Some(bucket) = &self.bucket else { return };
        sleep_until(bucket.take(bytes)).await;
    }
}

impl Bucket {
    /// The time at which bytes that are taken now may pass.
    fn take(&self, bytes: usize) -> Instant {
        let span = Duration::from_secs_f64(bytes as f64 * 8.0 / self.rate.bits_per_second() as f64);
        let mut free_at = self.free_at.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let start = (*free_at).max(Instant::now() - BURST);
        *free_at = start + span;
        start
    }
}

/// The time for which an unused rate may be used later.
const BURST: Duration = Duration::from_millis(50);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_passes_at_the_rate_after_a_short_burst() {
        let bucket = Bucket { rate: BitRate::from_mbps(8), free_at: Mutex::new(Instant::now()) };
        let first = bucket.take(100_000);
        assert_eq!(bucket.take(100_000).duration_since(first), Duration::from_millis(100));
        assert_eq!(bucket.take(1).duration_since(first), Duration::from_millis(200));
    }
}
