//! Path verification without state: an address proves that it receives our packets by returning a number computed from
//! both addresses and a secret (RFC 9260 §5.4).

use std::net::IpAddr;

use anabranch_base::{Duration, Seed, Time};
use sha2::{Digest, Sha256};

use crate::path::PathAddresses;

/// The secret of one association, and the number of challenges sent in the current period.
#[derive(Debug)]
pub(super) struct Challenges {
    secret: [u8; 32],
    /// The start of the current period.
    since: Time,
    given: usize,
}

impl Challenges {
    /// Challenges whose secret comes from `seed`.
    pub(super) fn new(seed: &Seed) -> Challenges {
        Challenges { secret: seed.bytes(), since: Time::ZERO, given: 0 }
    }

    /// The number that proves these addresses. Only a host that receives packets sent between them can learn it.
    pub(crate) fn proof(&self, addresses: PathAddresses) -> u64 {
        let mut hash = Sha256::new();
        hash.update(self.secret);
        for end in [addresses.local, addresses.remote] {
            let ip = match end.ip() {
                IpAddr::V4(ip) => ip.to_ipv6_mapped(),
                IpAddr::V6(ip) => ip,
            };
            hash.update(ip.octets());
            hash.update(end.port().to_be_bytes());
        }
        let hash: [u8; 32] = hash.finalize().into();
        u64::from_be_bytes(*hash.first_chunk().unwrap_or(&[0; 8]))
    }

    /// Returns true if one more address may be challenged at once. Further ones wait until the next period: an attacker that
    /// redirects packets must not make the association flood other hosts.
    pub(crate) fn may_give(&mut self, now: Time) -> bool {
        if now.since(self.since) >= PERIOD {
            (self.since, self.given) = (now, 0);
        }
        self.given += 1;
        self.given <= MOST
    }
}

/// The maximum number of challenges in one [`PERIOD`].
const MOST: usize = 256;
/// The period in which challenges are counted: this gives at most about 140 KB/s, and no more packets than arrived.
const PERIOD: Duration = Duration::from_millis(200);

#[cfg(test)]
mod tests {
    use super::*;

    fn between(local: &str, remote: &str) -> PathAddresses {
        let address = |text: &str| text.parse().expect("an address");
        PathAddresses { local: address(local), remote: address(remote) }
    }

    #[test]
    fn each_pair_of_addresses_has_a_number_of_its_own() {
        let challenges = Challenges::new(&Seed::from_number(1));
        let pairs = [
            between("10.0.0.1:1", "10.0.0.2:1"),
            between("10.0.0.2:1", "10.0.0.1:1"),
            between("10.0.0.1:1", "10.0.0.2:2"),
            between("10.0.1.1:1", "10.0.0.2:1"),
        ];
        let mut proofs: Vec<u64> = pairs.iter().map(|pair| challenges.proof(*pair)).collect();
        assert_ne!(proofs[0], Challenges::new(&Seed::from_number(2)).proof(pairs[0]), "a secret of its own");
        proofs.sort_unstable();
        proofs.dedup();
        assert_eq!(proofs.len(), pairs.len());
    }

    #[test]
    fn as_many_are_given_at_once_as_may_be_and_more_a_fifth_of_a_second_later() {
        let mut challenges = Challenges::new(&Seed::from_number(1));
        let mut given = |ms: u64| {
            let now = Time::ZERO + Duration::from_millis(ms);
            (0..1_000).filter(|_| challenges.may_give(now)).count()
        };
        assert_eq!([given(0), given(199), given(200)], [MOST, 0, MOST]);
    }
}
