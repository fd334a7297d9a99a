//! How the sender handles a SACK, in the order of RFC 9260 §6.2.1 and §7.2.4 (M-SCTP-12).

use anabranch_base::{ByteCount, Time};

use super::policies::Policies;
use super::reading::{NewlyAcked, SackReading};
use super::session::{Session, look};
use super::timers::Timer;
use crate::config::Exemption;
use crate::event::Event;
use crate::policy::PathId;
use crate::policy::congestion::Acked;
use crate::policy::loss_detection::SackNews;
use crate::policy::ns2::Ns2Rule;
use crate::policy::response::Signal;
use crate::policy::retransmission::LostBy;
use crate::record::Happening;
use crate::send::BadSack;
use crate::seq::Tsn;
use crate::wire::Sack;

impl Session {
    /// A SACK arrived on path `by`.
    pub(super) fn on_sack(&mut self, now: Time, by: PathId, sack: &Sack<'_>) -> Result<(), BadSack> {
        let mut reading = std::mem::take(&mut self.reading);
        let gaps = sack.gap_blocks.iter();
        let is_new = match self.agreement.receiver.new_gaps && sack.flags & Sack::NEW_GAPS != 0 {
            true => {
                let dropped = sack.duplicates.iter();
                self.send.on_new_gaps(sack.cumulative_tsn_ack, gaps, dropped, &mut reading.news)
            }
            false => self.send.on_sack(sack.cumulative_tsn_ack, gaps, &mut reading.news),
        };
        if is_new == Ok(true) {
            let twice = || sack.duplicates.iter();
            self.judge_tail_probes(&reading.news, |chunk| twice().any(|tsn| tsn == chunk.tsn), now);
            reading.news.packets = self.settings.config.dac_wire.packets(sack);
            self.on_news(&mut reading, by, now);
            self.judge_doubts(&reading.news, twice(), now);
            self.count_sack(&reading);
            self.update_peer_window(ByteCount::new(u64::from(sack.a_rwnd)), now);
        } else if is_new == Ok(false) {
            // An overtaken SACK may be the only one that reports a duplicate.
            self.judge_doubts(&SackNews::default(), sack.duplicates.iter(), now);
        }
        self.reading = reading;
        is_new.map(|_| ())
    }

    /// A SHUTDOWN arrived on path `by`: it acknowledges cumulatively, and has no a_rwnd.
    pub(super) fn on_cumulative_ack(
        &mut self,
        now: Time,
        by: PathId,
        cumulative: Tsn,
    ) -> Result<(), BadSack> {
        let mut reading = std::mem::take(&mut self.reading);
        let is_new = self.send.on_cumulative_ack(cumulative, &mut reading.news);
        if is_new == Ok(true) {
            reading.news.packets = 0;
            self.on_news(&mut reading, by, now);
        }
        self.reading = reading;
        is_new.map(|_| ())
    }

    /// Applies an acknowledgement that arrived on path `by` to windows, losses and timers.
    fn on_news(&mut self, reading: &mut SackReading, by: PathId, now: Time) {
        if self.settings.config.cmt.ns2.has(Ns2Rule::DecayInFlight) {
            self.decay_idle_windows(now);
        }
        if reading.news.acked.iter().any(|chunk| chunk.is_retransmitted) {
            self.paths.on_acked_retransmission(self.max_burst);
            self.bound_bursts_for_good();
        }
        self.time_news(&mut reading.news, now);
        let progress = reading.progress.cleared(self.paths.len());
        self.policies.detection.on_sack(&mut reading.news, progress);
        self.paths.sacks_mut().examined += reading.news.examined as u64;
        self.send.on_counted(&reading.news.holes);
        self.leave_recovery(&reading.news);
        self.tally_acked(&reading.news, &mut reading.tally, now);
        self.judge_ecn(&reading.tally, now);
        self.grow_windows(reading, by, now);
        self.follow_losses(now);
        self.respond_to_missing(&reading.progress.missing, now);
        self.recover_small_window(&reading.news, now);
        self.judge_silence(reading, now);
        self.clear_removed_paths();
        self.update_retransmission_timers(&reading.news, now);
        self.set_loss_timers(&reading.news, now);
        if self.wanted_room.is_some_and(|room| self.send_space() >= room) {
            self.wanted_room = None;
            self.events.push_back(Event::Writable);
        }
    }

    /// M-CMT-2: a path has recovered when all chunks that were outstanding on it at the cut are acknowledged. Its
    /// window may grow by the SACK that ends recovery. A SACK that acknowledges nothing new does not end it.
    fn leave_recovery(&mut self, news: &SackNews) {
        if !self.policies.detection.recovers_by_path() || news.acked.is_empty() {
            return;
        }
        for id in self.paths.ids() {
            if self.policies.detection.is_in_recovery(id) {
                let lowest = self.send.lowest_unacked_on(id);
                self.policies.detection.on_lowest_unacked(id, lowest);
            }
        }
    }

