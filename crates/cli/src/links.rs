//! Chooses the links of this machine that a client uses, and describes the charge of each.

use std::net::{IpAddr, SocketAddr, UdpSocket};

use anabranch_base::ByteCount;
use anabranch_base::setting::Named;
use anabranch_net::{
    AddressTracking, Interface, InterfaceError, LinkReport, LinkRule, PathRole, interfaces,
    local_addresses_for, reaches, resolve,
};

use crate::arguments::Via;
use crate::failure::Failure;
use crate::report::{head, lay_out_narrow};

/// The addresses and links from which a client sends.
#[derive(Clone, Debug)]
pub(crate) struct Outlets {
    /// The local addresses.
    pub local: Vec<SocketAddr>,
    /// The interfaces whose addresses are added later.
    pub tracking: AddressTracking,
    /// The peers, to one of which an added interface must have a route; empty if the user named the interfaces.
    pub toward: Vec<SocketAddr>,
    /// The rules of links with a role or a limit.
    pub rules: Vec<LinkRule>,
}

impl Outlets {
    /// Chooses the links of each `--via`, else one address of each interface that is up. If every `--via` has a role, all
    /// other interfaces are used too.
    ///
    /// # Errors
    /// An interface or address is not of this machine, or is named twice.
    pub(crate) fn to(hosts: &[Vec<SocketAddr>], via: &[Via]) -> Result<Outlets, Failure> {
        refuse_twice(via)?;
        let peer = &hosts.concat();
        let known = interfaces().unwrap_or_default();
        let named: Vec<String> = via.iter().map(|via| via.link.clone()).collect();
        let wrong = |error: anabranch_net::InterfaceError| Failure::Via(error.to_string());
        for name in &named {
            resolve(name).map_err(wrong)?;
        }
        let routed: Vec<Interface> = known.iter().filter(|one| reaches(one, peer)).cloned().collect();
        let others =
            if via.iter().all(Via::has_role) { beside(&named, peer, (&known, &routed)) } else { Vec::new() };
        let tracking = tracking(&named, !others.is_empty());
        let may_be_any = named.is_empty() || !others.is_empty();
        let all: Vec<String> = others.into_iter().chain(named).collect();
        let local = from_each(hosts, &all).map_err(wrong)?;
        let toward = if may_be_any { peer.clone() } else { Vec::new() };
        Ok(Outlets { local, tracking, toward, rules: via.iter().filter_map(Via::rule).collect() })
    }

    /// The same links without roles: each is used whenever it works. Limits remain.
    pub(crate) fn without_roles(&self) -> Outlets {
        let rules = self.rules.iter().cloned().map(|rule| LinkRule { role: PathRole::Ordinary, ..rule });
        Outlets { rules: rules.collect(), ..self.clone() }
    }
}

/// The local addresses from which each host can be reached. An IP version is left out if no link reaches a host by it and
/// every host has an address of the other.
fn from_each(hosts: &[Vec<SocketAddr>], via: &[String]) -> Result<Vec<SocketAddr>, InterfaceError> {
    let peers = hosts.concat();
    let is_needed = |is_ipv4: bool| hosts.iter().any(|host| host.iter().all(|to| to.is_ipv4() == is_ipv4));
    let versions = [true, false].map(|is_ipv4| {
        let of_version: Vec<SocketAddr> =
            peers.iter().copied().filter(|to| to.is_ipv4() == is_ipv4).collect();
        (is_ipv4, local_addresses_for(&of_version, via))
    });
    let (mut chosen, mut spare, mut refused) = (Vec::new(), Vec::new(), None);
    for (is_ipv4, found) in versions {
        match found {
            Err(error) if is_needed(is_ipv4) => return Err(error),
            Err(error) => refused = Some(error),
            Ok(found) if is_needed(is_ipv4) || found.iter().any(|from| !from.ip().is_unspecified()) => {
                chosen.extend(found);
            }
            Ok(found) => spare.extend(found),
        }
    }
    if chosen.is_empty() {
        // The name is of this machine, which may lack IPv6 in spite of the name's address.
        let has_ipv4 = spare.iter().any(SocketAddr::is_ipv4);
        let is_usable = |from: &SocketAddr| !has_ipv4 || UdpSocket::bind(from).is_ok();
        chosen = spare.into_iter().filter(is_usable).collect();
    }
    match refused {
        Some(error) if chosen.is_empty() => Err(error),
        _ => Ok(chosen),
    }
}

/// The table of charges, if a link has a role or a limit.
pub(crate) fn charges(links: &[LinkReport]) -> String {
    if links.iter().all(|link| link.role == PathRole::Ordinary && link.most.is_none()) {
        return String::new();
    }
    let head = head(["link", "charged", "sent", "received", "use"]);
    let rows = links.iter().map(|link| {
        let [charged, sent, received] = [link.charged(), link.sent, link.received].map(ByteCount::rounded);
        vec![link.name.clone(), charged, sent, received, in_words(link)]
    });
    let table = lay_out_narrow(&std::iter::once(head).chain(rows).collect::<Vec<_>>(), 1, &[]);
    format!("{table}\ncharged: bytes of all IP packets both ways, with headers, copies and probes\n")
}

