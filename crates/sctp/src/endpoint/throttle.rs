//! Limits the rate of answers to unknown peers.

use std::net::IpAddr;

use anabranch_base::{Duration, Seed, Time};
use sha2::{Digest, Sha256};

/// Limits the answers to senders that have not proved their address.
///
/// Each prefix (256 addresses of IPv4, or a site of IPv6) has one of a fixed number of buckets, and all prefixes
/// together have one more. So a source that sends much, or that forges the address of a victim, uses up only one
/// bucket. The assignment of prefixes to buckets is not observable from outside. A refused packet takes no token.
#[derive(Debug)]
pub(super) struct Throttle {
    key: [u8; 32],
    by_prefix: Vec<Bucket>,
    together: Bucket,
}

/// A bucket of tokens that refills at a constant rate.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    /// When the bucket will be full.
    full_at: Time,
}

/// The size and refill rate of a bucket.
#[derive(Clone, Copy, Debug)]
struct RefillRate {
    /// The tokens of a full bucket.
    burst: u64,
    /// The time for one more token.
    every: Duration,
}

impl Throttle {
    /// A throttle that assigns buckets by `seed`. It allocates nothing until its first use.
    pub(super) fn new(seed: &Seed) -> Throttle {
        Throttle { key: seed.bytes(), by_prefix: Vec::new(), together: Bucket::FULL }
    }

    /// Returns true if an unknown peer at `remote` may be answered now; if so, takes the tokens.
    pub(super) fn take(&mut self, now: Time, remote: IpAddr) -> bool {
        let index = self.bucket_of(remote);
        if self.by_prefix.is_empty() {
            self.by_prefix.resize(BUCKETS, Bucket::FULL);
        }
        let own = &mut self.by_prefix[index];
        let may_answer = own.has_one(now, PREFIX) && self.together.has_one(now, TOGETHER);
        if may_answer {
            own.take_one(now, PREFIX);
            self.together.take_one(now, TOGETHER);
        }
        may_answer
    }

    fn bucket_of(&self, remote: IpAddr) -> usize {
        let mut hash = Sha256::new_with_prefix(self.key);
        match remote.to_canonical() {
            IpAddr::V4(ip) => hash.update(&ip.octets()[..3]),
            IpAddr::V6(ip) => hash.update(&ip.octets()[..6]),
        }
        let hash = hash.finalize();
        usize::from(u16::from_be_bytes([hash[0], hash[1]])) % BUCKETS
    }
}

impl Bucket {
    const FULL: Bucket = Bucket { full_at: Time::ZERO };

    fn has_one(&self, now: Time, rate: RefillRate) -> bool {
        self.full_at.since(now) <= rate.every * (rate.burst - 1)
    }

    fn take_one(&mut self, now: Time, rate: RefillRate) {
        self.full_at = self.full_at.max(now) + rate.every;
    }
}

/// The number of buckets, with 8 bytes each.
const BUCKETS: usize = 1_024;
/// 64 answers per second to one prefix: at most about 15 KB/s of unwanted packets.
const PREFIX: RefillRate = RefillRate { burst: 256, every: Duration::from_micros(15_625) };
/// 8,192 answers per second: signing them takes some thousandths of a core.
const TOGETHER: RefillRate = RefillRate { burst: 4_096, every: Duration::from_nanos(122_070) };

#[cfg(test)]
mod tests {
    use super::*;

    fn throttle() -> Throttle {
        Throttle::new(&Seed::from_number(1))
    }

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    fn taken(throttle: &mut Throttle, now: Time, remote: [u8; 4], times: u32) -> usize {
        (0..times).filter(|_| throttle.take(now, IpAddr::from(remote))).count()
    }

    #[test]
    fn a_prefix_has_a_burst_and_then_its_rate() {
        let mut throttle = throttle();
        assert_eq!(taken(&mut throttle, at(0), [198, 51, 100, 1], 1_000), 256);
        assert_eq!(taken(&mut throttle, at(0), [198, 51, 100, 200], 1_000), 0, "the same 256 addresses");
        let in_a_second: usize =
            (1..=1_000).map(|ms| taken(&mut throttle, at(ms), [198, 51, 100, 1], 10)).sum();
        assert_eq!(in_a_second, 64);
        assert_eq!(
            taken(&mut throttle, at(60_000), [198, 51, 100, 1], 1_000),
            256,
            "and no more than a burst"
        );
    }

    #[test]
    fn a_flooding_peer_uses_up_only_its_own_share() {
        let mut throttle = throttle();
        for ms in 0..10_000 {
            taken(&mut throttle, at(ms), [198, 51, 100, 1], 100);
            assert!(throttle.take(at(ms), IpAddr::from([10, 0, (ms % 200) as u8, 7])), "{ms} ms");
        }
    }

    #[test]
    fn a_flood_from_everywhere_is_answered_at_one_rate_and_an_honest_one_among_it_now_and_then() {
        let mut throttle = throttle();
        let (mut answered, mut honest) = (0, 0);
        // 20,000 packets per second for ten seconds, each from another address, and twenty honest ones per second
        // among them.
        for tick in 0..200_000_u32 {
            let now = Time::ZERO + Duration::from_micros(50) * u64::from(tick);
            let chance = tick.wrapping_mul(2_654_435_761);
            let [a, b, c, _] = chance.to_be_bytes();
            answered += taken(&mut throttle, now, [a, b, c, 1], 1);
            if tick % 1_009 == 0 {
                let between = now + Duration::from_micros(u64::from(chance % 50));
                honest += taken(&mut throttle, between, [203, 0, 113, 9], 1);
            }
        }
        assert!((80_000..=90_000).contains(&answered), "{answered} in ten seconds");
        // A token is added every 122 µs and waits 25 µs for the next packet of the flood: one in five honest packets
        // finds one.
        assert!((25..=60).contains(&honest), "{honest} of 199");
    }

    #[test]
    fn a_site_of_ipv6_is_one_and_a_mapped_address_is_its_ipv4() {
        let throttle = throttle();
        let bucket = |text: &str| throttle.bucket_of(text.parse().expect("an address"));
        assert_eq!(bucket("2001:db8:7::1"), bucket("2001:db8:7:ffff::2"));
        assert_ne!(bucket("2001:db8:7::1"), bucket("2001:db8:8::1"));
        assert_eq!(bucket("::ffff:192.0.2.1"), bucket("192.0.2.250"));
    }
}
