//! Schedules and sends HEARTBEATs (RFC 9260 §8.3).

use anabranch_base::{Duration, Time};

use super::Ground;
use super::probe::Probe;
use super::timers::Timer;
use crate::config::Failover;
use crate::policy::{PathId, PathState};
use crate::wire::Heartbeat;

impl Ground {
    /// Returns true if an answer on a candidate path proves that the peer receives packets sent there. This needs no
    /// record of the HEARTBEAT, so it also works if another candidate replaced this one meanwhile.
    pub(crate) fn is_proof(&self, arrived: PathId, proof: u64) -> bool {
        let is_guess = self.paths.is_candidate(arrived) && !self.paths.is_removed(arrived);
        is_guess && proof == self.outbox.proof(self.paths.addresses(arrived))
    }

    /// Handles the end of the heartbeat period of `path`.
    pub(crate) fn on_heartbeat_due(&mut self, path: PathId, now: Time) {
        let is_idle = self.paths.heartbeat(path).take_idle();
        let is_unwatched = is_idle && !self.paths.health(path).awaits_heartbeat() && !self.rests(path, now);
        if is_unwatched || self.quick_period(path).is_some() {
            self.send_heartbeat(path, now);
        }
        self.schedule_heartbeat(path, now);
    }

    /// Returns true if the path is a backup that carries nothing, and was alive lately: its link may be paid by the byte. A
    /// path whose both addresses have others may be about to be given up, which HEARTBEATs reveal.
    fn rests(&self, path: PathId, now: Time) -> bool {
        let alive_at = self.paths.health(path).alive_at();
        self.paths.sample(path).state == PathState::Standby
            && self.paths.has_end_of_its_own(path)
            && alive_at.is_some_and(|at| now.since(at) < REST)
    }

    /// Schedules the next HEARTBEAT of each verified path anew: the interval has changed.
    pub(crate) fn reschedule_heartbeats(&mut self, now: Time) {
        for path in self.paths.ids() {
            self.timers.stop(Timer::Heartbeat(path));
            if self.paths.sample(path).state != PathState::Unconfirmed {
                self.schedule_heartbeat(path, now);
            }
        }
    }

    /// Stops HEARTBEATs and probes of packet sizes.
    pub(crate) fn stop_heartbeats(&mut self) {
        self.timers.stop(Timer::Verification);
        for path in self.paths.ids() {
            self.timers.stop(Timer::Heartbeat(path));
            self.timers.stop(Timer::HeartbeatAnswer(path));
            self.paths.heartbeat(path).probes_mut().clear();
        }
        self.stop_mtu_probes();
    }

    /// Schedules the next HEARTBEAT after HB.interval + RTO, with a jitter of half an RTO in both directions (RFC 9260
    /// §8.3); earlier on a failed path with `failover.quick`.
    pub(crate) fn schedule_heartbeat(&mut self, path: PathId, now: Time) {
        if let Some(period) = self.quick_period(path) {
            return self.timers.set(Timer::Heartbeat(path), now + period);
        }
        if self.settings.config.failover.heartbeat == Duration::MAX {
            return;
        }
        let rto = self.paths.sample(path).rto;
        let jitter = Duration::from_nanos(self.outbox.random() % rto.as_nanos().max(1));
        let period = self.settings.config.failover.heartbeat + rto / 2 + jitter;
        self.timers.set(Timer::Heartbeat(path), now + period);
    }

    /// Sends a HEARTBEAT on `path`, which may be unverified.
    pub(crate) fn send_heartbeat(&mut self, path: PathId, now: Time) {
        let nonce = self.outbox.random();
        let mut info = Probe { nonce, path }.encode();
        if self.paths.is_candidate(path) {
            info.extend(self.outbox.proof(self.paths.addresses(path)).to_be_bytes());
        }
        self.outbox.push(path, true, Heartbeat { info, role: self.paths.announce_role(path) });
        self.paths.heartbeat(path).probes_mut().on_sent(nonce, now);
        // An additional HEARTBEAT on a failed path does not delay the error of the first.
        self.timers.start(Timer::HeartbeatAnswer(path), now + self.paths.sample(path).rto);
    }

    /// Probes a failed or potentially failed path at once (RFC 7829 §3.2). An inactive path is probed only with
    /// `failover.quick`.
    pub(crate) fn probe_failed(&mut self, path: PathId, now: Time) {
        let is_wanted = match self.paths.sample(path).state {
            PathState::PotentiallyFailed => true,
            PathState::Inactive => self.settings.config.failover.quick,
            _ => false,
        };
        let is_quick = self.quick_period(path).is_some();
        if is_wanted && (is_quick || !self.paths.health(path).awaits_heartbeat()) {
            self.send_heartbeat(path, now);
        }
        if is_quick {
            self.schedule_heartbeat(path, now);
        }
    }

    /// The period in which a failed path is probed, independent of its RTO; `None` without `failover.quick`.
    fn quick_period(&self, path: PathId) -> Option<Duration> {
        let Failover { quick, .. } = self.settings.config.failover;
        let is_wanted = quick && self.paths.sample(path).state.has_failed();
        is_wanted.then_some(QUICK_PERIOD)
    }
}

/// The time for which a backup needs no HEARTBEAT: the recommended interval (RFC 9260 §16).
const REST: Duration = Duration::from_secs(30);
/// A failed path that works again is detected within this time plus one round trip.
const QUICK_PERIOD: Duration = Duration::from_millis(500);
