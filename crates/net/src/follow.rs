//! Which local addresses an endpoint uses while those of its machine come and go.

use std::net::{IpAddr, SocketAddr, SocketAddrV6};

use anabranch_base::ByteCount;

use crate::interfaces::Interface;

/// Which local addresses an endpoint uses over time.
///
/// Of each interface that is followed, one address is used for each IP version of which the endpoint was given an
/// address; it stays in use as long as it exists, even if others appear. An interface that is down or has no carrier
/// counts as gone. Link-local addresses are not used, and deprecated ones only if there is no other.
///
/// Where one of the endpoint's addresses is the wildcard, its socket has every address: none is opened, the paths of
/// addresses that vanish are given up, and an address that comes back is used again. Loopback addresses, and those of
/// interfaces that are not followed, stay in use even when they vanish.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Follow {
    /// The addresses that it was given, even when they vanish.
    #[default]
    Nothing,
    /// One of each interface that is up, except loopback.
    EachInterface,
    /// One of each of these interfaces, by name, when they are up.
    Interfaces(Vec<String>),
}

/// An address of an interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The address.
    pub ip: IpAddr,
    /// The interface's name.
    pub interface: String,
    /// The interface's number; an interface that vanished and came back has another.
    pub index: Option<u32>,
}

/// A change that an endpoint should make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Give up this local address.
    Leave(SocketAddr),
    /// Use this one too.
    Use(Place),
    /// A wildcard socket has this address now, for the first time or again.
    Has(SocketAddr),
}

/// The places that an endpoint uses.
#[derive(Debug)]
pub struct Places {
    follow: Follow,
    /// The addresses that the endpoint was given, ports included.
    given: Vec<SocketAddr>,
    /// Interfaces that do not carry packets of this size are not used.
    needed: ByteCount,
    /// The addresses in use that are given up when they vanish.
    used: Vec<(Place, SocketAddr)>,
}

impl Follow {
    fn is_followed(&self, interface: &Interface) -> bool {
        match self {
            Follow::Nothing => false,
            Follow::EachInterface => !interface.is_loopback(),
            Follow::Interfaces(names) => names.contains(&interface.name),
        }
    }

    fn of<'a>(&self, known: &'a [Interface]) -> impl Iterator<Item = &'a Interface> {
        known.iter().filter(|interface| self.is_followed(interface))
    }
}

impl Places {
    /// The places of an endpoint with sockets at `given`, whose packets may have `needed` bytes, on a machine with
    /// these interfaces.
    pub fn new(follow: Follow, given: Vec<SocketAddr>, needed: ByteCount, known: &[Interface]) -> Places {
        let mut used = Vec::new();
        for address in &given {
            let mut found = follow.of(known).filter(|interface| interface.addresses.contains(&address.ip()));
            used.extend(found.next().map(|interface| (Place::on(interface, address.ip()), *address)));
        }
        let mut places = Places { follow, given, needed, used };
        places.cover(known);
        places
    }

    /// What to do when the machine has these interfaces. Addresses to give up come first.
    pub fn steps(&mut self, known: &[Interface]) -> Vec<Step> {
        let mut steps = Vec::new();
        for (place, address) in std::mem::take(&mut self.used) {
            if self.is_there(&place, known) {
                self.used.push((place, address));
            } else {
                steps.push(Step::Leave(address));
            }
        }
        steps.extend(self.cover(known).into_iter().map(Step::Has));
        steps.extend(self.unused(known).map(Step::Use));
        steps
    }

    /// There is a socket at this place now.
    pub fn on_opened(&mut self, place: Place, address: SocketAddr) {
        self.used.push((place, address));
    }

    fn is_there(&self, place: &Place, known: &[Interface]) -> bool {
        // A wildcard socket has an address on whatever interface it is; the address of another socket ends with the
        // interface to which it is tied.
        let is_anywhere = self.wildcard(place.ip.is_ipv4()).is_some();
        known.iter().any(|interface| {
            interface.addresses.contains(&place.ip) && (is_anywhere || place.is_on(interface))
        })
    }

