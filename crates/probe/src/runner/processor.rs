//! The processor time of this program.

use anabranch_base::Duration;

/// The processor time that this program has used; zero if the system does not report it.
#[cfg(unix)]
pub(super) fn used() -> Duration {
    let taken = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::from_secs(u64::try_from(taken.tv_sec).unwrap_or(0))
        + Duration::from_nanos(u64::try_from(taken.tv_nsec).unwrap_or(0))
}

/// The processor time that this program has used; zero if the system does not report it.
#[cfg(not(unix))]
pub(super) fn used() -> Duration {
    Duration::ZERO
}
