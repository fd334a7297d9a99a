//! The clocks of POSIX systems.

use rustix::time::{ClockId, Timespec, clock_gettime};

/// The processor time of this process, in seconds.
pub(super) fn of_process() -> f64 {
    seconds(clock_gettime(ClockId::ProcessCPUTime))
}

/// The processor time of this thread, in seconds.
pub(super) fn of_thread() -> f64 {
    seconds(clock_gettime(ClockId::ThreadCPUTime))
}

fn seconds(time: Timespec) -> f64 {
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
