//! Retransmits lost chunks as soon as a path answers again after time-outs, without waiting for a timer that has backed
//! off.

use anabranch_base::{ByteCount, Duration, Time};

use super::Sender;
use crate::association::ground::{Ground, Timer};
use crate::policy::PathId;
use crate::policy::congestion::CutCause;
use crate::policy::retransmission::LostBy;
use crate::seq::Tsn;

impl Sender {
    /// Handles the answer to a HEARTBEAT that was sent on `path` at `sent_at`. If T3-rtx has expired there since a
    /// chunk was last acknowledged, everything sent before the HEARTBEAT is lost, and is sent again at once. Without a
    /// time-out, this holds for everything sent a round trip earlier: SACKs for it had time to arrive on any path. The
    /// timer restarts for the rest: it ran with the time-out of the outage, or was started before any round trip was
    /// measured.
    ///
    /// The window of a failed path is not cut here: the time-outs have cut it, or the end of the suspicion does.
    pub(crate) fn resend_after_outage(
        &mut self,
        ground: &mut Ground,
        path: PathId,
        sent_at: Time,
        now: Time,
    ) {
        if !ground.settings.config.failover.quick {
            return;
        }
        let before = if ground.paths.has_timed_out(path) {
            sent_at
        } else {
            sent_at - longest_round_trip(ground, path) - ALLOWANCE
        };
        let has_failed = ground.paths.sample(path).state.has_failed();
        let lost = self.buffer.in_flight_from_before(path, before);
        if lost.is_empty() && !ground.paths.has_timed_out(path) {
            return;
        }
        for &tsn in &lost {
            _ = self.mark_lost(ground, tsn, path, LostBy::Timeout);
            ground.paths.silence_mut(path).on_flight_moved();
        }
        if !has_failed && !ground.paths.has_timed_out(path) {
            self.cut(ground, path, CutCause::Missing, now);
        }
        if ground.paths.sample(path).flight.is_zero() {
            ground.timers.stop(Timer::Retransmission(path));
        } else if ground.timers.is_running(Timer::Retransmission(path)) {
            ground.restart_retransmission_timer(path, now);
        }
    }

    /// Sends refused chunks again, if the last SACK left less room than the bytes in flight or lost. `owed` are those
    /// after this SACK. Chunks in flight longer than a round trip when the peer had no room were refused, and are sent
    /// again at once as far as there is room now. A peer refuses chunks if its window shrinks, because it counts memory
    /// that the sender does not see.
    #[cold]
    pub(super) fn resend_refused(&mut self, ground: &mut Ground, owed: ByteCount, now: Time) {
        if !self.peer_window.note_owed(owed) {
            return;
        }
        let mut room = self.peer_window.advertised();
        for path in ground.paths.ids() {
            // While the path sends data, later chunks cause missing reports.
            if !ground.paths.is_resting(path, now) {
                continue;
            }
            while let Some((tsn, weight)) =
                self.oldest_refused(ground, path, now).filter(|(_, weight)| *weight <= room)
                && self.mark_lost(ground, tsn, path, LostBy::Timeout).is_some()
            {
                room -= weight;
            }
        }
    }

    /// The lowest chunk in flight on `path`, and its weight, if it was sent at least a round trip ago and is not a
    /// window probe.
    fn oldest_refused(&mut self, ground: &Ground, path: PathId, now: Time) -> Option<(Tsn, ByteCount)> {
        let (srtt, left_at) = (ground.paths.sample(path).srtt?, self.buffer.lowest_left_at(path)?);
        let tsn = self.buffer.lowest_on(path).filter(|tsn| self.peer_window.probe() != Some(*tsn))?;
        (left_at + srtt <= now).then(|| (tsn, self.buffer.rwnd_weight(tsn)))
    }
}

/// The longest smoothed round trip of `path` and of those that have not failed.
fn longest_round_trip(ground: &Ground, path: PathId) -> Duration {
    let answering =
        ground.paths.samples().iter().filter(|sample| sample.id == path || !sample.state.has_failed());
    answering.filter_map(|sample| sample.srtt).max().unwrap_or(Duration::ZERO)
}

/// The time beyond a round trip that an acknowledgement may take.
const ALLOWANCE: Duration = Duration::from_millis(25);
