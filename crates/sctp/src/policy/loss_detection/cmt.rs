//! The loss detection of concurrent multipath transfer: what a SACK means for each path, read from one sequence of
//! TSNs and the path on which each chunk was sent last (M-CMT-2, -3, -5).

use super::association::AssociationDetection;
use super::increment::Increment;
use super::{LossDetection, SackFindings, SackNews};
use crate::policy::PathId;
use crate::policy::ns2::Ns2;
use crate::seq::Tsn;

/// The rules of CMT that replace the association's. Without any, CMT is plain striping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CmtRules {
    /// SFR (M-CMT-2): a chunk is missing when a later one *of its path* was acknowledged, and each path recovers by
    /// itself.
    pub split_fast_retransmit: bool,
    /// CUC, version 2 (M-CMT-3): a window may grow when its path's lowest outstanding chunk was acknowledged.
    pub window_update: bool,
    /// DAC (M-CMT-4, -5): SACKs are delayed whatever the order of arrival, and say how many packets they answer.
    pub delayed_ack: bool,
    /// Losses are detected by the order in which packets left on a path, not by that of TSNs, which a scheduler may send
    /// out of order. The three rules above are part of that: [`DepartureDetection`](super::departure::DepartureDetection).
    pub by_departure: bool,
    /// The same, and time counts too: RACK-TLP and undo (`RackDetection`).
    pub by_time: bool,
    /// The rules of ns-2's module that replace ours: how a path recovers (M-CMT-2), and others for comparison.
    pub ns2: Ns2,
}

/// CMT's rules and their state.
#[derive(Debug)]
pub struct CmtDetection {
    rules: CmtRules,
    /// The number of missing reports that make a chunk lost.
    threshold: u8,
    /// The association's rule, used where fast retransmit is not split.
    whole: AssociationDetection,
    /// The TSN up to which each path in fast recovery must be repaired, or its recover point.
    exits: Vec<Option<Tsn>>,
    /// The highest TSN of each path that the current SACK newly acknowledges.
    newest: Vec<Option<Tsn>>,
}

impl CmtRules {
    /// CMT as its authors recommend it.
    pub const ALL: CmtRules = CmtRules {
        split_fast_retransmit: true,
        window_update: true,
        delayed_ack: true,
        by_departure: false,
        by_time: false,
        ns2: Ns2::NONE,
    };
    /// CMT by the order of departures.
    pub const BY_DEPARTURE: CmtRules = CmtRules { by_departure: true, ..CmtRules::ALL };
    /// CMT by the order of departures and by time.
    pub(crate) const BY_TIME: CmtRules = CmtRules { by_time: true, ..CmtRules::BY_DEPARTURE };
    /// New data on all paths, by the rules of RFC 9260.
    pub const NONE: CmtRules = CmtRules {
        split_fast_retransmit: false,
        window_update: false,
        delayed_ack: false,
        by_departure: false,
        by_time: false,
        ns2: Ns2::NONE,
    };

    /// Returns true if each path recovers by itself (M-CMT-2). Otherwise all share the association's fast recovery.
    pub fn recovers_by_path(self) -> bool {
        self.split_fast_retransmit || self.ns2.always_recovers_by_path()
    }
}

impl CmtDetection {
    /// A detection with these `rules`, which declares a chunk lost after `threshold` missing reports.
    pub fn new(rules: CmtRules, threshold: u8) -> CmtDetection {
        CmtDetection {
            rules,
            threshold,
            whole: AssociationDetection::new(threshold),
            exits: Vec::new(),
            newest: Vec::new(),
        }
    }

    /// M-CMT-2: m gets another missing report if a later TSN was newly acknowledged on m's path. An acknowledgement
    /// that is taken back is not evidence of loss: with several return paths, an overtaken SACK looks the same.
    fn count_missing(&mut self, news: &mut SackNews, increment: &Increment) {
        self.newest.clear();
        self.newest.resize(news.paths.len(), None);
        for chunk in news.acked.iter().filter(|chunk| !chunk.was_copied) {
            // Ascending: the last one is the highest.
            self.newest[chunk.path.index()] = Some(chunk.tsn);
        }
        for hole in &mut news.holes {
            if self.newest[hole.path.index()].is_some_and(|newest| hole.tsn.is_before(newest)) {
                hole.report(increment.of(hole));
            }
        }
    }

