//! Memory that the associations of an endpoint share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anabranch_base::ByteCount;

/// The memory that all associations may still take.
#[derive(Debug)]
pub struct Budget {
    left: AtomicU64,
}

/// The memory that one association has taken. It is returned when the association ends.
#[derive(Debug)]
pub(crate) struct Allowance {
    budget: Arc<Budget>,
    taken: ByteCount,
}

impl Budget {
    /// A budget of `size` bytes, of which nothing is taken.
    pub const fn new(size: ByteCount) -> Budget {
        Budget { left: AtomicU64::new(size.get()) }
    }

    /// The memory that is not taken.
    pub fn left(&self) -> ByteCount {
        ByteCount::new(self.left.load(Ordering::Relaxed))
    }
}

impl Allowance {
    /// An allowance of zero bytes from this budget.
    pub(crate) const fn none(budget: Arc<Budget>) -> Allowance {
        Allowance { budget, taken: ByteCount::ZERO }
    }

    /// Takes `wanted` more bytes, or the rest of the budget. Returns the number of bytes taken.
    pub(crate) fn take(&mut self, wanted: ByteCount) -> ByteCount {
        let mut given = 0;
        let take = |left: u64| {
            given = left.min(wanted.get());
            Some(left - given)
        };
        // The closure always returns `Some`, so this succeeds.
        let _ = self.budget.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        self.taken += ByteCount::new(given);
        ByteCount::new(given)
    }
}

impl Drop for Allowance {
    fn drop(&mut self) {
        self.budget.left.fetch_add(self.taken.get(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_given_than_there_is_and_all_of_it_comes_back() {
        let budget = Arc::new(Budget::new(ByteCount::new(100)));
        let mut first = Allowance::none(budget.clone());
        let mut second = Allowance::none(budget.clone());
        assert_eq!(first.take(ByteCount::new(60)).get(), 60);
        assert_eq!(second.take(ByteCount::new(60)).get(), 40);
        assert_eq!(first.take(ByteCount::new(1)).get(), 0);
        drop(first);
        assert_eq!(budget.left().get(), 60);
        assert_eq!(second.take(ByteCount::new(10)).get(), 10);
        drop(second);
        assert_eq!(budget.left().get(), 100);
    }
}
