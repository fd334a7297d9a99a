//! What a path is called for people: `wlan0 → 192.168.1.1` instead of its addresses.

use std::net::IpAddr;

use anabranch_net::{Interface, UDP_PORT, interfaces};

/// The interfaces of this machine, by whose names paths are called.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    known: Vec<Interface>,
}

impl Labels {
    /// With the interfaces as they are now.
    pub fn now() -> Labels {
        Labels { known: interfaces().unwrap_or_default() }
    }

    /// The path with this name, `192.0.2.7 > 192.168.1.1:9899`: the interface where it begins and the address where it ends,
    /// with its port if that is not the usual one.
    pub fn of(&self, name: &str) -> String {
        let Some((local, remote)) = name.split_once(" > ") else { return without_port(name).to_owned() };
        format!("{} → {}", self.start(local), without_port(remote))
    }

    /// The interface where the path begins; where that is not known, the address.
    pub fn short(&self, name: &str) -> String {
        match name.split_once(" > ") {
            Some((local, _)) => self.start(local),
            None => without_port(name).to_owned(),
        }
    }

    /// An interface is named where no other path of it can be meant: loopback has many addresses, others may.
    fn start(&self, local: &str) -> String {
        let Ok(ip) = local.parse::<IpAddr>() else { return local.to_owned() };
        let interface = self.known.iter().find(|interface| interface.addresses.contains(&ip));
        let is_clear = |interface: &&Interface| {
            let same = interface.addresses.iter().filter(|other| other.is_ipv4() == ip.is_ipv4());
            !interface.is_loopback() && same.count() == 1
        };
        interface.filter(is_clear).map_or_else(|| local.to_owned(), |interface| interface.name.clone())
    }
}

/// An address without SCTP's usual UDP port.
fn without_port(remote: &str) -> &str {
    let usual = format!(":{UDP_PORT}");
    remote.strip_suffix(usual.as_str()).unwrap_or(remote)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels() -> Labels {
        let interface = |name: &str, addresses: &[&str]| Interface {
            name: name.to_owned(),
            index: None,
            addresses: addresses.iter().map(|ip| ip.parse().expect("an address")).collect(),
            mtu: None,
        };
        let known = vec![
            interface("lo", &["127.0.0.1", "127.0.0.2"]),
            interface("eth0", &["192.0.2.1", "192.0.2.2"]),
            interface("wlan0", &["192.168.1.7", "2001:db8::7"]),
        ];
        Labels { known }
    }

    #[test]
    fn a_path_is_called_by_its_interface_and_where_it_leads() {
        let labels = labels();
        assert_eq!(labels.of("192.168.1.7 > 192.168.1.1:9899"), "wlan0 → 192.168.1.1");
        assert_eq!(labels.of("192.168.1.7 > 192.168.1.1:7000"), "wlan0 → 192.168.1.1:7000");
        assert_eq!(labels.of("2001:db8::7 > [2001:db8::1]:9899"), "wlan0 → [2001:db8::1]");
        assert_eq!(labels.short("192.168.1.7 > 192.168.1.1:9899"), "wlan0");
    }

    #[test]
    fn where_an_interface_could_mean_several_paths_the_address_stays() {
        let labels = labels();
        assert_eq!(labels.of("127.0.0.2 > 127.0.0.1:7000"), "127.0.0.2 → 127.0.0.1:7000");
        assert_eq!(labels.of("192.0.2.2 > 198.51.100.1:9899"), "192.0.2.2 → 198.51.100.1");
        assert_eq!(labels.of("198.51.100.1:9899"), "198.51.100.1");
        assert_eq!(labels.short("203.0.113.9 > 198.51.100.1:9899"), "203.0.113.9");
    }
}
