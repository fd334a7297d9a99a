//! A table with its chains as the messages of a transaction.

use std::ffi::CStr;

use netlink_bindings::consts::{NLM_F_APPEND, NLM_F_CREATE, NLM_F_EXCL};
use netlink_bindings::nftables::{
    Nfgenmsg, OpBatchBeginDo, OpDeltableDo, OpNewchainDo, OpNewruleDo, OpNewtableDo, VerdictCode,
};
use netlink_bindings::utils::{Pusher as _, finalize_nested_header, push_nested_header};
use nix::libc;

use super::rule::Rule;
use crate::netlink::Message;

/// A table of family inet.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) name: &'static str,
    /// Flags of `TableFlags`.
    pub(crate) flags: u32,
    /// The chains; a rule jumps to chains of any place.
    pub(crate) chains: Vec<Chain>,
}

/// A chain of rules.
#[derive(Debug)]
pub(crate) struct Chain {
    pub(crate) name: &'static CStr,
    /// The place in the kernel where packets enter; `None` if other chains jump here.
    pub(crate) hook: Option<Hook>,
    pub(crate) rules: Vec<Rule>,
}

/// The place in the kernel where packets enter a chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hook {
    kind: &'static CStr,
    number: i32,
    priority: i32,
}

impl Hook {
    /// Packets that arrive, before their route is looked up and destinations are translated. Reverse path filters, as
    /// firewalld's in `mangle`, come first: they would drop a packet that has a socket already.
    pub(crate) const PREROUTING: Hook =
        Hook { kind: c"filter", number: libc::NF_INET_PRE_ROUTING, priority: BEFORE_DSTNAT };
    /// Packets of this host; a changed mark looks up their route again.
    pub(crate) const OUTPUT_ROUTE: Hook =
        Hook { kind: c"route", number: libc::NF_INET_LOCAL_OUT, priority: MANGLE };
    /// Packets of this host, whose destination may be translated.
    pub(crate) const OUTPUT_NAT: Hook =
        Hook { kind: c"nat", number: libc::NF_INET_LOCAL_OUT, priority: DSTNAT };
    /// Packets of this host.
    pub(crate) const OUTPUT: Hook =
        Hook { kind: c"filter", number: libc::NF_INET_LOCAL_OUT, priority: FILTER };
    /// Packets of other hosts that this one forwards.
    pub(crate) const FORWARD: Hook =
        Hook { kind: c"filter", number: libc::NF_INET_FORWARD, priority: FILTER };
    /// Packets that leave, when their interface is known.
    pub(crate) const POSTROUTING: Hook =
        Hook { kind: c"filter", number: libc::NF_INET_POST_ROUTING, priority: FILTER };
}

/// `NF_IP_PRI_MANGLE`
const MANGLE: i32 = -150;
/// Between `mangle` and `NF_IP_PRI_NAT_DST`.
const BEFORE_DSTNAT: i32 = DSTNAT - 10;
/// `NF_IP_PRI_NAT_DST`
const DSTNAT: i32 = -100;
/// `NF_IP_PRI_FILTER`
const FILTER: i32 = 0;

impl Chain {
    /// A chain that packets enter at `hook`.
    pub(crate) fn base(name: &'static CStr, hook: Hook, rules: Vec<Rule>) -> Chain {
        Chain { name, hook: Some(hook), rules }
    }

    /// A chain to which others jump.
    pub(crate) fn regular(name: &'static CStr, rules: Vec<Rule>) -> Chain {
        Chain { name, hook: None, rules }
    }
}

