//! Pacing: how fast each path may send, and when a path continues after its pacer stopped it.

use anabranch_base::Time;

use super::policies::Policies;
use super::session::{Session, look};
use super::timers::Timer;
use crate::config::{BurstRule, MaxBurst};

impl Session {
    /// Sending begins: sets each path's pacer to the rate that its window gives now.
    pub(super) fn begin_pacing(&mut self, now: Time) {
        let MaxBurst { packets, rule: BurstRule::Paced } = self.settings.config.max_burst else { return };
        for id in self.paths.ids() {
            let view = look(now, &self.paths, &self.peer_window, &self.send);
            let Policies { congestion, slow_start, .. } = &self.policies;
            let rate = match congestion.is_in_slow_start(id, &view) {
                true => slow_start.pacing_rate(id, &view),
                false => congestion.pacing_rate(id, &view),
            };
            self.paths.begin_pacing(id, now, rate, packets);
        }
    }

    /// Everything that could be sent was sent: a path that only its pacer stops continues when the pacer allows it.
    /// There is one timer for each path, and none for single packets.
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

    /// Everything that could be sent was sent: tells the congestion control which paths were given less than their windows
    /// and pacers allow. A single path that only the peer's window limits is not among them (draft-ietf-ccwg-bbr,
    /// "Considerations Related to Receiver Flow Control Limits"). Of several paths, one is, because another path may have
    /// taken the room in the peer's window (M-BBR-5).
    pub(super) fn tell_withheld(&mut self, now: Time) {
        let view = look(now, &self.paths, &self.peer_window, &self.send);
        let has_more = self.send.waiting_chunks() > 0 || self.send.has_retransmissions();
        if has_more && view.active().nth(1).is_none() {
            return;
        }
        for id in self.paths.ids() {
            if self.paths.has_spare_window(id) {
                self.policies.congestion.on_withheld(id, &view);
            }
        }
    }
}