    /// The TSN up to which `path` must be repaired, or its recover point.
    fn exit(&self, path: PathId) -> Option<Tsn> {
        self.exits.get(path.index()).copied().flatten()
    }

    fn find_missing(&self, news: &SackNews, progress: &mut SackFindings) {
        // A chunk that a time-out sent again is left to the timer: an acknowledgement does not say which of its copies
        // arrived (M-SCTP-7).
        let may_be_lost =
            news.holes.iter().filter(|hole| !hole.was_fast_retransmitted && !hole.has_timed_out);
        let lost = may_be_lost.filter(|hole| hole.missing_reports >= self.threshold);
        progress.missing.extend(lost.map(|hole| (hole.tsn, hole.path)));
    }
}

impl LossDetection for CmtDetection {
    fn on_sack(&mut self, news: &mut SackNews, progress: &mut SackFindings) {
        let increment = if self.rules.delayed_ack { self.rules.ns2.increment(news) } else { Increment::ONE };
        self.rules.ns2.forget_passed(&mut self.exits, news.cumulative);
        if self.rules.recovers_by_path() {
            if self.rules.split_fast_retransmit {
                self.count_missing(news, &increment);
            } else {
                self.whole.count_missing(news, &increment);
            }
            self.find_missing(news, progress);
        } else {
            self.whole.read(news, &increment, progress);
        }
        for (advanced, path) in progress.advanced.iter_mut().zip(&news.paths) {
            *advanced = if self.rules.window_update {
                path.sent_once || path.sent_again || path.marked
            } else {
                news.has_advanced
            };
        }
    }

    fn remove_path(&mut self, path: PathId) {
        if let Some(exit) = self.exits.get_mut(path.index()) {
            *exit = None;
        }
    }

    fn on_timeout(&mut self, path: PathId) {
        self.whole.on_timeout(path);
        if self.rules.ns2.timeout_ends_recovery()
            && let Some(exit) = self.exits.get_mut(path.index())
        {
            *exit = None;
        }
    }

    fn enter_recovery(&mut self, path: PathId, highest: Tsn) {
        if !self.rules.recovers_by_path() {
            return self.whole.enter_recovery(path, highest);
        }
        self.exits.resize(self.exits.len().max(path.index() + 1), None);
        self.exits[path.index()] = Some(highest);
    }

    fn is_in_recovery(&self, path: PathId) -> bool {
        if self.rules.recovers_by_path() {
            self.rules.ns2.is_in_recovery(self.exit(path))
        } else {
            self.whole.is_in_recovery(path)
        }
    }

    fn is_cut_for(&self, path: PathId, lost: Tsn) -> bool {
        if self.rules.recovers_by_path() {
            self.rules.ns2.is_cut_for(self.exit(path), lost)
        } else {
            self.whole.is_in_recovery(path)
        }
    }

    fn advances_by_path(&self) -> bool {
        self.rules.window_update
    }

    fn recovers_by_path(&self) -> bool {
        self.rules.recovers_by_path()
    }

