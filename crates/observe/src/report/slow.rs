//! The time for which a flow was much slower than usual; the longest gap alone would miss a slow trickle.

use anabranch_base::Duration;

use super::sums::Sums;

/// The time for which `delivered` grew at less than a tenth of its usual rate, between the first and the last delivery.
/// The usual rate is the median over windows of a tenth of a second or more. `None` for fewer than [`FEWEST`] windows.
pub(crate) fn slow_time(delivered: &Sums) -> Option<Duration> {
    let bin = delivered.bin();
    let group =
        usize::try_from(WINDOW.as_nanos().div_ceil(bin.as_nanos().max(1))).unwrap_or(usize::MAX).max(1);
    let bins = delivered.bins();
    let first = bins.iter().position(|bytes| *bytes > 0)?;
    let windows: Vec<u64> = bins[first..].chunks_exact(group).map(|window| window.iter().sum()).collect();
    let mut sorted = windows.clone();
    sorted.sort_unstable();
    let usual = *sorted.get(sorted.len() / 2).filter(|_| sorted.len() >= FEWEST)?;
    let slow = windows.iter().filter(|bytes| **bytes < usual / 10).count();
    Some(bin * (group as u64) * (slow as u64))
}

/// A shorter window would measure the rate of a few packets.
const WINDOW: Duration = Duration::from_millis(100);
/// Fewer windows have no meaningful median.
const FEWEST: usize = 5;

#[cfg(test)]
mod tests {
    use anabranch_base::{ByteCount, Time};

    use super::*;

    fn delivered(at: impl Iterator<Item = (u64, u64)>) -> Sums {
        let mut sums = Sums::new(4096);
        for (ms, bytes) in at {
            sums.add(Time::ZERO + Duration::from_millis(ms), ByteCount::new(bytes));
        }
        sums
    }

    #[test]
    fn a_gap_and_a_trickle_are_slow_and_what_was_before_the_first_delivery_is_not() {
        let usual = (500..1_500).chain(2_000..3_000).map(|ms| (ms, 1_000));
        let trickle = (1_600..1_800).map(|ms| (ms, 50));
        assert_eq!(slow_time(&delivered(usual.chain(trickle))), Some(Duration::from_millis(500)));
    }

    #[test]
    fn an_even_flow_is_never_slow_and_a_short_one_has_no_usual_rate() {
        assert_eq!(slow_time(&delivered((0..2_000).map(|ms| (ms, 1_000)))), Some(Duration::ZERO));
        assert_eq!(slow_time(&delivered((0..300).map(|ms| (ms, 1_000)))), None);
        assert_eq!(slow_time(&Sums::new(16)), None);
    }
}
