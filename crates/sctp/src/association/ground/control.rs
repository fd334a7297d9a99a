//! Control chunks that leave, HEARTBEATs among them.

use anabranch_base::{Duration, Time};

use super::outbox::Control;
use super::probe::{Probe, ProbeAnswer};
use super::session::{PeerGone, Session};
use super::timers::Timer;
use crate::policy::{PathId, PathState};
use crate::record::Happening;
use crate::wire::{Cause, CommonHeader, CookieAck, EncodeChunk, ErrorChunk, Heartbeat, HeartbeatAck};

impl Session {
    /// Queues a chunk for `path`, or for another path if `path` is not usable.
    pub(super) fn post(&mut self, path: PathId, chunk: impl EncodeChunk + Send + 'static) {
        let path = self.usable_path(path);
        self.outbox.push_back(Control { path, is_probe: false, chunk: Box::new(chunk) });
    }

    /// Whether an answer may be queued: it fits a packet of its path, and not too many chunks are queued. So a flood
    /// of chunks causes neither a flood of answers nor unbounded memory.
    fn may_answer(&self, path: PathId, chunk: &impl EncodeChunk) -> bool {
        let limit = self.paths.sample(path).packet_limit.as_len();
        self.outbox.len() < MAX_OUTBOX && CommonHeader::LEN + chunk.encoded_len() <= limit
    }

    /// Answers a COOKIE-ECHO on the path on which it arrived (RFC 9260 §6.4): the path on which an earlier answer was
    /// lost may be dead. On an unverified path a COOKIE-ACK "MUST be bundled with a HEARTBEAT" (§5.4).
    pub(super) fn acknowledge_cookie(&mut self, path: PathId, now: Time) {
        if self.paths.sample(path).state != PathState::Unconfirmed {
            return self.answer(path, CookieAck);
        }
        if self.may_answer(path, &CookieAck) {
            self.outbox.push_back(Control { path, is_probe: true, chunk: Box::new(CookieAck) });
            self.send_heartbeat(path, now);
        }
    }

    /// Reports an error to the peer (RFC 9260 §3.3.10), if the answer may be queued.
    pub(super) fn report(&mut self, path: PathId, causes: Vec<Cause>) {
        self.answer(path, ErrorChunk { causes });
    }

    /// Queues an answer for `path`, or for another path if `path` is not usable. Drops it if too many chunks are
    /// queued.
    pub(super) fn answer(&mut self, path: PathId, chunk: impl EncodeChunk + Send + 'static) {
        if self.may_answer(path, &chunk) {
            self.post(path, chunk);
        }
    }

    /// A HEARTBEAT arrived: returns its information unchanged, on the same path (RFC 9260 §8.3).
    pub(super) fn on_heartbeat(&mut self, path: PathId, heartbeat: Heartbeat) {
        self.paths.set_peers_backup(path, heartbeat.is_backup);
        let chunk = HeartbeatAck { info: heartbeat.info, is_backup: self.paths.is_own_backup(path) };
        // It may be as large as the largest packet there is, although the path is not known to carry that: it is no larger
        // than what has arrived.
        let fits = CommonHeader::LEN + chunk.encoded_len() <= self.largest_packet(path);
        // On a removed path, the answer would go to an address that the peer has lost.
        if fits && self.outbox.len() < MAX_OUTBOX && !self.paths.is_removed(path) {
            self.outbox.push_back(Control { path, is_probe: true, chunk: Box::new(chunk) });
        }
    }

    /// A HEARTBEAT-ACK arrived on `arrived`. It counts only if it answers a HEARTBEAT that is under way, or proves
    /// that `arrived` leads to the peer.
    pub(super) fn on_heartbeat_ack(&mut self, now: Time, arrived: PathId, ack: &HeartbeatAck) {
        let Some(ProbeAnswer { probe, proof }) = ProbeAnswer::decode(&ack.info) else { return };
        let known = (probe.path.index() < self.paths.len()).then_some(probe.path);
        let sent_at = known.and_then(|path| self.paths.heartbeat(path).probes_mut().take(probe.nonce));
        let Some(sent_at) = sent_at else {
            if proof.is_some_and(|proof| self.is_proof(arrived, proof)) {
                return self.accept_proof(arrived, now);
            }
            return known.into_iter().for_each(|path| self.on_mtu_answer(path, probe.nonce, now));
        };
        let path = probe.path;
        self.paths.set_peers_backup(arrived, ack.is_backup);
        self.paths.on_backup_told(path);
        self.timers.stop(Timer::HeartbeatAnswer(path));
        if !self.on_probe_answered(path, now) {
            let sample = now.since(sent_at);
            self.paths.on_round_trip(path, sample, now);
            let rto = self.paths.sample(path).rto;
            self.record(now, path, Happening::RoundTrip { sample, rto });
        }
        self.revive(path, sent_at, now);
        self.errors = 0;
        self.settle_suspicion(path, now);
        self.on_verified(path, now);
        self.tell_backup(path, now);
    }

