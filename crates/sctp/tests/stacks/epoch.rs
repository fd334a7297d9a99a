//! Virtual time in the types of other stacks, which take the time as an argument like ours, but as a
//! `std::time::Instant`. One reading of the clock stands for virtual time zero.

use std::time::{Duration, Instant};

use anabranch_base::Time;

/// Where virtual time began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Epoch(Instant);

impl Epoch {
    /// Reads the clock, which is the only source of an `Instant`; only differences count.
    #[allow(
        clippy::disallowed_methods,
        reason = "an Instant has no other origin, and only differences count"
    )]
    pub(crate) fn new() -> Epoch {
        Epoch(Instant::now())
    }

    pub(crate) fn at(self, now: Time) -> Instant {
        self.0 + Duration::from_nanos(now.as_nanos())
    }

    /// The virtual time of `instant`, which is not before the epoch.
    pub(crate) fn time_of(self, instant: Instant) -> Time {
        Time::from_nanos(instant.saturating_duration_since(self.0).as_nanos() as u64)
    }
}
