//! The evidence that a path works: its health, its silence, the time-outs since its last answer, and the times of its
//! last packets.

use anabranch_base::{Duration, Time};

use super::health::{Health, HealthChange};
use super::silence::Silence;
use crate::config::Failover;
use crate::policy::PathState;
use crate::policy::loss_detection::AckedChunk;
use crate::policy::ns2::Ns2;

/// The signs of life of one path.
#[derive(Clone, Debug)]
pub(super) struct Liveness {
    health: Health,
    silence: Silence,
    /// Expiries of T3-rtx since a chunk was last acknowledged.
    timeouts_in_row: u32,
    /// The time before which departures prove nothing about the path: its time-out expired then.
    doubtful_before: Time,
    /// The time at which data last left, until idle time is counted from a later moment.
    last_data: Option<Time>,
    last_arrival: Option<Time>,
}

impl Liveness {
    /// A path in `state` on which nothing passed yet.
    pub(super) fn new(state: PathState) -> Liveness {
        Liveness {
            health: Health::new(state),
            silence: Silence::new(),
            timeouts_in_row: 0,
            doubtful_before: Time::ZERO,
            last_data: None,
            last_arrival: None,
        }
    }

    /// The path begins anew in `state`; the times of its last packets stay known.
    pub(super) fn restart(&mut self, state: PathState) {
        let Liveness { last_data, last_arrival, .. } = *self;
        *self = Liveness { last_data, last_arrival, ..Liveness::new(state) };
    }

    /// A packet arrived.
    pub(super) fn on_arrival(&mut self, now: Time) {
        self.last_arrival = Some(now);
    }

    /// A chunk leaves and nothing is in flight: silence is counted from now on.
    pub(crate) fn on_first_in_flight(&mut self, now: Time) {
        self.silence.begin(now);
    }

    /// A chunk left.
    pub(super) fn on_sent(&mut self, now: Time) {
        self.last_data = Some(now);
    }

    /// A chunk that can be timed left: this heartbeat period needs no HEARTBEAT.
    pub(crate) fn on_used(&mut self) {
        self.health.on_used();
    }

    /// A chunk last sent on the path was acknowledged. Returns true if that shows that the path works now.
    pub(super) fn on_acked(&mut self, chunk: &AckedChunk, now: Time) -> bool {
        let works = self.shows_life(chunk.sent_at);
        if works {
            self.timeouts_in_row = 0;
        }
        // It is unknown which of several paths delivered a copied chunk.
        if !chunk.was_copied {
            self.silence.begin(now);
        }
        works
    }

    /// A HEARTBEAT was answered.
    pub(super) fn on_answer(&mut self, now: Time) {
        self.silence.begin(now);
        self.health.on_sign_of_life(now);
    }

    /// The expiry of T3-rtx counts as a time-out.
    pub(crate) fn count_timeout(&mut self) {
        self.timeouts_in_row = self.timeouts_in_row.saturating_add(1);
    }

    /// The time-out expired at `now`: acknowledgements of earlier departures no longer count as signs of life.
    pub(crate) fn doubt_before(&mut self, now: Time) {
        self.doubtful_before = now;
    }

    /// An error counts against the path.
    pub(crate) fn on_error(&mut self, limits: &Failover) -> Option<HealthChange> {
        self.health.on_error(limits)
    }

    /// The path has potentially failed, because of its silence.
    pub(crate) fn suspect(&mut self) -> Option<HealthChange> {
        self.silence.on_suspected();
        self.health.suspect()
    }

    /// The path delivered a chunk that was sent only on it, and only once.
    pub(crate) fn on_alive(&mut self, now: Time) -> Option<HealthChange> {
        self.health.on_sign_of_life(now);
        let change = self.health.on_alive();
        if change.is_some() {
            self.silence.on_flight_arrived();
        }
        change
    }

    /// The path is verified.
    pub(super) fn confirm(&mut self) -> Option<HealthChange> {
        self.health.confirm()
    }

    /// The path's new address must be verified before it carries data.
    pub(crate) fn doubt(&mut self) {
        self.health.doubt();
    }

    /// The path is removed: one of its addresses is lost.
    pub(super) fn remove(&mut self) {
        self.health.remove();
        self.last_data = None;
    }

    /// The number of whole times of `rto` that have passed since data last left, or since the last count. `ns2` decides
    /// where the next count starts.
    pub(crate) fn take_idle_rtos(&mut self, rto: Duration, ns2: Ns2, now: Time) -> u64 {
        let Some(last) = self.last_data else { return 0 };
        let idle = ns2.idle_time(last, rto, now);
        self.last_data = Some(idle.counted_to);
        idle.rtos
    }

    /// The health of the path, mutable.
    pub(crate) fn health_mut(&mut self) -> &mut Health {
        &mut self.health
    }

    /// The silence of the path, mutable.
    pub(crate) fn silence_mut(&mut self) -> &mut Silence {
        &mut self.silence
    }

    /// The health of the path.
    pub(crate) fn health(&self) -> &Health {
        &self.health
    }

    /// The silence of the path.
    pub(super) fn silence(&self) -> &Silence {
        &self.silence
    }

    /// The time at which a packet last arrived.
    pub(crate) fn last_arrival(&self) -> Option<Time> {
        self.last_arrival
    }

    /// Returns true if a packet arrived since data last left.
    pub(crate) fn has_arrival_since_data(&self) -> bool {
        self.last_arrival > self.last_data
    }

    /// Returns true if no data has left for `srtt`.
    pub(crate) fn is_resting(&self, srtt: Duration, now: Time) -> bool {
        self.last_data.is_some_and(|last| last + srtt <= now)
    }

    /// Returns true if the acknowledgement of a chunk that left at `sent_at` shows that the path works now.
    pub(crate) fn shows_life(&self, sent_at: Time) -> bool {
        sent_at >= self.doubtful_before
    }

    /// Returns true if time-outs were counted since a chunk was last acknowledged.
    pub(super) fn has_timed_out(&self) -> bool {
        self.timeouts_in_row > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Time {
        Time::ZERO + Duration::from_secs(seconds)
    }

    #[test]
    fn a_path_that_begins_anew_remembers_only_when_packets_last_passed() {
        let mut path = Liveness::new(PathState::Active);
        path.on_sent(at(1));
        path.count_timeout();
        path.doubt_before(at(2));
        path.on_arrival(at(3));
        assert!(path.has_timed_out() && path.has_arrival_since_data() && !path.shows_life(at(1)));
        path.restart(PathState::Unconfirmed);
        assert!(!path.has_timed_out() && path.has_arrival_since_data() && path.shows_life(at(1)));
        assert_eq!((path.health().state(), path.last_arrival()), (PathState::Unconfirmed, Some(at(3))));
    }

    #[test]
    fn idle_time_is_counted_from_now_or_from_the_last_whole_rto() {
        let mut path = Liveness::new(PathState::Active);
        let second = Duration::from_secs(2);
        let (ours, as_in_ns2) = (Ns2::NONE, Ns2::of_numbers(&[5]));
        assert_eq!(path.take_idle_rtos(second, ours, at(9)), 0, "no data ever left");
        path.on_sent(at(10));
        assert_eq!(
            [at(15), at(16), at(17)].map(|now| path.take_idle_rtos(second, as_in_ns2, now)),
            [2, 1, 0]
        );
        assert_eq!([at(21), at(22), at(23)].map(|now| path.take_idle_rtos(second, ours, now)), [2, 0, 1]);
    }
}
