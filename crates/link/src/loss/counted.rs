//! Losses by number: every n-th packet, or the packets of a list.

use std::ops::Range;

use anabranch_base::Time;

use super::{LossModel, PacketInfo};

/// Loses every n-th packet.
#[derive(Debug)]
pub(super) struct Every {
    n: u64,
    count: u64,
}

/// Loses the packets of a list, counted from 1.
#[derive(Debug)]
pub(super) struct List {
    /// In descending order, so that the next one is last.
    numbers: Vec<u64>,
    count: u64,
}

impl Every {
    /// Loses packets n, 2n, 3n, …
    pub(super) fn new(n: u64) -> Every {
        Every { n, count: 0 }
    }
}

impl List {
    /// Loses the packets with these numbers.
    pub(super) fn new(mut numbers: Vec<u64>) -> List {
        numbers.sort_unstable_by(|a, b| b.cmp(a));
        numbers.dedup();
        List { numbers, count: 0 }
    }
}

impl LossModel for Every {
    fn loses(&mut self, _: Range<Time>, _: &PacketInfo<'_>) -> bool {
        self.count += 1;
        self.n != 0 && self.count.is_multiple_of(self.n)
    }
}

impl LossModel for List {
    fn loses(&mut self, _: Range<Time>, _: &PacketInfo<'_>) -> bool {
        self.count += 1;
        self.numbers.pop_if(|next| *next == self.count).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::losses;
    use super::*;

    #[test]
    fn each_third_packet_is_lost() {
        assert_eq!(losses(&mut Every::new(3), 7), [false, false, true, false, false, true, false]);
    }

    #[test]
    fn the_listed_packets_are_lost_in_whatever_order_they_are_listed() {
        let mut rule = List::new(vec![4, 2, 2, 1]);
        assert_eq!(losses(&mut rule, 5), [true, true, false, true, false]);
    }
}
