//! The network interfaces of this machine that are up, with their addresses and MTUs.

use std::net::{IpAddr, SocketAddr};

use anabranch_base::ByteCount;

use crate::system::host;

pub use crate::interface::Interface;

/// The error of local addresses that cannot be chosen.
#[derive(Debug, thiserror::Error)]
pub enum InterfaceError {
    /// The given name is neither an address nor an interface that is up.
    #[error("{name:?} is neither an IP address nor an interface that is up; there are {}", shown(known))]
    Unknown {
        /// The given name.
        name: String,
        /// The interfaces that are up.
        known: Vec<Interface>,
    },
    /// The interface has no address of the requested IP version.
    #[error("interface {name} has no IPv{} address; it has {}", if *is_ipv4 { 4 } else { 6 }, joined(addresses))]
    WrongVersion {
        /// The interface or the address.
        name: String,
        /// True if IPv4 was requested.
        is_ipv4: bool,
        /// The addresses that it has.
        addresses: Vec<IpAddr>,
    },
    /// The operating system cannot list its interfaces.
    #[error("cannot list the network interfaces: {0}")]
    Io(#[from] std::io::Error),
}

/// The interfaces that are up, by name, loopback included.
///
/// # Errors
/// The operating system cannot list them.
pub fn interfaces() -> Result<Vec<Interface>, std::io::Error> {
    host().interfaces()
}

/// The addresses of a name: an IP address is itself, the name of an interface has all its addresses.
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

/// The smallest MTU of the interfaces of sockets at `local`. A wildcard address includes all interfaces but loopback.
pub(crate) fn least_mtu(local: &[SocketAddr], known: &[Interface]) -> Option<ByteCount> {
    let is_used = |interface: &&Interface| {
        local.iter().map(SocketAddr::ip).any(|ip| {
            if ip.is_unspecified() { !interface.is_loopback() } else { interface.addresses.contains(&ip) }
        })
    };
    known.iter().filter(is_used).filter_map(|interface| interface.mtu).min()
}

pub(crate) fn resolve_among(via: &str, known: &[Interface]) -> Result<Vec<IpAddr>, InterfaceError> {
    if let Ok(ip) = via.trim_matches(['[', ']']).parse() {
        return Ok(vec![ip]);
    }
    match known.iter().find(|interface| interface.name == via) {
        Some(interface) => Ok(interface.addresses.clone()),
        None => Err(InterfaceError::Unknown { name: via.to_owned(), known: known.to_vec() }),
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
pub(crate) mod tests {
    use super::*;

    /// The interfaces of a machine, for tests.
    pub(crate) fn machine() -> Vec<Interface> {
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