    /// Notes the addresses that wildcard sockets have, and tells which of them are new.
    fn cover(&mut self, known: &[Interface]) -> Vec<SocketAddr> {
        let mut fresh = Vec::new();
        for interface in self.follow.of(known) {
            for ip in &interface.addresses {
                let Some(wildcard) = self.wildcard(ip.is_ipv4()) else { continue };
                let address = with_scope(*ip, wildcard.port(), interface.index);
                if self.used.iter().all(|(_, used)| *used != address) {
                    self.used.push((Place::on(interface, *ip), address));
                    fresh.push(address);
                }
            }
        }
        fresh
    }

    /// Places that should have a socket and have none.
    fn unused(&self, known: &[Interface]) -> impl Iterator<Item = Place> {
        let is_wanted = |is_ipv4: bool| self.given.iter().any(|address| address.is_ipv4() == is_ipv4);
        let versions = [true, false].into_iter().filter(move |is_ipv4| is_wanted(*is_ipv4));
        let opened = versions.filter(|is_ipv4| self.wildcard(*is_ipv4).is_none());
        let carries = |interface: &&Interface| interface.mtu.is_none_or(|mtu| mtu >= self.needed);
        opened.flat_map(move |is_ipv4| {
            let free = self.follow.of(known).filter(carries).filter(move |interface| {
                let is_on = |place: &Place| place.is_on(interface) && place.ip.is_ipv4() == is_ipv4;
                !self.used.iter().any(|(place, _)| is_on(place))
            });
            free.filter_map(move |interface| Some(Place::on(interface, interface.usable(is_ipv4)?)))
        })
    }

    /// The address of the socket that has all addresses of an IP version.
    fn wildcard(&self, is_ipv4: bool) -> Option<&SocketAddr> {
        let mut wildcards = self.given.iter().filter(|address| address.ip().is_unspecified());
        wildcards.find(|address| address.is_ipv4() == is_ipv4)
    }
}

impl Place {
    fn on(interface: &Interface, ip: IpAddr) -> Place {
        Place { ip, interface: interface.name.clone(), index: interface.index }
    }

    fn is_on(&self, interface: &Interface) -> bool {
        self.index == interface.index && self.interface == interface.name
    }
}

