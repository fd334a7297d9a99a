//! Handles a SACK, in the order of RFC 9260 §6.2.1 and §7.2.4 (M-SCTP-12).

use anabranch_base::{ByteCount, Time};

use super::Sender;
use super::reading::{NewlyAcked, SackReading};
use crate::association::ground::{Ground, Timer};
use crate::event::Event;
use crate::policy::PathId;
use crate::policy::loss_detection::SackNews;
use crate::policy::retransmission::LostBy;
use crate::record::Happening;
use crate::send::BadSack;
use crate::seq::Tsn;
use crate::wire::{NrSack, Sack};

impl Sender {
    /// Handles a SACK that arrived on path `by`.
    #[inline]
    pub(crate) fn on_sack(
        &mut self,
        ground: &mut Ground,
        now: Time,
        by: PathId,
        sack: &Sack<'_>,
    ) -> Result<(), BadSack> {
        let mut reading = self.reading.take().unwrap_or_default();
        let gaps = sack.gap_blocks.iter();
        let is_new = if ground.agreement.receiver.new_gaps && sack.flags & Sack::NEW_GAPS != 0 {
            let dropped = sack.duplicates.iter();
            self.buffer.on_new_gaps(sack.cumulative_tsn_ack, gaps, dropped, &mut reading.news)
        } else {
            self.buffer.on_sack(sack.cumulative_tsn_ack, gaps, &mut reading.news)
        };
        self.on_report(ground, (now, by), sack, reading, is_new)
    }

    /// Handles an NR-SACK that arrived on path `by`: a SACK that is in part for good.
    pub(crate) fn on_nr_sack(
        &mut self,
        ground: &mut Ground,
        now: Time,
        by: PathId,
        nr_sack: &NrSack<'_>,
    ) -> Result<(), BadSack> {
        let mut reading = self.reading.take().unwrap_or_default();
        let (renegable, firm) = (nr_sack.renegable_blocks(), nr_sack.firm_blocks());
        let is_new = self.buffer.on_nr_sack(nr_sack.cumulative_tsn_ack, renegable, firm, &mut reading.news);
        self.on_report(ground, (now, by), &nr_sack.without_blocks(), reading, is_new)
    }

    /// Ends the reading of a SACK that arrived at a time on a path, after the send buffer has read its blocks.
    #[inline]
    fn on_report(
        &mut self,
        ground: &mut Ground,
        (now, by): (Time, PathId),
        sack: &Sack<'_>,
        mut reading: Box<SackReading>,
        is_new: Result<bool, BadSack>,
    ) -> Result<(), BadSack> {
        if is_new == Ok(true) {
            let twice = || sack.duplicates.iter();
            self.judge_tail_probes(ground, &reading.news, |chunk| twice().any(|tsn| tsn == chunk.tsn), now);
            reading.news.packets = ground.settings.config.dac_wire.packets(sack);
            self.on_news(ground, &mut reading, by, now);
            self.judge_cuts(ground, &reading.news, twice(), now);
            count_sack(ground, &reading);
            self.update_peer_window(ground, ByteCount::new(u64::from(sack.a_rwnd)), now);
        } else if is_new == Ok(false) {
            // An overtaken SACK may be the only one that reports a duplicate.
            self.judge_cuts(ground, &SackNews::default(), sack.duplicates.iter(), now);
        }
        self.reading = Some(reading);
        is_new.map(|_| ())
    }

    /// Handles the acknowledgement in a SHUTDOWN that arrived on path `by`: it is cumulative, and has no a_rwnd.
    pub(crate) fn on_cumulative_ack(
        &mut self,
        ground: &mut Ground,
        now: Time,
        by: PathId,
        cumulative: Tsn,
    ) -> Result<(), BadSack> {
        let mut reading = self.reading.take().unwrap_or_default();
        let is_new = self.buffer.on_cumulative_ack(cumulative, &mut reading.news);
        if is_new == Ok(true) {
            reading.news.packets = 0;
            self.on_news(ground, &mut reading, by, now);
        }
        self.reading = Some(reading);
        is_new.map(|_| ())
    }

    /// Applies an acknowledgement that arrived on path `by` to windows, losses and timers.
    #[inline]
    fn on_news(&mut self, ground: &mut Ground, reading: &mut SackReading, by: PathId, now: Time) {
        if ground.settings.config.cmt.ns2.decays_at_sacks() {
            self.decay_idle_windows(ground, now);
        }
        if reading.news.acked.iter().any(|chunk| chunk.is_retransmitted) {
            ground.paths.on_acked_retransmission(self.max_burst);
            self.bound_bursts_for_good(ground);
        }
        self.time_news(ground, &mut reading.news, now);
        let progress = reading.progress.cleared(ground.paths.len());
        self.rules.detection.on_sack(&mut reading.news, progress);
        ground.paths.sacks_mut().examined += reading.news.examined as u64;
        self.buffer.on_counted(&reading.news.holes);
        self.leave_recovery(ground, &reading.news);
        tally_acked(ground, &reading.news, &mut reading.tally, now);
        self.judge_ecn(ground, &reading.tally, now);
        self.grow_windows(ground, reading, by, now);
        self.follow_losses(ground, now);
        self.respond_to_missing(ground, &reading.progress.missing, now);
        self.recover_small_window(ground, &reading.news, now);
        self.judge_silence(ground, reading, now);
        self.clear_removed_paths(ground);
        update_retransmission_timers(ground, &reading.news, now);
        self.set_loss_timers(ground, &reading.news, now);
        if self.wanted_room.is_some_and(|room| self.send_space(ground) >= room) {
            self.wanted_room = None;
            ground.log.event(Event::Writable);
        }
    }

