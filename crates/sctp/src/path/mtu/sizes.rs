//! The usual sizes of packets, and the sizes for which a probe pays.

use anabranch_base::ByteCount;

use super::MtuBounds;

/// The largest usual size below `size`.
pub(super) fn usual_below(size: ByteCount) -> Option<ByteCount> {
    USUAL.into_iter().map(ByteCount::new).find(|usual| *usual < size)
}

/// The size halfway between two, if a probe pays.
pub(super) fn between(low: ByteCount, high: ByteCount) -> Option<ByteCount> {
    let gap = high.saturating_sub(low);
    (gap > LEAST_GAIN).then(|| MtuBounds::whole_words(low + gap / 2))
}

/// The packet sizes of common links and tunnels, largest first: jumbo frames and FDDI, Ethernet, PPPoE, one IPv4
/// header less, GRE, a cloud's network, WireGuard, mobile networks and VPNs, IPv6's least, and the old plateaus of
/// RFC 1191 §7.1.
const USUAL: [u64; 15] =
    [9_000, 4_352, 2_000, 1_500, 1_492, 1_480, 1_476, 1_460, 1_420, 1_400, 1_340, 1_280, 1_200, 1_004, 576];

/// A smaller gain in packet size does not justify a probe.
const LEAST_GAIN: ByteCount = ByteCount::new(16);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_sizes_fall_and_are_whole_words() {
        assert!(USUAL.is_sorted_by(|a, b| a > b));
        assert!(USUAL.iter().all(|size| size.is_multiple_of(4)));
        assert_eq!(usual_below(ByteCount::new(1_500)).map(ByteCount::get), Some(1_492));
        assert_eq!(usual_below(ByteCount::new(576)), None);
    }

    #[test]
    fn what_gains_less_than_a_few_bytes_is_not_searched() {
        let middle = |low, high| between(ByteCount::new(low), ByteCount::new(high)).map(ByteCount::get);
        assert_eq!(middle(1_420, 1_460), Some(1_440));
        assert_eq!(middle(1_400, 1_420), Some(1_408));
        assert_eq!(middle(1_400, 1_416), None);
    }
}
