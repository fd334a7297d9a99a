//! Verifies paths (RFC 9260 §5.4): which are probed, and how many at once.

use anabranch_base::{Duration, Time};

use super::PeerAddresses;
use crate::association::ground::{Ground, Timer};
use crate::policy::{PathId, PathState};

impl PeerAddresses {
    /// Probes a candidate path at once, or later if too many were probed in this period.
    pub fn challenge(&self, ground: &mut Ground, path: PathId, now: Time) {
        if self.is_announced(ground, path) && ground.outbox.may_challenge(now) {
            ground.send_heartbeat(path, now);
        } else {
            self.verify_paths(ground, now);
        }
    }

    /// The association is open: starts to verify unverified paths and to send HEARTBEATs on the others (RFC 9260
    /// §5.4, §8.3).
    pub fn start_heartbeats(&self, ground: &mut Ground, now: Time) {
        for path in ground.paths.living().collect::<Vec<_>>() {
            ground.schedule_heartbeat(path, now);
            self.announce_backup(ground, path, now);
            if ground.paths.sample(path).state.works() {
                ground.search_mtu(path, now);
            }
        }
        self.verify_paths(ground, now);
    }

    /// Probes unverified paths: at most HB.Max.Burst of them in one RTO (RFC 9260 §5.4).
    pub fn verify_paths(&self, ground: &mut Ground, now: Time) {
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
        // Many that never answer leave the others their turn.
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

    /// Tells the peer, with a HEARTBEAT, whether `path` is a backup, unless it knows. An unverified path gets one anyway.
    pub fn announce_backup(&self, ground: &mut Ground, path: PathId, now: Time) {
        let is_due = ground.paths.owes_backup_news(path) && !ground.paths.health(path).awaits_heartbeat();
        if is_due && self.is_verified(ground, path) {
            ground.send_heartbeat(path, now);
        }
    }

    /// A HEARTBEAT arrived on `path`. If this end has lost packets there, it probes at once whether they arrive now: its
    /// own next probe may be half a second away, or backed off.
    ///
    /// While this end waits for the answer to a SHUTDOWN or SHUTDOWN-ACK it does not: answered probes would end the count of those
    /// that are not answered, and with it the end of an association whose peer never shut down (RFC 9260 §9.2).
    pub fn probe_back(&self, ground: &mut Ground, path: PathId, now: Time) {
        if ground.timers.is_running(Timer::Shutdown) {
            return;
        }
        let health = ground.paths.health(path);
        let has_lost_probes = health.state() == PathState::Unconfirmed && health.errors() > 0;
        let is_failed = ground.settings.config.failover.quick && health.state().has_failed();
        // However many HEARTBEATs a packet carries, and however often they come.
        let is_time = health.last_probe().is_none_or(|last| last + LEAST_GAP <= now);
        let is_wanted = is_time && (has_lost_probes || is_failed);
        if is_wanted && self.is_announced(ground, path) && ground.outbox.may_challenge(now) {
            ground.send_heartbeat(path, now);
        }
    }
}

/// The least time between two probes that HEARTBEATs of the peer cause on a path.
const LEAST_GAP: Duration = Duration::from_millis(100);
