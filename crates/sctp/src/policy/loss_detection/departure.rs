//! Loss detection by the order in which packets left on a path, for schedulers that send a chunk before others with lower
//! TSNs. A chunk is missing when packets that left later on its path arrived (compare RFC 8985).

use super::{DepartedChunk, Hole, LossDetection, SackFindings, SackNews};
use crate::policy::PathId;
use crate::seq::Tsn;

/// The last cut of a path's window.
#[derive(Clone, Copy, Debug, Default)]
struct Recovery {
    /// The last packet that left before it.
    cut: u64,
    /// While the path is in recovery: the last packet that left before the cut, or that repaired one.
    until: Option<u64>,
}

/// Counts the packets that overtook a chunk on its path.
///
/// The rule differs from [CMT's](super::cmt::CmtDetection) in three points:
///
/// - A missing report is a packet, not a SACK: a SACK that answers several packets counts for each, without DAC's count
///   (M-CMT-5).
/// - A retransmission is a departure like any other. If packets that left after it arrive, it is lost as well, and
///   T3-rtx need not expire.
/// - A path is in recovery until a packet arrives that left after the cut, and after the retransmissions of what left
///   before the cut. Losses of packets that left before the cut never cut the window again.
#[derive(Debug)]
pub struct DepartureDetection {
    /// The number of packets that have to overtake a chunk until it is lost.
    threshold: u8,
    /// The recoveries by path.
    recoveries: Vec<Recovery>,
    /// The last packet that was sent when the current SACK arrived.
    departed: u64,
    /// For each path, the last packet that the current SACK shows lost.
    newest_lost: Vec<Option<u64>>,
    /// The packets that the current SACK acknowledges.
    arrived: Vec<(PathId, u64)>,
}

impl DepartureDetection {
    /// A rule that declares a chunk lost when `threshold` packets that left later on its path have arrived.
    pub fn new(threshold: u8) -> DepartureDetection {
        DepartureDetection {
            threshold,
            recoveries: Vec::new(),
            departed: 0,
            newest_lost: Vec::new(),
            arrived: Vec::new(),
        }
    }

    /// Lists the packets that arrived, each once. A retransmitted chunk shows nothing: its acknowledgement may answer
    /// the first packet.
    fn list_arrived(&mut self, news: &SackNews) {
        self.arrived.clear();
        let sure = news.acked.iter().filter(|chunk| !chunk.is_retransmitted);
        self.arrived.extend(sure.map(|chunk| (chunk.path, chunk.departure)));
        self.arrived.sort_unstable();
        self.arrived.dedup();
    }

    /// Begins to read `news`.
    pub(super) fn begin(&mut self, news: &SackNews) {
        self.departed = news.departed;
        self.recoveries.resize(news.paths.len(), Recovery::default());
        self.newest_lost.clear();
        self.newest_lost.resize(news.paths.len(), None);
        self.list_arrived(news);
    }

    /// Counts the packets that overtook `hole`. Returns true if they are enough.
    pub(super) fn count(&self, hole: &mut Hole) -> bool {
        let overtaken_by = self.arrived_after(hole.path, hole.departure);
        hole.report(u8::try_from(overtaken_by).unwrap_or(u8::MAX));
        hole.missing_reports >= self.threshold
    }

    /// Declares the chunk lost.
    pub(super) fn lose(&mut self, hole: &Hole, progress: &mut SackFindings) {
        let newest = &mut self.newest_lost[hole.path.index()];
        *newest = (*newest).max(Some(hole.departure));
        progress.missing.push((hole.tsn, hole.path));
    }

    /// Ends the recoveries that the acknowledged chunks end, and reports which paths advanced.
    pub(super) fn advance(&mut self, news: &SackNews, progress: &mut SackFindings) {
        for chunk in news.acked.iter().filter(|chunk| !chunk.was_copied) {
            let until = &mut self.recoveries[chunk.path.index()].until;
            *until = until.filter(|until| chunk.departure <= *until);
        }
        for (advanced, path) in progress.advanced.iter_mut().zip(&news.paths) {
            *advanced = path.sent_once || path.marked;
        }
    }

