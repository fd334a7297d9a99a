//! The records of one path: which chunks were sent on it, in the order of their numbers there, and what became of them
//! (M-IPCC-1). Settled records, acknowledged or sent elsewhere, are dropped as soon as they are read.

use std::collections::VecDeque;

use anabranch_sctp::seq::Tsn;

/// The number of a chunk among those of a path: its path sequence number, counted from 1. It is never on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Psn(u64);

/// The fate of a chunk on the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecordState {
    /// It is in flight.
    Outstanding,
    /// It is lost, and waits to be sent again.
    Marked,
    /// It was acknowledged.
    Acked,
    /// It was sent again on another path: this number is given up.
    Obsolete,
    /// It was sent again on another path, and this number still waits until it is acknowledged there.
    Awaited,
}

/// A chunk that was sent on the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record {
    /// The number on the path.
    pub psn: Psn,
    /// The TSN.
    pub tsn: Tsn,
    /// The fate.
    pub state: RecordState,
    /// The number of missing reports.
    pub reports: u8,
}

/// The records of one path that are not settled, and settled ones that were not read yet.
#[derive(Debug, Default)]
pub(super) struct PathRecords {
    /// The number that was given last.
    last: Psn,
    /// Every number up to this one is acknowledged or given up.
    cumulative: Psn,
    /// Ascending.
    records: VecDeque<Record>,
    /// The number of records at which the settled ones among them that are dropped.
    limit: usize,
}

impl PathRecords {
    /// The chunk `tsn` is sent on the path for the first time, or comes back to it.
    pub(super) fn push(&mut self, tsn: Tsn) -> Psn {
        if self.records.len() >= self.limit.max(FEW_RECORDS) {
            self.records.retain(|record| !record.is_settled());
            self.limit = self.records.len() * 2;
        }
        self.last = self.last.next();
        let record = Record { psn: self.last, tsn, state: RecordState::Outstanding, reports: 0 };
        self.records.push_back(record);
        self.last
    }

    /// The record with this number, unless it was settled and dropped.
    pub(crate) fn record_mut(&mut self, psn: Psn) -> Option<&mut Record> {
        let at = self.position(psn);
        self.records.get_mut(at).filter(|record| record.psn == psn)
    }

    /// The chunk `tsn` with this number is in flight again, although it was acknowledged. The cumulative number never
    /// falls: up to it nothing returns.
    pub(super) fn restore(&mut self, psn: Psn, tsn: Tsn) {
        if psn <= self.cumulative {
            return;
        }
        match self.record_mut(psn) {
            Some(record) => record.state = RecordState::Outstanding,
            None => {
                let record = Record { psn, tsn, state: RecordState::Outstanding, reports: 0 };
                self.records.insert(self.position(psn), record);
            }
        }
    }

    /// Raises the cumulative number over all that is settled. Records for which `is_acked` holds are settled as well if
    /// they are awaited.
    ///
    /// This is what YE's Figs 39 and 40 come to when they are repeated until nothing changes (M-IPCC-2, M-IPCC-4).
    pub(super) fn advance(&mut self, is_acked: impl Fn(Tsn) -> bool) {
        let is_settled = |record: &Record| {
            record.is_settled() || record.state == RecordState::Awaited && is_acked(record.tsn)
        };
        while self.records.front().is_some_and(is_settled) {
            self.records.pop_front();
        }
        let settled = self.records.front().map_or(self.last, |first| first.psn.previous());
        self.cumulative = self.cumulative.max(settled);
        if self.records.is_empty() {
            self.records.shrink_to(KEPT_RECORDS);
        }
    }

    /// Calls `found` with each record in flight below `newest`. Settled ones are dropped: each is read once. Returns how
    /// many were read.
    pub(crate) fn each_below(&mut self, newest: Psn, mut found: impl FnMut(&mut Record)) -> usize {
        let end = self.position(newest);
        let mut kept = 0;
        for at in 0..end {
            let record = &mut self.records[at];
            if record.state == RecordState::Outstanding {
                found(record);
            }
            let record = *record;
            if !record.is_settled() {
                self.records[kept] = record;
                kept += 1;
            }
        }
        self.records.drain(kept..end);
        end
    }

    /// The lowest number in flight.
    pub(crate) fn first_outstanding(&self) -> Option<Psn> {
        let mut records = self.records.iter();
        records.find(|record| record.state == RecordState::Outstanding).map(|record| record.psn)
    }

    /// Every number up to this one is acknowledged or given up.
    pub(super) fn cumulative(&self) -> Psn {
        self.cumulative
    }

    /// The number that was given last.
    pub(super) fn last(&self) -> Psn {
        self.last
    }

    /// The number of records that are kept.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.records.len()
    }

    /// Where the record with this number is, or would be.
    fn position(&self, psn: Psn) -> usize {
        self.records.partition_point(|record| record.psn < psn)
    }
}

