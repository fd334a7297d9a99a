//! What an association does if rules of ns-2's CMT module replace ours, to compare results with that module. Without
//! its rule, each function does nothing, or what the standard says.

use anabranch_base::Time;

use super::session::Session;
use crate::config::BurstRule;
use crate::policy::PathId;
use crate::policy::congestion::CutCause;
use crate::policy::ns2::Ns2Rule;
use crate::policy::retransmission::LostBy;
use crate::seq::Tsn;

impl Session {
    /// With rules of ns-2's module, missing reports on one path also affect chunks of other paths that wait to be
    /// sent again.
    pub(super) fn respond_for_waiting(&mut self, now: Time) {
        let ns2 = self.settings.config.cmt.ns2;
        if ns2.has(Ns2Rule::CutsWaiting) {
            for id in self.paths.ids() {
                let detection = &self.policies.detection;
                let waiting = self.send.marked().filter(|lost| lost.path == id).last();
                if waiting.is_some_and(|highest| !detection.is_cut_for(id, highest.tsn)) {
                    self.cut(id, CutCause::Missing, now);
                    self.enter_recovery(id);
                }
            }
        }
        if ns2.has(Ns2Rule::ExemptsWaiting) {
            let waiting = self.send.marked().filter(|lost| lost.by == LostBy::MissingReports);
            waiting.for_each(|lost| self.exemptions.grant(lost.path));
        }
    }

    /// A packet of retransmissions for `path` ends with the chunk `last`. ns-2's module then examines the next lost
    /// chunk for the same packet, and the path of that chunk searches for its lowest chunk again.
    pub(super) fn search_after_packet(&mut self, path: PathId, last: Tsn) {
        if self.settings.config.cmt.ns2.has(Ns2Rule::SearchByPacket) {
            let next = self.send.marked().find(|lost| last.is_before(lost.tsn)).map(|lost| lost.path);
            if let Some(other) = next.filter(|&other| other != path) {
                self.send.search_lowest_anew(other);
            }
        }
    }

    /// A retransmission was acknowledged. In ns-2's module, every later event is bounded like this one.
    pub(super) fn bound_bursts_for_good(&mut self) {
        let is_ns2 = self.settings.config.cmt.ns2.has(Ns2Rule::Accounts);
        if is_ns2 && self.max_burst.rule == BurstRule::AfterRetransmission {
            self.max_burst.rule = BurstRule::Event;
        }
    }
}
