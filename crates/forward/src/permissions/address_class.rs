//! The classes of addresses that are not the public internet, after the special-purpose registries of IANA (RFC 6890),
//! and the IPv4 addresses that IPv6 addresses carry.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{Ipv4Net, Ipv6Net};

/// A class of addresses that a server refuses unless it is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressClass {
    /// No address, or this network (RFC 1122 §3.2.1.3).
    Unspecified,
    /// The server itself.
    Loopback,
    /// Hosts on a link (RFC 3927, RFC 4291 §2.5.6).
    LinkLocal,
    /// Hosts of a private network (RFC 1918).
    Private,
    /// Hosts behind a provider's translator (RFC 6598).
    SharedByProvider,
    /// Hosts of a private network (RFC 4193).
    UniqueLocal,
    /// Hosts of a site (RFC 3879).
    SiteLocal,
    /// Groups of hosts.
    Multicast,
    /// Every host on a link.
    Broadcast,
    /// Protocols (RFC 6890 §2.2.2, RFC 2928).
    ProtocolAssignment,
    /// Benchmarks of networks (RFC 2544, RFC 5180).
    Benchmarking,
    /// Examples in documents (RFC 5737, RFC 3849, RFC 9637).
    Documentation,
    /// Hosts behind a translator to IPv4 (RFC 6052 §2.1, RFC 7915).
    Translated,
    /// Hosts behind a translator to IPv4 whose form is known locally only (RFC 8215).
    TranslatedLocally,
    /// Hosts behind a Teredo relay (RFC 4380).
    Teredo,
    /// Addresses that are not assigned to hosts.
    Reserved,
    /// The server's own addresses.
    Own,
}

impl AddressClass {
    /// The class of an address; `None` on the public internet. A mapped address is to be converted first.
    pub(super) fn of(ip: IpAddr) -> Option<AddressClass> {
        match ip {
            IpAddr::V4(ip) => IPV4.iter().find(|(net, _)| net.contains(&ip)).map(|(_, class)| *class),
            IpAddr::V6(ip) => {
                let known = IPV6.iter().find(|(net, _)| net.contains(&ip)).map(|(_, class)| *class);
                known.or((!GLOBAL_UNICAST.contains(&ip)).then_some(AddressClass::Reserved))
            }
        }
    }

    /// Returns true if addresses of the class lead to IPv4 addresses that only the translator can tell.
    pub(super) fn is_opaque(self) -> bool {
        matches!(self, AddressClass::TranslatedLocally | AddressClass::Teredo)
    }
}

/// The IPv4 address to which an IPv6 address leads: IPv4-compatible, NAT64, IPv4-translated or 6to4.
pub(super) fn carried(ip: IpAddr) -> Option<Ipv4Addr> {
    let IpAddr::V6(ip) = ip else { return None };
    let [_, first, second, .., last, end] = ip.segments();
    if SIX_TO_FOUR.contains(&ip) {
        return Some(ipv4(first, second));
    }
    let is_special = ip.is_unspecified() || ip.is_loopback();
    let is_carrying = !is_special && CARRYING.iter().any(|net| net.contains(&ip));
    is_carrying.then(|| ipv4(last, end))
}

fn ipv4(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from((u32::from(high) << 16) | u32::from(low))
}

impl fmt::Display for AddressClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AddressClass::Unspecified => "an unspecified address",
            AddressClass::Loopback => "a loopback address",
            AddressClass::LinkLocal => "a link-local address",
            AddressClass::Private => "a private address",
            AddressClass::SharedByProvider => "a shared address of a provider's network",
            AddressClass::UniqueLocal => "a unique local address",
            AddressClass::SiteLocal => "a site-local address",
            AddressClass::Multicast => "a multicast address",
            AddressClass::Broadcast => "the broadcast address",
            AddressClass::ProtocolAssignment => "an address of IETF protocols",
            AddressClass::Benchmarking => "an address for benchmarks",
            AddressClass::Documentation => "an address for documentation",
            AddressClass::Translated => "an address of a translator to IPv4",
            AddressClass::TranslatedLocally => "an address of a local translator to IPv4",
            AddressClass::Teredo => "a Teredo address",
            AddressClass::Reserved => "a reserved address",
            AddressClass::Own => "an address of the server itself",
        })
    }
}