impl Record {
    /// Returns true if nothing waits for it any more.
    fn is_settled(&self) -> bool {
        matches!(self.state, RecordState::Acked | RecordState::Obsolete)
    }
}

impl Psn {
    #[cfg(test)]
    pub(super) const fn new(psn: u64) -> Psn {
        Psn(psn)
    }

    fn next(self) -> Psn {
        Psn(self.0 + 1)
    }

    fn previous(self) -> Psn {
        Psn(self.0.saturating_sub(1))
    }
}

/// Below this number, records are not counted.
const FEW_RECORDS: usize = 64;
/// The number of records for which memory is kept when there are none.
const KEPT_RECORDS: usize = 4_096;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sent(count: u32) -> PathRecords {
        let mut records = PathRecords::default();
        (1..=count).for_each(|tsn| _ = records.push(Tsn::new(tsn)));
        records
    }

    fn settle(records: &mut PathRecords, psn: u64, state: RecordState) {
        records.record_mut(Psn(psn)).expect("a record").state = state;
    }

    #[test]
    fn what_is_acknowledged_below_the_newest_is_read_once() {
        let mut records = sent(40);
        (2..=39).for_each(|psn| settle(&mut records, psn, RecordState::Acked));
        assert_eq!(records.each_below(Psn(39), |record| record.reports += 1), 38);
        assert_eq!(records.each_below(Psn(39), |record| record.reports += 1), 1, "only the first is left");
        records.advance(|_| false);
        assert_eq!((records.cumulative(), records.len()), (Psn(0), 3));
        settle(&mut records, 1, RecordState::Acked);
        records.advance(|_| false);
        assert_eq!((records.cumulative(), records.len()), (Psn(39), 1));
    }

    #[test]
    fn numbers_that_are_given_up_do_not_pile_up_behind_one_that_is_not() {
        let mut records = sent(1);
        for tsn in 2..10_000 {
            let psn = records.push(Tsn::new(tsn));
            records.record_mut(psn).expect("it was just sent").state = RecordState::Obsolete;
        }
        assert!(records.len() <= FEW_RECORDS, "{}", records.len());
        assert_eq!(records.cumulative(), Psn(0));
    }

    #[test]
    fn an_acknowledgement_that_is_taken_back_has_its_place_again_above_the_cumulative_number_only() {
        let mut records = sent(4);
        for psn in [1, 3] {
            settle(&mut records, psn, RecordState::Acked);
        }
        records.advance(|_| false);
        records.each_below(Psn(4), |_| {});
        for psn in [1, 3] {
            records.restore(Psn(psn), Tsn::new(psn as u32));
        }
        let mut in_flight = Vec::new();
        records.each_below(Psn(5), |record| in_flight.push(record.psn));
        assert_eq!((in_flight, records.cumulative()), (vec![Psn(2), Psn(3), Psn(4)], Psn(1)));
    }

    /// YE Fig 39, second pass, and Fig 40, as they are printed: the blocks of acknowledged numbers, of which the first is
    /// dropped if it begins with the first number in the buffer; then the list of obsolete numbers.
    fn figures_39_and_40(cumulative: &mut u64, acked: &[u64], obsolete: &mut Vec<u64>) {
        let mut block_end = *cumulative;
        while acked.contains(&(block_end + 1)) {
            block_end += 1;
        }
        *cumulative = block_end;
        // Heads that the first block has passed are dropped too (M-IPCC-4, "otherwise the list sticks").
        obsolete.retain(|psn| *psn > *cumulative);
        while obsolete.first() == Some(&(*cumulative + 1)) {
            *cumulative += 1;
            obsolete.remove(0);
        }
    }

    proptest! {
        /// The cumulative number is the fixpoint of the two figures, whatever is acknowledged and moved, in whatever
        /// order.
        #[test]
        fn the_cumulative_number_is_the_fixpoint_of_both_figures(
            steps in prop::collection::vec((1u64..60, 0usize..4), 1..120),
        ) {
            let mut records = sent(60);
            let (mut acked, mut obsolete) = (Vec::new(), Vec::new());
            let mut printed = 0;
            for (psn, step) in steps {
                let is_open = !acked.contains(&psn) && !obsolete.contains(&psn) && psn > printed;
                match step {
                    0 | 1 if is_open => {
                        settle(&mut records, psn, RecordState::Acked);
                        acked.push(psn);
                    }
                    2 if is_open => {
                        settle(&mut records, psn, RecordState::Obsolete);
                        obsolete.push(psn);
                        obsolete.sort_unstable();
                    }
                    3 => _ = records.each_below(Psn(psn), |_| {}),
                    _ => {}
                }
                loop {
                    let before = printed;
                    figures_39_and_40(&mut printed, &acked, &mut obsolete);
                    if printed == before {
                        break;
                    }
                }
                records.advance(|_| false);
                prop_assert_eq!(records.cumulative(), Psn(printed));
            }
        }
    }
}
