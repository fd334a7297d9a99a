//! Seeds of random streams. A seed has named children, so that a new user of randomness does not change what the others
//! draw.
//!
//! A crate that draws random numbers seeds the ChaCha generator with [`Seed::bytes`].

use std::fmt;

/// 256 bits that determine one stream of random numbers.
///
/// [`Seed::child`] is specified and will not change: each 64-bit lane `i` of the child is FNV-1a (64 bit)
/// over the four lanes of the parent in little-endian order, the byte `i`, and the name in UTF-8, then
/// mixed by the finaliser of SplitMix64.
#[derive(Clone, PartialEq, Eq)]
pub struct Seed([u8; 32]);

impl Seed {
    /// The seed of a study or a test, from a number that can be written down.
    pub fn from_number(number: u64) -> Seed {
        let mut root = [0; 32];
        root[..8].copy_from_slice(&number.to_le_bytes());
        Seed(root).child("seed")
    }

    /// The seed of a real endpoint, from 32 bytes that only the operating system's generator knows.
    pub const fn from_entropy(bytes: [u8; 32]) -> Seed {
        Seed(bytes)
    }

    /// The seed of the user called `name`, the same for the same parent and name on every machine.
    pub fn child(&self, name: &str) -> Seed {
        let mut child = [0; 32];
        for (lane, bytes) in child.chunks_exact_mut(8).enumerate() {
            let salt = [u8::try_from(lane).unwrap_or(u8::MAX)];
            let hash = self
                .0
                .iter()
                .chain(&salt)
                .chain(name.as_bytes())
                .fold(FNV_OFFSET, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(FNV_PRIME));
            bytes.copy_from_slice(&mix(hash).to_le_bytes());
        }
        Seed(child)
    }

    /// The bytes that seed a generator.
    pub const fn bytes(&self) -> [u8; 32] {
        self.0
    }
}

impl fmt::Debug for Seed {
    /// Leaves the bytes out: a real endpoint's seed is a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seed(..)")
    }
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014).
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_are_stable_and_apart() {
        let seed = Seed::from_number(1);
        assert_eq!(seed.child("link/wifi/loss"), Seed::from_number(1).child("link/wifi/loss"));
        assert_ne!(seed.child("link/wifi/loss"), seed.child("link/lte/loss"));
        assert_ne!(seed.child("a"), Seed::from_number(2).child("a"));
    }

    /// Every result that was published with a seed depends on this value: it must not change.
    #[test]
    fn the_child_of_a_known_seed_has_its_known_bytes() {
        let bytes = Seed::from_number(1).child("link/wifi/loss").bytes();
        assert_eq!(bytes[..8], KNOWN_CHILD);
    }

    /// Computed by a second implementation of the specification above, in another language.
    const KNOWN_CHILD: [u8; 8] = [40, 152, 233, 108, 240, 14, 163, 37];
}
