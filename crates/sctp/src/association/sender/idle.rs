//! The decay of the windows of idle paths.

use anabranch_base::Time;

use super::Sender;
use crate::association::ground::Ground;
use crate::policy::congestion::CutCause;

impl Sender {
    /// Decays the windows of idle paths, once for each idle RTO, when data waits for them (RFC 9260 §7.2.1; M-SCTP-17).
    pub(super) fn decay_idle_windows(&mut self, ground: &mut Ground, now: Time) {
        let ns2 = ground.settings.config.cmt.ns2;
        let spares_silent = ground.settings.config.failover.quick;
        for path in ground.paths.ids() {
            // It has the window after a time-out, and the threshold from before it.
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

/// The maximum number of halvings, after which every window is at its floor.
const MAX_DECAYS: u64 = 32;
