//! Pacing: sets the rate of each path, and the timer of a path that its pacer stopped.

use anabranch_base::Time;

use super::{Sender, view};
use crate::association::ground::{Ground, Timer};
use crate::config::{BurstRule, MaxBurst};
use crate::policy::congestion::CongestionControl;

impl Sender {
    /// Sets each path's pacer, when sending begins, to the rate that its window gives now.
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

    /// Sets the timers of the paths that only their pacers stop, when no more can be sent. There is one timer for each
    /// path, not for each packet.
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

    /// Reports to models, when no more can be sent, which paths got less data than their windows and pacers allow. A
    /// single path that only the peer's window limits is not reported (draft-ietf-ccwg-bbr, "Considerations Related to
    /// Receiver Flow Control Limits"). With several paths it is, because another path may have taken the room in the
    /// peer's window (M-BBR-5).
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
