//! Pairs local addresses with remote ones.

use std::net::{IpAddr, SocketAddr};

use crate::association::{MAX_PATHS, PathAddresses};

/// The pairs of two lists of addresses: the i-th local address with the i-th remote one, the shorter list repeated,
/// IPv4 and IPv6 separately. So a single remote address is paired with every local one.
pub(super) fn pairs(local: &[SocketAddr], remote: &[SocketAddr]) -> Vec<PathAddresses> {
    let mut paths = Vec::new();
    // The IP version of the first remote address is first, so that its path is the first.
    let versions =
        [remote.first().is_none_or(SocketAddr::is_ipv4), !remote.first().is_none_or(SocketAddr::is_ipv4)];
    for is_ipv4 in versions {
        let of = |list: &[SocketAddr]| -> Vec<SocketAddr> {
            list.iter().copied().filter(|address| address.is_ipv4() == is_ipv4).collect()
        };
        let (local, remote) = (of(local), of(remote));
        if local.is_empty() || remote.is_empty() {
            continue;
        }
        for index in 0..local.len().max(remote.len()) {
            let path =
                PathAddresses { local: local[index % local.len()], remote: remote[index % remote.len()] };
            paths.push(path);
        }
    }
    paths.truncate(MAX_PATHS);
    paths
}

/// The local addresses in the order of their pairs with the peer's. If the peer listens at the remote addresses in
/// that order, it finds the same pairs.
pub(crate) fn in_order_of(
    remote: &[SocketAddr],
    local: &[SocketAddr],
    paths: &[PathAddresses],
) -> Vec<SocketAddr> {
    let place = |local: &SocketAddr| {
        let goes_with =
            |address: &SocketAddr| paths.iter().any(|path| path.local == *local && path.remote == *address);
        remote.iter().position(goes_with).unwrap_or(remote.len())
    };
    let mut ordered = local.to_vec();
    ordered.sort_by_key(place);
    ordered
}

/// The paths of an acceptor: the path on which the peer's packet arrived first, then the other pairs in the order of
/// both lists, which is also the peer's order.
///
/// A wildcard socket has many addresses, and only the peer can pair them with its other addresses: its packets will
/// show the pairs. A guess would open paths that cross two links.
pub(crate) fn accepted_pairs(
    local: &[SocketAddr],
    addresses: PathAddresses,
    remotes: &[SocketAddr],
) -> Vec<PathAddresses> {
    let specific: Vec<SocketAddr> =
        local.iter().copied().filter(|address| !address.ip().is_unspecified()).collect();
    let others = pairs(&specific, remotes).into_iter().filter(|path| *path != addresses);
    std::iter::once(addresses).chain(others).take(MAX_PATHS).collect()
}

/// The addresses that are announced to a peer at `peer`: the specified ones, with loopback addresses only if the peer
/// is on this host. They are at most as many as the first paths of an association, so that an INIT fits any packet.
/// Addresses of the peer's IP version come first, like its paths.
pub(super) fn announced(local: &[SocketAddr], peer: IpAddr) -> Vec<IpAddr> {
    let mut announced: Vec<IpAddr> = Vec::new();
    for ip in local.iter().map(SocketAddr::ip) {
        let is_reachable = !ip.is_unspecified() && ip.is_loopback() == peer.is_loopback();
        if is_reachable && !announced.contains(&ip) {
            announced.push(ip);
        }
    }
    if announced.len() > MAX_PATHS {
        announced.sort_by_key(|ip| ip.is_ipv4() != peer.is_ipv4());
        announced.truncate(MAX_PATHS);
    }
    announced
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(list: &[&str]) -> Vec<SocketAddr> {
        list.iter().map(|text| text.parse().expect("an address")).collect()
    }

    fn shown(paths: &[PathAddresses]) -> Vec<String> {
        paths.iter().map(|path| format!("{}-{}", path.local.ip(), path.remote.ip())).collect()
    }

    #[test]
    fn addresses_are_paired_one_to_one() {
        let paths =
            pairs(&addresses(&["10.0.0.1:1", "10.0.1.1:1"]), &addresses(&["10.0.0.2:9", "10.0.1.2:9"]));
        assert_eq!(shown(&paths), ["10.0.0.1-10.0.0.2", "10.0.1.1-10.0.1.2"]);
    }

    #[test]
    fn two_uplinks_to_one_server_are_two_paths() {
        let paths = pairs(&addresses(&["10.0.0.1:1", "10.0.1.1:1"]), &addresses(&["192.0.2.9:9"]));
        assert_eq!(shown(&paths), ["10.0.0.1-192.0.2.9", "10.0.1.1-192.0.2.9"]);
    }

    #[test]
    fn ip_versions_do_not_mix_and_the_first_remote_address_leads() {
        let locals = addresses(&["10.0.0.1:1", "[2001:db8::1]:1"]);
        let paths = pairs(&locals, &addresses(&["[2001:db8::2]:9", "10.0.0.2:9"]));
        assert_eq!(shown(&paths), ["2001:db8::1-2001:db8::2", "10.0.0.1-10.0.0.2"]);
    }

    #[test]
    fn an_acceptor_begins_with_the_way_the_peer_came() {
        let pair = PathAddresses {
            local: "127.0.0.2:9".parse().expect("an address"),
            remote: "127.0.0.1:4".parse().expect("an address"),
        };
        let paths = accepted_pairs(&addresses(&["127.0.0.1:9", "127.0.0.2:9"]), pair, &[pair.remote]);
        assert_eq!(shown(&paths), ["127.0.0.2-127.0.0.1", "127.0.0.1-127.0.0.1"]);
        let paths = accepted_pairs(&addresses(&["0.0.0.0:9"]), pair, &[pair.remote]);
        assert_eq!(shown(&paths), ["127.0.0.2-127.0.0.1"], "the peer shows what else there is");
    }

    #[test]
    fn addresses_are_told_in_the_order_of_those_that_they_go_with() {
        let (near, far) = (
            addresses(&["10.0.0.1:1", "10.0.1.1:1", "10.0.2.1:1"]),
            addresses(&["10.0.1.2:9", "10.0.0.2:9"]),
        );
        let paths = [(1, 0), (0, 1)]
            .map(|(local, remote): (usize, usize)| PathAddresses { local: near[local], remote: far[remote] });
        assert_eq!(in_order_of(&far, &near, &paths), [near[1], near[0], near[2]]);
    }

    #[test]
    fn loopback_and_wildcard_addresses_are_not_announced_to_others() {
        let local = addresses(&["127.0.0.1:9", "10.0.0.1:9", "0.0.0.0:9"]);
        assert_eq!(announced(&local, IpAddr::from([10, 0, 0, 9])), [IpAddr::from([10, 0, 0, 1])]);
    }
}
