//! Pacing: how fast each path may send, and when a path that its pacer stopped continues.

use anabranch_base::Time;

use super::session::{Session, look};
use super::timers::Timer;
use crate::config::{BurstRule, MaxBurst};

impl Session {
    /// Sending begins: each path's pacer learns the rate that its window stands for now.
    pub(super) fn begin_pacing(&mut self, now: Time) {
        let MaxBurst { packets, rule: BurstRule::Paced } = self.settings.config.max_burst else { return };
        for id in self.paths.ids() {
            let view = look(now, &self.paths, &self.peer_window, &self.send);
            let rate = self.policies.congestion.pacing_rate(id, &view);
            self.paths.begin_pacing(id, now, rate, packets);
        }
    }

    /// All that could be sent was: a path that only its pacer holds back continues when the pacer opens. There is one
    /// timer a
    /// path, and none for packets.
    pub(super) fn end_pacing(&mut self) {
        if self.settings.config.max_burst.rule != BurstRule::Paced {
            return;
        }
        let has_more = self.send.waiting_chunks() > 0 || self.send.has_retransmissions();
        for id in self.paths.ids() {
            match self.paths.end_pacing(id, has_more) {
                Some(opens_at) => self.timers.set(Timer::Pacing(id), opens_at),
                None => self.timers.stop(Timer::Pacing(id)),
            }
        }
    }
}
