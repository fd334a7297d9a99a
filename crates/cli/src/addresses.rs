//! Turns hosts of the command line into socket addresses: looks up names and interfaces.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use anabranch_net::{AddressTracking, BindError, Interface, UDP_PORT, interfaces};

use crate::arguments::HostPort;
use crate::failure::Failure;
use crate::lookup::{LookupFailure, address_of, addresses_of};

/// Looks up the addresses of each host. A name gives all its addresses, of which one is used: they need not belong to one
/// host. Each host is a separate path.
///
/// # Errors
/// A host cannot be looked up or reached, or an address is given twice.
pub(crate) async fn look_up(hosts: &[HostPort]) -> Result<Vec<Vec<SocketAddr>>, Failure> {
    let mut found = Vec::new();
    for host in hosts {
        let addresses = addresses_of(&host.name, port_of(host)).await?;
        refuse_unreachable(&addresses)?;
        found.push(addresses);
    }
    each_once(found.concat())?;
    Ok(found)
}

/// Refuses port 0, on which nothing listens, and link-local addresses, which mean another host on each link.
fn refuse_unreachable(addresses: &[SocketAddr]) -> Result<(), Failure> {
    let Some(address) = addresses.first() else { return Ok(()) };
    if address.port() == 0 {
        return Err(Failure::Arguments(format!(
            "nothing can be reached at UDP port 0 of {}: give the port on which the other end listens",
            address.ip()
        )));
    }
    let is_link_local = |one: &SocketAddr| matches!(one.ip(), IpAddr::V6(ip) if ip.is_unicast_link_local());
    if addresses.iter().all(is_link_local) {
        Err(Failure::Arguments(format!(
            "{} is a link-local address, and those are not used: give another address of that host",
            address.ip()
        )))
    } else {
        Ok(())
    }
}

fn each_once(found: Vec<SocketAddr>) -> Result<Vec<SocketAddr>, Failure> {
    let mut all = found.iter().enumerate();
    match all.find(|(index, address)| found[..*index].contains(address)) {
        Some((_, twice)) => {
            Err(Failure::Arguments(format!("{twice} is given twice: each address is a separate path")))
        }
        None => Ok(found),
    }
}

/// Looks up one address of each host: the addresses of a name need not belong to one host.
///
/// # Errors
/// A host cannot be looked up.
pub(crate) async fn look_up_each(hosts: &[HostPort]) -> Result<Vec<SocketAddr>, Failure> {
    let mut found = Vec::new();
    for host in hosts {
        found.push(address_of(&host.name, port_of(host)).await?);
    }
    Ok(found)
}

fn port_of(host: &HostPort) -> u16 {
    host.port.unwrap_or(UDP_PORT)
}

/// Returns true if further paths may begin here: interfaces are tracked, and not every socket has the wildcard address.
pub(crate) fn may_grow(local: &[SocketAddr], tracking: &AddressTracking) -> bool {
    *tracking != AddressTracking::Off && !local.iter().all(|address| address.ip().is_unspecified())
}

/// The addresses to listen on: those of the given hosts and interfaces, or the wildcard addresses if none are given.
///
/// # Errors
/// A host cannot be looked up, an interface has no usable address, or an address is given twice.
pub(crate) async fn to_listen(hosts: &[HostPort]) -> Result<Vec<SocketAddr>, Failure> {
    if !hosts.is_empty() {
        let known = interfaces().unwrap_or_default();
        return each_once(named_addresses(hosts, &known).await?);
    }
    let mut all = vec![SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), UDP_PORT)];
    all.extend(has_ipv6().then_some(SocketAddr::new(Ipv6Addr::UNSPECIFIED.into(), UDP_PORT)));
    Ok(all)
}

/// Every address of this host, with a port that the system chooses.
pub(crate) fn any_ports() -> Vec<HostPort> {
    let any = |name: &str| HostPort { name: name.to_owned(), port: Some(0) };
    let mut all = vec![any("0.0.0.0")];
    all.extend(has_ipv6().then(|| any("::")));
    all
}

