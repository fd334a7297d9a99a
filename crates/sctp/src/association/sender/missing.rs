//! Fast retransmit: handles chunks that were reported missing often enough (RFC 9260 §7.2.4).

use anabranch_base::Time;

use super::Sender;
use crate::association::ground::Ground;
use crate::config::Exemption;
use crate::policy::PathId;
use crate::policy::response::Signal;
use crate::policy::retransmission::LostBy;
use crate::record::Happening;
use crate::seq::Tsn;

impl Sender {
    /// Handles chunks that were reported missing often enough (RFC 9260 §7.2.4).
    #[inline]
    pub(super) fn respond_to_missing(&mut self, ground: &mut Ground, missing: &[(Tsn, PathId)], now: Time) {
        if missing.is_empty() {
            return;
        }
        for id in ground.paths.ids() {
            if missing.iter().any(|&(_, path)| path == id) {
                self.respond_to_missing_on(ground, id, missing, now);
            }
        }
        self.respond_for_waiting(ground, now);
    }

    fn respond_to_missing_on(
        &mut self,
        ground: &mut Ground,
        id: PathId,
        missing: &[(Tsn, PathId)],
        now: Time,
    ) {
        let detection = &self.rules.detection;
        let was_in_recovery = missing.iter().all(|&(tsn, path)| path != id || detection.is_cut_for(id, tsn));
        let signal = if was_in_recovery { Signal::MissingInRecovery } else { Signal::Missing };
        let response = self.respond(ground, signal, id, now);
        if response.cut.is_some() {
            self.enter_recovery(id);
        }
        let lost = missing.iter().filter(|&&(_, path)| path == id).map(|&(tsn, _)| tsn);
        for tsn in lost.take(response.resend.count(missing.len())) {
            self.lose(ground, tsn, id, LostBy::MissingReports, now);
            ground.paths.counters_mut(id).fast_retransmits += 1;
            ground.log.record(now, id, Happening::FastRetransmit(tsn));
        }
        match ground.settings.config.fast_retransmit_exemption {
            Exemption::Entry if was_in_recovery => {}
            Exemption::Entry | Exemption::Each if self.rules.detection.recovers_by_path() => {
                self.exemptions.grant(id);
            }
            Exemption::Entry | Exemption::Each => self.exemptions.grant_anywhere(),
        }
    }

    /// Starts fast recovery on path `id`, whose window was cut for missing reports.
    pub(super) fn enter_recovery(&mut self, id: PathId) {
        let highest = if self.rules.detection.recovers_by_path() { self.buffer.highest_on(id) } else { None };
        self.rules.detection.enter_recovery(id, highest.unwrap_or(self.buffer.highest_sent()));
    }
}
