//! The course of the attempts: whether there is another, and after which pause.

use std::hash::{BuildHasher as _, RandomState};

use anabranch_base::Duration;

use super::Attempt;
use super::curable::is_curable;
use crate::arguments::RetryLimit;

/// The attempts so far.
#[derive(Debug)]
pub(super) struct Course {
    limit: RetryLimit,
    attempts: u32,
    /// The attempts in a row that transferred nothing.
    fruitless: u32,
    /// The time of the last progress.
    moved: Duration,
    has_connected: bool,
}

/// The step after an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Nothing: it succeeded, or another would not.
    Ended,
    /// Another attempt after this pause.
    Attempt(Duration),
}

impl Course {
    pub(super) fn new(limit: RetryLimit) -> Course {
        Course { limit, attempts: 0, fruitless: 0, moved: Duration::ZERO, has_connected: false }
    }

    /// Counts an attempt that ended at `now`. `random` spreads the pauses of several programs.
    pub(super) fn on_attempt(&mut self, attempt: &Attempt, now: Duration, random: u64) -> Next {
        self.attempts = self.attempts.saturating_add(1);
        self.has_connected |= attempt.has_connected;
        if attempt.has_moved {
            (self.fruitless, self.moved) = (0, now);
        } else {
            self.fruitless = self.fruitless.saturating_add(1);
        }
        match attempt.failure() {
            Some(failure) if !attempt.is_last && is_curable(failure, self.has_connected) => {
                self.next(now.saturating_sub(self.moved), random)
            }
            _ => Next::Ended,
        }
    }

    /// The number of attempts.
    pub(super) fn attempts(&self) -> u32 {
        self.attempts
    }

    fn next(&self, idle: Duration, random: u64) -> Next {
        let pause = pause(self.fruitless, random);
        match self.limit {
            RetryLimit::Unlimited => Next::Attempt(pause),
            RetryLimit::Attempts(most) if self.fruitless >= most => Next::Ended,
            RetryLimit::Attempts(_) => Next::Attempt(pause),
            RetryLimit::Time(most) if idle >= most => Next::Ended,
            RetryLimit::Time(most) => Next::Attempt(pause.min(most.saturating_sub(idle))),
        }
    }
}

/// The pause after some attempts without progress: a second, then twice the former up to a minute, each a fifth less or
/// more.
fn pause(fruitless: u32, random: u64) -> Duration {
    let doublings = fruitless.saturating_sub(1).min(6);
    let whole = (SHORTEST_MS << doublings).min(LONGEST_MS);
    Duration::from_millis(whole * (80 + random % 41) / 100)
}

/// A random number: the standard library draws the key of a hash table from the system.
pub(super) fn random() -> u64 {
    RandomState::new().hash_one(0)
}

const SHORTEST_MS: u64 = 1_000;
const LONGEST_MS: u64 = 60_000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Failure;
    use crate::report::Outcome;

    fn broken(has_moved: bool) -> Attempt {
        let failure = Failure::PeerGone("gone".to_owned());
        Attempt { outcome: Err(failure), has_connected: true, has_moved, is_last: false }
    }

    #[test]
    fn pauses_double_up_to_a_minute_and_begin_anew_after_progress() {
        let mut course = Course::new(RetryLimit::Unlimited);
        let mut next = |has_moved| course.on_attempt(&broken(has_moved), Duration::ZERO, 20);
        for seconds in [1, 2, 4, 8, 16, 32, 60, 60] {
            assert_eq!(next(false), Next::Attempt(Duration::from_secs(seconds)));
        }
        assert_eq!(next(true), Next::Attempt(Duration::from_secs(1)));
        assert_eq!(pause(1, 0), Duration::from_millis(800));
        assert_eq!(pause(9, 40), Duration::from_millis(72_000));
    }

    #[test]
    fn attempts_and_time_are_limited_only_without_progress() {
        let mut course = Course::new(RetryLimit::Attempts(2));
        let mut is_over = |has_moved| course.on_attempt(&broken(has_moved), Duration::ZERO, 0) == Next::Ended;
        assert_eq!([false, true, false, false].map(&mut is_over), [false, false, false, true]);
        let mut course = Course::new(RetryLimit::Time(Duration::from_secs(10)));
        let mut at =
            |seconds, has_moved| course.on_attempt(&broken(has_moved), Duration::from_secs(seconds), 20);
        assert_eq!(at(8, true), Next::Attempt(Duration::from_secs(1)));
        assert_eq!(at(17, false), Next::Attempt(Duration::from_secs(1)), "the last one is at the limit");
        assert_eq!(at(18, false), Next::Ended);
    }

    #[test]
    fn success_and_work_that_cannot_be_repeated_end_it() {
        let mut course = Course::new(RetryLimit::Unlimited);
        let last = Attempt { is_last: true, ..broken(true) };
        assert_eq!(course.on_attempt(&last, Duration::ZERO, 0), Next::Ended);
        let done = Attempt { outcome: Ok(Outcome::default()), ..broken(true) };
        assert_eq!(course.on_attempt(&done, Duration::ZERO, 0), Next::Ended);
        assert_eq!(course.attempts(), 2);
    }
}
