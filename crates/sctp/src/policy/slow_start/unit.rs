//! Slow start by what a SACK acknowledges, at most one unit (RFC 9260 §7.2.1 with L = 1; M-SCTP-4).

use anabranch_base::ByteCount;

use super::{SlowStart, SlowStartStep};
use crate::policy::congestion::Acked;
use crate::policy::{PathId, View};

/// Growth by the acknowledged bytes, up to one unit for each SACK.
#[derive(Debug, Default)]
pub struct UnitPerSack;

impl SlowStart for UnitPerSack {
    fn increase(&mut self, path: PathId, acked: &Acked, view: &View<'_>) -> SlowStartStep {
        // RFC 9260 §7.2.1: "increase cwnd by the lesser of the total size of the previously outstanding
        // DATA chunk(s) acknowledged and L times the destination's PMDCS".
        let wanted = acked.bytes.min(view.path(path).unit);
        SlowStartStep::grow(if acked.grows_slow_start() { wanted } else { ByteCount::ZERO })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::testing::acked_bytes as acked;
    use crate::policy::testing::{sample, view};

    #[test]
    fn the_window_grows_by_what_was_acked_up_to_one_unit() {
        let paths = [sample(0)];
        let grown = [100, 1500, 3000]
            .map(|bytes| UnitPerSack.increase(PathId::FIRST, &acked(bytes), &view(&paths)).by.get());
        assert_eq!(grown, [100, 1500, 1500]);
    }

    #[test]
    fn growth_needs_a_fully_used_window_and_an_advance() {
        let paths = [sample(0)];
        let grows = |acked: Acked| UnitPerSack.increase(PathId::FIRST, &acked, &view(&paths)).by;
        assert_eq!(grows(Acked { is_fully_used: false, ..acked(1500) }), ByteCount::ZERO);
        assert_eq!(grows(Acked { may_grow: false, ..acked(1500) }), ByteCount::ZERO);
        assert_eq!(grows(acked(1500)), ByteCount::new(1500));
    }
}