    /// Ends fast recovery. M-CMT-2: a path has recovered when all chunks that were outstanding on it at the cut are
    /// acknowledged. The SACK that ends recovery may grow the window. A SACK that acknowledges nothing new does not end
    /// it.
    #[inline]
    fn leave_recovery(&mut self, ground: &Ground, news: &SackNews) {
        if !self.rules.detection.recovers_by_path() || news.acked.is_empty() {
            return;
        }
        for id in ground.paths.ids() {
            if self.rules.detection.is_in_recovery(id) {
                let lowest = self.buffer.lowest_unacked_on(id);
                self.rules.detection.on_lowest_unacked(id, lowest);
            }
        }
    }

    /// Updates the peer's window. RFC 9260 §6.2.1 ii, iii: "rwnd is calculated by subtracting the bytes still
    /// outstanding".
    #[inline]
    fn update_peer_window(&mut self, ground: &mut Ground, a_rwnd: ByteCount, now: Time) {
        if let Some(before) = self.peer_window.on_advertised(a_rwnd)
            && ground.settings.config.initial_ssthresh.is_none()
        {
            ground.paths.raise_initial_ssthresh(before, a_rwnd);
        }
        let owed = self.peer_window.owed(self.buffer.rwnd_flight(), self.buffer.rwnd_marked());
        self.peer_window.set_open(self.rules.flow.peer_window(a_rwnd, owed));
        if self.peer_window.may_be_overdrawn(owed) {
            self.resend_refused(ground, owed, now);
        }
        let Some(probe) = self.peer_window.probe() else { return };
        if self.buffer.is_acked(probe) {
            self.peer_window.end_probe();
        } else if a_rwnd >= self.buffer.rwnd_weight(probe) {
            // The peer dropped the probe because it had no room, and has room now: the sender need not wait for
            // T3-rtx.
            self.peer_window.end_probe();
            if let Some(path) = self.buffer.path_of(probe) {
                _ = self.mark_lost(ground, probe, path, LostBy::Timeout);
            }
        }
    }
}

#[inline]
fn count_sack(ground: &mut Ground, reading: &SackReading) {
    let sacks = ground.paths.sacks_mut();
    sacks.received += 1;
    sacks.received_for_several_paths += u64::from(reading.acked_paths() > 1);
}

/// Sums the newly acknowledged chunks of each path, takes round-trip samples from the timed ones, and marks their paths
/// as alive.
#[inline]
fn tally_acked(ground: &mut Ground, news: &SackNews, tally: &mut Vec<NewlyAcked>, now: Time) {
    tally.clear();
    tally.resize(ground.paths.len(), NewlyAcked::default());
    for chunk in &news.acked {
        let id = chunk.path;
        let of_path = &mut tally[id.index()];
        of_path.bytes += chunk.weight;
        of_path.ends_round |= chunk.round == ground.paths.round(id);
        if let Some(sample) = ground.paths.on_acked(id, chunk, now) {
            of_path.rtt = Some(sample);
            let rto = ground.paths.sample(id).rto;
            ground.log.record(now, id, Happening::RoundTrip { sample, rto });
        }
        // M-SCTP-15: the acknowledgement of a chunk that was sent twice does not show which path works.
        if !chunk.is_retransmitted {
            of_path.is_certain = true;
            of_path.newest = of_path.newest.max(Some((chunk.departure, chunk.sent_at)));
            if ground.paths.shows_life(id, chunk.sent_at) {
                let change = ground.paths.on_alive(id, now);
                ground.announce(id, change, now);
            }
        }
    }
    if !news.acked.is_empty() {
        ground.paths.clear_errors_in_row();
    }
}

/// RFC 9260 §6.3.2 R2, R3: stops the timer of a path with nothing in flight, and restarts it where the lowest
/// chunk was acknowledged.
#[inline]
fn update_retransmission_timers(ground: &mut Ground, news: &SackNews, now: Time) {
    for id in ground.paths.ids() {
        let timer = Timer::Retransmission(id);
        if ground.paths.sample(id).flight.is_zero() {
            ground.timers.stop(timer);
        } else if news.paths[id.index()].lowest || !ground.timers.is_running(timer) {
            ground.restart_retransmission_timer(id, now);
        }
    }
}
