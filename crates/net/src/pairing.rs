//! Pairs this machine's addresses with a peer's by the prefixes of its interfaces and the routes of its operating
//! system, not by their positions in two lists.

use std::net::{IpAddr, SocketAddr};

use anabranch_sctp::association::{Alternatives, MAX_PAIRS, MAX_PATHS, PathAddresses};

use crate::interface::Interface;
use crate::routes::leads_to;
use crate::system::{Prefix, SystemRef};

/// The distance of a peer's address from a local one, the nearest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Nearness {
    /// In the same subnet.
    OnLink {
        /// The number of bits after the subnet's prefix.
        host_bits: u8,
    },
    /// The system would send to it from this address.
    Preferred,
    /// The system has no preference.
    Elsewhere,
    /// The interface of the local address has no route there.
    NoRoute,
}

/// The address pairs with which an association begins, and those tried if they do not answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pairing {
    /// Pairs with each address of both lists at least once, of each common IP version; the IP version of the first
    /// remote address comes first.
    pub paths: Vec<PathAddresses>,
    /// The other pairs that have a route.
    pub further: Vec<PathAddresses>,
    /// The addresses that are alternatives of one another.
    pub alternatives: Alternatives,
}

/// Pairs two lists of addresses by the routes of this machine.
pub(crate) fn pair_by_route(system: SystemRef, local: &[SocketAddr], remote: &[SocketAddr]) -> Pairing {
    let routes = SystemRoutes::of(system);
    pair(local, remote, |local, remote| routes.nearness(local, remote))
}

/// Pairs this machine's links with hosts that have several addresses each, of which one is used.
pub(crate) fn pair_hosts(system: SystemRef, local: &[SocketAddr], hosts: &[Vec<SocketAddr>]) -> Pairing {
    let mut pairing = pair_by_route(system, local, &hosts.concat());
    if hosts.iter().all(|host| host.len() < 2) {
        return pairing;
    }
    let known = system.interfaces().unwrap_or_default();
    let of_link = |one: &Interface| -> Vec<SocketAddr> {
        local.iter().copied().filter(|address| one.addresses.contains(&address.ip())).collect()
    };
    pairing.alternatives =
        Alternatives { local: known.iter().map(of_link).collect(), remote: hosts.to_vec() };
    let all = [std::mem::take(&mut pairing.paths), std::mem::take(&mut pairing.further)].concat();
    for pair in all {
        pairing.add_alternative(pair);
    }
    pairing
}

impl Pairing {
    /// Adds a pair to the paths if its link or its host has none yet, else to the further pairs.
    fn add_alternative(&mut self, pair: PathAddresses) {
        let Pairing { paths, further, alternatives } = self;
        let mut known = paths.iter();
        let is_link_used = known.clone().any(|path| alternatives.is_same_link(path.local, pair.local));
        let is_host_used = known.any(|path| alternatives.is_same_host(path.remote, pair.remote));
        if is_link_used && is_host_used { further.push(pair) } else { paths.push(pair) }
    }
}

/// Pairs two lists: the nearest addresses together, each address once before one is used again; equal ones i-th with
/// i-th. A single remote address is paired with every local one.
fn pair(
    local: &[SocketAddr],
    remote: &[SocketAddr],
    nearness: impl Fn(SocketAddr, SocketAddr) -> Nearness,
) -> Pairing {
    let leads = remote.first().is_none_or(SocketAddr::is_ipv4);
    let mut pairing = Pairing::default();
    for is_ipv4 in [leads, !leads] {
        let of = |list: &[SocketAddr]| -> Vec<SocketAddr> {
            list.iter().copied().filter(|address| address.is_ipv4() == is_ipv4).collect()
        };
        let (local, remote) = (of(local), of(remote));
        let table = CostTable::of(&local, &remote, &nearness);
        let chosen = table.assigned();
        let all = (0..local.len()).flat_map(|near| (0..remote.len()).map(move |far| (near, far)));
        let mut others: Vec<(usize, usize)> = all.filter(|pair| !chosen.contains(pair)).collect();
        others.sort_by_key(|&pair| table.cost(pair));
        others.retain(|&pair| table.cost(pair).0 != Nearness::NoRoute);
        let addresses =
            |(near, far): (usize, usize)| PathAddresses { local: local[near], remote: remote[far] };
        pairing.paths = alternated(&pairing.paths, chosen.into_iter().map(addresses).collect());
        pairing.further = alternated(&pairing.further, others.into_iter().map(addresses).collect());
    }
    let beyond = pairing.paths.split_off(pairing.paths.len().min(MAX_PATHS));
    pairing.further.splice(..0, beyond);
    pairing.further.truncate(MAX_PAIRS - pairing.paths.len());
    pairing
}

