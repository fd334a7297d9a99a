//! One `--allow` of a server: a network and ports.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use anabranch_nets::NetPorts;
pub use anabranch_nets::NetPortsError as AllowanceError;

/// Addresses and ports that a server allows beyond the public internet, as `NET[:PORTS]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowance(NetPorts);

impl Allowance {
    /// Returns true if it has this address, not mapped, and this port.
    pub(super) fn contains(&self, ip: IpAddr, port: u16) -> bool {
        self.0.net.is_none_or(|net| net.contains(&ip)) && self.has_port(port)
    }

    /// Returns true if it has every address at this port.
    pub(super) fn contains_all(&self, port: u16) -> bool {
        self.0.net.is_none() && self.has_port(port)
    }

    fn has_port(&self, port: u16) -> bool {
        self.0.ports.as_ref().is_none_or(|ports| ports.contains(port))
    }
}

impl FromStr for Allowance {
    type Err = AllowanceError;

    fn from_str(text: &str) -> Result<Allowance, AllowanceError> {
        text.parse().map(Allowance)
    }
}

impl fmt::Display for Allowance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(allowance: &str, ip: &str, port: u16) -> bool {
        let allowance: Allowance = allowance.parse().unwrap_or_else(|error| panic!("{allowance}: {error}"));
        allowance.contains(ip.parse().expect("an address"), port)
    }

    #[test]
    fn a_network_has_its_addresses_at_its_ports() {
        assert!(has("10.0.0.0/8", "10.255.255.255", 1) && !has("10.0.0.0/8", "11.0.0.0", 1));
        assert!(has("192.168.1.5", "192.168.1.5", 9) && !has("192.168.1.5", "192.168.1.6", 9));
        assert!(has("192.168.1.5:22", "192.168.1.5", 22) && !has("192.168.1.5:22", "192.168.1.5", 23));
        assert!(has("10.0.0.0/8:80,8000-8100", "10.1.2.3", 8050) && !has("10.0.0.0/8:80", "10.1.2.3", 81));
        assert!(has("fd00::/8", "fdff::1", 22) && !has("fd00::/8", "fe00::1", 22));
        assert!(has("[fd00::]/8:22", "fd00::1", 22) && !has("[fd00::]/8:22", "fd00::1", 23));
        assert!(has("[fd00::5]:22", "fd00::5", 22) && !has("[fd00::5]:22", "fd00::6", 22));
        assert!(has("[fd00::5]", "fd00::5", 7) && has("[fd00::]/8", "fd00::5", 7));
    }

    #[test]
    fn colons_of_an_ipv6_address_are_never_before_ports() {
        assert!(has("fd00::5:22", "fd00::5:22", 80) && !has("fd00::5:22", "fd00::5", 22));
    }

    #[test]
    fn all_has_every_address_of_both_versions() {
        for ip in ["127.0.0.1", "::1", "8.8.8.8", "2001:db8::1"] {
            assert!(has("all", ip, 1) && has("all:443", ip, 443) && !has("all:443", ip, 80));
        }
        assert!(has("0.0.0.0/0", "127.0.0.1", 1) && !has("0.0.0.0/0", "::1", 1));
    }

    #[test]
    fn mapped_addresses_are_those_of_ipv4() {
        assert!(has("::ffff:10.0.0.0/104", "10.1.2.3", 80) && !has("::/0", "127.0.0.1", 80));
    }
}
