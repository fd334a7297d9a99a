//! The ends of rules: verdicts, marks, refusals, and sockets to which packets are led.

use std::ffi::CStr;
use std::net::SocketAddr;

use netlink_bindings::nftables::{CtKeys, MetaKeys, Registers, RejectInetCode, RejectTypes, VerdictCode};

use super::rule::{Family, REGISTER, Rule};

impl Rule {
    /// Ends the base chain: the packet goes on.
    pub(crate) fn accept(self) -> Rule {
        self.verdict(VerdictCode::Accept, None)
    }

    /// Drops the packet.
    pub(crate) fn drop(self) -> Rule {
        self.verdict(VerdictCode::Drop, None)
    }

    /// Ends this chain, and goes on in the one that jumped here.
    pub(crate) fn leave(self) -> Rule {
        self.verdict(VerdictCode::Return, None)
    }

    /// Goes on in another chain, and returns.
    pub(crate) fn jump(self, chain: &CStr) -> Rule {
        self.verdict(VerdictCode::Jump, Some(chain))
    }

    /// Goes on in another chain, and does not return.
    pub(crate) fn goto(self, chain: &CStr) -> Rule {
        self.verdict(VerdictCode::Goto, Some(chain))
    }

    fn verdict(mut self, code: VerdictCode, chain: Option<&CStr>) -> Rule {
        let immediate = self.push().nested_data_immediate().push_dreg(Registers::RegVerdict as u32);
        let verdict = immediate.nested_data().nested_verdict().push_code(code as u32);
        match chain {
            Some(chain) => drop(verdict.push_chain(chain)),
            None => drop(verdict),
        }
        self
    }

    /// Sets a bit of the packet's mark, and keeps the others.
    pub(crate) fn set_mark(self, bit: u32) -> Rule {
        let marked = self.load_meta(MetaKeys::Mark).bits(&(!bit).to_ne_bytes(), &bit.to_ne_bytes());
        marked.store_meta(MetaKeys::Mark)
    }

    /// Sets a bit of the connection's mark, and keeps the others.
    pub(crate) fn set_connection_mark(self, bit: u32) -> Rule {
        let marked = self.load_connection(CtKeys::Mark).bits(&(!bit).to_ne_bytes(), &bit.to_ne_bytes());
        marked.store_connection(CtKeys::Mark)
    }

    /// Counts packets and bytes.
    pub(crate) fn count(mut self) -> Rule {
        drop(self.push().nested_data_counter());
        self
    }

    /// Drops a segment of TCP, and answers it with a reset.
    pub(crate) fn reset(mut self) -> Rule {
        drop(self.push().nested_data_reject().push_type(RejectTypes::TcpRst as u32).push_icmp_code(0));
        self
    }

    /// Drops the packet, and answers it with ICMP or ICMPv6: administratively prohibited.
    pub(crate) fn prohibit(mut self) -> Rule {
        let reject = self.push().nested_data_reject().push_type(RejectTypes::IcmpxUnreach as u32);
        drop(reject.push_icmp_code(RejectInetCode::IcmpxAdminProhibited as u8));
        self
    }

    /// Gives the packet to the socket of its connection, or to the one at `listener`. A packet of another family, or for
    /// which there is no such socket, does not match.
    pub(crate) fn lead_to(self, listener: SocketAddr) -> Rule {
        let family = Family::of(listener.ip());
        let rule = match listener {
            SocketAddr::V4(listener) => self.load_value(Registers::Reg1, &listener.ip().octets()),
            SocketAddr::V6(listener) => self.load_value(Registers::Reg1, &listener.ip().octets()),
        };
        let mut rule = rule.load_value(Registers::Reg2, &listener.port().to_be_bytes());
        let tproxy = rule.push().nested_data_tproxy().push_family(family.number() as u32);
        drop(tproxy.push_reg_addr(Registers::Reg1 as u32).push_reg_port(Registers::Reg2 as u32));
        rule
    }

    /// Translates the destination of a packet of this host to this port of loopback.
    pub(crate) fn redirect(self, port: u16) -> Rule {
        const REG_PROTO_MIN: u16 = 1;
        self.load_value(Registers::Reg1, &port.to_be_bytes()).raw(c"redir", &[(REG_PROTO_MIN, REGISTER)])
    }
}
