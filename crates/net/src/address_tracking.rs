//! Decides which local addresses an endpoint uses while addresses of its machine appear and vanish.

use std::collections::VecDeque;
use std::net::{IpAddr, SocketAddr, SocketAddrV6};

use anabranch_base::ByteCount;

use crate::interface::{Interface, is_link_local};

/// The interfaces from which an endpoint takes local addresses while addresses of the machine appear and vanish.
///
/// On each tracked interface the endpoint uses one address for each IP version of its initial addresses. That address
/// stays in use as long as it exists, even if others appear. An interface that is down or has no carrier counts as
/// gone. Link-local addresses are not used, and deprecated ones only without an alternative.
///
/// If one of the endpoint's addresses is the wildcard address, its socket covers every address: no further socket is
/// opened, paths from vanished addresses are removed, and an address that returns is used again. Where an address
/// vanishes, associations that used it use another of its interface, now or when it appears. Loopback addresses, and
/// those of untracked interfaces, stay in use even when they vanish.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AddressTracking {
    /// No tracking: the endpoint uses its initial addresses, even when they vanish.
    #[default]
    Off,
    /// Every interface that is up, except loopback.
    EachInterface,
    /// The interfaces with these names, when they are up.
    Interfaces(Vec<String>),
}

/// An address of an interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InterfaceAddress {
    /// The address.
    pub ip: IpAddr,
    /// The interface's name.
    pub interface: String,
    /// The interface's index; an interface that is created again under the same name has another.
    pub index: Option<u32>,
}

/// A change for an endpoint to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SocketChange {
    /// Remove this local address, which has vanished.
    Remove(SocketAddr),
    /// Open a socket at this address.
    Open(InterfaceAddress),
    /// A wildcard socket now has this address, for the first time or again.
    Present(SocketAddr),
    /// A wildcard socket lost one address of an interface, and has another.
    Replaced { lost: SocketAddr, by: SocketAddr },
}

/// The local addresses that an endpoint uses.
#[derive(Debug)]
pub(crate) struct TrackedAddresses {
    tracking: AddressTracking,
    /// The initial addresses of the endpoint, ports included.
    given: Vec<SocketAddr>,
    /// The smallest usable MTU of an interface.
    needed: ByteCount,
    /// The addresses in use that are removed when they vanish.
    used: Vec<(InterfaceAddress, SocketAddr)>,
    /// The addresses that wildcard sockets lost last.
    lost: VecDeque<(InterfaceAddress, SocketAddr)>,
}

impl AddressTracking {
    fn is_tracked(&self, interface: &Interface) -> bool {
        match self {
            AddressTracking::Off => false,
            AddressTracking::EachInterface => !interface.is_loopback(),
            AddressTracking::Interfaces(names) => names.contains(&interface.name),
        }
    }

    fn of<'a>(&self, known: &'a [Interface]) -> impl Iterator<Item = &'a Interface> {
        known.iter().filter(|interface| self.is_tracked(interface))
    }
}

impl TrackedAddresses {
    /// The addresses of an endpoint with sockets at `given`, whose packets may have `needed` bytes, on a machine with
    /// these interfaces.
    pub(crate) fn new(
        tracking: AddressTracking,
        given: Vec<SocketAddr>,
        needed: ByteCount,
        known: &[Interface],
    ) -> TrackedAddresses {
        let mut used = Vec::new();
        for address in &given {
            let mut found =
                tracking.of(known).filter(|interface| interface.addresses.contains(&address.ip()));
            used.extend(
                found.next().map(|interface| (InterfaceAddress::on(interface, address.ip()), *address)),
            );
        }
        let mut tracked = TrackedAddresses { tracking, given, needed, used, lost: VecDeque::new() };
        tracked.cover(known);
        tracked
    }

    /// The changes to make when the machine has the interfaces `known`. Removals come first.
    pub(crate) fn changes(&mut self, known: &[Interface]) -> Vec<SocketChange> {
        let mut changes = Vec::new();
        let mut gone = Vec::new();
        for (interface_address, address) in std::mem::take(&mut self.used) {
            if self.is_there(&interface_address, known) {
                self.used.push((interface_address, address));
            } else {
                changes.push(SocketChange::Remove(address));
                gone.push((interface_address, address));
            }
        }
        let fresh = self.cover(known);
        changes.extend(fresh.iter().copied().map(SocketChange::Present));
        changes.extend(self.replacements(gone, &fresh));
        changes.extend(self.unused(known).map(SocketChange::Open));
        changes
    }

