//! Measures the time of work: on a processor, for the papers' claims about their own cost, and of a whole figure. These
//! are the only clocks of the studies.

#[cfg_attr(windows, path = "stopwatch/windows.rs")]
#[cfg_attr(unix, path = "stopwatch/unix.rs")]
mod processor;

use std::hint::black_box;
use std::sync::LazyLock;
use std::time::Instant;

/// The time used by some work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeSpent {
    /// Seconds of processor time, all processors together.
    pub processor: f64,
    /// Seconds of wall-clock time.
    pub clock: f64,
}

/// Both times of this process, from a fixed origin.
pub fn now() -> TimeSpent {
    TimeSpent { processor: processor::of_process(), clock: BEGINNING.elapsed().as_secs_f64() }
}

impl TimeSpent {
    /// The time since `earlier`.
    pub fn since(self, earlier: TimeSpent) -> TimeSpent {
        TimeSpent { processor: self.processor - earlier.processor, clock: self.clock - earlier.clock }
    }
}

impl std::fmt::Display for TimeSpent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of processor time in {}", shown(self.processor), shown(self.clock))
    }
}

/// A time in a fitting unit: 7.1 s, 12.5 min, 3.4 h.
fn shown(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 100.0 => format!("{seconds:.1} s"),
        seconds if seconds < 6_000.0 => format!("{:.1} min", seconds / 60.0),
        seconds => format!("{:.1} h", seconds / 3_600.0),
    }
}

/// The least of three or more measurements, in milliseconds, repeated for a quarter of a second at least: other
/// processes use the machine too.
///
/// # Errors
/// The errors of the work.
pub fn milliseconds<E>(work: impl Fn() -> Result<f64, E>) -> Result<f64, E> {
    let begun = processor_milliseconds();
    let mut least = f64::INFINITY;
    let mut tries = 0;
    while tries < 3 || processor_milliseconds() - begun < 250.0 {
        let started = processor_milliseconds();
        black_box(work()?);
        least = least.min(processor_milliseconds() - started);
        tries += 1;
    }
    Ok(least)
}

/// This thread's processor time, in milliseconds.
fn processor_milliseconds() -> f64 {
    processor::of_thread() * 1e3
}

/// The origin of the wall clock.
#[expect(clippy::disallowed_methods, reason = "the time of the work itself, which no result contains")]
static BEGINNING: LazyLock<Instant> = LazyLock::new(Instant::now);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_told_in_the_unit_that_fits() {
        let time = |processor, clock| TimeSpent { processor, clock };
        let text = time(12_250.0, 755.0).since(time(10.0, 5.0)).to_string();
        assert_eq!(text, "3.4 h of processor time in 12.5 min");
        assert_eq!(time(99.0, 0.5).to_string(), "99.0 s of processor time in 0.5 s");
    }
}
