//! The timers of an association in one table.

use anabranch_base::Time;

use crate::policy::PathId;

/// A timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Timer {
    /// T1-init and T1-cookie: INIT or COOKIE-ECHO is not answered. In an open association: the request of a RE-CONFIG is
    /// not answered.
    Request,
    /// The delay of a SACK ends.
    Sack,
    /// A zero-window probe is due.
    WindowProbe,
    /// T2-shutdown: SHUTDOWN or SHUTDOWN-ACK is not answered.
    Shutdown,
    /// T5-shutdown-guard: the whole shutdown takes too long.
    ShutdownGuard,
    /// The next HEARTBEAT for path verification is due.
    Verification,
    /// T4-rto: an ASCONF is not answered.
    Reconfiguration,
    /// A message expires, or a FORWARD-TSN is not acknowledged.
    GivingUp,
    /// T3-rtx: data on this path is not acknowledged.
    Retransmission(PathId),
    /// This path's heartbeat period ends.
    Heartbeat(PathId),
    /// This path's HEARTBEAT is not answered.
    HeartbeatAnswer(PathId),
    /// Another packet size is due on this path, or a probe is not answered.
    MtuProbe(PathId),
    /// The pacer of this path allows the next train of packets.
    Pacing(PathId),
    /// The path's next retransmission is due, if retransmissions are spread over round trips.
    Resend(PathId),
    /// The reordering window of an overtaken chunk on this path ends: the chunk is lost (RFC 8985 §6.3).
    Overtaken(PathId),
    /// Nothing was acknowledged on this path for two round trips (RFC 8985 §7.2).
    TailProbe(PathId),
}

/// The expiry times of the timers.
#[derive(Debug)]
pub(crate) struct Timers {
    /// The expiry times by the timer's slot; [`NEVER`] for a timer that does not run.
    due: Vec<Time>,
    /// The minimum of `due`, cached because it is read after every event.
    next: Time,
}

impl Timers {
    /// Lets `timer` expire at `at`, whether or not it was running.
    #[inline]
    pub(crate) fn set(&mut self, timer: Timer, at: Time) {
        let slot = timer.slot();
        if slot >= self.due.len() {
            self.due.resize(slot + 1, NEVER);
        }
        self.change(slot, at);
    }

    /// Lets `timer` expire at `at`, unless it already runs.
    pub(crate) fn start(&mut self, timer: Timer, at: Time) {
        if !self.is_running(timer) {
            self.set(timer, at);
        }
    }

    /// Stops `timer`.
    #[inline]
    pub(crate) fn stop(&mut self, timer: Timer) {
        if self.is_running(timer) {
            self.change(timer.slot(), NEVER);
        }
    }

    /// Removes the timer that expired first at or before `now`, and returns it; of several with the same time, the
    /// first one in [`Timer`].
    pub(crate) fn take_expired(&mut self, now: Time) -> Option<Timer> {
        let next = self.next().filter(|due| *due <= now)?;
        let slot = self.due.iter().position(|due| *due == next)?;
        self.change(slot, NEVER);
        Some(Timer::from_slot(slot))
    }

    /// Returns true if `timer` runs.
    #[inline]
    pub(crate) fn is_running(&self, timer: Timer) -> bool {
        self.due.get(timer.slot()).is_some_and(|due| *due != NEVER)
    }

    /// The time at which the next timer expires.
    #[inline]
    pub(crate) fn next(&self) -> Option<Time> {
        Some(self.next).filter(|due| *due != NEVER)
    }

    /// Lets the timer at `slot` expire at `at`.
    fn change(&mut self, slot: usize, at: Time) {
        let before = std::mem::replace(&mut self.due[slot], at);
        if at <= self.next {
            self.next = at;
        } else if before == self.next {
            // On plain numbers the minimum needs no branch and is vectorized.
            let first = self.due.iter().fold(NEVER.as_nanos(), |first, due| first.min(due.as_nanos()));
            self.next = Time::from_nanos(first);
        }
    }
}

impl Default for Timers {
    fn default() -> Timers {
        Timers { due: Vec::new(), next: NEVER }
    }
}