    fn count_sack(&mut self, reading: &SackReading) {
        let sacks = self.paths.sacks_mut();
        sacks.received += 1;
        sacks.received_for_several_paths += u64::from(reading.acked_paths() > 1);
    }

    /// Takes acknowledged chunks out of flight and lets each path's window grow by them.
    fn grow_windows(&mut self, reading: &SackReading, by: PathId, now: Time) {
        for id in self.paths.ids() {
            let news = reading.news.paths[id.index()];
            let tally = reading.tally[id.index()];
            let flight_before = self.paths.sample(id).flight;
            self.paths.on_returned(id, news.returned);
            self.paths.on_left_flight(id, news.left);
            self.paths.on_delivered(id, tally.bytes, now);
            if tally.bytes.is_zero() || self.paths.is_removed(id) {
                continue;
            }
            let way = self.paths.measure(id, tally.bytes, tally.newest.map(|(_, sent_at)| sent_at), by, now);
            let (advanced, sample) = (reading.progress.advanced[id.index()], self.paths.sample(id));
            let acked = Acked {
                at: now,
                bytes: tally.bytes,
                advanced,
                may_grow: advanced || !self.policies.growth_needs_advance,
                flight_before,
                is_fully_used: sample.was_fully_used(flight_before),
                emptied: sample.flight.is_zero(),
                in_recovery: self.policies.detection.is_in_recovery(id),
                ends_round: tally.ends_round,
                newest: tally.newest.map(|(departure, _)| departure),
                rtt: tally.rtt,
                way,
            };
            self.on_acked(id, &acked, now);
        }
    }

    /// Adds up what was newly acknowledged on each path, takes round-trip samples from the chunks that are timed, and
    /// marks their paths as alive.
    fn tally_acked(&mut self, news: &SackNews, tally: &mut Vec<NewlyAcked>, now: Time) {
        tally.clear();
        tally.resize(self.paths.len(), NewlyAcked::default());
        for chunk in &news.acked {
            let id = chunk.path;
            let of_path = &mut tally[id.index()];
            of_path.bytes += chunk.weight;
            of_path.ends_round |= chunk.round == self.paths.round(id);
            if let Some(sample) = self.paths.on_acked(id, chunk, now) {
                of_path.rtt = Some(sample);
                let rto = self.paths.sample(id).rto;
                self.record(now, id, Happening::RoundTrip { sample, rto });
            }
            // M-SCTP-15: the acknowledgement of a chunk that was sent twice does not tell which path works.
            if !chunk.is_retransmitted {
                of_path.is_certain = true;
                of_path.newest = of_path.newest.max(Some((chunk.departure, chunk.sent_at)));
                if self.paths.shows_life(id, chunk.sent_at) {
                    let change = self.paths.on_alive(id, now);
                    self.announce(id, change, now);
                }
            }
        }
        if !news.acked.is_empty() {
            self.errors = 0;
        }
    }

    /// The first data of path `id` was acknowledged: its window goes on from what is remembered of the path, and is paced over a
    /// round trip as every window in slow start.
    fn resume(&mut self, id: PathId, now: Time) {
        let Some(window) = self.paths.take_remembered_window(id, now) else { return };
        let sample = self.paths.sample(id);
        let more = window.min(sample.ssthresh).saturating_sub(sample.cwnd);
        if !more.is_zero() && !self.policies.gives_windows {
            self.paths.grow(id, more);
            self.record_window(now, id, None);
        }
    }

    /// Reports an acknowledgement on path `id` to slow start and to the congestion control. The window grows by what
    /// the one in charge wants, as far as the window management grants it.
    fn on_acked(&mut self, id: PathId, acked: &Acked, now: Time) {
        self.resume(id, now);
        let view = look(now, &self.paths, &self.peer_window, &self.send);
        let Policies { detection, congestion, slow_start, limit, gives_windows, yields_window, .. } =
            &mut self.policies;
        slow_start.on_acked(id, acked, &view);
        congestion.on_acked(id, acked, &view);
        if *gives_windows {
            return self.follow_given_window(id, now);
        }
        // RFC 9260 §7.2.4 rule 4: no growth in fast recovery. A SACK that leaves it may grow.
        let goes_on = detection.slow_start_goes_on() && view.path(id).is_below_threshold();
        if acked.in_recovery && !goes_on {
            return;
        }
        let slow = congestion.is_in_slow_start(id, &view).then(|| slow_start.increase(id, acked, &view));
        let wanted = match slow {
            Some(step) => step.by,
            None => congestion.increase(id, acked, &view).min(limit.largest_step(view.path(id))),
        };
        if wanted.is_zero() && *yields_window && slow.is_none() {
            return self.yield_window(id, now);
        }
        let grant = limit.grant(id, wanted, &view);
        if grant.by.is_zero() && !wanted.is_zero() && slow.is_none() {
            congestion.on_refused(id, acked, &view);
        }
        if let Some((giver, taken)) = grant.taken {
            self.paths.shrink(giver, taken);
            self.record_window(now, giver, None);
        }
        let ends_slow_start = slow.is_some_and(|step| step.is_over);
        if !grant.by.is_zero() || ends_slow_start {
            self.paths.grow(id, grant.by);
            if ends_slow_start {
                self.paths.end_slow_start(id);
            }
            self.record_window(now, id, None);
        }
    }

