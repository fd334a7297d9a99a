//! Slow start by half of what a SACK acknowledges. If every second packet is acknowledged, the growth is that of [one
//! unit for each SACK](super::unit). If a SACK answers more packets, slow start is not slower; for such SACKs L is
//! larger than 1, which RFC 9260 §7.2.1 allows.

use anabranch_base::ByteCount;

use super::{SlowStart, SlowStartStep};
use crate::policy::congestion::Acked;
use crate::policy::{PathId, View};

/// Growth by half of the acknowledged bytes, up to the threshold; growth of up to one unit may pass it.
#[derive(Debug, Default)]
pub(crate) struct HalfOfAcked;

impl SlowStart for HalfOfAcked {
    fn increase(&mut self, path: PathId, acked: &Acked, view: &View<'_>) -> SlowStartStep {
        if !acked.grows_slow_start() {
            return SlowStartStep::grow(ByteCount::ZERO);
        }
        let sample = view.path(path);
        let to_threshold = sample.ssthresh.saturating_sub(sample.cwnd).max(sample.unit);
        SlowStartStep::grow((acked.bytes / 2).min(to_threshold))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::PathSample;
    use crate::policy::testing::acked_bytes as acked;
    use crate::policy::testing::{sample, view};

    #[test]
    fn growth_is_half_of_what_was_acked_and_ends_at_the_threshold() {
        let mut path = sample(0);
        (path.cwnd, path.ssthresh) = (ByteCount::new(6000), ByteCount::new(15_000));
        let grown = |path: &PathSample, bytes| {
            let paths = [path.clone()];
            HalfOfAcked.increase(path.id, &acked(bytes), &view(&paths)).by.get()
        };
        assert_eq!([3000, 9000, 90_000].map(|bytes| grown(&path, bytes)), [1500, 4500, 9000]);
        path.cwnd = ByteCount::new(14_900);
        assert_eq!(grown(&path, 9000), 1500);
    }
}