/// The messages of a transaction that first deletes and then makes tables.
pub(crate) fn transaction(deleted: &[&'static str], made: &[&Table]) -> Vec<Message> {
    let deletions = deleted.iter().map(|name| deletion(name));
    let makings = made.iter().flat_map(|table| table.messages());
    std::iter::once(enclosing(libc::NFNL_MSG_BATCH_BEGIN))
        .chain(deletions)
        .chain(makings)
        .chain([enclosing(libc::NFNL_MSG_BATCH_END)])
        .collect()
}

/// The message that deletes a table.
fn deletion(name: &'static str) -> Message {
    let mut body = Vec::new();
    drop(OpDeltableDo::encode_request(&mut body, &header()).push_name_bytes(name.as_bytes()));
    message(libc::NFT_MSG_DELTABLE, 0, body, format!("to delete the table inet {name}"))
}

impl Table {
    fn messages(&self) -> Vec<Message> {
        let chains = self.chains.iter().map(|chain| self.chain(chain));
        let rules = self.chains.iter().flat_map(|chain| {
            let numbered = (1..).zip(&chain.rules);
            numbered.map(|(number, rule)| self.rule(chain, number, rule))
        });
        std::iter::once(self.table()).chain(chains).chain(rules).collect()
    }

    fn table(&self) -> Message {
        let mut body = Vec::new();
        let table = OpNewtableDo::encode_request(&mut body, &header());
        drop(table.push_name_bytes(self.name.as_bytes()).push_flags(self.flags));
        let what = format!("the table inet {} with flags {}", self.name, self.flags);
        message(libc::NFT_MSG_NEWTABLE, NLM_F_CREATE | NLM_F_EXCL, body, what)
    }

    fn chain(&self, chain: &Chain) -> Message {
        let mut body = Vec::new();
        let mut made = OpNewchainDo::encode_request(&mut body, &header())
            .push_table_bytes(self.name.as_bytes())
            .push_name(chain.name);
        if let Some(Hook { kind, number, priority }) = chain.hook {
            made = made.nested_hook().push_num(number as u32).push_priority(priority).end_nested();
            made = made.push_policy(VerdictCode::Accept as u32).push_type(kind);
        }
        drop(made);
        message(
            libc::NFT_MSG_NEWCHAIN,
            NLM_F_CREATE,
            body,
            format!("the chain {} of inet {}", show(chain), self.name),
        )
    }

    fn rule(&self, chain: &Chain, number: u32, rule: &Rule) -> Message {
        let mut body = Vec::new();
        let mut made = OpNewruleDo::encode_request(&mut body, &header())
            .push_table_bytes(self.name.as_bytes())
            .push_chain(chain.name);
        let bytes = made.as_vec_mut();
        let start = push_nested_header(bytes, NFTA_RULE_EXPRESSIONS);
        bytes.extend_from_slice(rule.expressions());
        finalize_nested_header(bytes, start);
        drop(made);
        let what = format!("rule {number} of the chain {} of inet {}", show(chain), self.name);
        message(libc::NFT_MSG_NEWRULE, NLM_F_CREATE | NLM_F_APPEND, body, what)
    }
}

fn show(chain: &Chain) -> std::borrow::Cow<'_, str> {
    chain.name.to_string_lossy()
}

fn message(operation: i32, flags: i32, body: Vec<u8>, what: String) -> Message {
    Message { kind: kind(operation), flags: flags as u16, body, what: what.into() }
}

/// The first or the last message of a transaction.
fn enclosing(kind: i32) -> Message {
    let mut body = Vec::new();
    let mut header = Nfgenmsg::new();
    header.set_res_id(SUBSYSTEM);
    drop(OpBatchBeginDo::encode_request(&mut body, &header));
    Message { kind: kind as u16, flags: 0, body, what: "a transaction of nftables".into() }
}

fn header() -> Nfgenmsg {
    Nfgenmsg { nfgen_family: INET, ..Nfgenmsg::new() }
}

/// The type of the message of an operation of nftables.
pub(super) fn kind(operation: i32) -> u16 {
    SUBSYSTEM << 8 | operation as u16
}

pub(super) use nix::libc::NFT_MSG_GETTABLE;
/// The family of tables for IPv4 and IPv6 (`NFPROTO_INET`).
pub(super) const INET: u8 = libc::NFPROTO_INET as u8;
const SUBSYSTEM: u16 = libc::NFNL_SUBSYS_NFTABLES as u16;
const NFTA_RULE_EXPRESSIONS: u16 = 4;