/// The address as a wildcard socket has it: a link-local one has the index of its interface.
fn with_scope(ip: IpAddr, port: u16, index: Option<u32>) -> SocketAddr {
    match ip {
        IpAddr::V6(ip) if ip.is_unicast_link_local() => {
            SocketAddrV6::new(ip, port, 0, index.unwrap_or(0)).into()
        }
        ip => SocketAddr::new(ip, port),
    }
}

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

    fn places(follow: Follow, given: &[&str], known: &[Interface]) -> Places {
        let given = given.iter().map(|text| text.parse().expect("an address")).collect();
        Places::new(follow, given, MTU, known)
    }

    /// The steps in words; what is to be used is opened at port 9.
    fn shown(places: &mut Places, known: &[Interface]) -> Vec<String> {
        let steps = places.steps(known).into_iter().map(|step| match step {
            Step::Leave(address) => format!("leave {address}"),
            Step::Use(place) => {
                let text = format!("use {} on {}", place.ip, place.interface);
                let address = SocketAddr::new(place.ip, 9);
                places.on_opened(place, address);
                text
            }
            Step::Has(address) => format!("has {address}"),
        });
        steps.collect()
    }

    #[test]
    fn one_address_of_an_interface_that_appears_is_used_and_left_when_it_vanishes() {
        let mut known = machine();
        let mut places = places(Follow::EachInterface, &["192.168.1.7:9"], &known);
        assert!(shown(&mut places, &known).is_empty());
        known.push(interface("wwan0", 3, &["10.64.0.2", "10.64.0.3", "2001:db8:1::7"]));
        assert_eq!(shown(&mut places, &known), ["use 10.64.0.2 on wwan0"], "IPv4 alone is spoken");
        assert!(shown(&mut places, &known).is_empty(), "once");
        known.pop();
        assert_eq!(shown(&mut places, &known), ["leave 10.64.0.2:9"]);
        assert_eq!(shown(&mut places, &[]), ["leave 192.168.1.7:9"], "the last one, too");
        assert_eq!(shown(&mut places, &machine()), ["use 192.168.1.7 on wlan0"]);
    }

    #[test]
    fn an_address_stays_in_use_until_it_vanishes_and_another_of_its_interface_follows() {
        let mut known = machine();
        let mut places = places(Follow::EachInterface, &["192.168.1.7:9", "[2001:db8::7]:9"], &known);
        known[1].addresses = ["fe80::1", "2001:db8::8", "2001:db8::7", "192.168.1.6", "192.168.1.7"]
            .map(|text| text.parse().expect("an address"))
            .into();
        assert!(shown(&mut places, &known).is_empty());
        known[1].addresses.truncate(2);
        let expected = ["leave 192.168.1.7:9", "leave [2001:db8::7]:9", "use 2001:db8::8 on wlan0"];
        assert_eq!(shown(&mut places, &known), expected);
    }

    #[test]
    fn an_interface_that_went_and_came_back_between_two_looks_gets_another_socket() {
        let mut known = machine();
        let mut places = places(Follow::EachInterface, &["192.168.1.7:9"], &known);
        known[1].index = Some(9);
        assert_eq!(shown(&mut places, &known), ["leave 192.168.1.7:9", "use 192.168.1.7 on wlan0"]);
    }

    #[test]
    fn only_the_interfaces_that_were_named_are_followed() {
        let mut known = machine();
        let follow = Follow::Interfaces(vec!["wlan0".to_owned(), "wwan0".to_owned()]);
        let mut places = places(follow, &["192.168.1.7:9"], &known);
        known.push(interface("docker0", 3, &["172.17.0.1"]));
        known.push(interface("wwan0", 4, &["10.64.0.2"]));
        assert_eq!(shown(&mut places, &known), ["use 10.64.0.2 on wwan0"]);
    }

    #[test]
    fn nothing_changes_where_nothing_is_followed() {
        let mut places = places(Follow::Nothing, &["192.168.1.7:9"], &machine());
        assert!(shown(&mut places, &[interface("wwan0", 3, &["10.64.0.2"])]).is_empty());
    }

    #[test]
    fn a_wildcard_socket_has_every_address_until_it_vanishes() {
        let mut known = machine();
        let mut places = places(Follow::EachInterface, &["0.0.0.0:9899", "[::]:9899"], &known);
        known.push(interface("wwan0", 3, &["10.64.0.2"]));
        assert_eq!(shown(&mut places, &known), ["has 10.64.0.2:9899"]);
        let wlan = known.remove(1);
        let expected = ["leave [fe80::1%2]:9899", "leave 192.168.1.7:9899", "leave [2001:db8::7]:9899"];
        assert_eq!(shown(&mut places, &known), expected);
        known.push(Interface { name: "bridge0".to_owned(), index: Some(4), ..wlan });
        known.retain(|interface| interface.name != "wwan0");
        let expected = [
            "leave 10.64.0.2:9899",
            "has [fe80::1%4]:9899",
            "has 192.168.1.7:9899",
            "has [2001:db8::7]:9899",
        ];
        assert_eq!(shown(&mut places, &known), expected);
    }

    #[test]
    fn an_address_that_moves_to_another_interface_stays_with_a_wildcard_socket() {
        let mut known = machine();
        let mut places = places(Follow::EachInterface, &["0.0.0.0:9899"], &known);
        (known[1].name, known[1].index) = ("bridge0".to_owned(), Some(4));
        assert!(shown(&mut places, &known).is_empty());
    }

    #[test]
    fn an_interface_that_carries_smaller_packets_than_are_needed_is_of_no_use() {
        let mut known = machine();
        let mut places = places(Follow::EachInterface, &["192.168.1.7:9"], &known);
        let narrow = interface("wwan0", 3, &["10.64.0.2"]);
        known.push(Interface { mtu: Some(ByteCount::new(1_428)), ..narrow });
        assert!(shown(&mut places, &known).is_empty());
    }
}
