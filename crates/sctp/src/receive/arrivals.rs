//! The TSNs that have arrived: the cumulative TSN, the runs beyond it, and duplicates.

use std::collections::VecDeque;

use anabranch_base::ByteCount;

use crate::seq::Tsn;
use crate::wire::GapBlock;

/// The TSNs that have arrived (RFC 9260 §6.7).
///
/// A TSN in order costs O(1). A TSN out of order costs O(log n) in the number of runs; in the middle of the list, it
/// also moves the runs on the shorter side. Nothing is allocated once the list has its usual length.
#[derive(Clone, Debug)]
pub(crate) struct Arrivals {
    cumulative: Tsn,
    /// Runs beyond the cumulative TSN, ascending and not adjacent.
    runs: VecDeque<TsnRun>,
    duplicates: Vec<Tsn>,
}

/// The result of the arrival of a TSN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TsnArrival {
    /// It had not arrived before.
    New,
    /// It had arrived before.
    Duplicate,
    /// It is more than 65,535 beyond the cumulative TSN, where no gap block can name it: its chunk is dropped.
    OutOfRange,
}

#[derive(Clone, Copy, Debug)]
struct TsnRun {
    first: Tsn,
    last: Tsn,
}

impl Arrivals {
    /// No TSN has arrived; `initial` will be the first TSN.
    pub(crate) fn new(initial: Tsn) -> Arrivals {
        Arrivals { cumulative: initial.previous(), runs: VecDeque::new(), duplicates: Vec::new() }
    }

    /// Handles the arrival of `tsn`: adds it if it is new, lists it if it is a duplicate, and ignores it if it is out
    /// of range.
    pub(crate) fn on_tsn(&mut self, tsn: Tsn) -> TsnArrival {
        let arrival = self.classify(tsn);
        match arrival {
            TsnArrival::New => self.insert(tsn),
            TsnArrival::Duplicate => self.on_duplicate(tsn),
            TsnArrival::OutOfRange => {}
        }
        arrival
    }

    /// Counts every TSN up to `tsn` as arrived, and those that arrived after it without a gap (RFC 3758 §3.6). Returns
    /// false if the cumulative TSN is as high already.
    pub(crate) fn skip_to(&mut self, tsn: Tsn) -> bool {
        if !tsn.is_after(self.cumulative) {
            return false;
        }
        while self.runs.front().is_some_and(|run| !run.last.is_after(tsn)) {
            self.runs.pop_front();
        }
        self.cumulative = tsn;
        if self.runs.front().is_some_and(|run| !run.first.is_after(tsn.next())) {
            self.take_first_run();
        }
        true
    }

    /// Lists `tsn` as a duplicate, once for each arrival, up to [`Arrivals::MOST_DUPLICATES`].
    pub(crate) fn on_duplicate(&mut self, tsn: Tsn) {
        if self.duplicates.len() < Arrivals::MOST_DUPLICATES {
            self.duplicates.push(tsn);
        }
    }

    /// Clears the duplicates after a SACK has reported them.
    pub(crate) fn clear_duplicates(&mut self) {
        self.duplicates.clear();
    }

    /// Classifies `tsn` without changing anything.
    pub(crate) fn classify(&self, tsn: Tsn) -> TsnArrival {
        let offset = tsn.distance_from(self.cumulative);
        match offset {
            0 | HALF.. => TsnArrival::Duplicate,
            1 => TsnArrival::New,
            2..=MAX_OFFSET => match self.runs.get(self.position(offset)) {
                Some(run) if run.first.distance_from(self.cumulative) <= offset => TsnArrival::Duplicate,
                _ => TsnArrival::New,
            },
            _ => TsnArrival::OutOfRange,
        }
    }

    /// The cumulative TSN: every TSN up to it has arrived.
    pub(crate) fn cumulative(&self) -> Tsn {
        self.cumulative
    }

    /// The highest TSN that has arrived.
    pub(crate) fn highest(&self) -> Tsn {
        self.runs.back().map_or(self.cumulative, |run| run.last)
    }

    /// Returns true if TSNs are missing below the highest.
    pub(crate) fn has_gap(&self) -> bool {
        !self.runs.is_empty()
    }

