//! The local addresses at which paths may begin: those that the user names, or one of each interface that is up and has a
//! route to the peer.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use crate::interfaces::{Interface, InterfaceError, interfaces, resolve_among};
use crate::routes::reaches;

/// The local addresses for an endpoint that connects to `remote`, each with port 0.
///
/// With `via`, the addresses that it names, in that order. Without it, the wildcard address for a peer on this
/// machine; otherwise one address of the peer's IP version of each interface that is up, is not loopback, and has a
/// route to the peer, or the wildcard address if there is none.
///
/// # Errors
/// A name is unknown, or an interface has no address of the peer's IP version.
pub fn local_addresses_for(remote: &[SocketAddr], via: &[String]) -> Result<Vec<SocketAddr>, InterfaceError> {
    choose(remote, via, &interfaces()?, reaches)
}

fn choose(
    remote: &[SocketAddr],
    via: &[String],
    known: &[Interface],
    reaches: impl Fn(&Interface, &[SocketAddr]) -> bool,
) -> Result<Vec<SocketAddr>, InterfaceError> {
    let mut chosen: Vec<SocketAddr> = Vec::new();
    for is_ipv4 in [true, false] {
        let peers: Vec<SocketAddr> =
            remote.iter().copied().filter(|peer| peer.is_ipv4() == is_ipv4).collect();
        if peers.is_empty() {
            continue;
        }
        let is_here = peers.iter().all(|peer| is_of_this_machine(peer.ip(), known));
        let addresses = match via {
            [] if is_here => Vec::new(),
            [] => known
                .iter()
                .filter(|each| !each.is_loopback() && reaches(each, &peers))
                .filter_map(|each| each.usable(is_ipv4))
                .collect(),
            named => named_addresses(named, is_ipv4, known)?,
        };
        let addresses = if addresses.is_empty() { vec![wildcard(is_ipv4)] } else { addresses };
        chosen.extend(addresses.into_iter().map(|ip| SocketAddr::new(ip, 0)));
    }
    Ok(chosen)
}

/// Returns one address for each name: an interface is one uplink, however many addresses it has.
fn named_addresses(
    named: &[String],
    is_ipv4: bool,
    known: &[Interface],
) -> Result<Vec<IpAddr>, InterfaceError> {
    named
        .iter()
        .map(|name| {
            let addresses = resolve_among(name, known)?;
            let interface = Interface { name: name.clone(), index: None, addresses, mtu: None };
            interface.usable(is_ipv4).ok_or(InterfaceError::WrongVersion {
                name: interface.name,
                is_ipv4,
                addresses: interface.addresses,
            })
        })
        .collect()
}

fn wildcard(is_ipv4: bool) -> IpAddr {
    if is_ipv4 { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() }
}

fn is_of_this_machine(ip: IpAddr, known: &[Interface]) -> bool {
    ip.is_loopback() || known.iter().any(|interface| interface.addresses.contains(&ip))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interfaces::tests::machine;

    fn chosen(remote: &[&str], via: &[&str]) -> Result<Vec<String>, String> {
        let remote: Vec<SocketAddr> = remote.iter().map(|text| text.parse().expect("an address")).collect();
        let via: Vec<String> = via.iter().map(ToString::to_string).collect();
        match choose(&remote, &via, &machine(), |one, _| one.name != "docker0") {
            Ok(addresses) => Ok(addresses.iter().map(ToString::to_string).collect()),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn each_interface_that_is_up_and_has_a_route_is_one_way_out() {
        let ways = chosen(&["203.0.113.5:9899"], &[]).expect("two ways");
        assert_eq!(ways, ["10.64.0.2:0", "192.168.1.7:0"]);
        let ways = chosen(&["[2001:db8::9]:9899"], &[]).expect("one way");
        assert_eq!(ways, ["[2001:db8::7]:0"], "a link-local address does not lead to the Internet");
    }

    #[test]
    fn a_peer_on_this_machine_is_reached_from_anywhere() {
        assert_eq!(chosen(&["127.0.0.1:9899", "127.0.0.2:9899"], &[]).expect("one"), ["0.0.0.0:0"]);
        assert_eq!(chosen(&["[::1]:9899"], &[]).expect("one"), ["[::]:0"]);
        let own = "a socket that is tied to an interface hears nothing that does not come in there";
        assert_eq!(chosen(&["192.168.1.7:9899"], &[]).expect("one"), ["0.0.0.0:0"], "{own}");
    }

    #[test]
    fn what_the_user_names_is_taken_in_the_users_order() {
        let ways = chosen(&["203.0.113.5:9899"], &["wlan0", "10.64.0.3"]).expect("two ways");
        assert_eq!(ways, ["192.168.1.7:0", "10.64.0.3:0"]);
    }

    #[test]
    fn an_unknown_interface_is_named_beside_those_there_are() {
        assert_eq!(
            chosen(&["203.0.113.5:9899"], &["eth9"]).expect_err("unknown"),
            "\"eth9\" is neither an IP address nor an interface that is up; there are lo (127.0.0.1, ::1), \
             docker0 (172.17.0.1), lte0 (10.64.0.2, 10.64.0.3), wlan0 (fe80::1, 192.168.1.7, 2001:db8::7)"
        );
        assert_eq!(
            chosen(&["[2001:db8::9]:9899"], &["lte0"]).expect_err("no IPv6"),
            "interface lte0 has no IPv6 address; it has 10.64.0.2, 10.64.0.3"
        );
    }
}
