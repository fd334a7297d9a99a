//! The times of events.

use anabranch_base::{Duration, Time};

use super::{Player, Stop};
use crate::script::When;

/// When an event may happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Window {
    /// Between these two times.
    Between(Time, Time),
    /// Any time from now on.
    Any,
}

/// The longest wait for an event that may happen at any time.
pub(super) const PATIENCE: Duration = Duration::from_secs(3_600);

impl Player {
    /// The window of an event that begins now.
    pub(super) fn window(&self, when: When) -> Window {
        let now = self.machine.now();
        match when {
            When::At(at) => Window::Between(Time::ZERO + at, Time::ZERO + at),
            When::After(after) => Window::Between(now + after, now + after),
            When::Between(from, to) => Window::Between(Time::ZERO + from, Time::ZERO + to),
            When::AfterBetween(from, to) => Window::Between(now + from, now + to),
            When::Any => Window::Any,
        }
    }

    /// Lets time pass until the script acts.
    pub(super) fn wait_until(&mut self, line: usize, when: When) -> Result<(), Stop> {
        let Window::Between(time, _) = self.window(when) else { return Ok(()) };
        if time < self.machine.now() {
            let got = seconds(self.machine.now());
            return Err(Stop::failed(line, "the time of the event is past", seconds(time), got));
        }
        self.run_until(time)
    }
}

/// A time as scripts write it.
pub(super) fn seconds(time: Time) -> String {
    let micros = time.as_nanos() / 1_000;
    format!("{}.{:06} s", micros / 1_000_000, micros % 1_000_000)
}
