//! The two chunks of a path that the window update of ns-2's CMT module waits for: they stay what they are when they are
//! marked ([`Ns2Rule::LowestStays`](crate::policy::ns2::Ns2Rule::LowestStays)).

use super::chunk::Sends;
use crate::policy::PathId;

/// The chunks that the window update waits for on each path.
#[derive(Debug, Default)]
pub(super) struct StandingByPath {
    paths: Vec<Standing>,
}

/// Both trackers of a path, as positions.
#[derive(Clone, Copy, Debug, Default)]
struct Standing {
    /// The lowest chunk that was sent once; `None` if it has to be searched.
    once: Option<u64>,
    /// The lowest chunk that was sent again; `None` if it has to be searched.
    again: Option<u64>,
    /// Where both were last, before the SACK at hand: what is acknowledged cumulatively from the lower one on restarts T3-rtx.
    last: [u64; 2],
}

impl StandingByPath {
    /// Makes room for `path`.
    pub fn add_path(&mut self, path: PathId) {
        self.paths.resize(self.paths.len().max(path.index() + 1), Standing::default());
    }

    /// Begins a SACK: a tracker of `path` whose chunk no longer `stands` takes the `lowest` chunk that was sent so often.
    /// Returns the one of chunks sent once.
    pub fn begin(
        &mut self,
        path: PathId,
        stands: impl Fn(u64) -> bool,
        lowest: impl Fn(Sends) -> Option<u64>,
    ) -> Option<u64> {
        let standing = &mut self.paths[path.index()];
        let before = *standing;
        let [once, again] = [before.once, before.again].map(|tracked| tracked.filter(|&at| stands(at)));
        *standing = Standing {
            once: once.or_else(|| lowest(Sends::Once)),
            again: again.or_else(|| lowest(Sends::Again)),
            last: before.places(),
        };
        standing.once
    }

    /// Both trackers of `path` search at the next SACK.
    pub fn search_anew(&mut self, path: PathId) {
        let standing = &mut self.paths[path.index()];
        *standing = Standing { once: None, again: None, last: standing.places() };
    }

    /// Whether the chunk at `position`, if it is acknowledged cumulatively, restarts T3-rtx of `path`.
    pub fn restarts_timer(&self, path: PathId, position: u64) -> bool {
        self.paths[path.index()].last.iter().any(|&last| last <= position)
    }
}

impl Standing {
    /// Where both are, or were last.
    fn places(&self) -> [u64; 2] {
        [self.once.unwrap_or(self.last[0]), self.again.unwrap_or(self.last[1])]
    }
}

#[cfg(test)]
mod tests {
    use super::super::SendBuffer;
    use super::super::buffer::tests::{ONE, buffer, sent, tsn, two};
    use super::*;
    use crate::policy::loss_detection::SackNews;
    use crate::policy::ns2::{Ns2Rule, Ns2Rules};
    use crate::policy::retransmission::LostBy;
    use crate::wire::GapBlock;

    #[test]
    fn a_tracker_searches_when_its_chunk_is_gone_and_knows_where_it_was() {
        let mut standing = StandingByPath::default();
        standing.add_path(ONE);
        let lowest = |sends| (sends == Sends::Once).then_some(7);
        assert_eq!(standing.begin(ONE, |_| true, lowest), Some(7));
        assert_eq!(standing.begin(ONE, |_| true, |_| None), Some(7), "it stands");
        assert!(standing.restarts_timer(ONE, 0), "none was ever sent again");
        assert_eq!(standing.begin(ONE, |_| false, |_| Some(9)), Some(9));
        standing.search_anew(ONE);
        assert_eq!(standing.begin(ONE, |_| true, |_| Some(11)), Some(11));
        assert!(!standing.restarts_timer(ONE, 8) && standing.restarts_timer(ONE, 9));
    }

    /// Chunks are sent on one path; the first is lost. The path may grow: when the second is acknowledged by a gap block;
    /// when, after the first was sent again on `path`, the third is.
    fn may_grow(rules: Ns2Rules, path: PathId) -> [bool; 2] {
        let mut buffer = buffer(4).with_ns2(rules);
        sent(&mut buffer, 0..4, ONE);
        let mut news = SackNews::default();
        let mut sack = |buffer: &mut SendBuffer, end| {
            let gaps = std::iter::once(GapBlock { start: 2, end });
            assert_eq!(buffer.on_sack(tsn(0).previous(), gaps, &mut news), Ok(true));
            news.paths[0].sent_once
        };
        let first = sack(&mut buffer, 2);
        assert!(buffer.mark(tsn(0), ONE, LostBy::MissingReports).is_some());
        buffer.on_sent(tsn(0), path, 0);
        [first, sack(&mut buffer, 3)]
    }

    #[test]
    fn a_lost_chunk_stays_the_one_that_is_waited_for_until_it_moves() {
        assert_eq!(may_grow(Ns2Rules::NONE, ONE), [false, true], "ours moves on to the third");
        let stays = Ns2Rules::NONE.with(Ns2Rule::LowestStays);
        assert_eq!(may_grow(stays, ONE), [false, false]);
        assert_eq!(may_grow(stays, two()), [false, true]);
    }

    /// The second chunk is acknowledged by a gap block, which a later SACK takes back and another has again.
    #[test]
    fn a_chunk_counts_again_that_was_taken_back_where_ns2_counts_so() {
        let acked = |rules| {
            let mut buffer = buffer(3).with_ns2(rules);
            sent(&mut buffer, 0..3, ONE);
            let mut news = SackNews::default();
            [1, 0, 1].map(|gaps| {
                let gaps = std::iter::once(GapBlock { start: 2, end: 2 }).take(gaps);
                assert_eq!(buffer.on_sack(tsn(0).previous(), gaps, &mut news), Ok(true));
                news.acked.len()
            })
        };
        assert_eq!(acked(Ns2Rules::NONE), [1, 0, 0]);
        assert_eq!(acked(Ns2Rules::NONE.with(Ns2Rule::Accounts)), [1, 0, 1]);
    }
}
