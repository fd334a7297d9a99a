//! Handles a loss for every event that finds one: asks the loss response, cuts a window, marks chunks, and carries
//! out the rest of the response.

use anabranch_base::{ByteCount, Time};

use super::session::{Session, look};
use super::timers::Timer;
use crate::path::LossState;
use crate::policy::congestion::{CutCause, CutWindow, LostData};
use crate::policy::ns2::Ns2Rule;
use crate::policy::response::{Hold, Resend, Response, Signal, TimerRule};
use crate::policy::retransmission::LostBy;
use crate::policy::{PathId, PathSample};
use crate::send::Left;
use crate::seq::Tsn;

impl Session {
    /// Asks the loss response about `signal` on `path`. Carries out the cut and everything that does not concern
    /// single chunks; the caller marks chunks and counts errors.
    pub(super) fn respond(&mut self, signal: Signal, path: PathId, now: Time) -> Response {
        let view = look(now, &self.paths, &self.peer_window, &self.send);
        let mut response = self.policies.response.on_signal(signal, path, &view);
        if signal == Signal::Missing && self.policies.congestion.is_chance(path, &view) {
            response.cut = None;
        }
        if self.policies.response.follows_progress() {
            self.follow_loss(signal, path);
        }
        if let Some(cause) = response.cut {
            self.cut(path, cause, now);
        }
        match response.timer {
            TimerRule::Double => self.paths.back_off(path),
            TimerRule::Keep => {}
            TimerRule::Uniform { low, high } => {
                let time = self.draws.between(low, high, path);
                self.paths.change_after_loss(path, |state| state.set_timer(time));
            }
        }
        let spreads = (response.resend != Resend::Nothing).then_some(response.resend == Resend::OnePerRtt);
        self.paths.change_after_loss(path, |state| {
            state.holds_data = response.hold_data;
            if let Some(spreads) = spreads {
                state.spread_resends(spreads, now);
            }
        });
        if response.probe {
            self.probe_after_loss(path, now);
        }
        response
    }

    /// A loss response that follows progress answered `signal`.
    fn follow_loss(&mut self, signal: Signal, path: PathId) {
        self.paths.set_recovering(path, self.policies.response.is_recovering(path));
        if matches!(signal, Signal::Missing | Signal::MissingInRecovery | Signal::Timeout { .. }) {
            let highest = self.send.highest_on(path);
            self.paths.change_after_loss(path, |state| state.on_loss(highest));
        }
    }

    /// Cuts the window of `path` as the congestion control says.
    pub(super) fn cut(&mut self, path: PathId, cause: CutCause, now: Time) {
        self.doubt_cut(path, cause);
        if cause != CutCause::Idle {
            let highest = self.send.highest_on(path);
            self.paths.change_after_loss(path, |state| state.on_cut(highest));
            if self.settings.config.cmt.ns2.has(Ns2Rule::Accounts) {
                self.paths.cancel_measurement(path);
            }
        }
        let view = look(now, &self.paths, &self.peer_window, &self.send);
        let before = view.path(path).cwnd;
        let window = self.policies.congestion.decrease(path, cause, &view);
        let window = CutWindow { ssthresh: window.ssthresh.max(self.kept_threshold(path, cause)), ..window };
        self.paths.apply(path, CutWindow { cwnd: window.cwnd.min(before), ..window });
        self.raise(path, window.cwnd, now);
        self.record_window(now, path, Some(cause));
    }

    /// The least ssthresh after a cut. RFC 5681 §3.1: when a retransmission times out again, "the value of ssthresh is held
    /// constant". Otherwise nothing would be left of it after an outage of some time-outs.
    fn kept_threshold(&self, path: PathId, cause: CutCause) -> ByteCount {
        let is_kept = cause == CutCause::TimeoutAgain && self.settings.config.failover.quick;
        if is_kept { self.paths.sample(path).ssthresh } else { ByteCount::ZERO }
    }

    /// Applies the window that the congestion control gives `path`, if it gives a new one. The window management may refuse a
    /// part of its growth.
    pub(super) fn follow_given_window(&mut self, path: PathId, now: Time) {
        let view = look(now, &self.paths, &self.peer_window, &self.send);
        let Some(given) = self.policies.congestion.take_window(path, &view) else { return };
        let PathSample { cwnd: before, ssthresh, .. } = *self.paths.sample(path);
        self.paths.apply(path, CutWindow { cwnd: given.cwnd.min(before), ssthresh });
        self.raise_to_given(path, given.cwnd, now);
        if !given.is_starting {
            self.paths.end_slow_start(path);
        }
        if self.paths.sample(path).cwnd != before {
            self.record_window(now, path, None);
        }
    }

    /// Raises the window of `path` to `wanted`, as far as the window management allows. It is asked for whole units, even if less is
    /// wanted: it counts windows in whole packets, so that a part of a packet would seem to take no room.
    fn raise_to_given(&mut self, path: PathId, wanted: ByteCount, now: Time) {
        loop {
            let sample = self.paths.sample(path);
            let (unit, step) = (sample.unit, wanted.saturating_sub(sample.cwnd).min(sample.unit));
            if step.is_zero() {
                return;
            }
            let granted = self.grant(path, unit, now).min(step);
            if granted.is_zero() {
                return;
            }
            self.paths.grow(path, granted);
        }
    }

    /// Raises the window of `path` to `wanted` if a cut gave more than before, as far as the window management
    /// allows.
    pub(super) fn raise(&mut self, path: PathId, wanted: ByteCount, now: Time) {
        loop {
            let sample = self.paths.sample(path);
            let step = wanted.saturating_sub(sample.cwnd).min(sample.unit);
            if step.is_zero() {
                return;
            }
            let granted = self.grant(path, step, now);
            if granted.is_zero() {
                return;
            }
            self.paths.grow(path, granted);
        }
    }