    /// The number of acknowledged packets that left on `path` after the packet `number`.
    fn arrived_after(&self, path: PathId, number: u64) -> usize {
        let until = |limit: (PathId, u64)| self.arrived.partition_point(|packet| *packet <= limit);
        until((path, u64::MAX)) - until((path, number))
    }
}

impl LossDetection for DepartureDetection {
    /// A retransmission on another path does not delay the end of recovery.
    fn on_sent(&mut self, chunk: &DepartedChunk) {
        let Some((from, before)) = chunk.before.filter(|(from, _)| *from == chunk.path) else { return };
        let Some(recovery) = self.recoveries.get_mut(from.index()) else { return };
        if recovery.until.is_some() && before <= recovery.cut {
            recovery.until = Some(chunk.departure);
        }
    }

    fn on_sack(&mut self, news: &mut SackNews, progress: &mut SackFindings) {
        self.begin(news);
        for hole in &mut news.holes {
            if self.count(hole) {
                self.lose(hole, progress);
            }
        }
        self.advance(news, progress);
    }

    fn remove_path(&mut self, path: PathId) {
        if let Some(recovery) = self.recoveries.get_mut(path.index()) {
            recovery.until = None;
        }
    }

    fn on_timeout(&mut self, path: PathId) {
        self.remove_path(path);
    }

    fn enter_recovery(&mut self, path: PathId, _highest: Tsn) {
        self.recoveries.resize(self.recoveries.len().max(path.index() + 1), Recovery::default());
        self.recoveries[path.index()] = Recovery { cut: self.departed, until: Some(self.departed) };
    }

    fn advances_by_path(&self) -> bool {
        true
    }

    fn recovers_by_path(&self) -> bool {
        true
    }

    fn is_in_recovery(&self, path: PathId) -> bool {
        self.recoveries.get(path.index()).is_some_and(|recovery| recovery.until.is_some())
    }

