//! Handles losses for every event that detects one: applies the loss response, cuts windows, and marks chunks.

use anabranch_base::{ByteCount, Time};

use super::{Sender, view};
use crate::association::ground::{Ground, Timer};
use crate::path::LossState;
use crate::policy::PathId;
use crate::policy::congestion::{CutCause, CutWindow, LostData};
use crate::policy::response::{Hold, Resend, Response, Signal, TimerRule};
use crate::policy::retransmission::LostBy;
use crate::send::Left;
use crate::seq::Tsn;

impl Sender {
    /// Applies the loss response to `signal` on `path`: the cut and everything that does not concern single chunks. The
    /// caller marks chunks and counts errors.
    pub(super) fn respond(
        &mut self,
        ground: &mut Ground,
        signal: Signal,
        path: PathId,
        now: Time,
    ) -> Response {
        let view = view(now, &ground.paths, &self.peer_window, &self.buffer);
        let mut response = self.rules.response.on_signal(signal, path, &view);
        if signal == Signal::Missing && self.rules.congestion.is_chance(path, &view) {
            response.cut = None;
        }
        if self.rules.response.follows_progress() {
            self.follow_loss(ground, signal, path);
        }
        if let Some(cause) = response.cut {
            self.cut(ground, path, cause, now);
        }
        match response.timer {
            TimerRule::Double => ground.paths.back_off(path),
            TimerRule::Keep => {}
            TimerRule::Uniform { low, high } => {
                let time = self.draws.between(low, high, path);
                ground.paths.change_after_loss(path, |state| state.set_timer(time));
            }
        }
        let spreads = (response.resend != Resend::Nothing).then_some(response.resend == Resend::OnePerRtt);
        ground.paths.change_after_loss(path, |state| {
            state.hold_data(response.hold_data);
            if let Some(spreads) = spreads {
                state.spread_resends(spreads, now);
            }
        });
        if response.probe {
            probe_after_loss(ground, path, now);
        }
        response
    }

    /// Begins to track a loss for a loss response that follows progress.
    fn follow_loss(&self, ground: &mut Ground, signal: Signal, path: PathId) {
        ground.paths.set_recovering(path, self.rules.response.is_recovering(path));
        if matches!(signal, Signal::Missing | Signal::MissingInRecovery | Signal::Timeout { .. }) {
            let highest = self.buffer.highest_on(path);
            ground.paths.change_after_loss(path, |state| state.on_loss(highest));
        }
    }

    /// Cuts the window of `path` as the congestion control decides.
    pub(super) fn cut(&mut self, ground: &mut Ground, path: PathId, cause: CutCause, now: Time) {
        self.note_cut(ground, path, cause);
        if cause != CutCause::Idle {
            let highest = self.buffer.highest_on(path);
            ground.paths.change_after_loss(path, |state| state.on_cut(highest));
            if ground.settings.config.cmt.ns2.cut_ends_measurement() {
                ground.paths.cancel_measurement(path);
            }
        }
        let view = view(now, &ground.paths, &self.peer_window, &self.buffer);
        let before = view.path(path).cwnd;
        let window = self.rules.congestion.decrease(path, cause, &view);
        let window =
            CutWindow { ssthresh: window.ssthresh.max(kept_threshold(ground, path, cause)), ..window };
        ground.paths.apply(path, CutWindow { cwnd: window.cwnd.min(before), ..window });
        self.raise(ground, path, window.cwnd, now);
        ground.record_window(now, path, Some(cause));
    }

    /// Declares the chunk `tsn` lost on `path`. It leaves the flight, and is marked for retransmission unless a copy of
    /// it is in flight on another path. The path cancels its round-trip measurement, because the timed chunk may be
    /// acknowledged twice. Returns the transmission that left the flight, if the chunk was in flight there.
    pub(super) fn mark_lost(
        &mut self,
        ground: &mut Ground,
        tsn: Tsn,
        path: PathId,
        by: LostBy,
    ) -> Option<Left> {
        let left = self.buffer.mark(tsn, path, by)?;
        self.rules.detection.on_marked(tsn, left.path, by);
        ground.paths.trial_mut(left.path).on_lost(tsn);
        ground.paths.on_left_flight(left.path, left.weight);
        ground.paths.on_loss(left.path, tsn, ground.settings.config.cmt.ns2);
        ground.paths.allow_one_packet();
        self.peer_window.on_lost(left.rwnd_weight);
        Some(left)
    }