/// The pairs of two IP versions alternately (RFC 8305 §4).
fn alternated(first: &[PathAddresses], second: Vec<PathAddresses>) -> Vec<PathAddresses> {
    let (mut first, mut second) = (first.iter().copied(), second.into_iter());
    let mut all = Vec::new();
    loop {
        let before = all.len();
        all.extend(first.next());
        all.extend(second.next());
        if all.len() == before {
            return all;
        }
    }
}

/// The cost of each pair of one IP version.
struct CostTable {
    locals: usize,
    remotes: usize,
    costs: Vec<Cost>,
}

/// The distance of a pair: by route, by the scope of its addresses, by their positions in the lists.
type Cost = (Nearness, bool, bool);

impl CostTable {
    fn of(
        local: &[SocketAddr],
        remote: &[SocketAddr],
        nearness: impl Fn(SocketAddr, SocketAddr) -> Nearness,
    ) -> CostTable {
        let (locals, remotes) = (local.len(), remote.len());
        let mut costs = Vec::with_capacity(locals * remotes);
        for (near, &from) in local.iter().enumerate() {
            for (far, &to) in remote.iter().enumerate() {
                let is_elsewhere = near % remotes != far && far % locals != near;
                costs.push((nearness(from, to), scope(from.ip()) != scope(to.ip()), is_elsewhere));
            }
        }
        CostTable { locals, remotes, costs }
    }

    fn cost(&self, (near, far): (usize, usize)) -> Cost {
        self.costs[near * self.remotes + far]
    }

    /// The pairs, in the order of the longer list.
    fn assigned(&self) -> Vec<(usize, usize)> {
        let mut pairs = self.one_to_one();
        let is_paired = |pairs: &[(usize, usize)], near| pairs.iter().any(|pair| pair.0 == near);
        for near in (0..self.locals).filter(|_| self.remotes > 0) {
            if !is_paired(&pairs, near) {
                pairs.extend((0..self.remotes).map(|far| (near, far)).min_by_key(|&pair| self.cost(pair)));
            }
        }
        for far in (0..self.remotes).filter(|_| self.locals > 0) {
            if pairs.iter().all(|pair| pair.1 != far) {
                pairs.extend((0..self.locals).map(|near| (near, far)).min_by_key(|&pair| self.cost(pair)));
            }
        }
        if self.locals >= self.remotes {
            pairs.sort_unstable();
        } else {
            pairs.sort_unstable_by_key(|&(near, far)| (far, near));
        }
        pairs
    }

    /// Pairs each address of the shorter list with a different one: the nearest first; then two pairs exchange
    /// partners while that lowers the larger of their costs, or one cost without raising the other.
    fn one_to_one(&self) -> Vec<(usize, usize)> {
        let all = (0..self.locals).flat_map(|near| (0..self.remotes).map(move |far| (near, far)));
        let mut by_cost: Vec<(usize, usize)> = all.collect();
        by_cost.sort_by_key(|&pair| self.cost(pair));
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for (near, far) in by_cost {
            if pairs.iter().all(|pair| pair.0 != near && pair.1 != far) {
                pairs.push((near, far));
            }
        }
        while let Some((first, second)) = self.better_exchange(&pairs) {
            let (one, other) = (pairs[first], pairs[second]);
            (pairs[first], pairs[second]) = ((one.0, other.1), (other.0, one.1));
        }
        pairs
    }

    /// Finds two pairs whose exchange lowers their costs. Each exchange lowers the sorted list of costs, so that the
    /// exchanges end.
    fn better_exchange(&self, pairs: &[(usize, usize)]) -> Option<(usize, usize)> {
        let worst_first = |one, other| {
            let (one, other) = (self.cost(one), self.cost(other));
            (one.max(other), one.min(other))
        };
        let each = (0..pairs.len()).flat_map(|first| (0..first).map(move |second| (first, second)));
        each.into_iter().find(|&(first, second)| {
            let (one, other) = (pairs[first], pairs[second]);
            worst_first((one.0, other.1), (other.0, one.1)) < worst_first(one, other)
        })
    }
}

/// The scope of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AddressScope {
    Host,
    Link,
    Site,
    Global,
}

