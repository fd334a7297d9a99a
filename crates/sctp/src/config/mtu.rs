//! Whether the largest packet of a path is fixed or searched, and between which sizes.

use anabranch_base::ByteCount;

use super::{Config, IpVersion};

/// How a path's largest packet is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MtuDiscovery {
    /// It is [`Config::mtu`] on every path.
    Off,
    /// It is searched on each path (RFC 8899), up to [`Config::mtu`].
    On,
}

/// The sizes of IP packets between which a path's largest is searched (RFC 8899 §5.1.2), all multiples of 4, as SCTP
/// packets are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MtuBounds {
    /// MIN_PLPMTU: what is used where nothing larger gets through.
    pub least: ByteCount,
    /// BASE_PLPMTU: what most paths carry, and what is used until more is known.
    pub base: ByteCount,
    /// MAX_PLPMTU.
    pub largest: ByteCount,
}

impl MtuBounds {
    /// Those of a path by `ip` on which packets may have `largest` bytes. IPv6 has 1,280 for all its links; with IPv4
    /// hosts put 576 together, and RFC 8899 recommends a base of 1,200.
    pub fn of(ip: IpVersion, largest: ByteCount) -> MtuBounds {
        let (least, base) = match ip {
            IpVersion::V4 => (576, 1_200),
            IpVersion::V6 => (1_280, 1_280),
        };
        let largest = MtuBounds::whole_words(largest);
        let [least, base] = [least, base].map(|size| ByteCount::new(size).min(largest));
        MtuBounds { least, base, largest }
    }

    /// The largest size of whole words within `size`.
    pub fn whole_words(size: ByteCount) -> ByteCount {
        ByteCount::new(size.get() & !3)
    }
}

impl Config {
    /// Where the search begins and ends on a path by `ip`, if there is one.
    pub fn mtu_bounds(&self, ip: IpVersion) -> Option<MtuBounds> {
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
