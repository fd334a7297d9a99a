//! The behaviour of ns-2's CMT module that differs from ours, where [`Ns2`](crate::policy::ns2::Ns2) enables it.

use anabranch_base::Time;

use super::Sender;
use crate::association::ground::Ground;
use crate::config::BurstRule;
use crate::policy::PathId;
use crate::policy::congestion::CutCause;
use crate::seq::Tsn;

impl Sender {
    /// Applies missing reports, after they were handled on their paths, to chunks of other paths that wait for
    /// retransmission.
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

    /// Restarts the window update's search on the path of the next lost chunk, after a packet of retransmissions for
    /// `path` that ends with the chunk `last`.
    pub(super) fn search_after_packet(&mut self, ground: &Ground, path: PathId, last: Tsn) {
        let next_lost = || self.buffer.marked().find(|lost| last.is_before(lost.tsn)).map(|lost| lost.path);
        if let Some(other) = ground.settings.config.cmt.ns2.searches_after_packet(path, next_lost) {
            self.buffer.search_lowest_anew(other);
        }
    }

    /// Bounds all later bursts, because a retransmission was acknowledged.
    pub(super) fn bound_bursts_for_good(&mut self, ground: &Ground) {
        let is_for_good = ground.settings.config.cmt.ns2.bounds_bursts_for_good();
        if is_for_good && self.max_burst.rule == BurstRule::AfterRetransmission {
            self.max_burst.rule = BurstRule::Event;
        }
    }
}
