//! The bounds of the simulations, and their observer.

use std::num::NonZeroUsize;
use std::thread;

use anabranch_base::Duration;

/// The time and the threads for simulations.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// The time after which no more is simulated, by `clock`.
    pub budget: Duration,
    /// Returns the time since the program began: this crate does not read a clock.
    pub clock: fn() -> Duration,
    /// The number of threads; `None` for as many as there are cores.
    pub threads: Option<NonZeroUsize>,
    /// The first seed.
    pub seed: u64,
}

impl Effort {
    /// Ten seconds on all cores.
    pub fn new(clock: fn() -> Duration) -> Effort {
        Effort { budget: Duration::from_secs(10), clock, threads: None, seed: 1 }
    }

    /// The number of threads.
    pub(crate) fn threads(&self) -> usize {
        let threads = self.threads.or(thread::available_parallelism().ok());
        threads.map_or(1, NonZeroUsize::get).min(MOST_THREADS)
    }
}

/// The watcher of the simulations, from any thread.
#[derive(Clone, Copy)]
pub struct Observer<'o> {
    /// Hears the share that is done, from 0 to 1.
    pub on_progress: &'o (dyn Fn(f64) + Sync),
    /// Returns true once the simulations shall end.
    pub is_cancelled: &'o (dyn Fn() -> bool + Sync),
}

const MOST_THREADS: usize = 64;
