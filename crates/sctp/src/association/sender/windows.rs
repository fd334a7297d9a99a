//! Grows windows: by the rules or by a model, as far as the window management permits (RFC 9260 §7.2.1, §7.2.2).

use anabranch_base::{ByteCount, Time};

use super::reading::SackReading;
use super::{Sender, SenderRules, view};
use crate::association::ground::Ground;
use crate::policy::congestion::{Acked, CongestionControl, CutWindow, GivenWindow, SentData};
use crate::policy::{PathId, PathSample};

impl Sender {
    /// Reports a packet with data sent on `path` to the congestion control.
    #[inline]
    pub(super) fn on_data_sent(&mut self, ground: &mut Ground, path: PathId, sent: &SentData, now: Time) {
        let view = view(now, &ground.paths, &self.peer_window, &self.buffer);
        match &mut self.rules.congestion {
            CongestionControl::Rule(rule) => rule.on_sent(path, sent, &view),
            CongestionControl::Model(model) => {
                let given = model.on_sent(path, sent, &view);
                self.give(ground, path, given, now);
            }
        }
    }

    /// Undoes a spurious cut of the window of `path`: restores the window from `before` the cut, or applies the window
    /// of a model.
    pub(super) fn give_back(&mut self, ground: &mut Ground, path: PathId, before: CutWindow, now: Time) {
        let view = view(now, &ground.paths, &self.peer_window, &self.buffer);
        match &mut self.rules.congestion {
            CongestionControl::Rule(rule) => {
                rule.on_undone(path, before, &view);
                let sample = ground.paths.sample(path);
                let ssthresh = sample.ssthresh.max(before.ssthresh);
                ground.paths.apply(path, CutWindow { cwnd: sample.cwnd, ssthresh });
                self.raise(ground, path, before.cwnd, now);
                ground.record_window(now, path, None);
            }
            CongestionControl::Model(model) => {
                let given = model.on_undone(path, &view);
                self.give(ground, path, given, now);
            }
        }
    }

    /// Applies the window that a model computes for `path`, if it is a new one. The window management may refuse a part
    /// of the growth.
    fn give(&mut self, ground: &mut Ground, path: PathId, given: Option<GivenWindow>, now: Time) {
        let Some(given) = given else { return };
        let PathSample { cwnd: before, ssthresh, .. } = *ground.paths.sample(path);
        ground.paths.apply(path, CutWindow { cwnd: given.cwnd.min(before), ssthresh });
        self.raise_to_given(ground, path, given.cwnd, now);
        if !given.is_starting {
            ground.paths.end_slow_start(path);
        }
        if ground.paths.sample(path).cwnd != before {
            ground.record_window(now, path, None);
        }
    }

    /// Raises the window of `path` to `wanted`, as far as the window management allows. The request is rounded up to
    /// whole units: it counts windows in whole packets, so that a part of a packet would seem to take no room.
    fn raise_to_given(&mut self, ground: &mut Ground, path: PathId, wanted: ByteCount, now: Time) {
        loop {
            let sample = ground.paths.sample(path);
            let (unit, step) = (sample.unit, wanted.saturating_sub(sample.cwnd).min(sample.unit));
            if step.is_zero() {
                return;
            }
            let granted = self.grant(ground, path, unit, now).min(step);
            if granted.is_zero() {
                return;
            }
            ground.paths.grow(path, granted);
        }
    }

    /// Raises the window of `path` to `wanted` if a cut resulted in more than before, as far as the window management
    /// permits.
    pub(super) fn raise(&mut self, ground: &mut Ground, path: PathId, wanted: ByteCount, now: Time) {
        loop {
            let sample = ground.paths.sample(path);
            let step = wanted.saturating_sub(sample.cwnd).min(sample.unit);
            if step.is_zero() {
                return;
            }
            let granted = self.grant(ground, path, step, now);
            if granted.is_zero() {
                return;
            }
            ground.paths.grow(path, granted);
        }
    }

    /// Returns the part of `wanted`, at most one unit, by which the window management permits the window of `path` to
    /// grow. If the room is taken from another path, shrinks that path's window.
    pub(super) fn grant(
        &mut self,
        ground: &mut Ground,
        path: PathId,
        wanted: ByteCount,
        now: Time,
    ) -> ByteCount {
        let view = view(now, &ground.paths, &self.peer_window, &self.buffer);
        let grant = self.rules.limit.grant(path, wanted, &view);
        if let Some((giver, taken)) = grant.taken {
            ground.paths.shrink(giver, taken);
            ground.record_window(now, giver, None);
        }
        grant.by
    }