    /// A HEARTBEAT-ACK has shown that `path` leads to the peer.
    fn on_verified(&mut self, path: PathId, now: Time) {
        let change = self.paths.confirm(path);
        self.announce(path, change, now);
        self.schedule_heartbeat(path, now);
        self.settle_departure();
        self.probe_asked_pairs(path, now);
        self.drop_superfluous_pairs(now);
    }

    /// Whether an answer on a candidate path proves that the peer receives packets sent there. The record of the
    /// HEARTBEAT is not needed: other candidates may have replaced this one meanwhile.
    fn is_proof(&self, arrived: PathId, proof: u64) -> bool {
        let is_guess = self.paths.is_candidate(arrived) && !self.paths.is_removed(arrived);
        is_guess && proof == self.challenges.proof(self.paths.addresses(arrived))
    }

    fn accept_proof(&mut self, path: PathId, now: Time) {
        self.timers.stop(Timer::HeartbeatAnswer(path));
        self.paths.heartbeat(path).probes_mut().forget();
        self.errors = 0;
        self.on_verified(path, now);
    }

    /// Probes a candidate path at once, or later if too many were probed in this period.
    pub(super) fn challenge(&mut self, path: PathId, now: Time) {
        if self.is_announced(path) && self.challenges.may_give(now) {
            self.send_heartbeat(path, now);
        } else {
            self.verify_paths(now);
        }
    }

    /// The association is open: starts to verify unverified paths and to send HEARTBEATs on the others (RFC 9260
    /// §5.4, §8.3).
    pub(super) fn start_heartbeats(&mut self, now: Time) {
        for path in self.paths.living().collect::<Vec<_>>() {
            self.schedule_heartbeat(path, now);
            self.tell_backup(path, now);
            if self.paths.sample(path).state.works() {
                self.search_mtu(path, now);
            }
        }
        self.verify_paths(now);
    }

    /// Probes unverified paths: at most HB.Max.Burst of them in one RTO (RFC 9260 §5.4).
    pub(super) fn verify_paths(&mut self, now: Time) {
        if self.timers.is_running(Timer::Verification) {
            return;
        }
        let limit = self.settings.config.failover;
        let mut unverified: Vec<PathId> = self
            .paths
            .ids()
            .filter(|&id| {
                let health = self.paths.health(id);
                let is_wanted = self.pairs.were_tried && self.is_asked(id);
                health.state() == PathState::Unconfirmed
                    && self.is_announced(id)
                    && !health.awaits_heartbeat()
                    && (is_wanted || health.errors() <= limit.path_max)
            })
            .collect();
        // Many that never answer leave the others their turn.
        if self.pairs.were_tried && !self.pairs.asked.is_empty() {
            unverified.sort_by_key(|&id| self.paths.health(id).errors());
        }
        for &path in unverified.iter().take(limit.heartbeat_max_burst as usize) {
            self.send_heartbeat(path, now);
        }
        if let Some(&first) = unverified.first() {
            self.timers.set(Timer::Verification, now + self.paths.sample(first).rto);
        }
    }

    /// The heartbeat period of `path` ended.
    pub(super) fn on_heartbeat_due(&mut self, path: PathId, now: Time) {
        let is_idle = self.paths.heartbeat(path).take_idle();
        let is_unwatched = is_idle && !self.paths.health(path).awaits_heartbeat();
        if is_unwatched || self.quick_period(path).is_some() {
            self.send_heartbeat(path, now);
        }
        self.schedule_heartbeat(path, now);
    }

