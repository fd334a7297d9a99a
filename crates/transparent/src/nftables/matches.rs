//! Comparisons of a packet, its socket and its connection.

use std::ops::RangeInclusive;

use ipnet::IpNet;
use netlink_bindings::nftables::{CmpOps, CtKeys, FibFlags, MetaKeys, PayloadBase};
use nix::libc;

use super::rule::{Family, REGISTER, Rule};
use crate::cgroup::Cgroup;

impl Rule {
    /// Packets with this bit in their mark.
    pub(crate) fn has_mark(self, bit: u32) -> Rule {
        self.load_meta(MetaKeys::Mark).has_bit(bit)
    }

    /// Packets of a connection with this bit in its mark.
    pub(crate) fn has_connection_mark(self, bit: u32) -> Rule {
        self.load_connection(CtKeys::Mark).has_bit(bit)
    }

    /// Packets that the system does not track.
    pub(crate) fn untracked(self) -> Rule {
        self.load_connection(CtKeys::State).has_bit(UNTRACKED)
    }

    /// Packets of the side that answers.
    pub(crate) fn answering(self) -> Rule {
        self.load_connection(CtKeys::Direction).equals(&[IP_CT_DIR_REPLY])
    }

    /// Packets of the side that began.
    pub(crate) fn original(self) -> Rule {
        self.load_connection(CtKeys::Direction).equals(&[IP_CT_DIR_ORIGINAL])
    }

    fn has_bit(self, bit: u32) -> Rule {
        self.bits(&bit.to_ne_bytes(), &[0; 4]).equals(&bit.to_ne_bytes())
    }

    /// Packets of an address family.
    pub(crate) fn family(self, family: Family) -> Rule {
        self.load_meta(MetaKeys::Nfproto).equals(&[family.number() as u8])
    }

    /// Packets of a protocol above IP, such as `IPPROTO_TCP`.
    pub(crate) fn protocol(self, protocol: i32) -> Rule {
        self.load_meta(MetaKeys::L4Proto).equals(&[protocol as u8])
    }

    /// Segments of TCP that open a connection: SYN without ACK, RST and FIN.
    pub(crate) fn opens_tcp(self) -> Rule {
        const SYN: u8 = 0x02;
        const SYN_ACK_RST_FIN: u8 = 0x17;
        const FLAGS: u32 = 13;
        let flags = self.protocol(libc::IPPROTO_TCP).load_payload(PayloadBase::TransportHeader, FLAGS, 1);
        flags.bits(&[SYN_ACK_RST_FIN], &[0]).equals(&[SYN])
    }

    /// Packets to these ports of a protocol that was compared before.
    pub(crate) fn destination_ports(self, ports: &RangeInclusive<u16>) -> Rule {
        self.load_payload(PayloadBase::TransportHeader, 2, 2).within(ports)
    }

    /// Packets from these ports of a protocol that was compared before.
    pub(crate) fn source_ports(self, ports: &RangeInclusive<u16>) -> Rule {
        self.load_payload(PayloadBase::TransportHeader, 0, 2).within(ports)
    }

    fn within(self, ports: &RangeInclusive<u16>) -> Rule {
        let [first, last] = [ports.start(), ports.end()].map(|port| port.to_be_bytes());
        if first == last {
            return self.equals(&first);
        }
        self.compare(CmpOps::Gte, &first).compare(CmpOps::Lte, &last)
    }

    /// Packets with this type of an ICMP whose protocol was compared before.
    pub(crate) fn icmp_type(self, kind: u8) -> Rule {
        self.load_payload(PayloadBase::TransportHeader, 0, 1).equals(&[kind])
    }

    /// Packets with another type.
    pub(crate) fn other_icmp_type(self, kind: u8) -> Rule {
        self.load_payload(PayloadBase::TransportHeader, 0, 1).compare(CmpOps::Neq, &[kind])
    }

    /// Packets to addresses of a network.
    pub(crate) fn destination(self, net: IpNet) -> Rule {
        self.address(net, 16, 24)
    }

    /// Packets from addresses of a network.
    pub(crate) fn source(self, net: IpNet) -> Rule {
        self.address(net, 12, 8)
    }