/// The message that a link has reached its limit, if it has.
pub(crate) fn used_up(link: &LinkReport) -> Option<String> {
    let most = link.most.filter(|_| link.is_used_up)?;
    Some(format!("{} has carried its {}", link.name, most.rounded()))
}

/// The message that every link has reached its limit, if so: the transfer cannot continue.
pub(crate) fn all_used_up(links: &[LinkReport]) -> Option<String> {
    let each: Option<Vec<String>> = links.iter().map(used_up).collect();
    each.filter(|each| !each.is_empty())
        .map(|each| format!("{}, and there is no other link", each.join(", ")))
}

fn in_words(link: &LinkReport) -> String {
    let role = (link.role != PathRole::Ordinary).then(|| link.role.word().to_owned());
    let most = link.most.map(|most| {
        if link.is_used_up {
            format!("max {}, used up", most.rounded())
        } else {
            format!("max {}", most.rounded())
        }
    });
    let words: Vec<String> = role.into_iter().chain(most).collect();
    if words.is_empty() { "-".to_owned() } else { words.join(", ") }
}

fn refuse_twice(via: &[Via]) -> Result<(), Failure> {
    let mut all = via.iter().enumerate();
    match all.find(|(index, one)| via[..*index].iter().any(|other| other.link == one.link)) {
        Some((_, twice)) => Err(Failure::Via(format!(
            "{} is named by two --via; write both uses in one, such as {}=backup,max:2GB",
            twice.link, twice.link
        ))),
        None => Ok(()),
    }
}

/// The interfaces that a client uses besides links with a role: those with a route to the peer, unless that is this machine.
fn beside(
    with_roles: &[String],
    peer: &[SocketAddr],
    (known, routed): (&[Interface], &[Interface]),
) -> Vec<String> {
    let is_here = |ip: IpAddr| ip.is_loopback() || known.iter().any(|one| one.addresses.contains(&ip));
    if with_roles.is_empty() || peer.iter().any(|peer| is_here(peer.ip())) {
        return Vec::new();
    }
    let has_role = |one: &Interface| {
        with_roles
            .iter()
            .any(|name| *name == one.name || one.addresses.iter().any(|ip| ip.to_string() == *name))
    };
    let has_versions = |one: &Interface| {
        peer.iter().any(|peer| one.addresses.iter().any(|ip| ip.is_ipv4() == peer.is_ipv4()))
    };
    let others = routed.iter().filter(|one| !one.is_loopback() && !has_role(one) && has_versions(one));
    others.map(|one| one.name.clone()).collect()
}

/// The interfaces whose addresses a client tracks: all, or those that are named. Given addresses are fixed.
fn tracking(named: &[String], has_others: bool) -> AddressTracking {
    let is_address = |name: &&String| name.trim_matches(['[', ']']).parse::<IpAddr>().is_ok();
    let names: Vec<String> = named.iter().filter(|name| !is_address(name)).cloned().collect();
    match (named.is_empty() || has_others, names.is_empty()) {
        (true, _) => AddressTracking::EachInterface,
        (false, true) => AddressTracking::Off,
        (false, false) => AddressTracking::Interfaces(names),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(list: &[&str]) -> Vec<String> {
        list.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn interfaces_are_followed_and_addresses_that_were_given_are_not() {
        let tracking = |via: &[&str]| tracking(&texts(via), false);
        assert_eq!(tracking(&[]), AddressTracking::EachInterface);
        assert_eq!(tracking(&["wlan0", "10.0.0.1"]), AddressTracking::Interfaces(vec!["wlan0".to_owned()]));
        assert_eq!(tracking(&["10.0.0.1", "[2001:db8::1]"]), AddressTracking::Off);
    }

    #[test]
    fn beside_links_with_roles_all_other_interfaces_are_used() {
        let interface = |name: &str, addresses: &[&str]| Interface {
            name: name.to_owned(),
            index: None,
            addresses: addresses.iter().map(|text| text.parse().expect("an address")).collect(),
            mtu: None,
        };
        let known = [
            interface("lo", &["127.0.0.1"]),
            interface("wlan0", &["192.168.1.7"]),
            interface("wwan0", &["10.64.0.2"]),
            interface("six0", &["2001:db8::2"]),
        ];
        let beside = |via: &[&str], peer: &str| {
            beside(&texts(via), &[peer.parse().expect("a peer")], (&known, &known))
        };
        assert_eq!(beside(&["wwan0"], "203.0.113.5:9899"), ["wlan0"]);
        assert_eq!(beside(&["10.64.0.2"], "203.0.113.5:9899"), ["wlan0"], "an address names its interface");
        assert!(beside(&["127.0.0.2"], "127.0.0.1:9899").is_empty(), "a peer on this machine");
        assert!(beside(&[], "203.0.113.5:9899").is_empty());
    }

    #[test]
    fn a_link_that_is_named_twice_is_refused_with_the_way_to_write_it() {
        let via: Vec<Via> =
            ["wwan0=backup", "wwan0=max:2GB"].map(|text| text.parse().expect("a link")).into();
        let error = refuse_twice(&via).expect_err("twice").to_string();
        assert!(error.contains("wwan0=backup,max:2GB"), "{error}");
    }
}
