//! What an association carries out where [`Ns2`](crate::policy::ns2::Ns2) says that ns-2's CMT module does something that
//! ours does not.

use anabranch_base::Time;

use super::Sender;
use crate::association::ground::Ground;
use crate::config::BurstRule;
use crate::policy::PathId;
use crate::policy::congestion::CutCause;
use crate::seq::Tsn;

impl Sender {
    /// Missing reports were answered on their paths. They may also affect chunks of other paths that wait to be sent again.
    pub(super) fn respond_for_waiting(&mut self, ground: &mut Ground, now: Time) {
        let ns2 = ground.settings.config.cmt.ns2;
        if ns2.is_ours() {
            return;
        }
        for id in ground.paths.ids() {
            let waiting = self.buffer.marked().filter(|lost| lost.path == id).map(|lost| lost.tsn);
            if ns2.cuts_waiting(waiting, |highest| self.rules.detection.is_cut_for(id, highest)) {
                self.cut(ground, id, CutCause::Missing, now);
                self.enter_recovery(id);
            }
        }
        let exempt = self.buffer.marked().filter(|lost| ns2.exempts_waiting(lost.by));
        exempt.for_each(|lost| self.exemptions.grant(lost.path));
    }

    /// A packet of retransmissions for `path` ends with the chunk `last`.
    pub(super) fn search_after_packet(&mut self, ground: &Ground, path: PathId, last: Tsn) {
        let next_lost = || self.buffer.marked().find(|lost| last.is_before(lost.tsn)).map(|lost| lost.path);
        if let Some(other) = ground.settings.config.cmt.ns2.searches_after_packet(path, next_lost) {
            self.buffer.search_lowest_anew(other);
        }
    }

    /// A retransmission was acknowledged.
    pub(super) fn bound_bursts_for_good(&mut self, ground: &Ground) {
        let is_for_good = ground.settings.config.cmt.ns2.bounds_bursts_for_good();
        if is_for_good && self.max_burst.rule == BurstRule::AfterRetransmission {
            self.max_burst.rule = BurstRule::Event;
        }
    }
}
