//! The addresses of hosts: one for each path and host, so that an address identifies both.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use crate::observe::Host;

/// The number of the scenario's path that an address belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PathNumber(u16);

impl PathNumber {
    /// The path at position `index` in the scenario's list.
    ///
    /// # Panics
    /// Never in practice: a scenario has fewer than 65,536 paths.
    pub(super) fn new(index: usize) -> PathNumber {
        PathNumber(u16::try_from(index).expect("a scenario has fewer than 65,536 paths"))
    }

    /// The position in the scenario's list.
    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The path of an address that [`address`] made.
    pub(super) fn of(address: SocketAddr) -> Option<PathNumber> {
        match address.ip() {
            IpAddr::V4(ip) if ip.octets()[0] == 10 => {
                Some(PathNumber(u16::from_be_bytes([ip.octets()[1], ip.octets()[2]])))
            }
            _ => None,
        }
    }
}

/// The address of a host on a path: 10.P.P.1 at the first host, 10.P.P.2 at the second, for path number P in two bytes.
pub(super) fn address(path: PathNumber, host: Host) -> SocketAddr {
    let [high, low] = path.0.to_be_bytes();
    let last = match host {
        Host::First => 1,
        Host::Second => 2,
    };
    SocketAddr::new(IpAddr::V4(Ipv4Addr::new(10, high, low, last)), UDP_PORT)
}

/// RFC 6951's port, also used without encapsulation.
const UDP_PORT: u16 = 9899;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_tells_its_path() {
        for index in [0, 1, 255, 256, 65_535] {
            let path = PathNumber::new(index);
            assert_eq!(PathNumber::of(address(path, Host::Second)), Some(path));
        }
        assert_eq!(address(PathNumber::new(258), Host::First).to_string(), "10.1.2.1:9899");
    }
}
