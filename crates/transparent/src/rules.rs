//! The tables of a capture.

mod arrivals;
mod destinations;
mod flows;
mod strict;

use std::net::SocketAddr;

use netlink_bindings::nftables::TableFlags;
use nix::libc;

pub(crate) use strict::strict_table;

use crate::nftables::{Chain, Family, Rule, TABLE, Table};
use crate::selection::Selection;

/// The contents of the tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) selection: Selection,
    /// The sockets where captured flows arrive.
    pub(crate) listeners: Ports,
    /// The sockets where queries to a name server on loopback arrive.
    pub(crate) stub: Ports,
}

/// The addresses of the sockets of one use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ports {
    pub(crate) ipv4: Pair,
    /// `None` where IPv6 is switched off.
    pub(crate) ipv6: Option<Pair>,
}

/// The addresses of the sockets of one family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) tcp: SocketAddr,
    pub(crate) udp: SocketAddr,
}

impl Ports {
    /// Each address with the protocol of its socket.
    pub(crate) fn each(&self) -> impl Iterator<Item = (i32, SocketAddr)> {
        let pairs = [Some(self.ipv4), self.ipv6].into_iter().flatten();
        pairs.flat_map(|pair| [(libc::IPPROTO_TCP, pair.tcp), (libc::IPPROTO_UDP, pair.udp)])
    }
}

impl Plan {
    /// The families whose flows are carried.
    pub(crate) fn families(&self) -> impl Iterator<Item = Family> + Clone + use<> {
        let has_ipv6 = self.listeners.ipv6.is_some();
        Family::BOTH.into_iter().filter(move |family| *family == Family::Ipv4 || has_ipv6)
    }

    /// Returns true if flows of IPv6 are refused, because they cannot be carried.
    fn refuses_ipv6(&self) -> bool {
        self.listeners.ipv6.is_none()
    }
}

/// The table that leads flows to the capture.
pub(crate) fn capturing_table(plan: &Plan) -> Table {
    let mut chains = vec![
        Chain::regular(EXCEPT, destinations::except(&plan.selection.except)),
        Chain::regular(REFUSE, flows::refuse()),
    ];
    if plan.selection.has_own_flows() {
        chains.extend(flows::chains(plan));
    }
    chains.extend(arrivals::chains(plan));
    Table { name: TABLE, flags: TableFlags::Owner as u32, chains }
}

/// Matches ICMP and ICMPv6 of other types.
fn other_icmp(kind_v4: u8, kind_v6: u8) -> [Rule; 2] {
    [
        Rule::new().protocol(libc::IPPROTO_ICMP).other_icmp_type(kind_v4),
        Rule::new().protocol(libc::IPPROTO_ICMPV6).other_icmp_type(kind_v6),
    ]
}

/// Accepts excepted destinations.
const EXCEPT: &std::ffi::CStr = c"except";
/// Refuses what is selected and cannot be carried.
const REFUSE: &std::ffi::CStr = c"refuse";
const ECHO_REQUEST_V4: u8 = 8;
const ECHO_REQUEST_V6: u8 = 128;
const DNS: std::ops::RangeInclusive<u16> = 53..=53;
/// Protocols whose flows are carried.
const CARRIED: [i32; 2] = [libc::IPPROTO_TCP, libc::IPPROTO_UDP];