    /// The runs beyond the cumulative TSN, in the form that a SACK reports.
    pub(crate) fn gap_blocks(&self) -> impl ExactSizeIterator<Item = GapBlock> + '_ {
        self.runs
            .iter()
            .map(|run| GapBlock { start: self.gap_offset(run.first), end: self.gap_offset(run.last) })
    }

    /// The memory of the runs: twice what they need, because the list may have just grown.
    pub(crate) fn memory(&self) -> ByteCount {
        ByteCount::of_len(2 * size_of::<TsnRun>() * self.runs.len())
    }

    /// The TSNs that arrived again since the last [`Arrivals::clear_duplicates`].
    pub(crate) fn duplicates(&self) -> &[Tsn] {
        &self.duplicates
    }

    /// The largest number of duplicates to report; more of them are of no use to the peer.
    pub(crate) const MOST_DUPLICATES: usize = 64;

    fn insert(&mut self, tsn: Tsn) {
        if tsn == self.cumulative.next() {
            self.cumulative = tsn;
            self.absorb();
            return;
        }
        let at = self.position(tsn.distance_from(self.cumulative));
        let extends_previous = at > 0 && self.runs[at - 1].last.next() == tsn;
        let extends_next = at < self.runs.len() && self.runs[at].first == tsn.next();
        match (extends_previous, extends_next) {
            (true, true) => {
                self.runs[at - 1].last = self.runs[at].last;
                self.runs.remove(at);
            }
            (true, false) => self.runs[at - 1].last = tsn,
            (false, true) => self.runs[at].first = tsn,
            (false, false) => self.runs.insert(at, TsnRun { first: tsn, last: tsn }),
        }
    }

    /// Joins the first run to the cumulative TSN if nothing is missing between them.
    fn absorb(&mut self) {
        if self.runs.front().is_some_and(|run| run.first == self.cumulative.next()) {
            self.take_first_run();
        }
    }

    fn take_first_run(&mut self) {
        if let Some(run) = self.runs.pop_front() {
            self.cumulative = run.last;
        }
        if self.runs.is_empty() {
            self.runs.shrink_to(KEPT_RUNS);
        }
    }

    /// The first run that ends at `offset` or beyond. Most TSNs are beyond all runs.
    fn position(&self, offset: u32) -> usize {
        let ends_before = |run: &TsnRun| run.last.distance_from(self.cumulative) < offset;
        match self.runs.back() {
            Some(run) if !ends_before(run) => self.runs.partition_point(ends_before),
            _ => self.runs.len(),
        }
    }

    /// Every run is within 65,535 of the cumulative TSN: `classify` accepts nothing else, and the distance only
    /// shrinks.
    fn gap_offset(&self, tsn: Tsn) -> u16 {
        tsn.distance_from(self.cumulative) as u16
    }
}

