//! Pacing: how fast each path may send, and when a path continues after its pacer stopped it.

use anabranch_base::Time;

use super::{Sender, view};
use crate::association::ground::{Ground, Timer};
use crate::config::{BurstRule, MaxBurst};
use crate::policy::congestion::CongestionControl;

impl Sender {
    /// Sending begins: sets each path's pacer to the rate that its window gives now.
    #[inline]
    pub(super) fn begin_pacing(&self, ground: &mut Ground, now: Time) {
        let MaxBurst { packets, rule: BurstRule::Paced } = ground.settings.config.max_burst else { return };
        for id in ground.paths.ids() {
            let view = view(now, &ground.paths, &self.peer_window, &self.buffer);
            let rate = match &self.rules.congestion {
                CongestionControl::Rule(rule) if rule.is_in_slow_start(id, &view) => {
                    self.rules.slow_start.pacing_rate(id, &view)
                }
                CongestionControl::Rule(rule) => rule.pacing_rate(id, &view),
                CongestionControl::Model(model) => model.pacing_rate(id, &view),
            };
            ground.paths.begin_pacing(id, now, rate, packets);
        }
    }

    /// Everything that could be sent was sent: a path that only its pacer stops continues when the pacer allows it.
    /// There is one timer for each path, and none for single packets.
    #[inline]
    pub(super) fn end_pacing(&self, ground: &mut Ground) {
        if ground.settings.config.max_burst.rule != BurstRule::Paced {
            return;
        }
        let has_more = self.buffer.waiting_chunks() > 0 || self.buffer.has_retransmissions();
        for id in ground.paths.ids() {
            match ground.paths.end_pacing(id, has_more) {
                Some(opens_at) => ground.timers.set(Timer::Pacing(id), opens_at),
                None => ground.timers.stop(Timer::Pacing(id)),
            }
        }
    }

    /// Everything that could be sent was sent: tells models which paths were given less than their windows and pacers
    /// allow. A single path that only the peer's window limits is not among them (draft-ietf-ccwg-bbr,
    /// "Considerations Related to Receiver Flow Control Limits"). Of several paths, one is, because another path may have
    /// taken the room in the peer's window (M-BBR-5).
    #[inline]
    pub(super) fn report_withheld(&mut self, ground: &Ground, now: Time) {
        let CongestionControl::Model(model) = &mut self.rules.congestion else { return };
        let view = view(now, &ground.paths, &self.peer_window, &self.buffer);
        let has_more = self.buffer.waiting_chunks() > 0 || self.buffer.has_retransmissions();
        if has_more && view.active().nth(1).is_none() {
            return;
        }
        for id in ground.paths.ids() {
            if ground.paths.has_spare_window(id) {
                model.on_withheld(id, &view);
            }
        }
    }
}