    /// Takes acknowledged chunks out of flight and lets each path's window grow by them.
    #[inline]
    pub(super) fn grow_windows(&mut self, ground: &mut Ground, reading: &SackReading, by: PathId, now: Time) {
        for id in ground.paths.ids() {
            let news = reading.news.paths[id.index()];
            let tally = reading.tally[id.index()];
            let flight_before = ground.paths.sample(id).flight;
            ground.paths.on_returned(id, news.returned);
            ground.paths.on_left_flight(id, news.left);
            ground.paths.on_delivered(id, tally.bytes, now);
            if tally.bytes.is_zero() || ground.paths.is_removed(id) {
                continue;
            }
            let delay =
                ground.paths.measure(id, tally.bytes, tally.newest.map(|(_, sent_at)| sent_at), by, now);
            let (advanced, sample) = (reading.progress.advanced[id.index()], ground.paths.sample(id));
            let acked = Acked {
                at: now,
                bytes: tally.bytes,
                advanced,
                may_grow: advanced || !self.rules.growth_needs_advance,
                flight_before,
                is_fully_used: sample.was_fully_used(flight_before),
                emptied: sample.flight.is_zero(),
                in_recovery: self.rules.detection.is_in_recovery(id),
                ends_round: tally.ends_round,
                newest: tally.newest.map(|(departure, _)| departure),
                rtt: tally.rtt,
                delay,
            };
            self.on_acked(ground, id, &acked, now);
        }
    }

    /// Reports an acknowledgement on path `id` to the congestion control. A model sets the window. Otherwise it grows
    /// by slow start or by the rule of congestion avoidance, as far as the window management permits.
    #[inline]
    pub(super) fn on_acked(&mut self, ground: &mut Ground, id: PathId, acked: &Acked, now: Time) {
        let SenderRules { detection, congestion, slow_start, limit, .. } = &mut self.rules;
        let rule = match congestion {
            CongestionControl::Rule(rule) => rule,
            CongestionControl::Model(model) => {
                let view = view(now, &ground.paths, &self.peer_window, &self.buffer);
                let given = model.on_acked(id, acked, &view);
                return self.give(ground, id, given, now);
            }
        };
        resume(ground, id, now);
        let view = view(now, &ground.paths, &self.peer_window, &self.buffer);
        slow_start.on_acked(id, acked, &view);
        rule.on_acked(id, acked, &view);
        // RFC 9260 §7.2.4 rule 4: no growth in fast recovery. A SACK that leaves it may grow.
        let goes_on = detection.slow_start_goes_on() && view.path(id).is_below_threshold();
        if acked.in_recovery && !goes_on {
            return;
        }
        let slow = rule.is_in_slow_start(id, &view).then(|| slow_start.increase(id, acked, &view));
        let wanted = match slow {
            Some(step) => step.by,
            None => rule.increase(id, acked, &view).min(limit.largest_step(view.path(id))),
        };
        if wanted.is_zero()
            && slow.is_none()
            && let Some(coupling) = rule.coupling()
        {
            let yielded = coupling.take_yielded(id, &view);
            return shrink(ground, id, yielded, now);
        }
        let grant = limit.grant(id, wanted, &view);
        if grant.by.is_zero() && !wanted.is_zero() && slow.is_none() {
            rule.on_refused(id, acked, &view);
        }
        if let Some((giver, taken)) = grant.taken {
            ground.paths.shrink(giver, taken);
            ground.record_window(now, giver, None);
        }
        let ends_slow_start = slow.is_some_and(|step| step.is_over);
        if !grant.by.is_zero() || ends_slow_start {
            ground.paths.grow(id, grant.by);
            if ends_slow_start {
                ground.paths.end_slow_start(id);
            }
            ground.record_window(now, id, None);
        }
    }
}

/// Resumes the window stored for path `id` from another association, when the first data is acknowledged. It is paced
/// over a round trip, as every window in slow start.
fn resume(ground: &mut Ground, id: PathId, now: Time) {
    let Some(window) = ground.paths.take_remembered_window(id, now) else { return };
    let sample = ground.paths.sample(id);
    let more = window.min(sample.ssthresh).saturating_sub(sample.cwnd);
    if !more.is_zero() {
        ground.paths.grow(id, more);
        ground.record_window(now, id, None);
    }
}

/// Shrinks the window of path `id` by `yielded` in favour of other paths.
#[cold]
fn shrink(ground: &mut Ground, id: PathId, yielded: ByteCount, now: Time) {
    if !yielded.is_zero() {
        ground.paths.shrink(id, yielded);
        ground.record_window(now, id, None);
    }
}
