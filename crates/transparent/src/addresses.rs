//! The addresses of this host, and those that it lost.

use std::collections::{HashMap, HashSet};
use std::io;
use std::net::IpAddr;
use std::time::Duration;

use nix::ifaddrs::{InterfaceAddress, getifaddrs};
use tokio::time::Instant;

/// The addresses that this host has, and those that it had and misses.
#[derive(Debug, Default)]
pub(crate) struct Addresses {
    present: HashSet<IpAddr>,
    /// The missing ones, with the time since which they are.
    missing: HashMap<IpAddr, Instant>,
}

impl Addresses {
    /// Takes the addresses that this host has now, and returns those that it lost: they are missing for [`GRACE`]. Each is
    /// returned once.
    pub(crate) fn on_addresses(&mut self, now: Instant, present: HashSet<IpAddr>) -> Vec<IpAddr> {
        for ip in self.present.difference(&present) {
            self.missing.entry(*ip).or_insert(now);
        }
        self.present = present;
        self.missing.retain(|ip, _| !self.present.contains(ip));
        self.missing.extract_if(|_, since| now >= *since + GRACE).map(|(ip, _)| ip).collect()
    }

    /// The time when the next missing address counts as lost.
    pub(crate) fn poll_timeout(&self) -> Option<Instant> {
        self.missing.values().min().map(|since| *since + GRACE)
    }
}

/// The addresses of all interfaces of this host.
pub(crate) fn present() -> io::Result<HashSet<IpAddr>> {
    Ok(getifaddrs()?.filter_map(|interface| ip(&interface)).collect())
}

fn ip(interface: &InterfaceAddress) -> Option<IpAddr> {
    let address = interface.address?;
    let ipv4 = address.as_sockaddr_in().map(|address| address.ip().into());
    ipv4.or_else(|| address.as_sockaddr_in6().map(|address| address.ip().into()))
}

/// DHCP clients and network managers remove an address and add it again within this time.
const GRACE: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr};

    use super::*;

    const ONE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
    const OTHER: IpAddr = IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1));

    fn set(addresses: &[IpAddr]) -> HashSet<IpAddr> {
        addresses.iter().copied().collect()
    }

    #[test]
    fn an_address_that_stays_away_is_lost_once() {
        let (mut addresses, start) = (Addresses::default(), Instant::now());
        assert!(addresses.on_addresses(start, set(&[ONE, OTHER])).is_empty());
        assert!(addresses.on_addresses(start, set(&[ONE])).is_empty());
        assert_eq!(addresses.poll_timeout(), Some(start + GRACE));
        assert!(addresses.on_addresses(start + GRACE / 2, set(&[ONE])).is_empty());
        assert_eq!(addresses.on_addresses(start + GRACE, set(&[ONE])), [OTHER]);
        assert_eq!(addresses.poll_timeout(), None);
        assert!(addresses.on_addresses(start + 2 * GRACE, set(&[ONE])).is_empty());
    }

    #[test]
    fn an_address_that_comes_back_is_missing_anew_when_it_goes_again() {
        let (mut addresses, start) = (Addresses::default(), Instant::now());
        addresses.on_addresses(start, set(&[ONE]));
        addresses.on_addresses(start, set(&[]));
        assert!(addresses.on_addresses(start + GRACE / 2, set(&[ONE])).is_empty());
        assert_eq!(addresses.poll_timeout(), None);
        assert!(addresses.on_addresses(start + GRACE, set(&[])).is_empty());
        assert_eq!(addresses.on_addresses(start + 2 * GRACE, set(&[])), [ONE]);
    }
}