/// The first that contains an address is its class.
const IPV4: &[(Ipv4Net, AddressClass)] = &[
    (net4([0, 0, 0, 0], 8), AddressClass::Unspecified),
    (net4([10, 0, 0, 0], 8), AddressClass::Private),
    (net4([100, 64, 0, 0], 10), AddressClass::SharedByProvider),
    (net4([127, 0, 0, 0], 8), AddressClass::Loopback),
    (net4([169, 254, 0, 0], 16), AddressClass::LinkLocal),
    (net4([172, 16, 0, 0], 12), AddressClass::Private),
    (net4([192, 0, 0, 0], 24), AddressClass::ProtocolAssignment),
    (net4([192, 0, 2, 0], 24), AddressClass::Documentation),
    (net4([192, 168, 0, 0], 16), AddressClass::Private),
    (net4([198, 18, 0, 0], 15), AddressClass::Benchmarking),
    (net4([198, 51, 100, 0], 24), AddressClass::Documentation),
    (net4([203, 0, 113, 0], 24), AddressClass::Documentation),
    (net4([224, 0, 0, 0], 4), AddressClass::Multicast),
    (net4([255, 255, 255, 255], 32), AddressClass::Broadcast),
    (net4([240, 0, 0, 0], 4), AddressClass::Reserved),
];

/// The first that contains an address is its class. Addresses outside [`GLOBAL_UNICAST`] are reserved.
const IPV6: &[(Ipv6Net, AddressClass)] = &[
    (net6([0, 0, 0, 0, 0, 0, 0, 0], 128), AddressClass::Unspecified),
    (net6([0, 0, 0, 0, 0, 0, 0, 1], 128), AddressClass::Loopback),
    (TRANSLATED, AddressClass::Translated),
    (NAT64, AddressClass::Translated),
    (net6([0x64, 0xff9b, 1, 0, 0, 0, 0, 0], 48), AddressClass::TranslatedLocally),
    (net6([0x2001, 0, 0, 0, 0, 0, 0, 0], 32), AddressClass::Teredo),
    (net6([0x2001, 2, 0, 0, 0, 0, 0, 0], 48), AddressClass::Benchmarking),
    (net6([0x2001, 0, 0, 0, 0, 0, 0, 0], 23), AddressClass::ProtocolAssignment),
    (net6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32), AddressClass::Documentation),
    (net6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20), AddressClass::Documentation),
    (net6([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7), AddressClass::UniqueLocal),
    (net6([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10), AddressClass::LinkLocal),
    (net6([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10), AddressClass::SiteLocal),
    (net6([0xff00, 0, 0, 0, 0, 0, 0, 0], 8), AddressClass::Multicast),
];

const GLOBAL_UNICAST: Ipv6Net = net6([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);
const COMPATIBLE: Ipv6Net = net6([0, 0, 0, 0, 0, 0, 0, 0], 96);
const TRANSLATED: Ipv6Net = net6([0, 0, 0, 0, 0xffff, 0, 0, 0], 96);
const NAT64: Ipv6Net = net6([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96);
/// Networks whose addresses end with an IPv4 address.
const CARRYING: [Ipv6Net; 3] = [COMPATIBLE, TRANSLATED, NAT64];
/// RFC 3056: the IPv4 address follows the prefix.
const SIX_TO_FOUR: Ipv6Net = net6([0x2002, 0, 0, 0, 0, 0, 0, 0], 16);

const fn net4([a, b, c, d]: [u8; 4], length: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), length)
}

const fn net6([a, b, c, d, e, f, g, h]: [u16; 8], length: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, d, e, f, g, h), length)
}

#[cfg(test)]
mod tests;
