//! Loss detection by the order in which packets left on a path, for schedulers that send a chunk before others with lower
//! TSNs. A chunk is missing when packets that left later on its path arrived (compare RFC 8985, and M-IPCC-3 with its
//! path sequence numbers).

use super::{LossDetection, SackFindings, SackNews};
use crate::policy::PathId;
use crate::seq::Tsn;

/// Counts the packets that overtook a chunk on its path.
///
/// The rule differs from [CMT's](super::cmt::CmtDetection) in three points:
///
/// - A missing report is a packet, not a SACK: a SACK that answers several packets says so by itself, without DAC's
///   count (M-CMT-5).
/// - A retransmission is a departure like any other. If packets that left after it arrive, it is lost as well, and
///   T3-rtx need not expire.
/// - A path is in recovery until a packet arrives that left after the cut (RFC 9002 §7.3.2). Losses of packets that
///   left before the cut do not cut the window again.
#[derive(Debug)]
pub struct DepartureDetection {
    /// How many packets that left later have to arrive until a chunk is lost.
    threshold: u8,
    /// The last packet before the cut, of each path in recovery.
    cuts: Vec<Option<u64>>,
    /// The last packet that was sent when the SACK at hand arrived.
    departed: u64,
    /// Of each path, the last packet that the SACK at hand shows lost.
    newest_lost: Vec<Option<u64>>,
    /// The packets that the SACK at hand acknowledges.
    arrived: Vec<(PathId, u64)>,
}

impl DepartureDetection {
    /// A rule that takes a chunk for lost when `threshold` packets that left later on its path have arrived.
    pub fn new(threshold: u8) -> DepartureDetection {
        DepartureDetection {
            threshold,
            cuts: Vec::new(),
            departed: 0,
            newest_lost: Vec::new(),
            arrived: Vec::new(),
        }
    }

    /// Lists the packets that arrived, each once. A chunk that was sent again shows nothing: its acknowledgement may
    /// answer the first packet.
    fn list_arrived(&mut self, news: &SackNews) {
        self.arrived.clear();
        let sure = news.acked.iter().filter(|chunk| !chunk.is_retransmitted);
        self.arrived.extend(sure.map(|chunk| (chunk.path, chunk.departure)));
        self.arrived.sort_unstable();
        self.arrived.dedup();
    }

    /// How many of the packets left on `path` after the packet `number`.
    fn arrived_after(&self, path: PathId, number: u64) -> usize {
        let until = |limit: (PathId, u64)| self.arrived.partition_point(|packet| *packet <= limit);
        until((path, u64::MAX)) - until((path, number))
    }
}

impl LossDetection for DepartureDetection {
    fn on_sack(&mut self, news: &mut SackNews, progress: &mut SackFindings) {
        self.departed = news.departed;
        self.cuts.resize(news.paths.len(), None);
        self.newest_lost.clear();
        self.newest_lost.resize(news.paths.len(), None);
        self.list_arrived(news);
        for hole in &mut news.holes {
            let overtaken_by = self.arrived_after(hole.path, hole.departure);
            hole.report(u8::try_from(overtaken_by).unwrap_or(u8::MAX));
            if hole.missing_reports >= self.threshold {
                let newest = &mut self.newest_lost[hole.path.index()];
                *newest = (*newest).max(Some(hole.departure));
                progress.missing.push((hole.tsn, hole.path));
            }
        }
        for chunk in news.acked.iter().filter(|chunk| !chunk.was_copied) {
            let cut = &mut self.cuts[chunk.path.index()];
            *cut = cut.filter(|cut| chunk.departure <= *cut);
        }
        for (advanced, path) in progress.advanced.iter_mut().zip(&news.paths) {
            *advanced = path.sent_once || path.marked;
        }
    }

    fn remove_path(&mut self, path: PathId) {
        if let Some(cut) = self.cuts.get_mut(path.index()) {
            *cut = None;
        }
    }

    fn on_timeout(&mut self, path: PathId) {
        self.remove_path(path);
    }

    fn enter_recovery(&mut self, path: PathId, _highest: Tsn) {
        self.cuts.resize(self.cuts.len().max(path.index() + 1), None);
        self.cuts[path.index()] = Some(self.departed);
    }

    fn recovers_by_path(&self) -> bool {
        true
    }

    fn is_in_recovery(&self, path: PathId) -> bool {
        self.cuts.get(path.index()).is_some_and(Option::is_some)
    }

    /// Whether the last cut of `path` was for a packet that left after all those that the last SACK shows lost. The
    /// question concerns these alone.
    fn is_cut_for(&self, path: PathId, _lost: Tsn) -> bool {
        let of = |list: &[Option<u64>]| list.get(path.index()).copied().flatten();
        of(&self.cuts).is_some_and(|cut| of(&self.newest_lost).is_none_or(|newest| newest <= cut))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::loss_detection::tests::{acked, counts, hole, news, sacked};
    use crate::policy::loss_detection::{AckedChunk, Hole, PathNews};

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
        let spent = Hole { is_spent: true, has_timed_out: true, ..missing(4, hole(20, 0, 2)) };
        let mut sack = sack(vec![left(5, acked(24, 0))], vec![spent]);
        assert_eq!(sacked(&mut order(), &mut sack).missing, [(Tsn::new(20), PathId::FIRST)]);
    }

    #[test]
    fn a_path_recovers_when_a_packet_arrives_that_left_after_the_cut() {
        let mut order = order();
        let lost = |number, tsn| sack(vec![left(44, acked(25, 0))], vec![missing(number, hole(tsn, 0, 2))]);
        sacked(&mut order, &mut lost(35, 20));
        assert!(!order.is_cut_for(PathId::FIRST, Tsn::new(20)));
        order.enter_recovery(PathId::FIRST, Tsn::new(0));
        assert!(order.is_in_recovery(PathId::FIRST) && !order.is_in_recovery(PathId::from_index(1)));
        sacked(&mut order, &mut sack(vec![left(40, acked(24, 0))], vec![missing(39, hole(21, 0, 2))]));
        assert!(order.is_cut_for(PathId::FIRST, Tsn::new(21)), "it left before the cut");
        sacked(&mut order, &mut sack(vec![left(43, acked(24, 0))], vec![]));
        assert!(!order.is_in_recovery(PathId::FIRST));
    }

    #[test]
    fn a_loss_after_the_cut_cuts_again_and_a_time_out_ends_recovery() {
        let mut order = order();
        sacked(&mut order, &mut sack(vec![], vec![]));
        order.enter_recovery(PathId::FIRST, Tsn::new(0));
        let copied = AckedChunk { was_copied: true, ..left(50, acked(24, 0)) };
        sacked(&mut order, &mut sack(vec![copied], vec![]));
        assert!(order.is_in_recovery(PathId::FIRST), "a copy does not tell which of its paths delivered it");
        let mut later = sack(vec![left(50, acked(26, 0))], vec![missing(45, hole(22, 0, 2))]);
        sacked(&mut order, &mut later);
        assert!(!order.is_cut_for(PathId::FIRST, Tsn::new(22)));
        order.enter_recovery(PathId::FIRST, Tsn::new(0));
        order.on_timeout(PathId::FIRST);
        assert!(!order.is_in_recovery(PathId::FIRST));
    }
}
