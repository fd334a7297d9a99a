//! The number of missing reports as which one SACK counts (M-CMT-5).

use super::{Hole, SackNews};
use crate::policy::PathId;
use crate::seq::Tsn;

/// The weight of one SACK as evidence of loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::policy) struct Increment {
    /// The weight for TSNs below `below`; it is 1 for all others.
    times: u8,
    below: Tsn,
    /// The path whose chunks have this weight; it is 1 for all others. `None` for every path.
    path: Option<PathId>,
}

impl Increment {
    /// One report, regardless of the SACK's own number of packets.
    pub(crate) const ONE: Increment = Increment { times: 1, below: Tsn::new(0), path: None };

    /// A SACK that answers n packets counts n times for a missing chunk if all n packets left after that chunk on its
    /// path: that is, if all chunks that the SACK newly acknowledges were sent to one destination and are above the
    /// missing chunk. Otherwise it counts once.
    ///
    /// It never counts more often than it newly acknowledges chunks, so that a duplicate among the packets is not
    /// evidence of loss.
    pub(crate) fn of_delayed(news: &SackNews) -> Increment {
        let Some(first) = news.acked.first() else { return Increment::ONE };
        let is_mixed = news.acked.iter().any(|chunk| chunk.path != first.path || chunk.was_copied);
        if is_mixed {
            return Increment::ONE;
        }
        let most = u8::try_from(news.acked.len()).unwrap_or(u8::MAX);
        Increment { times: news.packets.clamp(1, most), below: first.tsn, path: None }
    }

    /// `times` for missing chunks of `path` below `below`, and one for all others.
    pub(crate) fn on_path(path: PathId, times: u8, below: Tsn) -> Increment {
        Increment { times, below, path: Some(path) }
    }

    /// The number of missing reports of the chunk `missing` as which the SACK counts.
    pub(crate) fn of(&self, missing: &Hole) -> u8 {
        let is_counted = self.times != 1 && missing.tsn.is_before(self.below);
        if is_counted && self.path.is_none_or(|path| path == missing.path) { self.times } else { 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::testing::sacks::{acked, hole, news};

    fn increment(packets: u8, chunks: &[(u32, usize)], missing: u32) -> u8 {
        let chunks = chunks.iter().map(|&(tsn, path)| acked(tsn, path)).collect();
        let sack = SackNews { packets, ..news(0, 9, chunks, vec![]) };
        Increment::of_delayed(&sack).of(&hole(missing, 0, 0))
    }

    #[test]
    fn a_sack_counts_for_its_packets_where_all_were_sent_later_on_one_path() {
        assert_eq!(increment(2, &[(2, 0), (3, 0)], 1), 2);
        assert_eq!(increment(3, &[(2, 0), (3, 0), (4, 0)], 1), 3);
    }

    #[test]
    fn packets_of_two_paths_or_on_both_sides_of_the_chunk_count_once() {
        assert_eq!(increment(2, &[(2, 0), (3, 1)], 1), 1);
        assert_eq!(increment(2, &[(2, 0), (4, 0)], 3), 1);
    }

    #[test]
    fn duplicates_among_the_packets_and_plain_sacks_count_for_nothing_more() {
        assert_eq!(increment(3, &[(2, 0)], 1), 1);
        assert_eq!(increment(0, &[(2, 0), (3, 0)], 1), 1);
        assert_eq!(increment(2, &[], 1), 1);
    }
}