fn scope(ip: IpAddr) -> AddressScope {
    let (is_host, is_link, is_site) = match ip {
        IpAddr::V4(ip) => (ip.is_loopback(), ip.is_link_local(), ip.is_private()),
        IpAddr::V6(ip) => (ip.is_loopback(), ip.is_unicast_link_local(), ip.is_unique_local()),
    };
    match (is_host, is_link, is_site) {
        (true, ..) => AddressScope::Host,
        (_, true, _) => AddressScope::Link,
        (_, _, true) => AddressScope::Site,
        _ => AddressScope::Global,
    }
}

/// The routes of the operating system.
struct SystemRoutes {
    system: SystemRef,
    /// The prefixes of this machine's addresses.
    prefixes: Vec<Prefix>,
}

impl SystemRoutes {
    /// Without information of the system, all addresses are equally near.
    fn of(system: SystemRef) -> SystemRoutes {
        SystemRoutes { system, prefixes: system.prefixes() }
    }

    fn nearness(&self, local: SocketAddr, remote: SocketAddr) -> Nearness {
        let known = self.prefixes.iter().find(|prefix| prefix.ip == local.ip());
        let (length, index) = (known.map(|known| known.length), known.and_then(|known| known.interface));
        if let Some(length) = length.filter(|length| is_in_prefix(local.ip(), *length, remote.ip())) {
            let bits = if remote.is_ipv4() { u32::BITS } else { u128::BITS };
            return Nearness::OnLink {
                host_bits: u8::try_from(bits).unwrap_or(u8::MAX).saturating_sub(length),
            };
        }
        match self.system.preferred_source(remote) == Some(local.ip()) {
            true => Nearness::Preferred,
            false if !leads_to(self.system, index, local.ip(), remote.ip()) => Nearness::NoRoute,
            false => Nearness::Elsewhere,
        }
    }
}