    /// A HEARTBEAT on `path` was not answered within RTO (RFC 9260 §8.3).
    pub(super) fn on_heartbeat_unanswered(&mut self, path: PathId, now: Time) -> Result<(), PeerGone> {
        let is_quick = self.settings.config.failover.quick;
        let probes = self.paths.heartbeat(path).probes_mut();
        if !probes.give_up() {
            return Ok(());
        }
        if !is_quick {
            probes.forget();
        }
        self.paths.mtu_mut(path).on_silence();
        if let Some(response) = self.on_probe_unanswered(path, now) {
            return if response.is_error { self.count_path_error(path, true, now) } else { Ok(()) };
        }
        self.confirm_suspicion(path, now);
        // A pair that was asked for may begin to work at any time.
        let is_awaited =
            is_quick && self.is_asked(path) && self.paths.sample(path).state == PathState::Unconfirmed;
        if !is_awaited {
            self.paths.back_off(path);
        }
        // RFC 9260 §8.1: for the association, only errors on the path that carries data count. §5.4: probes of
        // unconfirmed paths never count.
        let state = self.paths.sample(path).state;
        let carries_data = path == self.usable_path(self.paths.primary());
        self.count_path_error(path, carries_data && state != PathState::Unconfirmed, now)?;
        match self.paths.sample(path).state {
            PathState::Unconfirmed => {
                // Without a verified path, unanswered probes also end the association.
                let is_given_up = self.paths.health(path).errors() > self.settings.config.failover.path_max;
                self.awaits_verification &= !is_given_up;
                self.try_other_pairs(path, now);
                self.drop_superfluous_pairs(now);
                if is_given_up && self.paths.is_candidate(path) && !self.paths.is_removed(path) {
                    self.remove_path(path);
                }
                self.verify_paths(now);
            }
            // RFC 7829: one HEARTBEAT each RTO, until the path answers or becomes inactive.
            PathState::PotentiallyFailed if !self.paths.health(path).awaits_heartbeat() => {
                self.send_heartbeat(path, now);
            }
            _ => {
                self.tell_backup(path, now);
                if self.paths.is_peers_backup(path) {
                    self.drop_superfluous_pairs(now);
                }
            }
        }
        Ok(())
    }

    /// Tells the peer, with a HEARTBEAT, whether `path` is a backup, unless it knows. An unverified path gets one anyway.
    pub(super) fn tell_backup(&mut self, path: PathId, now: Time) {
        let is_due = self.paths.owes_backup_news(path) && !self.paths.health(path).awaits_heartbeat();
        if is_due && self.is_verified(path) {
            self.send_heartbeat(path, now);
        }
    }

    /// RFC 9260 §8.3: the sending of HEARTBEATs "is discontinued after sending either a SHUTDOWN chunk or SHUTDOWN
    /// ACK chunk".
    pub(super) fn stop_heartbeats(&mut self) {
        self.timers.stop(Timer::Verification);
        self.stop_asking();
        for path in self.paths.ids() {
            self.timers.stop(Timer::Heartbeat(path));
            self.timers.stop(Timer::HeartbeatAnswer(path));
            self.paths.heartbeat(path).probes_mut().forget();
        }
        self.stop_mtu_probes();
    }

    /// Every HB.interval + RTO, with a jitter of half an RTO in both directions (RFC 9260 §8.3); sooner on a failed
    /// path, with `failover.quick`.
    pub(super) fn schedule_heartbeat(&mut self, path: PathId, now: Time) {
        if let Some(period) = self.quick_period(path) {
            return self.timers.set(Timer::Heartbeat(path), now + period);
        }
        if self.settings.config.failover.heartbeat == Duration::MAX {
            return;
        }
        let rto = self.paths.sample(path).rto;
        let jitter = Duration::from_nanos(self.random() % rto.as_nanos().max(1));
        let period = self.settings.config.failover.heartbeat + rto / 2 + jitter;
        self.timers.set(Timer::Heartbeat(path), now + period);
    }

    pub(super) fn send_heartbeat(&mut self, path: PathId, now: Time) {
        let nonce = self.random();
        let mut info = Probe { nonce, path }.encode();
        if self.paths.is_candidate(path) {
            info.extend(self.challenges.proof(self.paths.addresses(path)).to_be_bytes());
        }
        let chunk = Box::new(Heartbeat { info, is_backup: self.paths.say_backup(path) });
        self.outbox.push_back(Control { path, is_probe: true, chunk });
        self.paths.heartbeat(path).probes_mut().on_sent(nonce, now);
        // An additional HEARTBEAT on a failed path does not delay the error of the first.
        self.timers.start(Timer::HeartbeatAnswer(path), now + self.paths.sample(path).rto);
    }
}

/// How many control chunks may be queued; further answers are dropped.
const MAX_OUTBOX: usize = 64;
