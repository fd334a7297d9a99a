//! The local addresses at which paths may begin: those that the user names, or one of each interface that is up.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use anabranch_base::ByteCount;

use crate::ipv6::{Standing, standings};
use crate::routes::reaches;

/// A network interface that is up and has an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// The name: `eth0`, `wlan0`.
    pub name: String,
    /// The number: an interface that vanished and came back under its name has another.
    pub index: Option<u32>,
    /// The addresses in the operating system's order, with deprecated IPv6 addresses last. An address from which
    /// nothing can be sent yet, because it is not known to be unique on its link, is left out.
    pub addresses: Vec<IpAddr>,
    /// The largest IP packet it carries, where the operating system tells (Linux).
    pub mtu: Option<ByteCount>,
}

/// Why no local address can be chosen.
#[derive(Debug, thiserror::Error)]
pub enum InterfaceError {
    /// The given name is neither an address nor an interface that is up.
    #[error("{name:?} is neither an IP address nor an interface that is up; there are {}", shown(known))]
    Unknown {
        /// What was named.
        name: String,
        /// The interfaces that could be named.
        known: Vec<Interface>,
    },
    /// The interface has no address of the wanted IP version.
    #[error("interface {name} has no IPv{} address; it has {}", if *is_ipv4 { 4 } else { 6 }, joined(addresses))]
    WrongVersion {
        /// The interface, or the address.
        name: String,
        /// True if IPv4 was wanted.
        is_ipv4: bool,
        /// What it has.
        addresses: Vec<IpAddr>,
    },
    /// The operating system does not list its interfaces.
    #[error("cannot list the network interfaces: {0}")]
    Io(#[from] std::io::Error),
}

impl Interface {
    /// Returns true if it leads back to this machine.
    pub fn is_loopback(&self) -> bool {
        self.addresses.iter().all(IpAddr::is_loopback)
    }

