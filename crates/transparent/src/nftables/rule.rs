//! A rule: expressions that load, compare and change registers, in their order. An expression that does not match ends
//! the rule.

use std::net::IpAddr;

use netlink_bindings::nftables::{
    CmpOps, CtKeys, MetaKeys, PayloadBase, PushExprAttrs, PushExprListAttrs, Registers,
};
use netlink_bindings::utils::{Pusher as _, finalize_nested_header, push_header, push_nested_header};
use nix::libc;

/// The expressions of a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rule(Vec<u8>);

/// An address family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// IPv4
    Ipv4,
    /// IPv6
    Ipv6,
}

impl Family {
    pub(crate) const BOTH: [Family; 2] = [Family::Ipv4, Family::Ipv6];

    /// The family of an address.
    pub(crate) fn of(ip: IpAddr) -> Family {
        if ip.is_ipv4() { Family::Ipv4 } else { Family::Ipv6 }
    }

    /// The number of the family in nftables.
    pub(super) fn number(self) -> i32 {
        match self {
            Family::Ipv4 => libc::NFPROTO_IPV4,
            Family::Ipv6 => libc::NFPROTO_IPV6,
        }
    }
}

/// The expressions from which matches and verdicts are made. Values of packets are big-endian, all others have the
/// order of this machine.
impl Rule {
    /// A rule that matches every packet.
    pub(crate) fn new() -> Rule {
        Rule::default()
    }

    /// The attributes of the list of expressions.
    pub(super) fn expressions(&self) -> &[u8] {
        &self.0
    }

    pub(super) fn push(&mut self) -> PushExprAttrs<PushExprListAttrs<&mut Vec<u8>>> {
        PushExprListAttrs::new(&mut self.0).nested_elem()
    }

    pub(super) fn load_meta(mut self, key: MetaKeys) -> Rule {
        drop(self.push().nested_data_meta().push_key(key as u32).push_dreg(REGISTER));
        self
    }

    pub(super) fn store_meta(mut self, key: MetaKeys) -> Rule {
        drop(self.push().nested_data_meta().push_key(key as u32).push_sreg(REGISTER));
        self
    }

    pub(super) fn load_connection(mut self, key: CtKeys) -> Rule {
        drop(self.push().nested_data_ct().push_key(key as u32).push_dreg(REGISTER));
        self
    }

    pub(super) fn store_connection(mut self, key: CtKeys) -> Rule {
        drop(self.push().nested_data_ct().push_key(key as u32).push_sreg(REGISTER));
        self
    }

    pub(super) fn load_payload(mut self, base: PayloadBase, offset: u32, length: u32) -> Rule {
        let payload = self.push().nested_data_payload().push_dreg(REGISTER).push_base(base as u32);
        drop(payload.push_offset(offset).push_len(length));
        self
    }

    /// Keeps the bits of `mask`, and then inverts those of `invert`.
    pub(super) fn bits(mut self, mask: &[u8], invert: &[u8]) -> Rule {
        let bitwise = self.push().nested_data_bitwise().push_sreg(REGISTER).push_dreg(REGISTER);
        let bitwise = bitwise.push_len(mask.len() as u32).nested_mask().push_value(mask).end_nested();
        drop(bitwise.nested_xor().push_value(invert));
        self
    }

    pub(super) fn compare(mut self, operation: CmpOps, value: &[u8]) -> Rule {
        let compare = self.push().nested_data_cmp().push_sreg(REGISTER).push_op(operation as u32);
        drop(compare.nested_data().push_value(value));
        self
    }

    pub(super) fn equals(self, value: &[u8]) -> Rule {
        self.compare(CmpOps::Eq, value)
    }

    pub(super) fn load_value(mut self, register: Registers, value: &[u8]) -> Rule {
        let immediate = self.push().nested_data_immediate().push_dreg(register as u32);
        drop(immediate.nested_data().push_value(value));
        self
    }

    /// Adds an expression that the bindings lack, with attributes of big-endian numbers.
    pub(super) fn raw(mut self, name: &'static std::ffi::CStr, attributes: &[(u16, u32)]) -> Rule {
        let mut expression = self.push().push_name(name);
        let bytes = expression.as_vec_mut();
        let start = push_nested_header(bytes, NFTA_EXPR_DATA);
        for (kind, value) in attributes {
            push_header(bytes, *kind, size_of::<u32>() as u16);
            bytes.extend_from_slice(&value.to_be_bytes());
        }
        finalize_nested_header(bytes, start);
        drop(expression);
        self
    }
}

/// The register of 16 bytes through which all values pass.
pub(super) const REGISTER: u32 = Registers::Reg1 as u32;
const NFTA_EXPR_DATA: u16 = 2;