    /// M-CMT-2: recovery ends "when no unacked TSN ≤ that value remains on d": a lost chunk that was moved to another
    /// path no longer delays the end of recovery on its first path.
    fn on_lowest_unacked(&mut self, path: PathId, lowest: Option<Tsn>) {
        let Some(exit) = self.exits.get_mut(path.index()) else { return };
        if exit.is_some_and(|exit| lowest.is_none_or(|lowest| exit.is_before(lowest))) {
            *exit = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::loss_detection::{Hole, PathNews};
    use crate::policy::testing::sacks::{acked, counts, hole, news, sacked};

    const TWO: usize = 1;

    fn order(rules: CmtRules) -> CmtDetection {
        CmtDetection::new(rules, 4)
    }

    fn path(index: usize) -> PathId {
        PathId::from_index(index)
    }

    fn with_paths(news: SackNews) -> SackNews {
        SackNews { paths: vec![PathNews::default(); 2], ..news }
    }

    /// G1, for CMT: out-of-order SACKs of a faster path are not evidence of loss on the slower one.
    #[test]
    fn g1_sacks_from_a_faster_path_report_nothing_of_another() {
        let mut order = order(CmtRules::ALL);
        let mut holes: Vec<Hole> = (20..24).map(|tsn| hole(tsn, 0, 0)).collect();
        for newest in 24..28 {
            let mut sack = with_paths(news(19, newest, vec![acked(newest, TWO)], holes));
            assert!(sacked(&mut order, &mut sack).missing.is_empty());
            holes = sack.holes;
        }
        assert!(holes.iter().all(|hole| hole.missing_reports == 0));
    }

    /// G3: TSN 1 is lost, and each SACK answers two packets.
    #[test]
    fn g3_delayed_sacks_count_for_their_packets() {
        let reports = |rules: CmtRules| {
            let mut order = order(rules);
            let chunks = [[2, 3], [4, 5]].map(|pair| pair.map(|tsn| acked(tsn, 0)).to_vec());
            let mut holes = vec![hole(1, 0, 0)];
            chunks.map(|chunks| {
                let highest = chunks[1].tsn.get();
                let mut sack = with_paths(news(0, highest, chunks, holes.clone()));
                sack.packets = 2;
                let lost = sacked(&mut order, &mut sack).missing.len();
                holes.clone_from(&sack.holes);
                (holes[0].missing_reports, lost)
            })
        };
        assert_eq!(reports(CmtRules::ALL), [(2, 0), (4, 1)]);
        assert_eq!(reports(CmtRules { delayed_ack: false, ..CmtRules::ALL }), [(1, 0), (2, 0)]);
    }

    /// G4: one SACK for packets of two paths.
    #[test]
    fn g4_a_mixed_sack_counts_once() {
        let mut sack = with_paths(news(0, 3, vec![acked(2, 0), acked(3, TWO)], vec![hole(1, 0, 0)]));
        sack.packets = 2;
        sacked(&mut order(CmtRules::ALL), &mut sack);
        assert_eq!(counts(&sack), [1]);
    }

    #[test]
    fn what_a_late_sack_takes_back_is_not_evidence_of_loss() {
        let mut taken_back = hole(22, 0, 0);
        taken_back.is_reneged = true;
        let mut sack = with_paths(news(19, 21, vec![], vec![hole(20, 0, 0), taken_back]));
        sacked(&mut order(CmtRules::ALL), &mut sack);
        assert_eq!(counts(&sack), [0, 0]);
    }

    #[test]
    fn a_chunk_that_timed_out_is_left_to_the_timer() {
        let mut resent = hole(20, 0, 3);
        resent.has_timed_out = true;
        let mut sack = with_paths(news(19, 21, vec![acked(21, 0)], vec![resent]));
        assert!(sacked(&mut order(CmtRules::ALL), &mut sack).missing.is_empty());
        assert_eq!(counts(&sack), [4]);
    }

    #[test]
    fn a_path_grows_by_its_own_lowest_chunks_whatever_the_cumulative_tsn_does() {
        let mut sack = with_paths(news(19, 24, vec![acked(24, TWO)], vec![]));
        sack.paths[TWO].sent_once = true;
        assert_eq!(sacked(&mut order(CmtRules::ALL), &mut sack).advanced, [false, true]);
        sack.paths[0].marked = true;
        assert_eq!(sacked(&mut order(CmtRules::ALL), &mut sack).advanced, [true, true]);
        let plain = CmtRules { window_update: false, ..CmtRules::ALL };
        assert_eq!(sacked(&mut order(plain), &mut sack).advanced, [false, false]);
    }

    #[test]
    fn each_path_recovers_by_itself_and_a_chunk_that_moved_holds_nothing_back() {
        let mut order = order(CmtRules::ALL);
        order.enter_recovery(path(0), Tsn::new(30));
        assert_eq!([0, 1].map(|index| order.is_in_recovery(path(index))), [true, false]);
        order.on_lowest_unacked(path(0), Some(Tsn::new(30)));
        assert!(order.is_in_recovery(path(0)));
        order.on_lowest_unacked(path(0), Some(Tsn::new(31)));
        assert!(!order.is_in_recovery(path(0)));
        order.enter_recovery(path(1), Tsn::new(40));
        order.on_timeout(path(0));
        assert!(order.is_in_recovery(path(1)));
        order.on_timeout(path(1));
        assert!(!order.is_in_recovery(path(1)));
    }

    #[test]
    fn without_split_fast_retransmit_the_association_recovers_as_one() {
        let mut order = order(CmtRules { split_fast_retransmit: false, ..CmtRules::ALL });
        order.enter_recovery(path(0), Tsn::new(30));
        assert!(order.is_in_recovery(path(1)));
        sacked(&mut order, &mut with_paths(news(30, 30, vec![], vec![])));
        assert!(!order.is_in_recovery(path(1)));
    }
}
