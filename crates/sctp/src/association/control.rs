//! Control chunks on their way out, and the HEARTBEATs among them.

use anabranch_base::{Duration, Time};

use super::outbox::Control;
use super::probe::{Probe, ProbeAnswer};
use super::session::{PeerGone, Session};
use super::timers::Timer;
use crate::policy::{PathId, PathState};
use crate::record::Happening;
use crate::wire::{Cause, CommonHeader, CookieAck, EncodeChunk, ErrorChunk, Heartbeat, HeartbeatAck};

impl Session {
    /// Queues a chunk for `path`, or for another if that is not usable.
    pub(super) fn post(&mut self, path: PathId, chunk: impl EncodeChunk + Send + 'static) {
        let path = self.usable_path(path);
        self.outbox.push_back(Control { path, is_probe: false, chunk: Box::new(chunk) });
    }

    /// Whether an answer may wait: it fits a packet of its path, and not too many wait already. A flood is not answered by a
    /// flood, and costs no memory.
    fn may_answer(&self, path: PathId, chunk: &impl EncodeChunk) -> bool {
        let limit = self.paths.sample(path).packet_limit.as_len();
        self.outbox.len() < MAX_OUTBOX && CommonHeader::LEN + chunk.encoded_len() <= limit
    }

    /// Answers a COOKIE-ECHO where it came from (RFC 9260 §6.4): the path of an answer that was lost may be dead. On a path
    /// that is not verified a COOKIE-ACK "MUST be bundled with a HEARTBEAT" (§5.4).
    pub(super) fn acknowledge_cookie(&mut self, path: PathId, now: Time) {
        if self.paths.sample(path).state != PathState::Unconfirmed {
            return self.answer(path, CookieAck);
        }
        if self.may_answer(path, &CookieAck) {
            self.outbox.push_back(Control { path, is_probe: true, chunk: Box::new(CookieAck) });
            self.send_heartbeat(path, now);
        }
    }

    /// Reports an error to the peer (RFC 9260 §3.3.10), if that may be.
    pub(super) fn report(&mut self, path: PathId, causes: Vec<Cause>) {
        self.answer(path, ErrorChunk { causes });
    }

    /// Queues an answer for `path`, or for another if that is not usable, if it may wait.
    pub(super) fn answer(&mut self, path: PathId, chunk: impl EncodeChunk + Send + 'static) {
        if self.may_answer(path, &chunk) {
            self.post(path, chunk);
        }
    }

    /// A HEARTBEAT arrived: its information goes back unchanged, on the same path (RFC 9260 §8.3).
    pub(super) fn on_heartbeat(&mut self, path: PathId, heartbeat: Heartbeat) {
        let chunk = HeartbeatAck { info: heartbeat.info };
        // The answer would go to an address that the peer has lost.
        if self.may_answer(path, &chunk) && !self.paths.is_removed(path) {
            self.outbox.push_back(Control { path, is_probe: true, chunk: Box::new(chunk) });
        }
    }