    /// Compares the address at these offsets of the headers of IPv4 and IPv6.
    fn address(self, net: IpNet, offset_v4: u32, offset_v6: u32) -> Rule {
        let family = self.family(Family::of(net.addr()));
        match net {
            IpNet::V4(net) => family.prefix(offset_v4, &net.netmask().octets(), &net.network().octets()),
            IpNet::V6(net) => family.prefix(offset_v6, &net.netmask().octets(), &net.network().octets()),
        }
    }

    fn prefix(self, offset: u32, mask: &[u8], network: &[u8]) -> Rule {
        if mask.iter().all(|byte| *byte == 0) {
            return self;
        }
        let loaded = self.load_payload(PayloadBase::NetworkHeader, offset, mask.len() as u32);
        loaded.bits(mask, &vec![0; mask.len()]).equals(network)
    }

    /// Packets whose destination has this type in the routing tables, such as `RTN_LOCAL`.
    pub(crate) fn destination_type(mut self, kind: u8) -> Rule {
        let fib = self.push().nested_data_fib().push_dreg(REGISTER).push_result(ADDRESS_TYPE);
        drop(fib.push_flags(FibFlags::Daddr as u32));
        self.equals(&u32::from(kind).to_ne_bytes())
    }

    /// Packets whose source has another type in the routing tables.
    pub(crate) fn other_source_type(mut self, kind: u8) -> Rule {
        let fib = self.push().nested_data_fib().push_dreg(REGISTER).push_result(ADDRESS_TYPE);
        drop(fib.push_flags(FibFlags::Saddr as u32));
        self.compare(CmpOps::Neq, &u32::from(kind).to_ne_bytes())
    }

    /// Packets of a socket that a process of this user opened.
    pub(crate) fn of_user(self, user: u32) -> Rule {
        self.load_meta(MetaKeys::Skuid).equals(&user.to_ne_bytes())
    }

    /// Packets of a socket of a process in this control group or below it.
    pub(crate) fn of_cgroup(self, cgroup: &Cgroup) -> Rule {
        const CGROUPV2: u32 = 3;
        const KEY: u16 = 1;
        const DREG: u16 = 2;
        const LEVEL: u16 = 3;
        let attributes = [(KEY, CGROUPV2), (DREG, REGISTER), (LEVEL, cgroup.level)];
        self.raw(c"socket", &attributes).equals(&cgroup.id.to_ne_bytes())
    }

    /// Packets that arrive through lo.
    pub(crate) fn in_by_loopback(self) -> Rule {
        self.load_meta(MetaKeys::Iif).equals(&LOOPBACK_INTERFACE.to_ne_bytes())
    }

    /// Packets that leave through lo.
    pub(crate) fn out_by_loopback(self) -> Rule {
        self.load_meta(MetaKeys::Oif).equals(&LOOPBACK_INTERFACE.to_ne_bytes())
    }

    /// Packets that leave through another interface than lo.
    pub(crate) fn out_by_others(self) -> Rule {
        self.load_meta(MetaKeys::Oif).compare(CmpOps::Neq, &LOOPBACK_INTERFACE.to_ne_bytes())
    }

    /// Packets that arrive through the interface of this name.
    pub(crate) fn in_by(self, name: &str) -> Rule {
        self.load_meta(MetaKeys::Iifname).equals(&padded(name))
    }

    /// Packets that leave through the interface of this name.
    pub(crate) fn out_by(self, name: &str) -> Rule {
        self.load_meta(MetaKeys::Oifname).equals(&padded(name))
    }
}

/// The name of an interface with the zeros up to its size in the kernel.
fn padded(name: &str) -> [u8; libc::IFNAMSIZ] {
    let mut padded = [0; libc::IFNAMSIZ];
    padded.iter_mut().zip(name.bytes()).for_each(|(to, from)| *to = from);
    padded
}

/// The index of lo in each network namespace (`LOOPBACK_IFINDEX`).
pub(crate) const LOOPBACK_INTERFACE: u32 = 1;
/// `NFT_FIB_RESULT_ADDRTYPE`, which the bindings number by one less.
const ADDRESS_TYPE: u32 = 3;
/// The directions of a connection in the kernel (`enum ip_conntrack_dir`).
const IP_CT_DIR_ORIGINAL: u8 = 0;
const IP_CT_DIR_REPLY: u8 = 1;
/// `NF_CT_STATE_UNTRACKED_BIT`
const UNTRACKED: u32 = 1 << 6;
