//! Whether a path lives: its error count, its verification, its HEARTBEAT under way (RFC 9260 §5.4, §8.2,
//! §8.3; M-SCTP-2, -14, -15). It knows no window.

use anabranch_base::Time;

use crate::policy::PathState;

/// The health of one path.
#[derive(Clone, Debug)]
pub struct Health {
    state: PathState,
    errors: u32,
    /// The nonce of the HEARTBEAT that is not answered yet, and when it left.
    heartbeat: Option<(u64, Time)>,
    /// Whether something that can be timed left in this heartbeat period. A HEARTBEAT does not count: it is
    /// what a period begins with.
    was_used: bool,
}

/// What an event did to a path's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HealthChange {
    /// It was verified.
    Confirmed,
    /// It failed once too often.
    Down,
    /// It answers again.
    Up,
}

impl Health {
    /// A path in `state` without a blemish.
    pub fn new(state: PathState) -> Health {
        Health { state, errors: 0, heartbeat: None, was_used: false }
    }

    /// A time-out or an unanswered HEARTBEAT. The path fails when the count exceeds `max` (M-SCTP-15).
    pub fn on_error(&mut self, max: u32) -> Option<HealthChange> {
        // "Once d is inactive HEARTBEATs go on but the count stays" (M-SCTP-14).
        if self.state != PathState::Inactive {
            self.errors = self.errors.saturating_add(1);
        }
        if self.state == PathState::Active && self.errors > max {
            self.state = PathState::Inactive;
            return Some(HealthChange::Down);
        }
        None
    }

    /// Something that was sent here once was acknowledged: the path works.
    pub fn on_alive(&mut self) -> Option<HealthChange> {
        self.errors = 0;
        if self.state == PathState::Inactive {
            self.state = PathState::Active;
            return Some(HealthChange::Up);
        }
        None
    }

    /// The path needs no verification, or has passed it.
    pub fn confirm(&mut self) -> Option<HealthChange> {
        if self.state != PathState::Unconfirmed {
            return self.on_alive();
        }
        self.errors = 0;
        self.state = PathState::Active;
        Some(HealthChange::Confirmed)
    }

    /// The address behind the path changed: it must be verified anew.
    pub fn doubt(&mut self) {
        *self = Health::new(PathState::Unconfirmed);
    }

    /// The path is given up for good.
    pub fn remove(&mut self) {
        self.state = PathState::Removed;
        self.heartbeat = None;
    }

    /// A HEARTBEAT with `nonce` left.
    pub fn on_heartbeat_sent(&mut self, nonce: u64, now: Time) {
        self.heartbeat = Some((nonce, now));
    }

    /// A HEARTBEAT-ACK with `nonce` arrived. If it is the one awaited: when that HEARTBEAT left.
    pub fn take_heartbeat(&mut self, nonce: u64) -> Option<Time> {
        let (awaited, sent_at) = self.heartbeat?;
        if awaited != nonce {
            return None;
        }
        self.heartbeat = None;
        Some(sent_at)
    }

    /// The HEARTBEAT under way is given up; whether there was one.
    pub fn give_up_heartbeat(&mut self) -> bool {
        self.heartbeat.take().is_some()
    }

    /// Something left that will be timed, so no HEARTBEAT is needed in this period.
    pub fn on_used(&mut self) {
        self.was_used = true;
    }

    /// A heartbeat period ended; whether the path was idle in it.
    pub fn take_idle(&mut self) -> bool {
        !std::mem::replace(&mut self.was_used, false)
    }

    /// The state of the path.
    pub fn state(&self) -> PathState {
        self.state
    }

    /// How many errors in a row.
    pub fn errors(&self) -> u32 {
        self.errors
    }

    /// Whether a HEARTBEAT is not answered yet.
    pub fn awaits_heartbeat(&self) -> bool {
        self.heartbeat.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_fails_when_its_errors_exceed_the_limit() {
        let mut health = Health::new(PathState::Active);
        let changes: Vec<Option<HealthChange>> = (0..7).map(|_| health.on_error(5)).collect();
        assert_eq!(changes.iter().position(Option::is_some), Some(5), "the sixth in a row");
        assert_eq!(health.errors(), 6, "the count stays once the path is inactive");
        assert_eq!(health.on_alive(), Some(HealthChange::Up));
        assert_eq!(health.errors(), 0);
    }

    #[test]
    fn only_the_right_nonce_answers_a_heartbeat() {
        let mut health = Health::new(PathState::Unconfirmed);
        health.on_heartbeat_sent(7, Time::from_nanos(3));
        assert_eq!(health.take_heartbeat(8), None);
        assert_eq!(health.take_heartbeat(7), Some(Time::from_nanos(3)));
        assert_eq!(health.take_heartbeat(7), None, "an answer counts once");
        assert_eq!(health.confirm(), Some(HealthChange::Confirmed));
    }

    #[test]
    fn an_unconfirmed_path_that_errs_stays_unconfirmed() {
        let mut health = Health::new(PathState::Unconfirmed);
        assert!((0..9).all(|_| health.on_error(5).is_none()));
        assert_eq!(health.state(), PathState::Unconfirmed);
    }
}
