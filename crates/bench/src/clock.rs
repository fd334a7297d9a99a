//! The clocks a measurement reads: the machine's clock, from which two programs on one machine compute delays, and
//! the processor time of this program.

use anabranch_base::{Duration, Time};

/// The machine's monotonic clock, which all its programs share, in nanoseconds since about its start.
#[cfg(unix)]
pub(crate) fn of_machine() -> Time {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    let seconds = Duration::from_secs(u64::try_from(now.tv_sec).unwrap_or(0));
    Time::ZERO + seconds + Duration::from_nanos(u64::try_from(now.tv_nsec).unwrap_or(0))
}

/// The clock of this program, on systems without one that programs share.
#[cfg(not(unix))]
pub(crate) fn of_machine() -> Time {
    static START: std::sync::LazyLock<anabranch_net::Clock> =
        std::sync::LazyLock::new(anabranch_net::Clock::start);
    START.now()
}

/// The id of the clock of [`of_machine`]: the same for all programs since the machine started, or a random number if
/// the system does not provide one.
pub(crate) fn machine() -> u64 {
    use sha2::Digest as _;
    let boot = std::fs::read("/proc/sys/kernel/random/boot_id");
    let seed = boot.unwrap_or_else(|_| format!("{} {:?}", std::process::id(), of_machine()).into_bytes());
    let digest = sha2::Sha256::digest([b"anabranch's clock of ", seed.as_slice()].concat());
    digest.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// The processor time that this program has used; zero if the system does not report it.
#[cfg(unix)]
pub fn processor_time() -> Duration {
    let taken = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::from_secs(u64::try_from(taken.tv_sec).unwrap_or(0))
        + Duration::from_nanos(u64::try_from(taken.tv_nsec).unwrap_or(0))
}

/// The processor time that this program has used; zero if the system does not report it.
#[cfg(not(unix))]
pub fn processor_time() -> Duration {
    Duration::ZERO
}
