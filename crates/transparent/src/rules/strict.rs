//! The table that lets nothing leave beside a strict capture. It has rules of its own for what may leave, so that they
//! hold when the other table is gone.

use nix::libc;

use super::destinations::{dhcp, except, from, keep_answers, to_networks_behind};
use super::{EXCEPT, Plan};
use crate::marks::{CAPTURED_MARK, OWN_MARK};
use crate::nftables::{Chain, Hook, Rule, STRICT_TABLE, Table};
use crate::selection::Selection;

/// The table, with these flags.
pub(crate) fn strict_table(plan: &Plan, flags: u32) -> Table {
    let selection = &plan.selection;
    let chains = vec![
        Chain::regular(EXCEPT, except(&selection.except)),
        Chain::regular(BEHIND, to_networks_behind(selection)),
        Chain::base(c"output", Hook::OUTPUT, output()),
        Chain::base(c"forward", Hook::FORWARD, forward(selection)),
        Chain::base(c"postrouting", Hook::POSTROUTING, postrouting(selection)),
    ];
    Table { name: STRICT_TABLE, flags, chains }
}

/// Drops packets of this host. A reset ends an attempt to connect at once; others see that sending is not permitted.
fn output() -> Vec<Rule> {
    let mut rules = vec![
        Rule::new().out_by_loopback().accept(),
        Rule::new().has_mark(OWN_MARK).accept(),
        // The interface of a captured packet is not known yet: `postrouting` sees it.
        Rule::new().has_mark(CAPTURED_MARK).accept(),
    ];
    rules.extend(dhcp().map(Rule::accept));
    rules.push(Rule::new().protocol(libc::IPPROTO_IGMP).accept());
    let icmpv6 = NEIGHBOUR_DISCOVERY.chain(LISTENER_DISCOVERY);
    rules.extend(icmpv6.map(|kind| Rule::new().protocol(libc::IPPROTO_ICMPV6).icmp_type(kind).accept()));
    rules.push(Rule::new().jump(EXCEPT));
    rules.push(Rule::new().jump(BEHIND));
    rules.push(Rule::new().protocol(libc::IPPROTO_TCP).count().reset());
    rules.push(Rule::new().count().drop());
    rules
}

/// Drops packets of other hosts, but not answers from excepted destinations.
fn forward(selection: &Selection) -> Vec<Rule> {
    let mut rules = vec![Rule::new().jump(EXCEPT), Rule::new().jump(BEHIND)];
    rules.extend(selection.except.iter().flat_map(from).map(|rule| rule.answering().accept()));
    rules.push(Rule::new().count().drop());
    rules
}

/// Drops captured packets that would leave, because the ip rule or the route is missing, and answers that would.
fn postrouting(selection: &Selection) -> Vec<Rule> {
    let mut rules = vec![Rule::new().has_mark(CAPTURED_MARK).out_by_others().count().drop()];
    rules.extend(keep_answers(selection));
    rules
}

const BEHIND: &std::ffi::CStr = c"behind";
/// Router and neighbour discovery and redirects (RFC 4861).
const NEIGHBOUR_DISCOVERY: std::ops::RangeInclusive<u8> = 133..=137;
/// Multicast listener discovery (RFC 2710, RFC 3810).
const LISTENER_DISCOVERY: [u8; 4] = [130, 131, 132, 143];
