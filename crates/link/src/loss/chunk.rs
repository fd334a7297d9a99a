//! Losses of packets that carry a given SCTP chunk (M-NET-8; YE 4.6.1).

use std::ops::Range;

use anabranch_base::Time;

use super::{LossModel, PacketInfo};
use crate::chunk_kind::ChunkKind;

/// Loses a share of the packets with a chunk, evenly spaced: after n such packets, ⌊n · share⌋ are lost. This is the
/// accumulator of YE, to which each packet adds the share and from which each loss takes one, without its sum of
/// rounding errors.
#[derive(Debug)]
pub(super) struct ShareOfChunks {
    kind: ChunkKind,
    share: f64,
    count: u64,
    lost: u64,
}

impl ShareOfChunks {
    /// Loses this `share` of the packets that carry a chunk of `kind`.
    pub(super) fn new(kind: ChunkKind, share: f64) -> ShareOfChunks {
        ShareOfChunks { kind, share, count: 0, lost: 0 }
    }
}

impl LossModel for ShareOfChunks {
    fn loses(&mut self, _: Range<Time>, packet: &PacketInfo<'_>) -> bool {
        if !packet.load.carries_chunk(self.kind) {
            return false;
        }
        self.count += 1;
        let due = (self.count as f64 * self.share + ROUNDING).floor() as u64;
        let is_due = due > self.lost;
        self.lost += u64::from(is_due);
        is_due
    }
}

/// A decimal share such as 0.29 is a little less than it says: 100 packets of it are 28.999999999999996.
const ROUNDING: f64 = 1e-9;

#[cfg(test)]
mod tests {
    use anabranch_base::ByteCount;

    use super::*;
    use crate::packet::Payload;

    /// A packet with one chunk of a type.
    #[derive(Debug)]
    struct With(u8);

    impl Payload for With {
        fn carries_chunk(&self, kind: ChunkKind) -> bool {
            kind.number() == self.0
        }
    }

    fn lost(share: f64, kinds: &[u8]) -> Vec<bool> {
        let mut rule = ShareOfChunks::new(ChunkKind::CWR, share);
        let one = |kind: &u8| {
            let packet = PacketInfo { size: ByteCount::new(40), load: &With(*kind) };
            rule.loses(Time::ZERO..Time::ZERO, &packet)
        };
        kinds.iter().map(one).collect()
    }

    #[test]
    fn packets_without_the_chunk_pass_and_do_not_count() {
        assert_eq!(lost(0.5, &[13, 3, 0, 13, 3, 13, 13]), [false, false, false, true, false, false, true]);
    }

    #[test]
    fn losses_are_evenly_spaced() {
        assert_eq!(lost(0.4, &[13; 10]).iter().filter(|lost| **lost).count(), 4);
        assert_eq!(lost(0.4, &[13; 5]), [false, false, true, false, true]);
    }

    #[test]
    fn after_each_packet_the_share_is_met_to_the_packet() {
        for hundredths in 0..=100_u32 {
            let share = f64::from(hundredths) / 100.0;
            let mut count = 0;
            for (index, lost) in lost(share, &[13; 1_000]).into_iter().enumerate() {
                count += usize::from(lost);
                assert_eq!(count, (index + 1) * hundredths as usize / 100, "{share} after {}", index + 1);
            }
        }
    }
}
