//! The number of gap acknowledgements that a peer may take back.

/// Counts chunks. A chunk earns credit when it is acknowledged for the first time, and when it is lost by a time-out. A
/// chunk whose acknowledgement is taken back costs credit. So the work that a peer causes by reneging is at most a
/// fixed multiple of what it acknowledges.
///
/// Honest peers never renege. With several return paths, however, an overtaken SACK looks the same as a renege, of up
/// to a whole window.
#[derive(Debug)]
pub(super) struct Credit {
    left: u64,
}

impl Credit {
    /// The initial credit covers the largest window that gap blocks can name.
    pub(super) fn new() -> Credit {
        Credit { left: MOST }
    }

    /// Adds the credit of a chunk that is acknowledged for the first time, or lost by a time-out.
    pub(crate) fn earn(&mut self) {
        self.left = (self.left + EARNED).min(MOST);
    }

    /// Uses credit for as many of `chunks` as it allows, and returns the number that may be taken back. One chunk may
    /// always be taken back: otherwise a time-out could not help a receiver that did renege.
    pub(super) fn spend(&mut self, chunks: u64) -> u64 {
        let paid = chunks.min(self.left);
        self.left -= paid;
        paid.max(chunks.min(1))
    }
}

/// The number of chunks that gap blocks can name: 65,535.
const MOST: u64 = u16::MAX as u64;
/// The number of times that each chunk may be taken back.
const EARNED: u64 = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_may_be_taken_back_once_and_then_as_much_as_is_earned() {
        let mut credit = Credit::new();
        assert_eq!(credit.spend(0), 0);
        assert_eq!(credit.spend(MOST + 1), MOST);
        assert_eq!([credit.spend(0), credit.spend(1), credit.spend(9)], [0, 1, 1]);
        credit.earn();
        assert_eq!([credit.spend(5), credit.spend(EARNED)], [5, EARNED - 5]);
        (0..MOST).for_each(|_| credit.earn());
        assert_eq!(credit.spend(2 * MOST), MOST);
    }
}
