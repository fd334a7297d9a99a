//! The RFC's loss detection: one sequence of TSNs for the whole association, on whichever path a chunk was sent (RFC
//! 9260 §7.2.4; M-SCTP-6, -7). The rule ignores that paths reorder: it shows the defects of M-SCTP-19 when data is
//! spread over unequal paths.

use super::increment::Increment;
use super::{LossDetection, SackFindings, SackNews};
use crate::policy::PathId;
use crate::seq::Tsn;

/// Counts missing reports by the highest TSN newly acknowledged. The paths share one fast recovery.
#[derive(Debug)]
pub struct AssociationDetection {
    /// The number of missing reports that make a chunk lost.
    threshold: u8,
    /// While in fast recovery: the TSN whose cumulative acknowledgement ends it.
    exit: Option<Tsn>,
}

impl AssociationDetection {
    /// A rule that declares a chunk lost after `threshold` missing reports.
    pub fn new(threshold: u8) -> AssociationDetection {
        AssociationDetection { threshold, exit: None }
    }

    /// Counts missing reports, as many at a time as `increment` says, writes the lost chunks into `progress`, and
    /// leaves recovery.
    pub(super) fn read(&mut self, news: &mut SackNews, increment: &Increment, progress: &mut SackFindings) {
        self.count_missing(news, increment);
        let lost = news
            .holes
            .iter()
            .filter(|hole| hole.missing_reports >= self.threshold && !hole.was_fast_retransmitted);
        progress.missing.extend(lost.map(|hole| (hole.tsn, hole.path)));
        if self.exit.is_some_and(|exit| !news.cumulative.is_before(exit)) {
            self.exit = None;
        }
    }

    /// Counts missing reports, as many at a time as `increment` says.
    pub(super) fn count_missing(&self, news: &mut SackNews, increment: &Increment) {
        // A chunk with copies may have arrived by a path that is faster than the chunk's own.
        let newest = news.acked.iter().rev().find(|chunk| !chunk.was_copied);
        let Some(newest) = newest.map(|chunk| chunk.tsn) else {
            // Without a newly acknowledged chunk nothing shows a loss, except for chunks whose acknowledgement is taken
            // back.
            news.holes.iter_mut().filter(|hole| hole.is_reneged).for_each(|hole| hole.report(1));
            return;
        };
        // RFC 9260 §7.2.4: "miss indications SHOULD be incremented only for missing TSNs prior to the
        // highest TSN newly acknowledged"; in fast recovery, when the cumulative TSN advances, "for all
        // TSNs reported missing in the SACK".
        let counts_all = self.exit.is_some() && news.has_advanced;
        let limit = if counts_all { news.highest_reported } else { newest };
        let counted = news.holes.iter_mut().filter(|hole| hole.is_reneged || hole.tsn.is_before(limit));
        counted.for_each(|hole| hole.report(increment.of(hole)));
    }
}

impl LossDetection for AssociationDetection {
    fn on_sack(&mut self, news: &mut SackNews, progress: &mut SackFindings) {
        progress.advanced.iter_mut().for_each(|advanced| *advanced = news.has_advanced);
        self.read(news, &Increment::ONE, progress);
    }

    fn on_timeout(&mut self, _path: PathId) {
        self.exit = None;
    }

    fn enter_recovery(&mut self, _path: PathId, highest: Tsn) {
        self.exit = Some(highest);
    }

    fn is_in_recovery(&self, _path: PathId) -> bool {
        self.exit.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::loss_detection::Hole;
    use crate::policy::testing::sacks::{acked, counts, hole, news, sacked};

    /// G1, for the plain rule: TSN 20–23 on path 1, 24–27 on the faster path 2. Four SACKs make all four chunks of
    /// path 1 look lost although none is: the false fast retransmit of M-SCTP-19.
    #[test]
    fn g1_out_of_order_sacks_from_a_faster_path_reach_the_threshold() {
        let mut order = AssociationDetection::new(4);
        let mut holes: Vec<Hole> = (20..24).map(|tsn| hole(tsn, 0, 0)).collect();
        for newest in 24..28 {
            let mut sack = news(19, newest, vec![acked(newest, 1)], holes);
            let progress = sacked(&mut order, &mut sack);
            assert_eq!(progress.missing.len(), if newest == 27 { 4 } else { 0 });
            holes = sack.holes;
        }
        assert!(holes.iter().all(|hole| hole.missing_reports == 4));
    }

    #[test]
    fn a_sack_that_acks_nothing_new_is_not_evidence_of_loss() {
        let mut order = AssociationDetection::new(3);
        let mut sack = news(19, 24, vec![], vec![hole(20, 0, 2)]);
        assert!(sacked(&mut order, &mut sack).missing.is_empty());
        assert_eq!(counts(&sack), [2]);
    }

    #[test]
    fn only_holes_below_the_highest_newly_acked_count() {
        let mut order = AssociationDetection::new(3);
        let mut sack = news(19, 30, vec![acked(22, 0)], vec![hole(20, 0, 0), hole(25, 0, 0)]);
        sacked(&mut order, &mut sack);
        assert_eq!(counts(&sack), [1, 0]);
    }

    #[test]
    fn in_recovery_an_advance_counts_every_reported_hole_once() {
        let mut order = AssociationDetection::new(3);
        order.enter_recovery(PathId::FIRST, Tsn::new(40));
        let mut sack = news(20, 30, vec![acked(20, 0)], vec![hole(22, 0, 0), hole(25, 0, 0)]);
        sack.has_advanced = true;
        sacked(&mut order, &mut sack);
        assert_eq!(counts(&sack), [1, 1]);
        assert!(order.is_in_recovery(PathId::FIRST));
    }

    #[test]
    fn recovery_ends_when_the_exit_point_is_cumulatively_acked() {
        let mut order = AssociationDetection::new(3);
        order.enter_recovery(PathId::FIRST, Tsn::new(40));
        sacked(&mut order, &mut news(39, 39, vec![acked(39, 0)], vec![]));
        assert!(order.is_in_recovery(PathId::FIRST));
        sacked(&mut order, &mut news(40, 40, vec![acked(40, 0)], vec![]));
        assert!(!order.is_in_recovery(PathId::FIRST));
    }

    #[test]
    fn a_reneged_chunk_gets_one_report_and_a_spent_one_is_left_to_the_timer() {
        let mut order = AssociationDetection::new(3);
        let mut reneged = hole(22, 0, 0);
        reneged.is_reneged = true;
        let mut exhausted = hole(20, 0, 3);
        exhausted.was_fast_retransmitted = true;
        let mut sack = news(19, 24, vec![acked(24, 0)], vec![exhausted, reneged]);
        assert!(sacked(&mut order, &mut sack).missing.is_empty());
        assert_eq!(counts(&sack), [4, 1]);
    }
}
