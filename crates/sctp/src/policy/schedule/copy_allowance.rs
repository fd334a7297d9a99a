//! The number of copies of chunks that may leave.

use crate::seq::Tsn;

/// At most one copy for twenty chunks that were acknowledged: 5 % of the data.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CopyAllowance {
    /// The highest of the chunks that were the lowest in flight when the allowance was counted.
    counted_to: Option<Tsn>,
    /// The number of acknowledged chunks that have not been used for copies.
    acknowledged: u32,
}

impl CopyAllowance {
    /// Counts the chunks before `lowest`, the lowest chunk in flight: they were acknowledged. A lost chunk is not in
    /// flight until it is sent again: then the lowest one is lower than before.
    pub(super) fn count(&mut self, lowest: Tsn) {
        let before = self.counted_to.unwrap_or(lowest);
        if before.is_before(lowest) {
            let newly = lowest.distance_from(before);
            self.acknowledged = self.acknowledged.saturating_add(newly).min(CHUNKS_A_COPY * MOST_SAVED);
        }
        self.counted_to = Some(if before.is_before(lowest) { lowest } else { before });
    }

    /// Returns true if a copy may leave.
    pub(crate) fn has_one(&self) -> bool {
        self.acknowledged >= CHUNKS_A_COPY
    }

    /// A copy leaves.
    pub(crate) fn take_one(&mut self) {
        self.acknowledged = self.acknowledged.saturating_sub(CHUNKS_A_COPY);
    }

    /// An allowance for `copies` copies, counted up to `lowest`.
    #[cfg(test)]
    pub(super) fn of(copies: u32, lowest: Tsn) -> CopyAllowance {
        CopyAllowance { counted_to: Some(lowest), acknowledged: CHUNKS_A_COPY * copies }
    }
}

/// The number of acknowledged chunks for each copy.
const CHUNKS_A_COPY: u32 = 20;
/// The most copies that may leave at once after none was needed for a while.
const MOST_SAVED: u32 = 16;

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns true if a copy leaves when `tsn` is the lowest in flight.
    fn takes_one(allowance: &mut CopyAllowance, tsn: u32) -> bool {
        allowance.count(Tsn::new(tsn));
        let has_one = allowance.has_one();
        if has_one {
            allowance.take_one();
        }
        has_one
    }

    #[test]
    fn copies_are_one_for_twenty_acknowledged_chunks() {
        let mut allowance = CopyAllowance::default();
        let count = (1..=1_000).filter(|tsn| takes_one(&mut allowance, *tsn)).count();
        assert_eq!(count, 49, "the first allowance takes twenty chunks after the first");
    }

    #[test]
    fn sixteen_copies_are_saved_and_nothing_is_counted_twice() {
        let mut allowance = CopyAllowance::default();
        assert_eq!([1, 1_000_000].map(|tsn| takes_one(&mut allowance, tsn)), [false, true]);
        assert_eq!([500_000, 1_000_000].map(|tsn| takes_one(&mut allowance, tsn)), [true; 2]);
        assert_eq!(allowance.acknowledged, CHUNKS_A_COPY * (MOST_SAVED - 3));
    }
}