    /// The address to send from to peers of one IP version: the first to which others can answer.
    pub(crate) fn usable(&self, is_ipv4: bool) -> Option<IpAddr> {
        self.addresses.iter().copied().find(|ip| ip.is_ipv4() == is_ipv4 && !is_link_local(*ip))
    }
}

/// The interfaces that are up, by name, loopback included.
///
/// # Errors
/// The operating system does not list them.
pub fn interfaces() -> Result<Vec<Interface>, std::io::Error> {
    let standings = standings();
    let standing = |name: &str, ip: IpAddr| match ip {
        IpAddr::V4(_) => Standing::Preferred,
        IpAddr::V6(ip) => standings.get(&(name.to_owned(), ip)).copied().unwrap_or(Standing::Preferred),
    };
    let mut by_name: BTreeMap<String, Interface> = BTreeMap::new();
    for found in if_addrs::get_if_addrs()?.into_iter().filter(if_addrs::Interface::is_oper_up) {
        let (name, ip) = (found.name.clone(), found.ip());
        if standing(&name, ip) == Standing::Unusable {
            continue;
        }
        let interface = by_name.entry(found.name).or_insert_with(|| {
            let mtu = mtu_of(&name);
            Interface { name, index: found.index, addresses: Vec::new(), mtu }
        });
        interface.addresses.push(ip);
    }
    for Interface { name, addresses, .. } in by_name.values_mut() {
        addresses.sort_by_key(|ip| standing(name, *ip));
    }
    Ok(by_name.into_values().collect())
}

/// The addresses that a name stands for: an IP address stands for itself, an interface's name for all its addresses.
///
/// # Errors
/// No interface has that name.
///
/// # Examples
/// ```
/// let addresses = anabranch_net::resolve("127.0.0.2")?;
/// assert_eq!(addresses, ["127.0.0.2".parse::<std::net::IpAddr>().unwrap()]);
/// # Ok::<(), anabranch_net::InterfaceError>(())
/// ```
pub fn resolve(via: &str) -> Result<Vec<IpAddr>, InterfaceError> {
    resolve_among(via, &interfaces()?)
}

/// The local addresses for an endpoint that connects to `remote`, each with port 0.
///
/// With `via`, the addresses that it names, in that order. Without it: for a peer at an address of this machine the
/// wildcard address; otherwise one address of each interface that is up and not loopback and has a route to the peer, of
/// the peer's IP version, or the wildcard address if there is none.
///
/// # Errors
/// An unknown name, or an interface without an address of the peer's IP version.
pub fn local_addresses_for(remote: &[SocketAddr], via: &[String]) -> Result<Vec<SocketAddr>, InterfaceError> {
    choose(remote, via, &interfaces()?, reaches)
}

/// The largest IP packet that leaves by sockets at `local`: the least MTU of their interfaces. A wildcard address
/// stands for all interfaces but loopback.
pub(crate) fn least_mtu(local: &[SocketAddr], known: &[Interface]) -> Option<ByteCount> {
    let is_used = |interface: &&Interface| {
        local.iter().map(SocketAddr::ip).any(|ip| {
            if ip.is_unspecified() { !interface.is_loopback() } else { interface.addresses.contains(&ip) }
        })
    };
    known.iter().filter(is_used).filter_map(|interface| interface.mtu).min()
}

fn mtu_of(name: &str) -> Option<ByteCount> {
    let text = std::fs::read_to_string(format!("/sys/class/net/{name}/mtu")).ok()?;
    text.trim().parse().ok().map(ByteCount::new)
}

fn resolve_among(via: &str, known: &[Interface]) -> Result<Vec<IpAddr>, InterfaceError> {
    if let Ok(ip) = via.trim_matches(['[', ']']).parse() {
        return Ok(vec![ip]);
    }
    match known.iter().find(|interface| interface.name == via) {
        Some(interface) => Ok(interface.addresses.clone()),
        None => Err(InterfaceError::Unknown { name: via.to_owned(), known: known.to_vec() }),
    }
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

/// One address for each name: an interface is one uplink, however many addresses it has.
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

fn is_link_local(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.is_link_local(),
        IpAddr::V6(ip) => ip.is_unicast_link_local(),
    }
}

fn shown(known: &[Interface]) -> String {
    let each = known.iter().map(|interface| format!("{} ({})", interface.name, joined(&interface.addresses)));
    each.collect::<Vec<_>>().join(", ")
}

fn joined(addresses: &[IpAddr]) -> String {
    addresses.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine() -> Vec<Interface> {
        let interface = |name: &str, mtu: u64, addresses: &[&str]| Interface {
            name: name.to_owned(),
            index: None,
            mtu: Some(ByteCount::new(mtu)),
            addresses: addresses.iter().map(|text| text.parse().expect("an address")).collect(),
        };
        vec![
            interface("lo", 65_536, &["127.0.0.1", "::1"]),
            interface("docker0", 1_500, &["172.17.0.1"]),
            interface("lte0", 1_428, &["10.64.0.2", "10.64.0.3"]),
            interface("wlan0", 1_500, &["fe80::1", "192.168.1.7", "2001:db8::7"]),
        ]
    }

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

    #[test]
    fn packets_are_not_larger_than_every_interface_in_use_carries() {
        let least = |local: &[&str]| {
            let local: Vec<SocketAddr> = local.iter().map(|text| text.parse().expect("an address")).collect();
            least_mtu(&local, &machine()).map(ByteCount::get)
        };
        assert_eq!(least(&["192.168.1.7:0"]), Some(1_500));
        assert_eq!(least(&["192.168.1.7:0", "10.64.0.3:0"]), Some(1_428));
        assert_eq!(least(&["0.0.0.0:9899"]), Some(1_428));
        assert_eq!(least(&["127.0.0.1:0"]), Some(65_536));
        assert_eq!(least(&["127.0.0.2:0"]), None, "an address that no interface lists");
    }

    #[test]
    fn the_loopback_interface_of_this_machine_is_listed() {
        let all = interfaces().expect("a list");
        let is_found = all.iter().any(|each| each.addresses.contains(&IpAddr::from([127, 0, 0, 1])));
        assert!(is_found, "{all:?}");
    }
}
