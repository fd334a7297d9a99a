//! The windows of paths that rest.

use anabranch_base::Time;

use super::Sender;
use crate::association::ground::Ground;
use crate::policy::congestion::CutCause;

impl Sender {
    /// Decays the windows of paths that carried no data for a while, once for each RTO, when data waits for them (RFC
    /// 9260 §7.2.1; M-SCTP-17).
    pub(super) fn decay_idle_windows(&mut self, ground: &mut Ground, now: Time) {
        let ns2 = ground.settings.config.cmt.ns2;
        let spares_silent = ground.settings.config.failover.quick;
        for path in ground.paths.ids() {
            // Its window is that after a time-out, and its threshold is what it had before.
            if spares_silent && ground.paths.has_timed_out(path) {
                continue;
            }
            let times = ground.paths.take_idle_rtos(path, ns2, now);
            for _ in 0..times.min(MAX_DECAYS) {
                self.cut(ground, path, CutCause::Idle, now);
            }
        }
    }
}

/// After this number of halvings every window is at its floor.
const MAX_DECAYS: u64 = 32;
