//! The health of a path: its error count, its verification, and its HEARTBEATs under way (RFC 9260 §5.4, §8.2, §8.3;
//! RFC 7829; M-SCTP-2, -14, -15).

use anabranch_base::Time;

use super::probes::Probes;
use crate::config::Failover;
use crate::policy::PathState;

/// The health of one path.
#[derive(Clone, Debug)]
pub(crate) struct Health {
    state: PathState,
    errors: u32,
    probes: Probes,
    /// The time at which the path last gave a sign of life.
    alive_at: Option<Time>,
    /// True if a chunk that can be timed left in this heartbeat period. A HEARTBEAT does not count, because each
    /// period begins with one.
    was_used: bool,
}

/// A change of a path's state by an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HealthChange {
    /// It was verified.
    Confirmed,
    /// It has potentially failed (RFC 7829).
    Suspected,
    /// It is inactive, after one error too many.
    Down,
    /// It answers again.
    Up,
}

impl Health {
    /// A path in `state` without errors.
    pub(crate) fn new(state: PathState) -> Health {
        Health { state, errors: 0, probes: Probes::default(), alive_at: None, was_used: false }
    }

    /// A time-out, or an unanswered HEARTBEAT. The path becomes inactive when the count exceeds `limits.path_max`
    /// (M-SCTP-15). It potentially fails earlier if `limits` say so (RFC 7829).
    pub(crate) fn on_error(&mut self, limits: &Failover) -> Option<HealthChange> {
        // "Once d is inactive HEARTBEATs go on but the count stays" (M-SCTP-14).
        if self.state != PathState::Inactive {
            self.errors = self.errors.saturating_add(1);
        }
        let may_fail = matches!(self.state, PathState::Active | PathState::PotentiallyFailed);
        if may_fail && self.errors > limits.path_max {
            self.state = PathState::Inactive;
            return Some(HealthChange::Down);
        }
        if limits.suspects_after(self.errors) { self.suspect() } else { None }
    }

    /// An active path has potentially failed.
    pub(crate) fn suspect(&mut self) -> Option<HealthChange> {
        if self.state != PathState::Active {
            return None;
        }
        self.state = PathState::PotentiallyFailed;
        Some(HealthChange::Suspected)
    }

    /// The path gave a sign of life.
    pub(crate) fn on_sign_of_life(&mut self, now: Time) {
        self.alive_at = Some(now);
    }

    /// A chunk that was sent once, on this path, was acknowledged: the path works.
    pub(crate) fn on_alive(&mut self) -> Option<HealthChange> {
        self.errors = 0;
        if !self.state.has_failed() {
            return None;
        }
        self.state = PathState::Active;
        Some(HealthChange::Up)
    }

    /// The path needs no verification, or has passed it.
    pub(crate) fn confirm(&mut self) -> Option<HealthChange> {
        if self.state != PathState::Unconfirmed {
            return self.on_alive();
        }
        self.errors = 0;
        self.state = PathState::Active;
        Some(HealthChange::Confirmed)
    }

    /// The address of the path changed: it must be verified again.
    pub(crate) fn doubt(&mut self) {
        *self = Health::new(PathState::Unconfirmed);
    }

    /// The path is removed: one of its addresses is lost.
    pub(crate) fn remove(&mut self) {
        self.state = PathState::Removed;
        self.probes.clear();
    }

    /// The path's HEARTBEATs, mutable.
    pub(crate) fn probes_mut(&mut self) -> &mut Probes {
        &mut self.probes
    }

    /// A chunk that will be timed left, so no HEARTBEAT is needed in this period.
    pub(crate) fn on_used(&mut self) {
        self.was_used = true;
    }

    /// A heartbeat period ended. Returns true if the path was idle in it.
    pub(crate) fn take_idle(&mut self) -> bool {
        !std::mem::replace(&mut self.was_used, false)
    }

    /// The state of the path.
    pub(crate) fn state(&self) -> PathState {
        self.state
    }

    /// The number of errors in a row.
    pub(crate) fn errors(&self) -> u32 {
        self.errors
    }

    /// The time at which the path last gave a sign of life.
    pub(crate) fn alive_at(&self) -> Option<Time> {
        self.alive_at
    }

    /// The time at which the last of the HEARTBEATs that may still be answered left.
    pub(crate) fn last_probe(&self) -> Option<Time> {
        self.probes.last_sent()
    }

    /// Returns true if a HEARTBEAT is not answered yet.
    pub(crate) fn awaits_heartbeat(&self) -> bool {
        self.probes.is_awaited()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn limits(potentially_failed: u32, path_max: u32) -> Failover {
        Failover { potentially_failed, path_max, ..Config::rfc9260().failover }
    }

    fn after_errors(limits: &Failover, count: usize) -> Vec<Option<HealthChange>> {
        let mut health = Health::new(PathState::Active);
        (0..count).map(|_| health.on_error(limits)).collect()
    }

    #[test]
    fn a_path_fails_when_its_errors_exceed_the_limit() {
        let mut health = Health::new(PathState::Active);
        let limits = limits(0, 5);
        let changes: Vec<Option<HealthChange>> = (0..7).map(|_| health.on_error(&limits)).collect();
        assert_eq!(changes.iter().position(Option::is_some), Some(5), "the sixth in a row");
        assert_eq!(health.errors(), 6, "the count stays once the path is inactive");
        assert_eq!(health.on_alive(), Some(HealthChange::Up));
        assert_eq!(health.errors(), 0);
    }

    #[test]
    fn a_path_potentially_fails_before_it_fails() {
        let [none, suspected, down] = [None, Some(HealthChange::Suspected), Some(HealthChange::Down)];
        assert_eq!(after_errors(&limits(1, 2), 4), [suspected, none, down, none]);
        assert_eq!(after_errors(&limits(2, 2), 3), [none, suspected, down]);
        assert_eq!(after_errors(&limits(0, 2), 3), [none, none, down], "0 switches it off");
        assert_eq!(
            after_errors(&limits(3, 2), 3),
            [none, none, down],
            "as does a number beyond the last error"
        );
    }

    #[test]
    fn a_suspect_that_answers_works_without_a_blemish() {
        let mut health = Health::new(PathState::Active);
        assert_eq!(health.suspect(), Some(HealthChange::Suspected));
        assert_eq!(health.suspect(), None, "once");
        health.on_error(&limits(1, 5));
        assert_eq!(health.confirm(), Some(HealthChange::Up));
        assert_eq!((health.state(), health.errors()), (PathState::Active, 0));
    }

    #[test]
    fn an_unconfirmed_path_that_errs_stays_unconfirmed() {
        let mut health = Health::new(PathState::Unconfirmed);
        assert!((0..9).all(|_| health.on_error(&limits(1, 5)).is_none()));
        assert_eq!(health.state(), PathState::Unconfirmed);
        assert_eq!(health.suspect(), None);
    }
}