/// Returns true if this host supports IPv6. Present addresses do not matter: an interface may come up later.
fn has_ipv6() -> bool {
    UdpSocket::bind((Ipv6Addr::UNSPECIFIED, 0)).is_ok()
}

/// The addresses of `hosts`, of which each is an interface, an address or a name. Interfaces take precedence over names.
async fn named_addresses(hosts: &[HostPort], known: &[Interface]) -> Result<Vec<SocketAddr>, Failure> {
    let mut found = Vec::new();
    for host in hosts {
        if let Some(interface) = known.iter().find(|interface| interface.name == host.name) {
            found.extend(addresses_of_interface(interface, port_of(host))?);
        } else {
            let address = address_of(&host.name, port_of(host)).await;
            found.push(address.map_err(|why| unknown_host(why, known))?);
        }
    }
    Ok(found)
}

/// The addresses of an interface at which other hosts, or for loopback this host, can reach it.
fn addresses_of_interface(interface: &Interface, port: u16) -> Result<Vec<SocketAddr>, Failure> {
    let addresses = interface.addresses.iter().filter(|ip| ip.is_loopback() || is_reachable(ip));
    let found: Vec<SocketAddr> = addresses.map(|ip| SocketAddr::new(*ip, port)).collect();
    if found.is_empty() {
        Err(Failure::Arguments(format!(
            "the interface {:?} has no address that another host can reach: give it one, or listen on another interface",
            interface.name
        )))
    } else {
        Ok(found)
    }
}

/// The failure of a name that cannot be looked up, with the interfaces that may have been meant.
fn unknown_host(why: LookupFailure, known: &[Interface]) -> Failure {
    let names: Vec<&str> = known.iter().map(|interface| interface.name.as_str()).collect();
    Failure::UnknownHost(why.with_note(format!("the interfaces that are up are {}", names.join(", "))))
}

/// Formats `listening` as it is written after `--to`: wildcards, and interfaces that `hosts` name, become one address of
/// this host for each link.
pub(crate) fn to_paste(hosts: &[HostPort], listening: &[SocketAddr]) -> String {
    let known = interfaces().unwrap_or_default();
    let second = further_addresses(hosts, &known);
    let is_offered = |one: &SocketAddr| !one.ip().is_unspecified() && !second.contains(&one.ip());
    let mut all: Vec<SocketAddr> = listening.iter().copied().filter(is_offered).collect();
    let port_of = |is_ipv4: bool| {
        let mut wildcards = listening.iter().filter(|one| one.ip().is_unspecified());
        wildcards.find(|one| one.is_ipv4() == is_ipv4).map(SocketAddr::port)
    };
    let ports = [port_of(true), port_of(false)];
    let offered = one_a_link(&known, ports.map(|port| port.is_some()));
    let port = |ip: &IpAddr| ports[usize::from(ip.is_ipv6())].unwrap_or(UDP_PORT);
    all.extend(offered.into_iter().map(|ip| SocketAddr::new(ip, port(&ip))));
    let written = all.iter().map(|address| match (address.port(), address.ip()) {
        (UDP_PORT, ip) => ip.to_string(),
        _ => address.to_string(),
    });
    written.collect::<Vec<_>>().join(",")
}

/// The addresses of the interfaces that `hosts` name, without the first of each link.
fn further_addresses(hosts: &[HostPort], known: &[Interface]) -> Vec<IpAddr> {
    let is_named = |one: &&Interface| hosts.iter().any(|host| host.name == one.name);
    let named: Vec<Interface> = known.iter().filter(is_named).cloned().collect();
    let first: Vec<IpAddr> =
        named.iter().flat_map(|one| one_a_link(std::slice::from_ref(one), [true, true])).collect();
    let all = named.into_iter().flat_map(|one| one.addresses);
    all.filter(|ip| !first.contains(ip) && !hosts.iter().any(|host| host.name == ip.to_string())).collect()
}

/// One address of each link at which others can reach it, or loopback if none has any. The addresses are of one IP version
/// if every link has it: two versions over one link would be two paths that share it. IPv4 precedes IPv6, and an
/// interface's first address its others. `versions` tells whether IPv4 and IPv6 are allowed.
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

