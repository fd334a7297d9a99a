//! Handles HEARTBEAT-ACKs and unanswered HEARTBEATs (RFC 9260 §8.3; RFC 7829).

use anabranch_base::Time;

use super::Session;
use crate::association::ground::{PeerGone, ProbeAnswer, Timer};
use crate::policy::{PathId, PathState};
use crate::record::Happening;
use crate::wire::HeartbeatAck;

impl Session {
    /// Handles a HEARTBEAT-ACK that arrived on `arrived`. It counts only if it answers an outstanding HEARTBEAT, or
    /// proves that `arrived` leads to the peer.
    pub(super) fn on_heartbeat_ack(&mut self, now: Time, arrived: PathId, ack: &HeartbeatAck) {
        let Some(ProbeAnswer { probe, proof }) = ProbeAnswer::decode(&ack.info) else { return };
        let known = (probe.path.index() < self.ground.paths.len()).then_some(probe.path);
        let sent_at = known.and_then(|path| self.ground.paths.heartbeat(path).probes_mut().take(probe.nonce));
        let Some(sent_at) = sent_at else {
            if proof.is_some_and(|proof| self.ground.is_proof(arrived, proof)) {
                return self.accept_proof(arrived, now);
            }
            return known
                .into_iter()
                .for_each(|path| self.sender.on_mtu_answer(&mut self.ground, path, probe.nonce, now));
        };
        let path = probe.path;
        self.ground.paths.set_peers_role(arrived, ack.role);
        self.ground.paths.on_role_acknowledged(path);
        self.ground.timers.stop(Timer::HeartbeatAnswer(path));
        if !self.sender.on_probe_answered(&mut self.ground, path, now) {
            let sample = now.since(sent_at);
            self.ground.paths.on_round_trip(path, sample, now);
            let rto = self.ground.paths.sample(path).rto;
            self.ground.log.record(now, path, Happening::RoundTrip { sample, rto });
        }
        self.sender.resend_after_outage(&mut self.ground, path, sent_at, now);
        self.ground.paths.clear_errors_in_row();
        self.sender.settle_suspicion(&mut self.ground, path, now);
        self.on_verified(path, now);
        self.peer.announce_role(&mut self.ground, path, now);
    }

    /// Handles the verification of `path` by a HEARTBEAT-ACK.
    fn on_verified(&mut self, path: PathId, now: Time) {
        let change = self.ground.paths.confirm(path);
        self.ground.announce(path, change, now);
        self.ground.schedule_heartbeat(path, now);
        self.settle_departure();
        self.peer.probe_asked_pairs(&mut self.ground, path, now);
        self.drop_superfluous_pairs(now);
    }

    fn accept_proof(&mut self, path: PathId, now: Time) {
        self.ground.timers.stop(Timer::HeartbeatAnswer(path));
        self.ground.paths.heartbeat(path).probes_mut().clear();
        self.ground.paths.clear_errors_in_row();
        self.on_verified(path, now);
    }

    /// Handles a HEARTBEAT on `path` that was not answered within RTO (RFC 9260 §8.3).
    pub(super) fn on_heartbeat_unanswered(&mut self, path: PathId, now: Time) -> Result<(), PeerGone> {
        let is_quick = self.ground.settings.config.failover.quick;
        let probes = self.ground.paths.heartbeat(path).probes_mut();
        if !probes.give_up() {
            return Ok(());
        }
        if !is_quick {
            probes.clear();
        }
        self.ground.paths.mtu_mut(path).on_silence();
        if let Some(response) = self.sender.on_probe_unanswered(&mut self.ground, path, now) {
            return if response.is_error { self.count_path_error(path, true, now) } else { Ok(()) };
        }
        self.sender.confirm_suspicion(&mut self.ground, path, now);
        // A requested pair may begin to work at any time.
        let is_awaited = is_quick
            && self.peer.is_asked(&self.ground, path)
            && self.ground.paths.sample(path).state == PathState::Unconfirmed;
        if !is_awaited {
            self.ground.paths.back_off(path);
        }
        // RFC 9260 §8.1: for the association, only errors on the path that carries data count. §5.4: probes of
        // unconfirmed paths never count.
        let state = self.ground.paths.sample(path).state;
        let carries_data = path == self.ground.paths.usable(self.ground.paths.primary());
        self.count_path_error(path, carries_data && state != PathState::Unconfirmed, now)?;
        match self.ground.paths.sample(path).state {
            PathState::Unconfirmed => {
                // Without a verified path, unanswered probes also end the association.
                let is_given_up =
                    self.ground.paths.health(path).errors() > self.ground.settings.config.failover.path_max;
                if is_given_up {
                    self.sender.await_verification(false);
                }
                self.try_other_pairs(path, now);
                self.drop_superfluous_pairs(now);
                if is_given_up && self.ground.paths.is_candidate(path) && !self.ground.paths.is_removed(path)
                {
                    self.remove_path(path);
                }
                self.peer.verify_paths(&mut self.ground, now);
            }
            // RFC 7829 §3.2: one HEARTBEAT each RTO, until the path answers or becomes inactive.
            PathState::PotentiallyFailed if !self.ground.paths.health(path).awaits_heartbeat() => {
                self.ground.send_heartbeat(path, now);
            }
            _ => {
                self.peer.announce_role(&mut self.ground, path, now);
                if self.ground.paths.is_peers_backup(path) {
                    self.drop_superfluous_pairs(now);
                }
            }
        }
        Ok(())
    }
}
