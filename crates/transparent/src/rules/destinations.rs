//! Rules about destinations: excepted ones, those that are never carried, and private ones.

use ipnet::IpNet;
use nix::libc;

use super::{CARRIED, DNS};
use crate::except::Except;
use crate::marks::OWN_MARK;
use crate::nftables::Rule;
use crate::selection::Selection;
use crate::taken::Behind;

/// Accepts packets to the exceptions.
pub(super) fn except(exceptions: &[Except]) -> Vec<Rule> {
    exceptions.iter().flat_map(to).map(Rule::accept).collect()
}

/// Matches packets to an exception.
pub(super) fn to(except: &Except) -> Vec<Rule> {
    matching(except, Rule::destination, Rule::destination_ports)
}

/// Matches packets from an exception.
pub(super) fn from(except: &Except) -> Vec<Rule> {
    matching(except, Rule::source, Rule::source_ports)
}

fn matching(
    except: &Except,
    by_net: fn(Rule, IpNet) -> Rule,
    by_ports: fn(Rule, &std::ops::RangeInclusive<u16>) -> Rule,
) -> Vec<Rule> {
    let net = || except.0.net.map_or_else(Rule::new, |net| by_net(Rule::new(), net));
    let Some(ports) = &except.0.ports else { return vec![net()] };
    let of_ports = |range: std::ops::RangeInclusive<u16>| {
        CARRIED.map(|protocol| by_ports(net().protocol(protocol), &range))
    };
    ports.ranges().flat_map(of_ports).collect()
}

/// Leaves for destinations that are never carried: addresses of this host, groups, broadcast and link-local ones.
pub(super) fn leave_local() -> Vec<Rule> {
    let types = [libc::RTN_LOCAL, libc::RTN_BROADCAST, libc::RTN_ANYCAST, libc::RTN_MULTICAST];
    let types = types.map(|kind| Rule::new().destination_type(kind).leave());
    types.into_iter().chain(nets(LOCAL).map(|net| Rule::new().destination(net).leave())).collect()
}

/// Leaves for private destinations, but not for those which the request adds.
pub(super) fn leave_private(selection: &Selection, selected: fn(Rule) -> Rule) -> Vec<Rule> {
    if selection.is_strict {
        return Vec::new();
    }
    let added = selection.private.iter().map(|net| selected(Rule::new().destination(*net)));
    let left = nets(PRIVATE).map(|net| Rule::new().destination(net).leave());
    added.chain(left).collect()
}

/// Sends queries to name servers of other hosts to the selected flows, also to private ones.
pub(super) fn select_dns(selected: fn(Rule) -> Rule) -> Vec<Rule> {
    let queries = CARRIED.map(|protocol| selected(Rule::new().protocol(protocol).destination_ports(&DNS)));
    queries.into_iter().collect()
}

/// Leaves for requests for addresses, which only the link can answer.
pub(super) fn leave_dhcp() -> Vec<Rule> {
    dhcp().map(Rule::leave).into()
}

/// Matches what a DHCP or DHCPv6 client sends.
pub(super) fn dhcp() -> [Rule; 2] {
    [(68, 67), (546, 547)].map(|(client, server)| {
        Rule::new()
            .protocol(libc::IPPROTO_UDP)
            .source_ports(&(client..=client))
            .destination_ports(&(server..=server))
    })
}

/// Accepts packets to the networks behind this host.
pub(super) fn to_networks_behind(selection: &Selection) -> Vec<Rule> {
    let to_them = selection.behind.iter().map(|behind| match behind {
        Behind::Net(net) => Rule::new().destination(*net),
        Behind::Interface(name) => Rule::new().out_by(name),
    });
    to_them.map(Rule::accept).collect()
}

/// Drops answers to programs whose address this host no longer has: the route to it leads out now. Answers have the
/// destination of the flow as their source.
pub(super) fn keep_answers(selection: &Selection) -> Vec<Rule> {
    let mut rules = to_networks_behind(selection);
    let outwards = Rule::new().has_mark(OWN_MARK).out_by_others();
    rules.push(outwards.other_source_type(libc::RTN_LOCAL).count().drop());
    rules
}

fn nets(texts: &'static [&'static str]) -> impl Iterator<Item = IpNet> {
    texts.iter().filter_map(|text| text.parse().ok())
}

/// Loopback, link-local addresses, groups and broadcast.
const LOCAL: &[&str] = &[
    "127.0.0.0/8",
    "169.254.0.0/16",
    "224.0.0.0/4",
    "255.255.255.255/32",
    "::1/128",
    "fe80::/10",
    "ff00::/8",
];
/// Private addresses (RFC 1918, RFC 6598, RFC 4193).
const PRIVATE: &[&str] = &["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_network_is_read() {
        assert_eq!(nets(LOCAL).count(), LOCAL.len());
        assert_eq!(nets(PRIVATE).count(), PRIVATE.len());
    }

    #[test]
    fn an_exception_with_ports_has_a_rule_for_each_protocol_and_range() {
        let count = |text: &str| to(&text.parse().expect(text)).len();
        assert_eq!([count("10.0.0.0/8"), count("10.0.0.0/8:22"), count("all:22,80-90")], [1, 2, 4]);
    }
}