    /// Records that a socket was opened at this address.
    pub(crate) fn on_opened(&mut self, interface_address: InterfaceAddress, address: SocketAddr) {
        self.used.push((interface_address, address));
    }

    fn is_there(&self, interface_address: &InterfaceAddress, known: &[Interface]) -> bool {
        // A wildcard socket keeps an address that moves to another interface; another socket's address ends with the
        // interface to which it is bound.
        let is_anywhere = self.wildcard(interface_address.ip.is_ipv4()).is_some();
        known.iter().any(|interface| {
            interface.addresses.contains(&interface_address.ip)
                && (is_anywhere || interface_address.is_on(interface))
        })
    }

    /// Records the addresses of wildcard sockets, and returns the new ones.
    fn cover(&mut self, known: &[Interface]) -> Vec<SocketAddr> {
        let mut fresh = Vec::new();
        for interface in self.tracking.of(known) {
            for ip in &interface.addresses {
                let Some(wildcard) = self.wildcard(ip.is_ipv4()) else { continue };
                let address = with_scope(*ip, wildcard.port(), interface.index);
                if self.used.iter().all(|(_, used)| *used != address) {
                    self.used.push((InterfaceAddress::on(interface, *ip), address));
                    fresh.push(address);
                }
            }
        }
        fresh
    }

    /// The replacements of addresses that wildcard sockets lost, now or before, where `gone` or the replacement is news.
    fn replacements(
        &mut self,
        gone: Vec<(InterfaceAddress, SocketAddr)>,
        fresh: &[SocketAddr],
    ) -> Vec<SocketChange> {
        let news: Vec<SocketAddr> = gone.iter().map(|(_, address)| *address).collect();
        self.lost.retain(|(_, lost)| !fresh.contains(lost));
        let of_wildcards = gone.into_iter().filter(|(_, lost)| self.wildcard(lost.is_ipv4()).is_some());
        let of_wildcards: Vec<_> = of_wildcards.collect();
        self.lost.extend(of_wildcards);
        self.lost.drain(..self.lost.len().saturating_sub(MOST_LOST));
        let replacement = |(place, lost): &(InterfaceAddress, SocketAddr)| {
            let is_able = |(other, _): &&(InterfaceAddress, SocketAddr)| {
                other.interface == place.interface
                    && other.ip.is_ipv4() == place.ip.is_ipv4()
                    && !is_link_local(other.ip)
            };
            let (_, by) = self.used.iter().find(is_able)?;
            let is_news = news.contains(lost) || fresh.contains(by);
            is_news.then_some(SocketChange::Replaced { lost: *lost, by: *by })
        };
        self.lost.iter().filter_map(replacement).collect()
    }

    /// The addresses that need a socket.
    fn unused(&self, known: &[Interface]) -> impl Iterator<Item = InterfaceAddress> {
        let is_wanted = |is_ipv4: bool| self.given.iter().any(|address| address.is_ipv4() == is_ipv4);
        let versions = [true, false].into_iter().filter(move |is_ipv4| is_wanted(*is_ipv4));
        let opened = versions.filter(|is_ipv4| self.wildcard(*is_ipv4).is_none());
        let carries = |interface: &&Interface| interface.mtu.is_none_or(|mtu| mtu >= self.needed);
        opened.flat_map(move |is_ipv4| {
            let free = self.tracking.of(known).filter(carries).filter(move |interface| {
                let is_on = |interface_address: &InterfaceAddress| {
                    interface_address.is_on(interface) && interface_address.ip.is_ipv4() == is_ipv4
                };
                !self.used.iter().any(|(interface_address, _)| is_on(interface_address))
            });
            free.filter_map(move |interface| {
                Some(InterfaceAddress::on(interface, interface.usable(is_ipv4)?))
            })
        })
    }

    /// The wildcard address of an IP version, if a socket has it.
    fn wildcard(&self, is_ipv4: bool) -> Option<&SocketAddr> {
        let mut wildcards = self.given.iter().filter(|address| address.ip().is_unspecified());
        wildcards.find(|address| address.is_ipv4() == is_ipv4)
    }
}

impl InterfaceAddress {
    fn on(interface: &Interface, ip: IpAddr) -> InterfaceAddress {
        InterfaceAddress { ip, interface: interface.name.clone(), index: interface.index }
    }

