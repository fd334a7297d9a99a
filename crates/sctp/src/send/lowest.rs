//! The lowest outstanding chunks of one path, kept so that reading them is cheap (M-CMT-3's `a_d` and `b_d`).

use std::collections::VecDeque;

/// Positions of the chunks last sent on one path, ascending. Outdated entries are dropped when they reach the front.
#[derive(Debug, Default)]
pub(super) struct Lowest {
    positions: VecDeque<u64>,
}

impl Lowest {
    /// Adds the chunk at `position`. This is cheap if chunks are sent in order.
    pub(super) fn insert(&mut self, position: u64) {
        match self.positions.back() {
            Some(&last) if last >= position => {
                let at = self.positions.partition_point(|&other| other < position);
                if self.positions.get(at) != Some(&position) {
                    self.positions.insert(at, position);
                }
            }
            _ => self.positions.push_back(position),
        }
    }

    /// The lowest position that still `is_outstanding`.
    #[inline]
    pub(super) fn first(&mut self, is_outstanding: impl Fn(u64) -> bool) -> Option<u64> {
        while let Some(&position) = self.positions.front() {
            if is_outstanding(position) {
                return Some(position);
            }
            self.positions.pop_front();
        }
        None
    }

    /// The highest position that still `is_outstanding`.
    pub(super) fn last(&self, is_outstanding: impl Fn(u64) -> bool) -> Option<u64> {
        self.positions.iter().rev().copied().find(|&position| is_outstanding(position))
    }

    /// The positions, including outdated ones, ascending.
    pub(super) fn iter(&self) -> impl Iterator<Item = u64> {
        self.positions.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_outstanding_position_is_found_whatever_the_order_of_sending() {
        let mut lowest = Lowest::default();
        for position in [5, 7, 6, 2, 6] {
            lowest.insert(position);
        }
        assert_eq!(lowest.iter().collect::<Vec<_>>(), [2, 5, 6, 7]);
        assert_eq!(lowest.first(|position| position > 5), Some(6));
        assert_eq!(lowest.first(|_| true), Some(6), "stale entries do not come back");
        assert_eq!(lowest.first(|_| false), None);
    }
}
