//! How many gap acknowledgements a peer may take back.

/// Counts chunks. A chunk that is acknowledged for the first time earns credit, or that a time-out finds lost; one whose
/// acknowledgement is taken back costs it: so a peer makes no more work by reneging than a fixed multiple of what it takes.
///
/// Honest peers never renege; but with several ways back a SACK that was overtaken looks just like that, a window's worth at
/// a time.
#[derive(Debug)]
pub(super) struct Credit {
    left: u64,
}

impl Credit {
    /// Enough for the largest window that gap blocks can name.
    pub fn new() -> Credit {
        Credit { left: MOST }
    }

    /// A chunk is acknowledged for the first time, or lost by a time-out.
    pub fn earn(&mut self) {
        self.left = (self.left + EARNED).min(MOST);
    }

    /// How many of `chunks` may be taken back, which is paid for. One may always be taken back: otherwise no time-out
    /// would help a receiver that did renege.
    pub fn spend(&mut self, chunks: u64) -> u64 {
        let paid = chunks.min(self.left);
        self.left -= paid;
        paid.max(chunks.min(1))
    }
}

/// What gap blocks can name: 65,535 chunks.
const MOST: u64 = u16::MAX as u64;
/// How often a chunk may be taken back.
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