    fn is_on(&self, interface: &Interface) -> bool {
        self.index == interface.index && self.interface == interface.name
    }
}

/// The address as a wildcard socket uses it: a link-local one has the index of its interface.
fn with_scope(ip: IpAddr, port: u16, index: Option<u32>) -> SocketAddr {
    match ip {
        IpAddr::V6(ip) if ip.is_unicast_link_local() => {
            SocketAddrV6::new(ip, port, 0, index.unwrap_or(0)).into()
        }
        ip => SocketAddr::new(ip, port),
    }
}

/// The most lost addresses that are remembered.
const MOST_LOST: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    const MTU: ByteCount = ByteCount::new(1_500);

    fn interface(name: &str, index: u32, addresses: &[&str]) -> Interface {
        let addresses = addresses.iter().map(|text| text.parse().expect("an address")).collect();
        Interface { name: name.to_owned(), index: Some(index), addresses, mtu: Some(MTU) }
    }

    fn machine() -> Vec<Interface> {
        vec![
            interface("lo", 1, &["127.0.0.1", "::1"]),
            interface("wlan0", 2, &["fe80::1", "192.168.1.7", "2001:db8::7"]),
        ]
    }

    fn tracked(tracking: AddressTracking, given: &[&str], known: &[Interface]) -> TrackedAddresses {
        let given = given.iter().map(|text| text.parse().expect("an address")).collect();
        TrackedAddresses::new(tracking, given, MTU, known)
    }

    /// The changes as text; requested sockets are opened at port 9.
    fn shown(tracked: &mut TrackedAddresses, known: &[Interface]) -> Vec<String> {
        let changes = tracked.changes(known).into_iter().map(|change| match change {
            SocketChange::Remove(address) => format!("remove {address}"),
            SocketChange::Open(interface_address) => {
                let text = format!("open {} on {}", interface_address.ip, interface_address.interface);
                let address = SocketAddr::new(interface_address.ip, 9);
                tracked.on_opened(interface_address, address);
                text
            }
            SocketChange::Present(address) => format!("present {address}"),
            SocketChange::Replaced { lost, by } => format!("{by} for {lost}"),
        });
        changes.collect()
    }

    #[test]
    fn one_address_of_an_interface_that_appears_is_used_and_left_when_it_vanishes() {
        let mut known = machine();
        let mut tracked = tracked(AddressTracking::EachInterface, &["192.168.1.7:9"], &known);
        assert!(shown(&mut tracked, &known).is_empty());
        known.push(interface("wwan0", 3, &["10.64.0.2", "10.64.0.3", "2001:db8:1::7"]));
        assert_eq!(shown(&mut tracked, &known), ["open 10.64.0.2 on wwan0"], "only IPv4 is used");
        assert!(shown(&mut tracked, &known).is_empty(), "once");
        known.pop();
        assert_eq!(shown(&mut tracked, &known), ["remove 10.64.0.2:9"]);
        assert_eq!(shown(&mut tracked, &[]), ["remove 192.168.1.7:9"], "the last one, too");
        assert_eq!(shown(&mut tracked, &machine()), ["open 192.168.1.7 on wlan0"]);
    }

    #[test]
    fn an_address_stays_in_use_until_it_vanishes_and_is_then_replaced_by_another_of_its_interface() {
        let mut known = machine();
        let mut tracked =
            tracked(AddressTracking::EachInterface, &["192.168.1.7:9", "[2001:db8::7]:9"], &known);
        known[1].addresses = ["fe80::1", "2001:db8::8", "2001:db8::7", "192.168.1.6", "192.168.1.7"]
            .map(|text| text.parse().expect("an address"))
            .into();
        assert!(shown(&mut tracked, &known).is_empty());
        known[1].addresses.truncate(2);
        let expected = ["remove 192.168.1.7:9", "remove [2001:db8::7]:9", "open 2001:db8::8 on wlan0"];
        assert_eq!(shown(&mut tracked, &known), expected);
    }

    #[test]
    fn an_interface_recreated_between_two_looks_gets_a_new_socket() {
        let mut known = machine();
        let mut tracked = tracked(AddressTracking::EachInterface, &["192.168.1.7:9"], &known);
        known[1].index = Some(9);
        assert_eq!(shown(&mut tracked, &known), ["remove 192.168.1.7:9", "open 192.168.1.7 on wlan0"]);
    }

    #[test]
    fn only_the_named_interfaces_are_tracked() {
        let mut known = machine();
        let tracking = AddressTracking::Interfaces(vec!["wlan0".to_owned(), "wwan0".to_owned()]);
        let mut tracked = tracked(tracking, &["192.168.1.7:9"], &known);
        known.push(interface("docker0", 3, &["172.17.0.1"]));
        known.push(interface("wwan0", 4, &["10.64.0.2"]));
        assert_eq!(shown(&mut tracked, &known), ["open 10.64.0.2 on wwan0"]);
    }

    #[test]
    fn nothing_changes_where_nothing_is_tracked() {
        let mut tracked = tracked(AddressTracking::Off, &["192.168.1.7:9"], &machine());
        assert!(shown(&mut tracked, &[interface("wwan0", 3, &["10.64.0.2"])]).is_empty());
    }

    #[test]
    fn a_wildcard_socket_has_each_address_until_that_address_vanishes() {
        let mut known = machine();
        let mut tracked = tracked(AddressTracking::EachInterface, &["0.0.0.0:9899", "[::]:9899"], &known);
        known.push(interface("wwan0", 3, &["10.64.0.2"]));
        assert_eq!(shown(&mut tracked, &known), ["present 10.64.0.2:9899"]);
        let wlan = known.remove(1);
        let expected = ["remove [fe80::1%2]:9899", "remove 192.168.1.7:9899", "remove [2001:db8::7]:9899"];
        assert_eq!(shown(&mut tracked, &known), expected);
        known.push(Interface { name: "bridge0".to_owned(), index: Some(4), ..wlan });
        known.retain(|interface| interface.name != "wwan0");
        let expected = [
            "remove 10.64.0.2:9899",
            "present [fe80::1%4]:9899",
            "present 192.168.1.7:9899",
            "present [2001:db8::7]:9899",
        ];
        assert_eq!(shown(&mut tracked, &known), expected);
    }

    #[test]
    fn a_wildcard_socket_replaces_a_lost_address_by_another_of_its_interface() {
        let mut known = machine();
        let mut tracked = tracked(AddressTracking::EachInterface, &["0.0.0.0:9899"], &known);
        let ip = |text: &str| text.parse::<IpAddr>().expect("an address");
        known[1].addresses = vec![ip("192.168.1.8")];
        let expected =
            ["remove 192.168.1.7:9899", "present 192.168.1.8:9899", "192.168.1.8:9899 for 192.168.1.7:9899"];
        assert_eq!(shown(&mut tracked, &known), expected, "at once");
        known[1].addresses = vec![];
        assert_eq!(shown(&mut tracked, &known), ["remove 192.168.1.8:9899"]);
        known[1].addresses = vec![ip("192.168.1.9")];
        let expected = [
            "present 192.168.1.9:9899",
            "192.168.1.9:9899 for 192.168.1.7:9899",
            "192.168.1.9:9899 for 192.168.1.8:9899",
        ];
        assert_eq!(shown(&mut tracked, &known), expected, "later");
        known[1].addresses = vec![ip("192.168.1.9"), ip("192.168.1.10")];
        assert_eq!(shown(&mut tracked, &known), ["present 192.168.1.10:9899"], "it has one");
        known[1].addresses.remove(0);
        let expected = ["remove 192.168.1.9:9899", "192.168.1.10:9899 for 192.168.1.9:9899"];
        assert_eq!(shown(&mut tracked, &known)[..2], expected, "made before the break");
    }

    #[test]
    fn an_address_that_moves_to_another_interface_stays_with_a_wildcard_socket() {
        let mut known = machine();
        let mut tracked = tracked(AddressTracking::EachInterface, &["0.0.0.0:9899"], &known);
        (known[1].name, known[1].index) = ("bridge0".to_owned(), Some(4));
        assert!(shown(&mut tracked, &known).is_empty());
    }

    #[test]
    fn an_interface_with_a_smaller_mtu_than_needed_is_not_used() {
        let mut known = machine();
        let mut tracked = tracked(AddressTracking::EachInterface, &["192.168.1.7:9"], &known);
        let narrow = interface("wwan0", 3, &["10.64.0.2"]);
        known.push(Interface { mtu: Some(ByteCount::new(1_428)), ..narrow });
        assert!(shown(&mut tracked, &known).is_empty());
    }
}
