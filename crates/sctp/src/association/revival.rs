//! The first sign of life on a path after time-outs: what was lost there leaves at once, and does not wait for a timer
//! that has backed off.

use anabranch_base::{ByteCount, Duration, Time};

use super::session::Session;
use super::timers::Timer;
use crate::policy::retransmission::LostBy;
use crate::policy::{PathId, PathState};
use crate::seq::Tsn;

impl Session {
    /// A HEARTBEAT that left at `sent_at` was answered on `path`. If T3-rtx has expired there since a chunk was last
    /// acknowledged, all that left before the HEARTBEAT is lost, and leaves again at once. The timer runs anew for the rest: it
    /// was started with the time-out of the outage, which the answer has ended.
    ///
    /// The window is not cut: the time-outs have done so.
    pub(super) fn revive(&mut self, path: PathId, sent_at: Time, now: Time) {
        if !self.settings.config.failover.quick || !self.paths.has_timed_out(path) {
            return;
        }
        for tsn in self.send.in_flight_from_before(path, sent_at) {
            _ = self.mark_lost(tsn, path, LostBy::Timeout);
        }
        if self.paths.sample(path).flight.is_zero() {
            self.timers.stop(Timer::Retransmission(path));
        } else if self.timers.is_running(Timer::Retransmission(path)) {
            self.restart_retransmission_timer(path, now);
        }
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
        let is_failed = is_failed && health.last_probe().is_none_or(|last| last + LEAST_GAP <= now);
        if (has_lost_probes || is_failed) && self.is_announced(path) && self.challenges.may_give(now) {
            self.send_heartbeat(path, now);
        }
    }
}

/// The least time between two probes that HEARTBEATs of the peer cause on a failed path.
const LEAST_GAP: Duration = Duration::from_millis(100);