    /// A HEARTBEAT-ACK arrived on `arrived`. Only the answer to a HEARTBEAT that is under way counts, or one that proves
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
        self.timers.stop(Timer::HeartbeatAnswer(path));
        if !self.on_probe_answered(path, now) {
            let sample = now.since(sent_at);
            self.paths.on_round_trip(path, sample, now);
            let rto = self.paths.sample(path).rto;
            self.record(now, path, Happening::RoundTrip { sample, rto });
        }
        self.errors = 0;
        self.settle_suspicion(path, now);
        self.on_verified(path, now);
    }

    /// The path leads to the peer.
    fn on_verified(&mut self, path: PathId, now: Time) {
        let change = self.paths.confirm(path);
        self.announce(path, change, now);
        self.settle_departure();
        self.drop_wrong_guesses();
        self.schedule_heartbeat(path, now);
    }

    /// Whether an answer that came by a guess proves that the peer gets what is sent there, although the guess may have
    /// given way to others since it was asked.
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

    /// Probes a guess at once, or when its turn comes if too many were probed just now.
    pub(super) fn challenge(&mut self, path: PathId, now: Time) {
        if self.is_announced(path) && self.challenges.may_give(now) {
            self.send_heartbeat(path, now);
        } else {
            self.verify_paths(now);
        }
    }

    /// The association is open: paths that are not verified are probed, the others are watched
    /// (RFC 9260 §5.4, §8.3).
    pub(super) fn start_heartbeats(&mut self, now: Time) {
        for path in self.paths.living().collect::<Vec<_>>() {
            self.schedule_heartbeat(path, now);
            if self.paths.sample(path).state.carries_data() {
                self.search_mtu(path, now);
            }
        }
        self.verify_paths(now);
    }

    /// Probes paths that are not verified: at most HB.Max.Burst in one RTO (RFC 9260 §5.4).
    pub(super) fn verify_paths(&mut self, now: Time) {
        if self.timers.is_running(Timer::Verification) {
            return;
        }
        let limit = self.settings.config.failover;
        let unverified: Vec<PathId> = self
            .paths
            .ids()
            .filter(|&id| {
                let health = self.paths.health(id);
                health.state() == PathState::Unconfirmed
                    && self.is_announced(id)
                    && !health.awaits_heartbeat()
                    && health.errors() <= limit.path_max
            })
            .collect();
        for &path in unverified.iter().take(limit.heartbeat_max_burst as usize) {
            self.send_heartbeat(path, now);
        }
        if let Some(&first) = unverified.first() {
            self.timers.set(Timer::Verification, now + self.paths.sample(first).rto);
        }
    }

    /// A heartbeat period ended.
    pub(super) fn on_heartbeat_due(&mut self, path: PathId, now: Time) {
        let is_idle = self.paths.heartbeat(path).take_idle();
        let is_unwatched = is_idle && !self.paths.health(path).awaits_heartbeat();
        if is_unwatched || self.quick_period(path).is_some() {
            self.send_heartbeat(path, now);
        }
        self.schedule_heartbeat(path, now);
    }

    /// A HEARTBEAT was not answered within RTO (RFC 9260 §8.3).
    pub(super) fn on_heartbeat_unanswered(&mut self, path: PathId, now: Time) -> Result<(), PeerGone> {
        let is_quick = self.settings.config.failover.quick;
        let probes = self.paths.heartbeat(path).probes_mut();
        if !probes.give_up() {
            return Ok(());
        }
        if !is_quick {
            probes.forget();
        }
        if let Some(response) = self.on_probe_unanswered(path, now) {
            return if response.is_error { self.count_path_error(path, true, now) } else { Ok(()) };
        }
        self.confirm_suspicion(path, now);
        self.paths.back_off(path);
        // RFC 9260 §8.1 counts for the association only what fails on the path that carries the data; §5.4
        // never counts the probes of unconfirmed paths.
        let state = self.paths.sample(path).state;
        let carries_data = path == self.usable_path(self.paths.primary());
        self.count_path_error(path, carries_data && state != PathState::Unconfirmed, now)?;
        match self.paths.sample(path).state {
            PathState::Unconfirmed => {
                // No answer: unanswered data ends the association as well.
                let is_given_up = self.paths.health(path).errors() > self.settings.config.failover.path_max;
                self.awaits_verification &= !is_given_up;
                self.try_other_pairs(path, now);
                self.drop_wrong_guesses();
                if is_given_up && self.paths.is_candidate(path) && !self.paths.is_removed(path) {
                    self.remove_path(path);
                }
                self.verify_paths(now);
            }
            // RFC 7829: one an RTO, until it answers or has failed for certain.
            PathState::PotentiallyFailed if !self.paths.health(path).awaits_heartbeat() => {
                self.send_heartbeat(path, now);
            }
            _ => {}
        }
        Ok(())
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

    /// Every HB.interval + RTO, with a jitter of half an RTO either way (RFC 9260 §8.3); sooner on a failed path where
    /// that is wanted.
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
        let chunk = Box::new(Heartbeat { info });
        self.outbox.push_back(Control { path, is_probe: true, chunk });
        self.paths.heartbeat(path).probes_mut().on_sent(nonce, now);
        // A HEARTBEAT that is sent in addition, on a failed path, does not count as a later error.
        self.timers.start(Timer::HeartbeatAnswer(path), now + self.paths.sample(path).rto);
    }
}

/// How many control chunks may wait; further answers are not given.
const MAX_OUTBOX: usize = 64;
