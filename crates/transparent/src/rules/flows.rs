//! The chains for flows of this host: which are marked, which are refused, and which queries are redirected.

use std::ffi::CStr;

use nix::libc;

use super::destinations::{leave_dhcp, leave_local, leave_private, select_dns};
use super::{CARRIED, DNS, ECHO_REQUEST_V4, ECHO_REQUEST_V6, EXCEPT, Plan, REFUSE, other_icmp};
use crate::marks::{CAPTURED_MARK, OWN_MARK};
use crate::nftables::{Chain, Hook, Rule};
use crate::selection::Selection;

/// The chains for flows of this host.
pub(super) fn chains(plan: &Plan) -> Vec<Chain> {
    let selection = &plan.selection;
    let mut chains = vec![
        Chain::regular(MARK, mark(plan)),
        Chain::regular(DECIDE, decide(MARK)),
        Chain::regular(SELECTED, selected(selection, DECIDE)),
        Chain::regular(SELECTED_OTHERS, selected(selection, REFUSE)),
        Chain::base(c"output", Hook::OUTPUT_ROUTE, output(selection)),
        Chain::base(c"output_others", Hook::OUTPUT, output_others(plan)),
    ];
    if selection.has_processes() {
        chains.push(Chain::base(c"output_stub", Hook::OUTPUT_NAT, output_stub(plan)));
    }
    chains
}

/// Marks selected TCP and UDP, and looks up its route again.
fn output(selection: &Selection) -> Vec<Rule> {
    let select: fn(Rule) -> Rule = |rule| rule.goto(SELECTED);
    let mut rules = vec![
        Rule::new().has_mark(OWN_MARK).accept(),
        Rule::new().protocol(libc::IPPROTO_TCP).has_connection_mark(CAPTURED_MARK).original().goto(MARK),
        Rule::new().jump(EXCEPT),
    ];
    rules.extend(leave_dhcp());
    rules.extend(leave_local());
    rules.extend(select_dns(select));
    rules.extend(leave_private(selection, select));
    rules.push(select(Rule::new()));
    rules
}

/// Refuses other protocols of the selected flows.
fn output_others(plan: &Plan) -> Vec<Rule> {
    let select: fn(Rule) -> Rule = |rule| rule.goto(SELECTED_OTHERS);
    let mut rules = vec![Rule::new().has_mark(OWN_MARK).accept()];
    for family in plan.families() {
        rules.extend(CARRIED.map(|protocol| Rule::new().family(family).protocol(protocol).accept()));
    }
    // An error about a captured flow, as of a port that was closed before the answer came, would name its destination.
    let errors = other_icmp(ECHO_REQUEST_V4, ECHO_REQUEST_V6);
    rules.extend(errors.map(|error| error.has_connection_mark(CAPTURED_MARK).drop()));
    rules.extend(other_icmp(ECHO_REQUEST_V4, ECHO_REQUEST_V6).map(Rule::accept));
    rules.push(Rule::new().jump(EXCEPT));
    rules.extend(leave_dhcp());
    rules.extend(leave_local());
    if plan.refuses_ipv6() {
        rules.extend(select_dns(select));
    }
    rules.extend(leave_private(&plan.selection, select));
    rules.push(select(Rule::new()));
    rules
}

/// Redirects queries of selected processes to a name server on loopback: its own queries belong to another user.
fn output_stub(plan: &Plan) -> Vec<Rule> {
    let mut rules = vec![Rule::new().has_mark(OWN_MARK).accept(), Rule::new().jump(EXCEPT)];
    for (protocol, listener) in plan.stub.each() {
        let loopback = if listener.is_ipv4() { "127.0.0.0/8" } else { "::1/128" };
        let Ok(loopback) = loopback.parse() else { continue };
        let query = || Rule::new().destination(loopback).protocol(protocol).destination_ports(&DNS);
        let selected = processes(&plan.selection).map(|select| select(query()));
        rules.extend(selected.map(|rule| rule.redirect(listener.port())));
    }
    rules
}

/// Matches packets of selected processes.
fn processes(selection: &Selection) -> impl Iterator<Item = Box<dyn Fn(Rule) -> Rule>> {
    let users = selection.users.clone().into_iter();
    let users = users.map(|user| -> Box<dyn Fn(Rule) -> Rule> { Box::new(move |rule| rule.of_user(user)) });
    let cgroups = selection.cgroups.clone().into_iter();
    let cgroups =
        cgroups.map(|cgroup| -> Box<dyn Fn(Rule) -> Rule> { Box::new(move |rule| rule.of_cgroup(&cgroup)) });
    users.chain(cgroups)
}

/// Goes on in `chain` with packets of the selected flows. Ports are those of TCP and UDP.
fn selected(selection: &Selection, chain: &CStr) -> Vec<Rule> {
    if selection.is_host {
        return vec![Rule::new().goto(chain)];
    }
    let ports = selection.ports.iter().flat_map(|range| {
        CARRIED.map(|protocol| Rule::new().protocol(protocol).destination_ports(range).goto(chain))
    });
    processes(selection).map(|select| select(Rule::new()).goto(chain)).chain(ports).collect()
}

/// Goes on in `captured` with packets of flows that begin here. A connection that is older than the capture, or that
/// another host opened, stays as it is.
pub(super) fn decide(captured: &CStr) -> Vec<Rule> {
    vec![
        Rule::new().opens_tcp().set_connection_mark(CAPTURED_MARK).goto(captured),
        Rule::new().protocol(libc::IPPROTO_TCP).untracked().goto(captured),
        Rule::new().protocol(libc::IPPROTO_UDP).answering().leave(),
        Rule::new().protocol(libc::IPPROTO_UDP).set_connection_mark(CAPTURED_MARK).goto(captured),
        Rule::new().protocol(libc::IPPROTO_UDP).untracked().goto(captured),
    ]
}

/// Marks packets of the families that are carried.
fn mark(plan: &Plan) -> Vec<Rule> {
    plan.families().map(|family| Rule::new().family(family).set_mark(CAPTURED_MARK).accept()).collect()
}

/// Answers with a reset or an ICMP error.
pub(super) fn refuse() -> Vec<Rule> {
    vec![Rule::new().protocol(libc::IPPROTO_TCP).count().reset(), Rule::new().count().prohibit()]
}

const DECIDE: &CStr = c"decide";
const MARK: &CStr = c"mark";
const SELECTED: &CStr = c"selected";
const SELECTED_OTHERS: &CStr = c"selected_others";
