//! Bytes over time in bounded memory, in bins of equal length.

use anabranch_base::{ByteCount, Duration, Time};

/// Bytes by bins of time. A bin is at first a millisecond long, and twice as long each time the bins become too many.
#[derive(Clone, Debug)]
pub(super) struct Sums {
    doublings: u32,
    limit: usize,
    bins: Vec<u64>,
}

impl Sums {
    /// No bytes, in at most `limit` bins, which is at least one.
    pub(super) fn new(limit: usize) -> Sums {
        Sums { doublings: 0, limit: limit.max(1), bins: Vec::new() }
    }

    /// Adds bytes at a time.
    pub(super) fn add(&mut self, at: Time, bytes: ByteCount) {
        while self.index(at) >= self.limit && self.doublings < MOST_DOUBLINGS {
            self.coarsen();
        }
        let index = self.index(at).min(self.limit - 1);
        if index >= self.bins.len() {
            self.bins.resize(index + 1, 0);
        }
        self.bins[index] = self.bins[index].saturating_add(bytes.get());
    }

    /// Makes the bins of all of these as long as the longest.
    pub(crate) fn align<'a>(all: impl Iterator<Item = &'a mut Sums>) {
        let mut all: Vec<&mut Sums> = all.collect();
        let doublings = all.iter().map(|sums| sums.doublings).max().unwrap_or(0);
        for sums in &mut all {
            while sums.doublings < doublings {
                sums.coarsen();
            }
        }
    }

    /// The length of a bin.
    pub(super) fn bin(&self) -> Duration {
        Duration::from_millis(1) * (1_u64 << self.doublings)
    }

    /// The bytes of each bin, from the start of the run to the last bin with any.
    pub(super) fn bins(&self) -> &[u64] {
        &self.bins
    }

    fn index(&self, at: Time) -> usize {
        usize::try_from(at.as_nanos() / self.bin().as_nanos()).unwrap_or(usize::MAX)
    }

    fn coarsen(&mut self) {
        self.doublings += 1;
        self.bins = self.bins.chunks(2).map(|pair| pair.iter().fold(0, |a, b| b.saturating_add(a))).collect();
    }
}

/// With these a bin is longer than the largest time.
const MOST_DOUBLINGS: u32 = 44;

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(limit: usize, added: &[(u64, u64)]) -> Sums {
        let mut sums = Sums::new(limit);
        for (at, bytes) in added {
            sums.add(Time::ZERO + Duration::from_millis(*at), ByteCount::new(*bytes));
        }
        sums
    }

    #[test]
    fn bins_grow_until_the_run_fits_and_lose_no_byte() {
        let sums = sums(4, &[(0, 1), (1, 2), (3, 4), (4, 8), (30, 16)]);
        assert_eq!(sums.bin(), Duration::from_millis(8));
        assert_eq!(sums.bins(), [15, 0, 0, 16]);
    }

    #[test]
    fn the_end_of_all_time_has_a_bin() {
        let mut sums = sums(1, &[(0, 1)]);
        sums.add(Time::from_nanos(u64::MAX), ByteCount::MAX);
        assert_eq!(sums.bins(), [u64::MAX]);
    }

    #[test]
    fn aligned_bins_are_as_long_as_the_longest() {
        let (mut short, mut long) = (sums(4, &[(1, 1), (3, 2)]), sums(4, &[(7, 4)]));
        Sums::align([&mut short, &mut long].into_iter());
        assert_eq!((short.bin(), short.bins()), (Duration::from_millis(2), [1, 2].as_slice()));
        assert_eq!((long.bin(), long.bins()), (Duration::from_millis(2), [0, 0, 0, 4].as_slice()));
    }
}
