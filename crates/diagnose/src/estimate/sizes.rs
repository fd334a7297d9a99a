//! The MTU of a lane, each way, and a size that vanishes without a report.

use crate::recording::SizeTried;

/// The sizes of one direction of a lane, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sizes {
    pub(super) mtu: Option<u64>,
    pub(super) hole: Option<u64>,
}

/// The probability that all packets of a size are lost by chance, below which they did not vanish by chance.
const BY_CHANCE: f64 = 1e-4;

/// The sizes from those that were tried, while the transport uses packets of `used` bytes (0 if that is unknown) and a share
/// of `loss` packets is lost by chance.
pub(super) fn of(tried: &[SizeTried], used: u64, loss: f64) -> Sizes {
    let arrived = tried.iter().filter(|size| size.arrived > 0).map(|size| size.size.get()).max();
    let Some(largest) = arrived else { return Sizes { mtu: (used > 0).then_some(used), hole: None } };
    let vanished = |size: &&SizeTried| {
        let bytes = size.size.get();
        let sent: u32 = tried
            .iter()
            .filter(|other| other.size == size.size)
            .map(|other| other.sent)
            .fold(0, u32::saturating_add);
        largest < bytes && bytes <= used && loss.clamp(1e-3, 1.0).powf(f64::from(sent)) < BY_CHANCE
    };
    Sizes { mtu: Some(largest), hole: tried.iter().filter(vanished).map(|size| size.size.get()).min() }
}

/// The MTU both ways.
pub(super) fn smaller(there: Sizes, back: Sizes) -> Option<u64> {
    [there.mtu, back.mtu].into_iter().flatten().min()
}

#[cfg(test)]
mod tests {
    use anabranch_base::ByteCount;

    use super::*;

    fn tried(sizes: &[(u64, u32, u32)]) -> Vec<SizeTried> {
        sizes
            .iter()
            .map(|&(size, sent, arrived)| SizeTried { size: ByteCount::new(size), sent, arrived })
            .collect()
    }

    #[test]
    fn the_mtu_is_the_largest_size_that_arrived() {
        assert_eq!(
            of(&tried(&[(576, 3, 3), (1_500, 3, 2)]), 1_500, 0.0),
            Sizes { mtu: Some(1_500), hole: None }
        );
        // The transport has not found it yet.
        assert_eq!(of(&tried(&[(576, 3, 3), (1_500, 3, 2)]), 1_200, 0.0).mtu, Some(1_500));
        assert_eq!(of(&[], 1_280, 0.0).mtu, Some(1_280));
        assert_eq!(of(&[], 0, 0.0), Sizes::default());
    }

    #[test]
    fn a_size_that_the_transport_uses_and_that_never_arrives_is_a_hole() {
        let sizes = tried(&[(1_280, 4, 4), (1_400, 4, 4), (1_452, 4, 0), (1_500, 4, 0)]);
        assert_eq!(of(&sizes, 1_500, 0.01), Sizes { mtu: Some(1_400), hole: Some(1_452) });
        assert_eq!(of(&sizes, 1_400, 0.01).hole, None);
    }

    #[test]
    fn the_mtu_of_a_lane_is_that_of_the_narrower_way() {
        let sizes = |mtu| Sizes { mtu, hole: None };
        assert_eq!(smaller(sizes(Some(1_500)), sizes(Some(1_400))), Some(1_400));
        assert_eq!(smaller(sizes(None), sizes(Some(1_400))), Some(1_400));
        assert_eq!(smaller(sizes(Some(1_280)), sizes(None)), Some(1_280));
        assert_eq!(smaller(sizes(None), sizes(None)), None);
    }

    #[test]
    fn few_losses_of_a_lossy_link_are_no_hole() {
        assert_eq!(of(&tried(&[(576, 3, 3), (1_500, 3, 0)]), 1_500, 0.3).hole, None);
        assert_eq!(of(&tried(&[(576, 3, 3), (1_500, 1, 0)]), 1_500, 0.0).hole, None);
    }
}
