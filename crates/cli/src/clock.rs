//! The machine's clock, as a stopwatch. It knows when it was started, and nothing that it measures.

use std::time::Instant;

use anabranch_base::{Duration, Time};

/// Runs from its start.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    started: Instant,
}

impl Stopwatch {
    /// A stopwatch that runs from now.
    #[expect(clippy::disallowed_methods, reason = "the program measures real time")]
    pub fn start() -> Stopwatch {
        Stopwatch { started: Instant::now() }
    }

    /// The time on it.
    pub fn now(&self) -> Time {
        Time::ZERO + self.elapsed()
    }

    /// How long it runs.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed().into()
    }
}

/// How long the program has been running, from the first time it was asked.
pub fn since_start() -> Duration {
    static START: std::sync::LazyLock<Stopwatch> = std::sync::LazyLock::new(Stopwatch::start);
    START.elapsed()
}
