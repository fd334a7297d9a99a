//! Verifies paths (RFC 9260 §5.4): selects the paths to probe, and limits their rate.

use anabranch_base::{Duration, Time};

use super::PeerAddresses;
use crate::association::ground::{Ground, Timer};
use crate::policy::{PathId, PathState};

impl PeerAddresses {
    /// Probes a candidate path at once, or later if too many were probed in this period.
    pub(crate) fn challenge(&self, ground: &mut Ground, path: PathId, now: Time) {
        if self.is_announced(ground, path) && ground.outbox.may_challenge(now) {
            ground.send_heartbeat(path, now);
        } else {
            self.verify_paths(ground, now);
        }
    }

    /// Starts to verify unverified paths and to send HEARTBEATs on the others, when the association opens (RFC 9260
    /// §5.4, §8.3).
    pub(crate) fn start_heartbeats(&self, ground: &mut Ground, now: Time) {
        for path in ground.paths.living().collect::<Vec<_>>() {
            ground.schedule_heartbeat(path, now);
            self.announce_role(ground, path, now);
            if ground.paths.sample(path).state.works() {
                ground.search_mtu(path, now);
            }
        }
        self.verify_paths(ground, now);
    }

    /// Probes unverified paths: at most HB.Max.Burst of them in one RTO (RFC 9260 §5.4).
    pub(crate) fn verify_paths(&self, ground: &mut Ground, now: Time) {
        if ground.timers.is_running(Timer::Verification) {
            return;
        }
        let limit = ground.settings.config.failover;
        let mut unverified: Vec<PathId> = ground
            .paths
            .ids()
            .filter(|&id| {
                let health = ground.paths.health(id);
                let is_wanted = self.pairs.were_tried && self.is_asked(ground, id);
                health.state() == PathState::Unconfirmed
                    && self.is_announced(ground, id)
                    && !health.awaits_heartbeat()
                    && (is_wanted || health.errors() <= limit.path_max)
            })
            .collect();
        // Rotates, so that many unreachable paths do not starve the others.
        if self.pairs.were_tried && !self.pairs.asked.is_empty() {
            unverified.sort_by_key(|&id| ground.paths.health(id).errors());
        }
        for &path in unverified.iter().take(limit.heartbeat_max_burst as usize) {
            ground.send_heartbeat(path, now);
        }
        if let Some(&first) = unverified.first() {
            ground.timers.set(Timer::Verification, now + ground.paths.sample(first).rto);
        }
    }

    /// Announces the role of `path` to the peer, with a HEARTBEAT, unless it was announced before. An
    /// unverified path gets a HEARTBEAT anyway.
    pub(crate) fn announce_role(&self, ground: &mut Ground, path: PathId, now: Time) {
        let is_due =
            ground.paths.owes_role_announcement(path) && !ground.paths.health(path).awaits_heartbeat();
        if is_due && self.is_verified(ground, path) {
            ground.send_heartbeat(path, now);
        }
    }

    /// Probes `path` when a HEARTBEAT arrives on it, if this end's packets were lost there: they may arrive now, and
    /// its own next probe may be half a second away, or backed off.
    ///
    /// It does not do so while it waits for the answer to a SHUTDOWN or SHUTDOWN-ACK: answered probes would reset the
    /// error count, which ends an association whose peer never shuts down (RFC 9260 §9.2).
    pub(crate) fn probe_back(&self, ground: &mut Ground, path: PathId, now: Time) {
        if ground.timers.is_running(Timer::Shutdown) {
            return;
        }
        let health = ground.paths.health(path);
        let has_lost_probes = health.state() == PathState::Unconfirmed && health.errors() > 0;
        let is_failed = ground.settings.config.failover.quick && health.state().has_failed();
        // This limits the rate, even if a packet has many HEARTBEATs or they arrive often.
        let is_time = health.last_probe().is_none_or(|last| last + LEAST_GAP <= now);
        let is_wanted = is_time && (has_lost_probes || is_failed);
        if is_wanted && self.is_announced(ground, path) && ground.outbox.may_challenge(now) {
            ground.send_heartbeat(path, now);
        }
    }
}

/// The minimum time between two probes on a path that HEARTBEATs of the peer cause.
const LEAST_GAP: Duration = Duration::from_millis(100);
