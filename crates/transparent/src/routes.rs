//! The ip rule and the route of each family, which deliver marked packets on this host.

use std::io;

use netlink_bindings::consts::{NLM_F_CREATE, NLM_F_EXCL};
use netlink_bindings::rt_route::{OpNewrouteDo, Rtmsg};
use netlink_bindings::rt_rule::{FibRuleHdr, FrAct, OpNewruleDo};
use nix::libc;

use crate::error::CaptureError;
use crate::marks::{CAPTURED_MARK, ROUTING_TABLE, RULE_PRIORITY, RULE_PROTOCOL};
use crate::netlink::{Message, Netlink};
use crate::nftables::{Family, LOOPBACK_INTERFACE};

/// A rule or a route of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Rule(Family),
    Route(Family),
}

/// The number of rules and routes that were removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Removed {
    pub(crate) rules: usize,
    pub(crate) routes: usize,
}

/// Adds the parts of these families that are missing, and returns them. Routes come first, so that no rule leads
/// nowhere.
pub(crate) fn ensure(
    netlink: &mut Netlink,
    families: impl Iterator<Item = Family> + Clone,
) -> Result<Vec<Part>, CaptureError> {
    let routes = families.clone().map(Part::Route);
    let mut added = Vec::new();
    for part in routes.chain(families.map(Part::Rule)) {
        let message = part.message(part.kinds().0, (NLM_F_CREATE | NLM_F_EXCL) as u16);
        match netlink.request(&message) {
            Ok(_) => added.push(part),
            Err(error) => match error.raw_os_error() {
                Some(libc::EEXIST) => {}
                Some(libc::EPERM) => return Err(CaptureError::NotPermitted(error)),
                Some(libc::ENETDOWN) => return Err(CaptureError::LoopbackDown),
                _ => return Err(CaptureError::Routes { what: message.what.into_owned(), error }),
            },
        }
    }
    Ok(added)
}

/// Removes the parts of both families, those of ended runs too.
pub(crate) fn remove(netlink: &mut Netlink) -> io::Result<Removed> {
    let mut removed = Removed::default();
    for family in Family::BOTH {
        removed.rules += remove_all(netlink, Part::Rule(family))?;
        removed.routes += remove_all(netlink, Part::Route(family))?;
    }
    Ok(removed)
}

/// Removes a part as often as it exists.
fn remove_all(netlink: &mut Netlink, part: Part) -> io::Result<usize> {
    for number in 0..MOST {
        if let Err(error) = netlink.request(&part.message(part.kinds().1, 0)) {
            return match error.raw_os_error() {
                // No such rule, no such route or table, no such family.
                Some(libc::ENOENT | libc::ESRCH | libc::EAFNOSUPPORT | libc::EOPNOTSUPP) => Ok(number),
                _ => Err(error),
            };
        }
    }
    Ok(MOST)
}

impl Part {
    /// The types of the messages that add and delete it.
    fn kinds(self) -> (u16, u16) {
        match self {
            Part::Rule(_) => (libc::RTM_NEWRULE, libc::RTM_DELRULE),
            Part::Route(_) => (libc::RTM_NEWROUTE, libc::RTM_DELROUTE),
        }
    }

    fn message(self, kind: u16, flags: u16) -> Message {
        let (body, what) = match self {
            Part::Rule(family) => (rule(number(family)), "the ip rule of captured packets"),
            Part::Route(family) => (route(number(family)), "the route of captured packets through lo"),
        };
        Message { kind, flags, body, what: what.into() }
    }
}

fn number(family: Family) -> u8 {
    match family {
        Family::Ipv4 => libc::AF_INET as u8,
        Family::Ipv6 => libc::AF_INET6 as u8,
    }
}

/// `fwmark CAPTURED_MARK/CAPTURED_MARK lookup ROUTING_TABLE`
fn rule(family: u8) -> Vec<u8> {
    let mut body = Vec::new();
    let header = FibRuleHdr { family, action: FrAct::ToTbl as u8, ..FibRuleHdr::new() };
    let rule = OpNewruleDo::encode_request(&mut body, &header).push_priority(RULE_PRIORITY);
    let rule = rule.push_fwmark(CAPTURED_MARK).push_fwmask(CAPTURED_MARK);
    drop(rule.push_table(ROUTING_TABLE).push_protocol(RULE_PROTOCOL));
    body
}

/// `local default dev lo table ROUTING_TABLE`
fn route(family: u8) -> Vec<u8> {
    let mut body = Vec::new();
    let header = Rtmsg {
        rtm_family: family,
        rtm_protocol: RULE_PROTOCOL,
        rtm_scope: libc::RT_SCOPE_HOST,
        rtm_type: libc::RTN_LOCAL,
        ..Rtmsg::new()
    };
    let route = OpNewrouteDo::encode_request(&mut body, &header);
    drop(route.push_oif(LOOPBACK_INTERFACE).push_table(ROUTING_TABLE));
    body
}

/// More equal rules than any number of killed runs leaves.
const MOST: usize = 64;