/// Returns true if hosts beyond the link can reach an address.
fn is_reachable(ip: &IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => !ip.is_loopback() && !ip.is_link_local(),
        IpAddr::V6(ip) => !ip.is_loopback() && !ip.is_unicast_link_local(),
    }
}

/// The failure of an address that cannot be bound.
pub(crate) fn bind_failure(error: &BindError) -> Failure {
    Failure::Bind(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn addresses_need_no_lookup_and_get_the_port_of_sctp() {
        let hosts: Vec<HostPort> = ["127.0.0.1", "[::1]:7"].map(|text| text.parse().expect("a host")).into();
        let found = look_up(&hosts).await.expect("two addresses");
        assert_eq!(found.concat(), ["127.0.0.1:9899".parse().expect("one"), "[::1]:7".parse().expect("two")]);
    }

    #[tokio::test]
    async fn an_address_that_cannot_be_reached_is_refused_with_the_reason() {
        for (text, reason) in
            [("127.0.0.1:0", "UDP port 0"), ("fe80::1", "link-local"), ("[::1]:0", "UDP port 0")]
        {
            let error = look_up(&[text.parse().expect("a host")]).await.expect_err(text).to_string();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[tokio::test]
    async fn an_address_given_twice_is_refused() {
        let hosts: Vec<HostPort> =
            ["127.0.0.1", "127.0.0.1:9899"].map(|text| text.parse().expect("a host")).into();
        let error = look_up(&hosts).await.expect_err("twice the same").to_string();
        assert!(error.starts_with("127.0.0.1:9899 is given twice"), "{error}");
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
        assert_eq!(to_paste(&[], &listening), "10.0.0.1,10.0.1.1:7");
    }

    fn interface(name: &str, addresses: &[&str]) -> Interface {
        Interface {
            name: name.to_owned(),
            index: None,
            addresses: addresses.iter().map(|text| text.parse().expect("an address")).collect(),
            mtu: None,
        }
    }

    fn hosts(names: &[&str]) -> Vec<HostPort> {
        names.iter().map(|text| text.parse().expect("a host")).collect()
    }

    #[tokio::test]
    async fn the_name_of_an_interface_means_its_addresses() {
        let known = [
            interface("lo", &["127.0.0.1", "::1"]),
            interface("eth0", &["192.0.2.1", "fe80::1", "2001:db8::1"]),
            interface("eth9", &["fe80::9", "169.254.1.1"]),
        ];
        let listening = |names: &'static [&str]| {
            let known = &known;
            async move {
                let found = named_addresses(&hosts(names), known).await?;
                Ok::<_, Failure>(found.iter().map(ToString::to_string).collect::<Vec<_>>())
            }
        };
        let found = listening(&["eth0", "127.0.0.1:7"]).await.expect("an interface and an address");
        assert_eq!(found, ["192.0.2.1:9899", "[2001:db8::1]:9899", "127.0.0.1:7"]);
        let found = listening(&["lo:8"]).await.expect("an interface and a port");
        assert_eq!(found, ["127.0.0.1:8", "[::1]:8"]);
        let error = listening(&["eth9"]).await.expect_err("link-local addresses need more").to_string();
        assert!(error.starts_with("the interface \"eth9\" has no address that"), "{error}");
        let error = listening(&["eth7.invalid"]).await.expect_err("nothing").to_string();
        assert!(error.ends_with("; the interfaces that are up are lo, eth0, eth9"), "{error}");
    }

    #[test]
    fn an_interface_that_was_named_is_offered_by_one_address() {
        let known =
            [interface("eth0", &["192.0.2.1", "192.0.2.2", "2001:db8::1"]), interface("eth1", &["::2"])];
        let further = |names: &[&str]| -> Vec<String> {
            further_addresses(&hosts(names), &known).iter().map(ToString::to_string).collect()
        };
        assert_eq!(further(&["eth0"]), ["192.0.2.2", "2001:db8::1"]);
        assert_eq!(further(&["eth0", "192.0.2.2"]), ["2001:db8::1"], "it was asked for");
        assert!(further(&["192.0.2.1", "2001:db8::1"]).is_empty(), "addresses that are given are offered");
    }
}
