//! What an association does if rules of ns-2's CMT module replace ours, to compare results with that module. Without
//! its rule, each function does nothing, or what the standard says.

use anabranch_base::Time;

use super::Sender;
use crate::association::ground::Ground;
use crate::config::BurstRule;
use crate::policy::PathId;
use crate::policy::congestion::CutCause;
use crate::policy::ns2::Ns2Rule;
use crate::policy::retransmission::LostBy;
use crate::seq::Tsn;

impl Sender {
    /// With rules of ns-2's module, missing reports on one path also affect chunks of other paths that wait to be
    /// sent again.
    pub(super) fn respond_for_waiting(&mut self, ground: &mut Ground, now: Time) {
        let ns2 = ground.settings.config.cmt.ns2;
        if ns2.has(Ns2Rule::CutsWaiting) {
            for id in ground.paths.ids() {
                let detection = &self.rules.detection;
                let waiting = self.buffer.marked().filter(|lost| lost.path == id).last();
                if waiting.is_some_and(|highest| !detection.is_cut_for(id, highest.tsn)) {
                    self.cut(ground, id, CutCause::Missing, now);
                    self.enter_recovery(id);
                }
            }
        }
        if ns2.has(Ns2Rule::ExemptsWaiting) {
            let waiting = self.buffer.marked().filter(|lost| lost.by == LostBy::MissingReports);
            waiting.for_each(|lost| self.exemptions.grant(lost.path));
        }
    }

    /// A packet of retransmissions for `path` ends with the chunk `last`. ns-2's module then examines the next lost
    /// chunk for the same packet, and the path of that chunk searches for its lowest chunk again.
    pub(super) fn search_after_packet(&mut self, ground: &Ground, path: PathId, last: Tsn) {
        if ground.settings.config.cmt.ns2.has(Ns2Rule::SearchByPacket) {
            let next = self.buffer.marked().find(|lost| last.is_before(lost.tsn)).map(|lost| lost.path);
            if let Some(other) = next.filter(|&other| other != path) {
                self.buffer.search_lowest_anew(other);
            }
        }
    }

    /// A retransmission was acknowledged. In ns-2's module, every later event is bounded like this one.
    pub(super) fn bound_bursts_for_good(&mut self, ground: &Ground) {
        let is_ns2 = ground.settings.config.cmt.ns2.has(Ns2Rule::Accounts);
        if is_ns2 && self.max_burst.rule == BurstRule::AfterRetransmission {
            self.max_burst.rule = BurstRule::Event;
        }
    }
}
