//! The first sign of life on a path after time-outs: what was lost there leaves at once, and does not wait for a timer
//! that has backed off.

use anabranch_base::{ByteCount, Duration, Time};

use super::session::Session;
use super::timers::Timer;
use crate::policy::congestion::CutCause;
use crate::policy::retransmission::LostBy;
use crate::policy::{PathId, PathState};
use crate::seq::Tsn;

impl Session {
    /// A HEARTBEAT that left at `sent_at` was answered on `path`. If T3-rtx has expired there since a chunk was last
    /// acknowledged, all that left before the HEARTBEAT is lost, and leaves again at once. Without a time-out, so is what left a
    /// round trip earlier: SACKs for it had time to arrive by any path. The timer runs anew for the rest: it was started with
    /// the time-out of the outage, or before any round trip was measured.
    ///
    /// The window of a failed path is not cut here: the time-outs have done so, or the end of the suspicion does.
    pub(super) fn revive(&mut self, path: PathId, sent_at: Time, now: Time) {
        if !self.settings.config.failover.quick {
            return;
        }
        let before = match self.paths.has_timed_out(path) {
            true => sent_at,
            false => sent_at - self.longest_round_trip(path) - ALLOWANCE,
        };
        let has_failed = self.paths.sample(path).state.has_failed();
        let lost = self.send.in_flight_from_before(path, before);
        if lost.is_empty() && !self.paths.has_timed_out(path) {
            return;
        }
        for &tsn in &lost {
            _ = self.mark_lost(tsn, path, LostBy::Timeout);
            self.paths.silence_mut(path).on_taken_back();
        }
        if !has_failed && !self.paths.has_timed_out(path) {
            self.cut(path, CutCause::Missing, now);
        }
        if self.paths.sample(path).flight.is_zero() {
            self.timers.stop(Timer::Retransmission(path));
        } else if self.timers.is_running(Timer::Retransmission(path)) {
            self.restart_retransmission_timer(path, now);
        }
    }

    /// The longest smoothed round trip of `path` and of those that have not failed.
    fn longest_round_trip(&self, path: PathId) -> Duration {
        let answering =
            self.paths.samples().iter().filter(|sample| sample.id == path || !sample.state.has_failed());
        answering.filter_map(|sample| sample.srtt).max().unwrap_or(Duration::ZERO)
    }

    /// A SACK arrived, and it or the last one left less room than the `owed` bytes that are in flight or lost. What was there
    /// longer than a round trip when the peer had no room was refused, as far as there is room for it now: it leaves again at
    /// once. A peer does so whose window shrinks, because it counts memory that the sender does not know of.
    #[cold]
    pub(super) fn resend_refused(&mut self, owed: ByteCount, now: Time) {
        let mut room = self.peer_window.advertised;
        let was_overdrawn = std::mem::replace(&mut self.peer_window.is_overdrawn, owed > room);
        if !was_overdrawn {
            return;
        }
        for path in self.paths.ids() {
            // While data leaves, later chunks report what is missing.
            if !self.paths.is_resting(path, now) {
                continue;
            }
            while let Some((tsn, weight)) =
                self.oldest_refused(path, now).filter(|(_, weight)| *weight <= room)
                && self.mark_lost(tsn, path, LostBy::Timeout).is_some()
            {
                room -= weight;
            }
        }
    }

    /// The lowest chunk in flight on `path`, and its weight, if it left at least a round trip ago and is no window probe.
    fn oldest_refused(&mut self, path: PathId, now: Time) -> Option<(Tsn, ByteCount)> {
        let (srtt, left_at) = (self.paths.sample(path).srtt?, self.send.lowest_left_at(path)?);
        let tsn = self.send.lowest_on(path).filter(|tsn| self.peer_window.probe != Some(*tsn))?;
        (left_at + srtt <= now).then(|| (tsn, self.send.rwnd_weight(tsn)))
    }

    /// A HEARTBEAT arrived on `path`. If this end has lost packets there, it probes at once whether they arrive now: its
    /// own next probe may be half a second away, or backed off.
    ///
    /// While this end waits for the answer to a SHUTDOWN or SHUTDOWN-ACK it does not: answered probes would end the count of those
    /// that are not answered, and with it the end of an association whose peer never shut down (RFC 9260 §9.2).
    pub(super) fn probe_back(&mut self, path: PathId, now: Time) {
        if self.timers.is_running(Timer::Shutdown) {
            return;
        }
        let health = self.paths.health(path);
        let has_lost_probes = health.state() == PathState::Unconfirmed && health.errors() > 0;
        let is_failed = self.settings.config.failover.quick && health.state().has_failed();
        // However many HEARTBEATs a packet carries, and however often they come.
        let is_time = health.last_probe().is_none_or(|last| last + LEAST_GAP <= now);
        let is_wanted = is_time && (has_lost_probes || is_failed);
        if is_wanted && self.is_announced(path) && self.challenges.may_give(now) {
            self.send_heartbeat(path, now);
        }
    }
}

/// How much longer than a round trip an acknowledgement may take.
const ALLOWANCE: Duration = Duration::from_millis(25);
/// The least time between two probes that HEARTBEATs of the peer cause on a path.
const LEAST_GAP: Duration = Duration::from_millis(100);