    /// Returns true if the path is in recovery, or if everything that the last SACK shows lost left before the last
    /// cut. The parameter is always a chunk of that SACK.
    fn is_cut_for(&self, path: PathId, _lost: Tsn) -> bool {
        let cut = self.recoveries.get(path.index()).map_or(0, |recovery| recovery.cut);
        let newest = self.newest_lost.get(path.index()).copied().flatten();
        self.is_in_recovery(path) || newest.is_some_and(|newest| newest <= cut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::loss_detection::{AckedChunk, Hole, PathNews};
    use crate::policy::testing::sacks::{acked, counts, hole, news, sacked};

    fn order() -> DepartureDetection {
        DepartureDetection::new(3)
    }

    fn left(number: u64, chunk: AckedChunk) -> AckedChunk {
        AckedChunk { departure: number, ..chunk }
    }

    fn missing(number: u64, hole: Hole) -> Hole {
        Hole { departure: number, ..hole }
    }

    fn sack(acked: Vec<AckedChunk>, holes: Vec<Hole>) -> SackNews {
        SackNews { paths: vec![PathNews::default(); 2], departed: 40, ..news(19, 30, acked, holes) }
    }

    #[test]
    fn a_chunk_sent_early_is_not_overtaken_by_those_that_left_before_it() {
        // TSN 30 left first on path 0, and TSN 20 after it.
        let mut sack = sack(vec![left(1, acked(30, 0))], vec![missing(2, hole(20, 0, 2))]);
        assert!(sacked(&mut order(), &mut sack).missing.is_empty());
        assert_eq!(counts(&sack), [2]);
    }

    #[test]
    fn each_packet_that_left_later_on_the_path_is_a_report() {
        let later = [(5, 24, 0), (6, 25, 0), (6, 26, 0), (7, 27, 1), (8, 28, 0)];
        let acked = later.map(|(number, tsn, path)| left(number, acked(tsn, path))).to_vec();
        let mut sack = sack(acked, vec![missing(4, hole(20, 0, 0)), missing(6, hole(29, 0, 0))]);
        let found = sacked(&mut order(), &mut sack);
        assert_eq!((counts(&sack), found.missing.len()), (vec![3, 1], 1), "two chunks share packet 6");
    }

    #[test]
    fn a_chunk_that_was_sent_twice_is_no_evidence() {
        let again = AckedChunk { is_retransmitted: true, ..left(9, acked(24, 0)) };
        let mut sack = sack(vec![again], vec![missing(4, hole(20, 0, 2))]);
        assert!(sacked(&mut order(), &mut sack).missing.is_empty());
    }

    #[test]
    fn a_retransmission_that_later_packets_overtake_is_lost_again() {
        let exhausted =
            Hole { was_fast_retransmitted: true, has_timed_out: true, ..missing(4, hole(20, 0, 2)) };
        let mut sack = sack(vec![left(5, acked(24, 0))], vec![exhausted]);
        assert_eq!(sacked(&mut order(), &mut sack).missing, [(Tsn::new(20), PathId::FIRST)]);
    }

    fn again(number: u64, before: u64) -> DepartedChunk {
        let before = Some((PathId::FIRST, before));
        DepartedChunk { tsn: Tsn::new(20), path: PathId::FIRST, departure: number, before }
    }

    /// The window was cut after packet 40.
    fn recovering() -> DepartureDetection {
        let mut order = order();
        let mut lost = sack(vec![left(38, acked(25, 0))], vec![missing(35, hole(20, 0, 2))]);
        sacked(&mut order, &mut lost);
        assert!(!order.is_cut_for(PathId::FIRST, Tsn::new(20)));
        order.enter_recovery(PathId::FIRST, Tsn::new(0));
        order
    }

    #[test]
    fn a_path_recovers_when_a_packet_arrives_that_left_after_the_cut_and_the_repairs() {
        let mut order = recovering();
        assert!(order.is_in_recovery(PathId::FIRST) && !order.is_in_recovery(PathId::from_index(1)));
        order.on_sent(&again(42, 35));
        sacked(&mut order, &mut sack(vec![left(42, acked(24, 0))], vec![]));
        assert!(order.is_in_recovery(PathId::FIRST));
        let elsewhere = DepartedChunk { path: PathId::from_index(1), ..again(45, 36) };
        order.on_sent(&elsewhere);
        order.on_sent(&again(46, 41));
        sacked(&mut order, &mut sack(vec![left(43, acked(24, 0))], vec![missing(41, hole(21, 0, 2))]));
        assert!(
            !order.is_in_recovery(PathId::FIRST),
            "neither repairs a packet that left before the cut here"
        );
    }

    #[test]
    fn a_copy_does_not_tell_which_of_its_paths_delivered_it() {
        let mut order = recovering();
        let copied = AckedChunk { was_copied: true, ..left(50, acked(24, 0)) };
        sacked(&mut order, &mut sack(vec![copied], vec![]));
        assert!(order.is_in_recovery(PathId::FIRST));
    }

    #[test]
    fn what_left_before_the_cut_never_cuts_again() {
        let mut order = recovering();
        sacked(&mut order, &mut sack(vec![left(44, acked(24, 0))], vec![]));
        let mut lost = |number| {
            let mut sack = sack(vec![left(60, acked(26, 0))], vec![missing(number, hole(22, 0, 2))]);
            sacked(&mut order, &mut sack);
            order.is_cut_for(PathId::FIRST, Tsn::new(22))
        };
        assert_eq!([39, 40, 41].map(&mut lost), [true, true, false]);
    }

    #[test]
    fn a_time_out_ends_recovery() {
        let mut order = recovering();
        order.on_timeout(PathId::FIRST);
        assert!(!order.is_in_recovery(PathId::FIRST));
    }
}
