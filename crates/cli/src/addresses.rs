//! Turns addresses of the command line into socket addresses: resolves names and finds interfaces. It opens no port
//! for data.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use anabranch_net::{AddressTracking, BindError, Interface, UDP_PORT, interfaces};
use tokio::net::lookup_host;

use crate::arguments::HostPort;
use crate::failure::Failure;

/// The address of each host, each another one: it makes a path of its own.
///
/// # Errors
/// A host that cannot be looked up, an address that is given twice.
pub async fn look_up(hosts: &[HostPort]) -> Result<Vec<SocketAddr>, Failure> {
    let found = look_up_each(hosts).await?;
    let mut all = found.iter().enumerate();
    match all.find(|(index, address)| found[..*index].contains(address)) {
        Some((_, twice)) => {
            Err(Failure::Arguments(format!("{twice} is given twice: each address is a separate path")))
        }
        None => Ok(found),
    }
}

/// The address of each host. A name gives one address: that it has several does not mean that they are one
/// host's.
///
/// # Errors
/// A host that cannot be looked up.
pub async fn look_up_each(hosts: &[HostPort]) -> Result<Vec<SocketAddr>, Failure> {
    let mut found = Vec::new();
    for host in hosts {
        let unknown = |why: String| Failure::UnknownHost { host: host.name.clone(), why };
        let port = host.port.unwrap_or(UDP_PORT);
        let candidates = lookup_host((host.name.as_str(), port)).await;
        let candidates: Vec<SocketAddr> = candidates.map_err(|error| unknown(error.to_string()))?.collect();
        let chosen = candidates.iter().find(|address| address.is_ipv4()).or(candidates.first());
        found.push(*chosen.ok_or_else(|| unknown("it has no address".to_owned()))?);
    }
    Ok(found)
}

/// The local addresses to send from: those of each `--via`, else one of each interface that is up.
///
/// # Errors
/// An interface or address that is not here.
pub fn local_for(to: &[SocketAddr], via: &[String]) -> Result<Vec<SocketAddr>, Failure> {
    anabranch_net::local_addresses_for(to, via).map_err(|error| Failure::Via(error.to_string()))
}

/// Which interfaces a sender follows: those of each `--via`, else all. Addresses that the user gave are the user's
/// choice, and stay.
pub fn address_tracking(via: &[String]) -> AddressTracking {
    let is_address = |via: &&String| via.trim_matches(['[', ']']).parse::<IpAddr>().is_ok();
    let names: Vec<String> = via.iter().filter(|via| !is_address(via)).cloned().collect();
    match (via.is_empty(), names.is_empty()) {
        (true, _) => AddressTracking::EachInterface,
        (false, true) => AddressTracking::Off,
        (false, false) => AddressTracking::Interfaces(names),
    }
}

/// Whether another path may join those from `local`: an interface is followed, and no socket has all addresses.
pub fn may_grow(local: &[SocketAddr], tracking: &AddressTracking) -> bool {
    *tracking != AddressTracking::Off && !local.iter().all(|address| address.ip().is_unspecified())
}

/// The addresses to listen on: as given, else all of this host.
///
/// # Errors
/// A host that cannot be looked up.
pub async fn to_listen(hosts: &[HostPort]) -> Result<Vec<SocketAddr>, Failure> {
    if !hosts.is_empty() {
        return look_up(hosts).await;
    }
    let mut all = vec![SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), UDP_PORT)];
    let mut known = interfaces().unwrap_or_default().into_iter().flat_map(|interface| interface.addresses);
    let is_ipv6_used = known.any(|ip| ip.is_ipv6() && is_reachable(&ip));
    all.extend(is_ipv6_used.then_some(SocketAddr::new(Ipv6Addr::UNSPECIFIED.into(), UDP_PORT)));
    Ok(all)
}

/// How `listening` is written after `--to`: wildcards become this host's addresses, one a link.
pub fn to_paste(listening: &[SocketAddr]) -> String {
    let mut all: Vec<SocketAddr> =
        listening.iter().copied().filter(|one| !one.ip().is_unspecified()).collect();
    let port_of = |is_ipv4: bool| {
        let mut wildcards = listening.iter().filter(|one| one.ip().is_unspecified());
        wildcards.find(|one| one.is_ipv4() == is_ipv4).map(SocketAddr::port)
    };
    let ports = [port_of(true), port_of(false)];
    let offered = one_a_link(&interfaces().unwrap_or_default(), ports.map(|port| port.is_some()));
    let port = |ip: &IpAddr| ports[usize::from(ip.is_ipv6())].unwrap_or(UDP_PORT);
    all.extend(offered.into_iter().map(|ip| SocketAddr::new(ip, port(&ip))));
    let written = all.iter().map(|address| match (address.port(), address.ip()) {
        (UDP_PORT, ip) => ip.to_string(),
        _ => address.to_string(),
    });
    written.collect::<Vec<_>>().join(",")
}