    /// Like [`mark_lost`](Sender::mark_lost), for a loss that may be a sign of congestion: it is reported to the
    /// congestion control.
    pub(super) fn lose(&mut self, ground: &mut Ground, tsn: Tsn, path: PathId, by: LostBy, now: Time) {
        let Some(left) = self.mark_lost(ground, tsn, path, by) else { return };
        // With a zero weight, a copy is still in flight, and the chunk is not lost.
        if self.rules.counts_time && !left.rwnd_weight.is_zero() {
            self.unconfirmed.on_lost(tsn, path, left.sent_at);
        }
        let lost = LostData { at: now, departure: left.departure, bytes: left.weight };
        let view = view(now, &ground.paths, &self.peer_window, &self.buffer);
        self.rules.congestion.on_lost(left.path, &lost, &view);
    }

    /// Tracks the handled losses: ends the windows of data that count as one loss, and reports each path's progress to
    /// the loss response.
    #[inline]
    pub(super) fn follow_losses(&mut self, ground: &mut Ground, now: Time) {
        let is_followed = self.rules.response.follows_progress();
        for path in ground.paths.ids() {
            let sample = ground.paths.sample(path);
            if !(is_followed || sample.cut_open || sample.ecn_open) {
                continue;
            }
            let lowest = self.buffer.lowest_unacked_on(path);
            ground.paths.change_after_loss(path, |state| state.on_lowest_unacked(lowest));
            if !is_followed {
                continue;
            }
            let view = view(now, &ground.paths, &self.peer_window, &self.buffer);
            if self.rules.response.on_progress(path, lowest, &view) == Hold::Release {
                release_data(ground, path);
            }
            ground.paths.set_recovering(path, self.rules.response.is_recovering(path));
        }
    }

    /// Handles the answer to a HEARTBEAT that a loss response requested on `path`. The chunks lost there may then be
    /// sent at once, beyond the burst limit. Returns true if there was such a HEARTBEAT.
    pub(crate) fn on_probe_answered(&mut self, ground: &mut Ground, path: PathId, now: Time) -> bool {
        let was_probed = ground.paths.change_after_loss(path, LossState::end_probe);
        if was_probed {
            ground.paths.on_probe_answered(path, now);
            let response = self.respond(ground, Signal::ProbeAnswered, path, now);
            if response.resend == Resend::All {
                let lost = self.buffer.marked().filter(|lost| lost.path == path).count();
                ground.paths.widen_burst(path, u32::try_from(lost).unwrap_or(u32::MAX));
            }
        }
        was_probed
    }

    /// Handles the time-out of a HEARTBEAT that a loss response requested on `path`. Returns the response, which
    /// decides whether this counts as an error; `None` without such a HEARTBEAT.
    pub(crate) fn on_probe_unanswered(
        &mut self,
        ground: &mut Ground,
        path: PathId,
        now: Time,
    ) -> Option<Response> {
        let was_probed = ground.paths.change_after_loss(path, LossState::end_probe);
        was_probed.then(|| self.respond(ground, Signal::ProbeUnanswered, path, now))
    }
}

/// The minimum ssthresh after a cut. RFC 5681 §3.1: when a retransmission times out again, "the value of ssthresh is
/// held constant". Otherwise it would be at its floor after an outage of some time-outs.
fn kept_threshold(ground: &Ground, path: PathId, cause: CutCause) -> ByteCount {
    let is_kept = cause == CutCause::TimeoutAgain && ground.settings.config.failover.quick;
    if is_kept { ground.paths.sample(path).ssthresh } else { ByteCount::ZERO }
}

/// Sends a HEARTBEAT on `path` because of a loss, even if other HEARTBEATs are not answered yet.
fn probe_after_loss(ground: &mut Ground, path: PathId, now: Time) {
    ground.paths.change_after_loss(path, LossState::begin_probe);
    ground.paths.counters_mut(path).loss_probes += 1;
    ground.send_heartbeat(path, now);
    let wait = ground.paths.take_timer(path);
    ground.timers.set(Timer::HeartbeatAnswer(path), now + wait);
}

/// Allows data on the path again, and cancels its probe.
fn release_data(ground: &mut Ground, path: PathId) {
    let was_probed = ground.paths.change_after_loss(path, |state| {
        state.hold_data(false);
        state.end_probe()
    });
    if was_probed {
        ground.timers.stop(Timer::HeartbeatAnswer(path));
        ground.paths.heartbeat(path).probes_mut().clear();
    }
}
