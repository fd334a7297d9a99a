//! The chains for packets that arrive: marked ones of this host through lo, and those of a network behind it.

use std::ffi::CStr;

use nix::libc;

use super::destinations::{keep_answers, leave_dhcp, leave_local, leave_private, select_dns};
use super::flows::decide;
use super::{CARRIED, ECHO_REQUEST_V4, ECHO_REQUEST_V6, EXCEPT, Plan, REFUSE, other_icmp};
use crate::marks::{CAPTURED_MARK, OWN_MARK};
use crate::nftables::{Chain, Hook, Rule};
use crate::selection::Selection;
use crate::taken::Behind;

/// The chains for packets that arrive.
pub(super) fn chains(plan: &Plan) -> Vec<Chain> {
    let mut chains = vec![Chain::regular(LEAD, lead(plan))];
    let mut rules = vec![
        Rule::new().in_by_loopback().has_mark(CAPTURED_MARK).goto(LEAD),
        Rule::new().in_by_loopback().accept(),
    ];
    if !plan.selection.behind.is_empty() {
        chains.push(Chain::regular(DECIDE, decide_arrived(plan)));
        chains.push(Chain::regular(BEHIND, behind(&plan.selection, DECIDE)));
        rules.extend(forwarded(&plan.selection));
    }
    chains.push(Chain::base(c"prerouting", Hook::PREROUTING, rules));
    chains.push(Chain::base(c"postrouting", Hook::POSTROUTING, keep_answers(&plan.selection)));
    chains
}

/// Selects packets of the networks behind this host.
fn forwarded(selection: &Selection) -> Vec<Rule> {
    let select: fn(Rule) -> Rule = |rule| rule.goto(BEHIND);
    let mut rules = vec![
        Rule::new().has_mark(OWN_MARK).accept(),
        Rule::new().protocol(libc::IPPROTO_TCP).has_connection_mark(CAPTURED_MARK).goto(BEHIND),
        Rule::new().jump(EXCEPT),
    ];
    rules.extend(leave_dhcp());
    rules.extend(leave_local());
    rules.extend(select_dns(select));
    rules.extend(leave_private(selection, select));
    rules.push(select(Rule::new()));
    rules
}

/// Goes on in `chain` with packets of the networks behind this host.
fn behind(selection: &Selection, chain: &CStr) -> Vec<Rule> {
    let selected = selection.behind.iter().map(|behind| match behind {
        Behind::Net(net) => Rule::new().source(*net),
        Behind::Interface(name) => Rule::new().in_by(name),
    });
    selected.map(|rule| rule.goto(chain)).collect()
}

/// Leads flows that begin here to the capture, and refuses other protocols.
fn decide_arrived(plan: &Plan) -> Vec<Rule> {
    let mut rules =
        vec![Rule::new().protocol(libc::IPPROTO_TCP).has_connection_mark(CAPTURED_MARK).goto(LEAD)];
    rules.extend(decide(LEAD));
    for family in plan.families() {
        rules.extend(CARRIED.map(|protocol| Rule::new().family(family).protocol(protocol).accept()));
    }
    rules.extend(other_icmp(ECHO_REQUEST_V4, ECHO_REQUEST_V6).map(Rule::accept));
    rules.push(Rule::new().goto(REFUSE));
    rules
}

/// Gives packets to the sockets of the capture; the mark makes the ip rule deliver them here.
fn lead(plan: &Plan) -> Vec<Rule> {
    let led = plan.listeners.each().map(|(protocol, listener)| {
        let family = Rule::new().family(crate::nftables::Family::of(listener.ip()));
        family.protocol(protocol).lead_to(listener).set_mark(CAPTURED_MARK).accept()
    });
    let refused = plan.refuses_ipv6().then(|| Rule::new().family(crate::nftables::Family::Ipv6).goto(REFUSE));
    led.chain(refused).collect()
}

const LEAD: &CStr = c"lead";
const BEHIND: &CStr = c"behind";
const DECIDE: &CStr = c"decide_arrived";