/// One address of each link that others can reach, all of one IP version if every link has it: two versions over one link
/// would be two paths that share it. IPv4 goes before IPv6, and an interface's first address before its others. Where
/// there is
/// no such link, loopback. `versions` are those that may be asked for, IPv4 and IPv6.
fn one_a_link(known: &[Interface], versions: [bool; 2]) -> Vec<IpAddr> {
    let first = |interface: &Interface, is_wanted: &dyn Fn(&IpAddr) -> bool, is_ipv4: bool| {
        let mut addresses = interface.addresses.iter().copied();
        addresses.find(|ip| ip.is_ipv4() == is_ipv4 && versions[usize::from(!is_ipv4)] && is_wanted(ip))
    };
    let of_links = |is_wanted: &dyn Fn(&IpAddr) -> bool| -> Vec<[Option<IpAddr>; 2]> {
        let both = known.iter().map(|one| [first(one, is_wanted, true), first(one, is_wanted, false)]);
        both.filter(|both| both.iter().any(Option::is_some)).collect()
    };
    let mut links = of_links(&is_reachable);
    if links.is_empty() {
        links = of_links(&IpAddr::is_loopback);
    }
    let in_common = (0..2).find(|&version| links.iter().all(|link| link[version].is_some()));
    let chosen =
        links.iter().filter_map(|link| in_common.map_or(link[0].or(link[1]), |version| link[version]));
    chosen.collect()
}

/// Whether others than this host and its link can answer to an address.
fn is_reachable(ip: &IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => !ip.is_loopback() && !ip.is_link_local(),
        IpAddr::V6(ip) => !ip.is_loopback() && !ip.is_unicast_link_local(),
    }
}

/// What is wrong with an address that cannot be bound, and what to do.
pub fn bind_failure(error: &BindError) -> Failure {
    Failure::Bind(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn addresses_need_no_lookup_and_get_the_port_of_sctp() {
        let hosts: Vec<HostPort> = ["127.0.0.1", "[::1]:7"].map(|text| text.parse().expect("a host")).into();
        let found = look_up(&hosts).await.expect("two addresses");
        assert_eq!(found, ["127.0.0.1:9899".parse().expect("one"), "[::1]:7".parse().expect("two")]);
    }

    #[tokio::test]
    async fn an_address_given_twice_is_refused() {
        let hosts: Vec<HostPort> =
            ["127.0.0.1", "127.0.0.1:9899"].map(|text| text.parse().expect("a host")).into();
        let error = look_up(&hosts).await.expect_err("twice the same").to_string();
        assert!(error.starts_with("127.0.0.1:9899 is given twice"), "{error}");
    }

    #[test]
    fn interfaces_are_followed_and_addresses_that_were_given_are_not() {
        let tracking =
            |via: &[&str]| address_tracking(&via.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(tracking(&[]), AddressTracking::EachInterface);
        assert_eq!(tracking(&["wlan0", "10.0.0.1"]), AddressTracking::Interfaces(vec!["wlan0".to_owned()]));
        assert_eq!(tracking(&["10.0.0.1", "[2001:db8::1]"]), AddressTracking::Off);
    }

    #[test]
    fn a_socket_with_all_addresses_leaves_no_room_for_another_path() {
        let local = |list: &[&str]| -> Vec<SocketAddr> {
            list.iter().map(|text| text.parse().expect("an address")).collect()
        };
        assert!(may_grow(&local(&["10.0.0.1:0"]), &AddressTracking::EachInterface));
        assert!(!may_grow(&local(&["10.0.0.1:0"]), &AddressTracking::Off));
        assert!(!may_grow(&local(&["0.0.0.0:0"]), &AddressTracking::EachInterface), "a peer on this host");
    }

    #[test]
    fn a_link_is_offered_by_one_address_and_all_links_by_one_version() {
        let interface = |name: &str, addresses: &[&str]| Interface {
            name: name.to_owned(),
            index: None,
            addresses: addresses.iter().map(|text| text.parse().expect("an address")).collect(),
            mtu: None,
        };
        let lo = interface("lo", &["127.0.0.1", "::1"]);
        let both = interface("eth0", &["192.0.2.1", "192.0.2.2", "fe80::1", "2001:db8::1"]);
        let other = interface("eth1", &["2001:db8:1::1", "198.51.100.1"]);
        let old = interface("wwan0", &["10.64.0.2"]);
        let new = interface("wlan0", &["fe80::2", "2001:db8:2::1"]);
        let bare = interface("eth9", &["fe80::9", "169.254.1.1"]);
        let offered = |known: &[&Interface], versions| -> Vec<String> {
            let known: Vec<Interface> = known.iter().copied().cloned().collect();
            one_a_link(&known, versions).iter().map(ToString::to_string).collect()
        };
        let any = [true, true];
        assert_eq!(offered(&[&lo, &both, &other, &bare], any), ["192.0.2.1", "198.51.100.1"]);
        assert_eq!(
            offered(&[&both, &new], any),
            ["2001:db8::1", "2001:db8:2::1"],
            "IPv6 alone is everywhere"
        );
        assert_eq!(offered(&[&old, &new, &both], any), ["10.64.0.2", "2001:db8:2::1", "192.0.2.1"]);
        assert_eq!(offered(&[&both, &other], [false, true]), ["2001:db8::1", "2001:db8:1::1"]);
        assert_eq!(offered(&[&lo, &bare], any), ["127.0.0.1"]);
    }

    #[test]
    fn the_line_to_paste_names_only_other_ports() {
        let listening: Vec<SocketAddr> =
            ["10.0.0.1:9899", "10.0.1.1:7"].map(|text| text.parse().expect("an address")).into();
        assert_eq!(to_paste(&listening), "10.0.0.1,10.0.1.1:7");
    }
}