    /// Takes from the window of path `id` what the congestion control gives up in favour of other paths.
    #[cold]
    fn yield_window(&mut self, id: PathId, now: Time) {
        let view = look(now, &self.paths, &self.peer_window, &self.send);
        let yielded = self.policies.congestion.take_yielded(id, &view);
        if !yielded.is_zero() {
            self.paths.shrink(id, yielded);
            self.record_window(now, id, None);
        }
    }

    /// RFC 9260 §7.2.4: handles chunks that were reported missing often enough.
    pub(super) fn respond_to_missing(&mut self, missing: &[(Tsn, PathId)], now: Time) {
        if missing.is_empty() {
            return;
        }
        for id in self.paths.ids() {
            if missing.iter().any(|&(_, path)| path == id) {
                self.respond_to_missing_on(id, missing, now);
            }
        }
        self.respond_for_waiting(now);
    }

    fn respond_to_missing_on(&mut self, id: PathId, missing: &[(Tsn, PathId)], now: Time) {
        let detection = &self.policies.detection;
        let was_in_recovery = missing.iter().all(|&(tsn, path)| path != id || detection.is_cut_for(id, tsn));
        let signal = if was_in_recovery { Signal::MissingInRecovery } else { Signal::Missing };
        let response = self.respond(signal, id, now);
        if response.cut.is_some() {
            self.enter_recovery(id);
        }
        let lost = missing.iter().filter(|&&(_, path)| path == id).map(|&(tsn, _)| tsn);
        for tsn in lost.take(response.resend.count(missing.len())) {
            self.lose(tsn, id, LostBy::MissingReports, now);
            self.paths.counters_mut(id).fast_retransmits += 1;
            self.record(now, id, Happening::FastRetransmit(tsn));
        }
        match self.settings.config.fast_retransmit_exemption {
            Exemption::Entry if was_in_recovery => {}
            Exemption::Entry | Exemption::Each if self.policies.detection.recovers_by_path() => {
                self.exemptions.grant(id);
            }
            Exemption::Entry | Exemption::Each => self.exemptions.grant_anywhere(),
        }
    }

    /// The window of `id` was cut for missing reports.
    pub(super) fn enter_recovery(&mut self, id: PathId) {
        let highest = match self.policies.detection.recovers_by_path() {
            true => self.send.highest_on(id),
            false => None,
        };
        self.policies.detection.enter_recovery(id, highest.unwrap_or(self.send.highest_sent()));
    }

    /// RFC 9260 §6.3.2 R2, R3: stops the timer of a path with nothing in flight, and restarts it where the lowest
    /// chunk was acknowledged.
    fn update_retransmission_timers(&mut self, news: &SackNews, now: Time) {
        for id in self.paths.ids() {
            let timer = Timer::Retransmission(id);
            if self.paths.sample(id).flight.is_zero() {
                self.timers.stop(timer);
            } else if news.paths[id.index()].lowest || !self.timers.is_running(timer) {
                self.restart_retransmission_timer(id, now);
            }
        }
    }

    /// RFC 9260 §6.2.1 ii, iii: "rwnd is calculated by subtracting the bytes still outstanding".
    fn update_peer_window(&mut self, a_rwnd: ByteCount, now: Time) {
        let window = &mut self.peer_window;
        window.advertised = a_rwnd;
        if a_rwnd > window.buffer {
            if self.settings.config.initial_ssthresh.is_none() {
                self.paths.raise_initial_ssthresh(window.buffer, a_rwnd);
            }
            window.buffer = a_rwnd;
        }
        window.has_answered = true;
        let owed = match window.keeps_room {
            true => self.send.rwnd_flight() + self.send.rwnd_marked(),
            false => self.send.rwnd_flight(),
        };
        window.open = self.policies.flow.peer_window(a_rwnd, owed);
        if window.is_overdrawn || window.keeps_room && owed > a_rwnd {
            self.resend_refused(owed, now);
        }
        let window = &mut self.peer_window;
        let Some(probe) = window.probe else { return };
        if self.send.is_acked(probe) {
            window.probe = None;
            window.probes = 0;
        } else if a_rwnd >= self.send.rwnd_weight(probe) {
            // The peer dropped the probe because it had no room, and has room now: the sender need not wait for
            // T3-rtx.
            window.probe = None;
            window.probes = 0;
            if let Some(path) = self.send.path_of(probe) {
                _ = self.mark_lost(probe, path, LostBy::Timeout);
            }
        }
    }
}