    /// How much of `wanted`, at most one unit, the window management lets the window of `path` grow. If it takes the
    /// room from another path, that path's window shrinks.
    fn grant(&mut self, path: PathId, wanted: ByteCount, now: Time) -> ByteCount {
        let view = look(now, &self.paths, &self.peer_window, &self.send);
        let grant = self.policies.limit.grant(path, wanted, &view);
        if let Some((giver, taken)) = grant.taken {
            self.paths.shrink(giver, taken);
            self.record_window(now, giver, None);
        }
        grant.by
    }

    /// The chunk `tsn` is lost on `path`. It leaves the flight, and is marked for retransmission unless a copy of it
    /// is in flight on another path. The path cancels its round-trip measurement, because the timed chunk may be
    /// acknowledged twice. Returns what left the flight, if the chunk was in flight there.
    pub(super) fn mark_lost(&mut self, tsn: Tsn, path: PathId, by: LostBy) -> Option<Left> {
        let left = self.send.mark(tsn, path, by)?;
        self.policies.detection.on_marked(tsn, left.path, by);
        self.paths.trial_mut(left.path).on_lost(tsn);
        self.paths.on_left_flight(left.path, left.weight);
        match self.settings.config.cmt.ns2.has(Ns2Rule::Accounts) {
            true => self.paths.on_loss_without_cut(left.path, tsn),
            false => self.paths.on_loss(left.path),
        }
        self.paths.let_one_out();
        if !self.peer_window.keeps_room {
            self.peer_window.open += left.rwnd_weight;
        }
        Some(left)
    }

    /// Like [`mark_lost`](Session::mark_lost), for a loss that may be a sign of congestion: a congestion control that
    /// tells losses apart learns of it.
    pub(super) fn lose(&mut self, tsn: Tsn, path: PathId, by: LostBy, now: Time) {
        let left = self.mark_lost(tsn, path, by);
        // A copy of it is in flight where nothing left the peer's window.
        if let Some(left) = left.filter(|left| self.policies.counts_time && !left.rwnd_weight.is_zero()) {
            self.doubts.on_lost(tsn, path, left.sent_at);
        }
        let Some(left) = left.filter(|_| self.policies.tells_losses_apart) else { return };
        let lost = LostData { at: now, departure: left.departure, bytes: left.weight };
        let view = look(now, &self.paths, &self.peer_window, &self.send);
        self.policies.congestion.on_lost(left.path, &lost, &view);
    }

    /// Follows the losses that were answered: ends the windows of data that count as one loss, and shows the loss
    /// response how far each path has advanced.
    pub(super) fn follow_losses(&mut self, now: Time) {
        let is_followed = self.policies.response.follows_progress();
        for path in self.paths.ids() {
            let sample = self.paths.sample(path);
            if !(is_followed || sample.cut_open || sample.ecn_open) {
                continue;
            }
            let lowest = self.send.lowest_unacked_on(path);
            self.paths.change_after_loss(path, |state| state.on_lowest_unacked(lowest));
            if !is_followed {
                continue;
            }
            let view = look(now, &self.paths, &self.peer_window, &self.send);
            if self.policies.response.on_progress(path, lowest, &view) == Hold::Release {
                self.release_data(path);
            }
            self.paths.set_recovering(path, self.policies.response.is_recovering(path));
        }
    }

    /// Sends a HEARTBEAT on `path` because of a loss, even if other HEARTBEATs are under way.
    fn probe_after_loss(&mut self, path: PathId, now: Time) {
        self.paths.change_after_loss(path, LossState::begin_probe);
        self.paths.counters_mut(path).loss_probes += 1;
        self.send_heartbeat(path, now);
        let wait = self.paths.take_timer(path);
        self.timers.set(Timer::HeartbeatAnswer(path), now + wait);
    }

    /// Allows data on the path again, and cancels its probe.
    fn release_data(&mut self, path: PathId) {
        let was_probed = self.paths.change_after_loss(path, |state| {
            state.holds_data = false;
            state.end_probe()
        });
        if was_probed {
            self.timers.stop(Timer::HeartbeatAnswer(path));
            self.paths.heartbeat(path).probes_mut().forget();
        }
    }

    /// If a HEARTBEAT that a loss response asked for is under way on `path`, it was answered. What was lost there may
    /// leave at once then, whatever the limit of a burst is. Returns whether one was.
    pub(super) fn on_probe_answered(&mut self, path: PathId, now: Time) -> bool {
        let was_probed = self.paths.change_after_loss(path, LossState::end_probe);
        if was_probed {
            self.paths.on_probe_answered(path, now);
            let response = self.respond(Signal::ProbeAnswered, path, now);
            if response.resend == Resend::All {
                let lost = self.send.marked().filter(|lost| lost.path == path).count();
                self.paths.widen_burst(path, u32::try_from(lost).unwrap_or(u32::MAX));
            }
        }
        was_probed
    }

    /// If a HEARTBEAT that a loss response asked for is under way on `path`, it was not answered. Returns the response
    /// then, which says whether this counts as an error.
    pub(super) fn on_probe_unanswered(&mut self, path: PathId, now: Time) -> Option<Response> {
        let was_probed = self.paths.change_after_loss(path, LossState::end_probe);
        was_probed.then(|| self.respond(Signal::ProbeUnanswered, path, now))
    }
}
