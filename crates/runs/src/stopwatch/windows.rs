//! The clocks of Windows.

use cpu_time::{ProcessTime, ThreadTime};

/// The processor time of this process, in seconds.
pub(super) fn of_process() -> f64 {
    ProcessTime::now().as_duration().as_secs_f64()
}

/// The processor time of this thread, in seconds.
pub(super) fn of_thread() -> f64 {
    ThreadTime::now().as_duration().as_secs_f64()
}
