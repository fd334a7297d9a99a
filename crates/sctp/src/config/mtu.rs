//! Path MTU discovery, and the bounds of its search.

use anabranch_base::ByteCount;

use super::{Config, IpVersion};

/// The source of the largest packet size of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MtuDiscovery {
    /// [`Config::mtu`] on every path.
    Off,
    /// A search on each path (RFC 8899), up to [`Config::mtu`].
    On,
}

/// The bounds of the search for a path's largest IP packet (RFC 8899 §5.1.2). They are multiples of 4, as sizes of SCTP
/// packets are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MtuBounds {
    /// MIN_PLPMTU: the size used if no larger packet arrives.
    pub least: ByteCount,
    /// BASE_PLPMTU: the size that most paths carry. It is used at the start of the search.
    pub base: ByteCount,
    /// MAX_PLPMTU.
    pub largest: ByteCount,
}

impl MtuBounds {
    /// The bounds of a path by `ip` on which packets may have `largest` bytes. Every IPv6 link carries 1,280 bytes.
    /// Every IPv4 host reassembles 576 bytes, and RFC 8899 recommends a base of 1,200.
    pub fn of(ip: IpVersion, largest: ByteCount) -> MtuBounds {
        let (least, base) = match ip {
            IpVersion::V4 => (576, 1_200),
            IpVersion::V6 => (1_280, 1_280),
        };
        let largest = MtuBounds::whole_words(largest);
        let [least, base] = [least, base].map(|size| ByteCount::new(size).min(largest));
        MtuBounds { least, base, largest }
    }

    /// The largest multiple of 4 that is not above `size`.
    pub(crate) fn whole_words(size: ByteCount) -> ByteCount {
        ByteCount::new(size.get() & !3)
    }
}

impl Config {
    /// The bounds of the search on a path by `ip`; `None` without a search.
    pub(crate) fn mtu_bounds(&self, ip: IpVersion) -> Option<MtuBounds> {
        match self.mtu_discovery {
            MtuDiscovery::Off => None,
            MtuDiscovery::On => Some(MtuBounds::of(ip, self.mtu)),
        }
    }

    /// The MTU of a fresh path by `ip`.
    pub fn first_mtu(&self, ip: IpVersion) -> ByteCount {
        self.mtu_bounds(ip).map_or(self.mtu, |bounds| bounds.base)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_never_exceed_what_is_allowed() {
        let bounds = |ip, largest| {
            let MtuBounds { least, base, largest } = MtuBounds::of(ip, ByteCount::new(largest));
            [least, base, largest].map(ByteCount::get)
        };
        assert_eq!(bounds(IpVersion::V4, 1_500), [576, 1_200, 1_500]);
        assert_eq!(bounds(IpVersion::V6, 1_501), [1_280, 1_280, 1_500]);
        assert_eq!(bounds(IpVersion::V4, 1_000), [576, 1_000, 1_000]);
        assert_eq!(bounds(IpVersion::V6, 579), [576, 576, 576]);
    }
}
