//! A network interface, and the list of them that every system can make.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};

use anabranch_base::ByteCount;

use crate::ipv6::Standing;

/// A network interface that is up and has an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// The name, such as `eth0` or `wlan0`.
    pub name: String,
    /// The index; an interface that is created again under the same name has another.
    pub index: Option<u32>,
    /// The addresses in the operating system's order, with deprecated IPv6 addresses last. Tentative addresses and
    /// detected duplicates, which cannot be used as a source, are left out.
    pub addresses: Vec<IpAddr>,
    /// The MTU, if the operating system reports it (Linux).
    pub mtu: Option<ByteCount>,
}

impl Interface {
    /// Returns true if all its addresses are loopback addresses.
    pub fn is_loopback(&self) -> bool {
        self.addresses.iter().all(IpAddr::is_loopback)
    }

    /// The source address for peers of one IP version: the first that is not link-local.
    pub(crate) fn usable(&self, is_ipv4: bool) -> Option<IpAddr> {
        self.addresses.iter().copied().find(|ip| ip.is_ipv4() == is_ipv4 && !is_link_local(*ip))
    }
}

/// Lists the interfaces, with the MTU of each name and the state of each IPv6 address as far as a system reports them.
pub(crate) fn listed(
    mtu_of: impl Fn(&str) -> Option<ByteCount>,
    standing: impl Fn(&str, Ipv6Addr) -> Standing,
) -> Result<Vec<Interface>, std::io::Error> {
    let standing = |name: &str, ip: IpAddr| match ip {
        IpAddr::V4(_) => Standing::Preferred,
        IpAddr::V6(ip) => standing(name, ip),
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

/// Returns true for an address that is valid on its link alone.
pub(crate) fn is_link_local(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.is_link_local(),
        IpAddr::V6(ip) => ip.is_unicast_link_local(),
    }
}