/// The highest offset that a gap block can name.
const MAX_OFFSET: u32 = u16::MAX as u32;
/// The capacity for runs that is kept when there are none.
const KEPT_RUNS: usize = 256;
/// A distance of this or more goes backwards.
const HALF: u32 = 1 << 31;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn arrived(initial: u32, tsns: &[u32]) -> Arrivals {
        let mut arrivals = Arrivals::new(Tsn::new(initial));
        for &tsn in tsns {
            arrivals.on_tsn(Tsn::new(tsn));
        }
        arrivals
    }

    fn blocks(arrivals: &Arrivals) -> Vec<(u16, u16)> {
        arrivals.gap_blocks().map(|block| (block.start, block.end)).collect()
    }

    #[test]
    fn tsns_in_order_leave_no_gap() {
        let arrivals = arrived(10, &[10, 11, 12]);
        assert_eq!(arrivals.cumulative(), Tsn::new(12));
        assert_eq!(arrivals.highest(), Tsn::new(12));
        assert!(!arrivals.has_gap());
    }

    /// The example of RFC 9260 §3.3.4: 10–12, 14, 15 and 17 have arrived.
    #[test]
    fn gap_blocks_are_offsets_from_the_cumulative_tsn() {
        let arrivals = arrived(10, &[10, 17, 11, 15, 12, 14]);
        assert_eq!(arrivals.cumulative(), Tsn::new(12));
        assert_eq!(blocks(&arrivals), [(2, 3), (5, 5)]);
    }

    #[test]
    fn the_missing_tsn_joins_two_runs() {
        let mut arrivals = arrived(10, &[12, 14]);
        assert_eq!(blocks(&arrivals), [(3, 3), (5, 5)]);
        arrivals.on_tsn(Tsn::new(13));
        assert_eq!(blocks(&arrivals), [(3, 5)]);
        arrivals.on_tsn(Tsn::new(11));
        arrivals.on_tsn(Tsn::new(10));
        assert_eq!(arrivals.cumulative(), Tsn::new(14));
        assert!(!arrivals.has_gap());
    }

    #[test]
    fn numbering_goes_on_across_the_wrap() {
        let last = u32::MAX;
        let mut arrivals = arrived(last - 1, &[1, last - 1]);
        assert_eq!(arrivals.cumulative(), Tsn::new(last - 1));
        assert_eq!(blocks(&arrivals), [(3, 3)]);
        arrivals.on_tsn(Tsn::new(last));
        arrivals.on_tsn(Tsn::new(0));
        assert_eq!(arrivals.cumulative(), Tsn::new(1));
        assert_eq!(arrivals.classify(Tsn::new(last)), TsnArrival::Duplicate);
    }

    #[test]
    fn skipped_tsns_count_as_arrived_and_join_what_arrived_after_them() {
        let mut arrivals = arrived(10, &[10, 12, 14, 15, 20]);
        assert!(!arrivals.skip_to(Tsn::new(10)) && !arrivals.skip_to(Tsn::new(3)));
        assert!(arrivals.skip_to(Tsn::new(13)));
        assert_eq!((arrivals.cumulative(), blocks(&arrivals)), (Tsn::new(15), vec![(5, 5)]));
        assert!(arrivals.skip_to(Tsn::new(18)));
        assert_eq!((arrivals.cumulative(), blocks(&arrivals)), (Tsn::new(18), vec![(2, 2)]));
        assert!(arrivals.skip_to(Tsn::new(1 << 30)));
        assert!(!arrivals.has_gap());
        assert_eq!(arrivals.classify(Tsn::new(20)), TsnArrival::Duplicate);
    }

    #[test]
    fn a_tsn_that_no_gap_block_can_name_is_beyond_reach() {
        let mut arrivals = Arrivals::new(Tsn::new(1));
        assert_eq!(arrivals.on_tsn(Tsn::new(65_536)), TsnArrival::OutOfRange);
        assert!(!arrivals.has_gap());
        assert_eq!(arrivals.on_tsn(Tsn::new(65_535)), TsnArrival::New);
        assert_eq!(blocks(&arrivals), [(65_535, 65_535)]);
    }

    #[test]
    fn duplicates_are_listed_each_time_up_to_a_bound_until_a_sack_took_them() {
        let mut arrivals = arrived(10, &[10, 12, 12, 10, 9]);
        assert_eq!(arrivals.duplicates(), [Tsn::new(12), Tsn::new(10), Tsn::new(9)]);
        for _ in 0..100 {
            arrivals.on_tsn(Tsn::new(12));
        }
        assert_eq!(arrivals.duplicates().len(), Arrivals::MOST_DUPLICATES);
        arrivals.clear_duplicates();
        assert_eq!(arrivals.duplicates(), []);
    }

    /// A simple model: a set of all TSNs that have arrived, counted from the initial one without wrapping.
    struct Model {
        initial: Tsn,
        arrived: BTreeSet<u32>,
    }

    impl Model {
        /// The first position that has not arrived.
        fn next(&self) -> u32 {
            (0..).find(|position| !self.arrived.contains(position)).expect("an end")
        }

        fn on_tsn(&mut self, position: u32) -> TsnArrival {
            if self.arrived.insert(position) { TsnArrival::New } else { TsnArrival::Duplicate }
        }

        fn blocks(&self) -> Vec<(u16, u16)> {
            let next = self.next();
            let mut blocks: Vec<(u16, u16)> = Vec::new();
            for &position in self.arrived.range(next..) {
                let offset = (position - next + 1) as u16;
                match blocks.last_mut() {
                    Some(block) if block.1 + 1 == offset => block.1 = offset,
                    _ => blocks.push((offset, offset)),
                }
            }
            blocks
        }
    }

    proptest! {
        #[test]
        fn arrivals_are_a_set(
            initial in prop_oneof![any::<u32>(), (u32::MAX - 100)..=u32::MAX],
            steps in prop::collection::vec(0u32..120, 0..200),
        ) {
            let mut model = Model { initial: Tsn::new(initial), arrived: BTreeSet::new() };
            let mut arrivals = Arrivals::new(model.initial);
            for position in steps {
                let tsn = model.initial.plus(position);
                prop_assert_eq!(arrivals.on_tsn(tsn), model.on_tsn(position));
                prop_assert_eq!(arrivals.classify(tsn), TsnArrival::Duplicate);
                prop_assert_eq!(arrivals.cumulative(), model.initial.plus(model.next()).previous());
                prop_assert_eq!(blocks(&arrivals), model.blocks());
                let highest = model.arrived.last().map_or(Tsn::new(initial).previous(), |p| model.initial.plus(*p));
                prop_assert_eq!(arrivals.highest(), highest);
            }
        }
    }
}