fn is_in_prefix(ip: IpAddr, length: u8, other: IpAddr) -> bool {
    let bits = |ip| match ip {
        IpAddr::V4(ip) => (u128::from(u32::from(ip)) << 96, u32::BITS),
        IpAddr::V6(ip) => (u128::from(ip), u128::BITS),
    };
    let ((ours, width), (theirs, other_width)) = (bits(ip), bits(other));
    let length = u32::from(length);
    let differ = (ours ^ theirs).leading_zeros();
    // A prefix of length zero matches every address, one of full length only the address itself.
    width == other_width && (1..width).contains(&length) && differ >= length
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::host;

    fn addresses(list: &[&str]) -> Vec<SocketAddr> {
        list.iter().map(|text| text.parse().expect("an address")).collect()
    }

    fn shown(pairs: &[PathAddresses]) -> Vec<String> {
        pairs.iter().map(|path| format!("{}-{}", path.local.ip(), path.remote.ip())).collect()
    }

    /// The nearness by prefixes of 24 bits; addresses off the link are routed.
    fn by_prefix(local: SocketAddr, remote: SocketAddr) -> Nearness {
        if is_in_prefix(local.ip(), 24, remote.ip()) {
            Nearness::OnLink { host_bits: 8 }
        } else {
            Nearness::Elsewhere
        }
    }

    fn paths(local: &[&str], remote: &[&str]) -> Vec<String> {
        shown(&pair(&addresses(local), &addresses(remote), by_prefix).paths)
    }

    #[test]
    fn addresses_of_one_subnet_go_together_whatever_their_order() {
        let near = ["10.0.0.1:1", "10.0.1.1:1"];
        let expected = ["10.0.0.1-10.0.0.2", "10.0.1.1-10.0.1.2"];
        assert_eq!(paths(&near, &["10.0.0.2:9", "10.0.1.2:9"]), expected);
        assert_eq!(paths(&near, &["10.0.1.2:9", "10.0.0.2:9"]), expected);
        let three = ["10.0.2.1:1", "10.0.0.1:1", "10.0.1.1:1"];
        assert_eq!(
            paths(&three, &["10.0.1.2:9", "10.0.2.2:9", "10.0.0.2:9"]),
            ["10.0.2.1-10.0.2.2", "10.0.0.1-10.0.0.2", "10.0.1.1-10.0.1.2"]
        );
    }

    #[test]
    fn where_no_route_tells_the_ith_goes_with_the_ith() {
        let near = ["192.168.1.7:1", "10.64.0.2:1"];
        assert_eq!(
            paths(&near, &["192.0.2.1:9", "198.51.100.1:9"]),
            ["192.168.1.7-192.0.2.1", "10.64.0.2-198.51.100.1"]
        );
        assert_eq!(paths(&near, &["192.0.2.1:9"]), ["192.168.1.7-192.0.2.1", "10.64.0.2-192.0.2.1"]);
        assert_eq!(
            paths(&["10.64.0.2:1"], &["192.0.2.1:9", "198.51.100.1:9"]),
            ["10.64.0.2-192.0.2.1", "10.64.0.2-198.51.100.1"]
        );
        let three = ["10.1.0.1:1", "10.2.0.1:1", "10.3.0.1:1"];
        assert_eq!(
            paths(&three, &["192.0.2.1:9", "198.51.100.1:9"]),
            ["10.1.0.1-192.0.2.1", "10.2.0.1-198.51.100.1", "10.3.0.1-192.0.2.1"]
        );
    }

    #[test]
    fn two_that_are_near_one_address_do_not_leave_the_other_to_the_farther() {
        // The first address is on a link with both; the second has a route to the first address only.
        let nearness = |local: SocketAddr, remote: SocketAddr| match (local.port(), remote.port()) {
            (1, 1) => Nearness::OnLink { host_bits: 8 },
            (1, _) => Nearness::OnLink { host_bits: 16 },
            (_, 1) => Nearness::Preferred,
            _ => Nearness::Elsewhere,
        };
        let pairing = pair(
            &addresses(&["10.1.0.1:1", "10.2.0.1:2"]),
            &addresses(&["192.0.2.1:1", "192.0.3.1:2"]),
            nearness,
        );
        assert_eq!(shown(&pairing.paths), ["10.1.0.1-192.0.3.1", "10.2.0.1-192.0.2.1"]);
        assert_eq!(shown(&pairing.further), ["10.1.0.1-192.0.2.1", "10.2.0.1-192.0.3.1"]);
    }

    #[test]
    fn addresses_of_one_reach_go_together_where_routes_do_not_tell() {
        assert_eq!(
            paths(&["10.64.0.2:1", "203.0.113.7:1"], &["192.0.2.1:9", "192.168.9.1:9"]),
            ["10.64.0.2-192.168.9.1", "203.0.113.7-192.0.2.1"]
        );
    }

    #[test]
    fn ip_versions_do_not_mix_and_the_first_remote_address_leads() {
        let pairing = pair(
            &addresses(&["10.0.0.1:1", "10.0.1.1:1", "[2001:db8::1]:1"]),
            &addresses(&["[2001:db8::2]:9", "10.0.1.2:9"]),
            by_prefix,
        );
        assert_eq!(
            shown(&pairing.paths),
            ["2001:db8::1-2001:db8::2", "10.0.0.1-10.0.1.2", "10.0.1.1-10.0.1.2"]
        );
        assert_eq!(pairing.further, []);
    }

    #[test]
    fn sixty_four_pairs_are_the_most_that_are_tried() {
        let near: Vec<SocketAddr> = (1..=9).map(|host| ([10, host, 0, 1], 1).into()).collect();
        let far: Vec<SocketAddr> = (1..=9).map(|host| ([192, 0, host, 1], 1).into()).collect();
        let Pairing { paths, further, .. } = pair(&near, &far, by_prefix);
        assert_eq!((paths.len(), further.len()), (9, 55));
    }

    #[test]
    fn a_prefix_covers_what_its_bits_are_in() {
        let ip = |text: &str| text.parse::<IpAddr>().expect("an address");
        assert!(is_in_prefix(ip("10.0.0.1"), 8, ip("10.255.0.1")));
        assert!(!is_in_prefix(ip("10.0.0.1"), 24, ip("10.0.1.1")));
        assert!(!is_in_prefix(ip("10.0.0.1"), 0, ip("192.0.2.1")), "a prefix of no length tells nothing");
        assert!(!is_in_prefix(ip("10.0.0.1"), 32, ip("10.0.0.1")), "nor does one that is a single address");
        assert!(is_in_prefix(ip("2001:db8:0:1::1"), 64, ip("2001:db8:0:1::2")));
        assert!(!is_in_prefix(ip("2001:db8:0:1::1"), 64, ip("10.0.0.1")));
    }

    #[test]
    fn this_machine_reaches_its_own_loopback_addresses_by_their_prefix() {
        let pairing = pair_by_route(host(), &addresses(&["127.0.0.1:1"]), &addresses(&["127.0.0.2:9"]));
        assert_eq!(shown(&pairing.paths), ["127.0.0.1-127.0.0.2"]);
        let routes = SystemRoutes::of(host());
        let [near, far] = addresses(&["127.0.0.1:1", "127.0.0.2:9"])[..] else { unreachable!("two") };
        assert_eq!(routes.nearness(near, far), Nearness::OnLink { host_bits: 24 });
    }
}
