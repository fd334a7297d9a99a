//! The timers of loss detection by time for each path: the reordering timer of overtaken chunks, and the tail loss
//! probe (RACK-TLP, RFC 8985).

use anabranch_base::{Duration, Time};

use super::{Sender, view};
use crate::association::ground::{Ground, Timer};
use crate::path::{LossState, TailProbe};
use crate::policy::congestion::{CongestionControl, LostData};
use crate::policy::loss_detection::{AckedChunk, RoundTrips, SackNews};
use crate::policy::response::Signal;
use crate::policy::retransmission::LostBy;
use crate::policy::{PathId, PathSample};

impl Sender {
    /// Adds the round trips to `news`, if the loss detection uses time.
    #[inline]
    pub(super) fn time_news(&self, ground: &Ground, news: &mut SackNews, now: Time) {
        news.at = now;
        if self.rules.counts_time {
            let trips = |sample: &PathSample| RoundTrips { least: sample.min_rtt, smoothed: sample.srtt };
            news.round_trips.clear();
            news.round_trips.extend(ground.paths.samples().iter().map(trips));
        }
    }

    /// Sets the timers after a SACK: the reordering timers of overtaken chunks, and the probes of paths with new
    /// acknowledgements.
    #[inline]
    pub(super) fn set_loss_timers(&self, ground: &mut Ground, news: &SackNews, now: Time) {
        if !self.rules.counts_time {
            return;
        }
        for path in ground.paths.ids() {
            self.set_overtaken_timer(ground, path);
            if !news.paths[path.index()].left.is_zero() {
                ground.timers.stop(Timer::TailProbe(path));
                self.arm_tail_probe(ground, path, now);
            }
        }
    }

    fn set_overtaken_timer(&self, ground: &mut Ground, path: PathId) {
        match self.rules.detection.due(path) {
            Some(due) => ground.timers.set(Timer::Overtaken(path), due),
            None => ground.timers.stop(Timer::Overtaken(path)),
        }
    }

    /// Handles the expiry of a reordering timer.
    pub(crate) fn on_overtaken_due(&mut self, ground: &mut Ground, now: Time) {
        let mut reading = self.reading.take().unwrap_or_default();
        self.buffer.find_due(&mut reading.news);
        self.time_news(ground, &mut reading.news, now);
        let progress = reading.progress.cleared(ground.paths.len());
        self.rules.detection.on_due(&mut reading.news, progress);
        self.buffer.on_counted(&reading.news.holes);
        self.respond_to_missing(ground, &reading.progress.missing, now);
        for path in ground.paths.ids() {
            self.set_overtaken_timer(ground, path);
        }
        self.reading = Some(reading);
    }

    /// Schedules a tail loss probe on `path`, which has data in flight, two round trips from now; an acknowledgement
    /// postpones it (RFC 8985 §7.2).
    #[inline]
    pub(super) fn arm_tail_probe(&self, ground: &mut Ground, path: PathId, now: Time) {
        let sample = ground.paths.sample(path);
        let Some(srtt) = sample.srtt.filter(|_| self.rules.counts_time && !sample.flight.is_zero()) else {
            return;
        };
        let is_alone = sample.flight <= sample.unit;
        let delay = if is_alone { ground.settings.config.sack.delay } else { Duration::ZERO };
        ground.timers.start(Timer::TailProbe(path), now + srtt * 2 + delay);
    }

    /// Sends a tail loss probe on `path`, where nothing was acknowledged for two round trips: the last chunk is sent
    /// again. The acknowledgement of it shows which earlier chunks are lost, so that no time-out is needed (RFC 8985
    /// §7.3).
    pub(crate) fn on_tail_probe_due(&mut self, ground: &mut Ground, path: PathId) {
        let state = ground.paths.after_loss(path);
        let is_probed = state.tail_probe().is_some() || state.holds_data();
        let may_probe =
            ground.paths.sample(path).state.is_in_use() && !self.rules.detection.is_in_recovery(path);
        if is_probed || !may_probe || self.peer_window.probe().is_some() || self.peer_window.is_overdrawn() {
            return;
        }
        let Some(tsn) = self.buffer.latest_departure(path).filter(|&tsn| !self.is_refused(tsn)) else {
            return;
        };
        let Some(left) = self.mark_lost(ground, tsn, path, LostBy::Probe) else { return };
        let probe = TailProbe { tsn, departure: left.departure, weight: left.weight };
        ground.paths.change_after_loss(path, |state| state.begin_tail_probe(probe));
        ground.paths.counters_mut(path).tail_probes += 1;
        self.exemptions.grant(path);
    }

    /// Checks acknowledged chunks for tail loss probes. If the acknowledgement answers the probe, the first
    /// transmission was lost, which is handled as every loss (RFC 8985 §7.4).
    #[inline]
    pub(super) fn judge_tail_probes(
        &mut self,
        ground: &mut Ground,
        news: &SackNews,
        is_duplicate: impl Fn(&AckedChunk) -> bool,
        now: Time,
    ) {
        for path in ground.paths.ids() {
            let Some(TailProbe { tsn, departure, weight }) = ground.paths.after_loss(path).tail_probe()
            else {
                continue;
            };
            let Some(chunk) = news.acked.iter().find(|chunk| chunk.tsn == tsn) else { continue };
            ground.paths.change_after_loss(path, LossState::end_tail_probe);
            let least = ground.paths.sample(chunk.path).min_rtt.unwrap_or_default();
            let had_arrived = chunk.was_lost || now.since(chunk.sent_at) < least || is_duplicate(chunk);
            if had_arrived || self.rules.detection.is_in_recovery(path) {
                continue;
            }
            let response = self.respond(ground, Signal::Missing, path, now);
            if response.cut.is_some() {
                self.enter_recovery(path);
            }
            if let CongestionControl::Model(model) = &mut self.rules.congestion {
                let lost = LostData { at: now, departure, bytes: weight };
                let view = view(now, &ground.paths, &self.peer_window, &self.buffer);
                model.on_lost(path, &lost, &view);
            }
        }
    }
}
