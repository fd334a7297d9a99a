//! The difference between two lists of gap blocks: the positions that are newly acknowledged, and those that are no
//! longer acknowledged. The cost is the number of blocks and of changes, not the size of the window.

use std::ops::Range;

/// The positions in `new` that are not in `old`, as ascending ranges. Both lists ascend and do not overlap.
pub(super) fn added<'a>(old: &'a [Range<u64>], new: &'a [Range<u64>]) -> Added<'a> {
    Added { old, new, from: 0 }
}

/// The iterator of [`added`].
pub(super) struct Added<'a> {
    old: &'a [Range<u64>],
    new: &'a [Range<u64>],
    /// Positions below this one are done.
    from: u64,
}

impl Iterator for Added<'_> {
    type Item = Range<u64>;

    fn next(&mut self) -> Option<Range<u64>> {
        loop {
            let block = self.new.first()?;
            let start = block.start.max(self.from);
            if start >= block.end {
                self.new = &self.new[1..];
                continue;
            }
            match self.old.first() {
                Some(known) if known.end <= start => self.old = &self.old[1..],
                Some(known) if known.start <= start => self.from = known.end,
                next => {
                    let end = next.map_or(block.end, |known| known.start.min(block.end));
                    self.from = end;
                    return Some(start..end);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;

    fn blocks(positions: &BTreeSet<u64>) -> Vec<Range<u64>> {
        let mut blocks: Vec<Range<u64>> = Vec::new();
        for &position in positions {
            match blocks.last_mut() {
                Some(last) if last.end == position => last.end += 1,
                _ => blocks.push(position..position + 1),
            }
        }
        blocks
    }

    proptest! {
        #[test]
        fn added_is_the_difference_of_two_sets(
            old in proptest::collection::btree_set(0u64..60, 0..40),
            new in proptest::collection::btree_set(0u64..60, 0..40),
        ) {
            let found: Vec<u64> = added(&blocks(&old), &blocks(&new)).flatten().collect();
            let expected: Vec<u64> = new.difference(&old).copied().collect();
            prop_assert_eq!(found, expected);
        }
    }
}
