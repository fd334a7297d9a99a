//! The processor time of work, for the papers' claims about their own cost. It is the only clock of the studies.

use std::hint::black_box;

use rustix::time::{ClockId, clock_gettime};

/// The least of three or more measurements, in milliseconds, taken for a quarter of a second at least: other processes
/// use the machine too.
///
/// # Errors
/// Those of the work.
pub fn milliseconds<E>(work: impl Fn() -> Result<f64, E>) -> Result<f64, E> {
    let begun = spent();
    let mut least = f64::INFINITY;
    let mut tries = 0;
    while tries < 3 || spent() - begun < 250.0 {
        let started = spent();
        black_box(work()?);
        least = least.min(spent() - started);
        tries += 1;
    }
    Ok(least)
}

/// This thread's processor time, in milliseconds.
fn spent() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}