impl Timer {
    fn slot(self) -> usize {
        match self {
            Timer::Request => 0,
            Timer::Sack => 1,
            Timer::WindowProbe => 2,
            Timer::Shutdown => 3,
            Timer::ShutdownGuard => 4,
            Timer::Verification => 5,
            Timer::Reconfiguration => 6,
            Timer::GivingUp => 7,
            Timer::Retransmission(path) => ASSOCIATION_TIMERS + path.index() * PATH_TIMERS,
            Timer::Heartbeat(path) => ASSOCIATION_TIMERS + path.index() * PATH_TIMERS + 1,
            Timer::HeartbeatAnswer(path) => ASSOCIATION_TIMERS + path.index() * PATH_TIMERS + 2,
            Timer::MtuProbe(path) => ASSOCIATION_TIMERS + path.index() * PATH_TIMERS + 3,
            Timer::Pacing(path) => ASSOCIATION_TIMERS + path.index() * PATH_TIMERS + 4,
            Timer::Resend(path) => ASSOCIATION_TIMERS + path.index() * PATH_TIMERS + 5,
            Timer::Overtaken(path) => ASSOCIATION_TIMERS + path.index() * PATH_TIMERS + 6,
            Timer::TailProbe(path) => ASSOCIATION_TIMERS + path.index() * PATH_TIMERS + 7,
        }
    }

    fn from_slot(slot: usize) -> Timer {
        let path = PathId::from_index(slot.saturating_sub(ASSOCIATION_TIMERS) / PATH_TIMERS);
        match slot {
            0 => Timer::Request,
            1 => Timer::Sack,
            2 => Timer::WindowProbe,
            3 => Timer::Shutdown,
            4 => Timer::ShutdownGuard,
            5 => Timer::Verification,
            6 => Timer::Reconfiguration,
            7 => Timer::GivingUp,
            _ => match (slot - ASSOCIATION_TIMERS) % PATH_TIMERS {
                0 => Timer::Retransmission(path),
                1 => Timer::Heartbeat(path),
                2 => Timer::HeartbeatAnswer(path),
                3 => Timer::MtuProbe(path),
                4 => Timer::Pacing(path),
                5 => Timer::Resend(path),
                6 => Timer::Overtaken(path),
                _ => Timer::TailProbe(path),
            },
        }
    }
}

/// The expiry time of a stopped timer.
const NEVER: Time = Time::from_nanos(u64::MAX);

const ASSOCIATION_TIMERS: usize = 8;
const PATH_TIMERS: usize = 8;

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::{any, prop_assert_eq, proptest};

    use super::*;

    #[test]
    fn every_timer_has_a_place_of_its_own() {
        for slot in 0..40 {
            assert_eq!(Timer::from_slot(slot).slot(), slot);
        }
    }

    #[test]
    fn timers_expire_in_the_order_of_their_times() {
        let at = Time::from_nanos;
        let mut timers = Timers::default();
        timers.set(Timer::Retransmission(PathId::from_index(1)), at(30));
        timers.set(Timer::Sack, at(20));
        timers.start(Timer::Sack, at(50));
        timers.set(Timer::Heartbeat(PathId::FIRST), at(90));
        assert_eq!(timers.next(), Some(at(20)));
        assert_eq!(timers.take_expired(at(40)), Some(Timer::Sack));
        assert_eq!(timers.take_expired(at(40)), Some(Timer::Retransmission(PathId::from_index(1))));
        assert_eq!(timers.take_expired(at(40)), None);
        timers.stop(Timer::Heartbeat(PathId::FIRST));
        assert_eq!(timers.next(), None);
    }

    proptest! {
        #[test]
        fn the_next_timer_is_the_first_of_those_that_run(
            steps in proptest::collection::vec((0_usize..20, 0_u64..10, any::<bool>()), 0..60),
        ) {
            let mut timers = Timers::default();
            let mut running = BTreeMap::new();
            for (slot, at, is_set) in steps {
                let at = Time::from_nanos(at);
                if is_set { timers.set(Timer::from_slot(slot), at) } else { timers.stop(Timer::from_slot(slot)) }
                running.remove(&slot);
                running.extend(is_set.then_some((slot, at)));
                prop_assert_eq!(timers.next(), running.values().min().copied());
            }
        }
    }
}
