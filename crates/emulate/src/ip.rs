//! The fields of an IP header that links use, in both versions: the ECN codepoint, the permission to fragment,
//! link-local destinations.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::net::{Ipv4Addr, Ipv6Addr};

use anabranch_base::Ecn;

/// The ECN codepoint (RFC 3168 §5); Not-ECT if this is not an IP packet.
pub(crate) fn ecn(packet: &[u8]) -> Ecn {
    let traffic_class = match (version(packet), packet.get(1)) {
        (Some(Version::V4), Some(byte)) => *byte,
        (Some(Version::V6), Some(byte)) => byte >> 4,
        _ => 0,
    };
    Ecn::from_bits(traffic_class)
}

/// Changes the codepoint, and with it the header's checksum. Anything but an IP packet stays unchanged.
pub(crate) fn set_ecn(packet: &mut [u8], ecn: Ecn) {
    match version(packet) {
        Some(Version::V4) => set_ecn_v4(packet, ecn),
        Some(Version::V6) => {
            if let Some(byte) = packet.get_mut(1) {
                *byte = *byte & !(Ecn::MASK << 4) | ecn.bits() << 4;
            }
        }
        None => {}
    }
}

/// Returns true if routers may fragment it: IPv4 without the DF bit.
pub(crate) fn may_fragment(packet: &[u8]) -> bool {
    matches!(version(packet), Some(Version::V4))
        && packet.get(6).is_some_and(|flags| flags & DONT_FRAGMENT == 0)
}

/// Returns true if its destination is a multicast group of link-local scope (RFC 5771 §4, RFC 4291 §2.7), used by
/// kernels and daemons on their own link.
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
pub(crate) fn stays_on_its_link(packet: &[u8]) -> bool {
    match version(packet) {
        Some(Version::V4) => {
            octets(packet, 16).is_some_and(|to| Ipv4Addr::from(to).octets()[..3] == [224, 0, 0])
        }
        Some(Version::V6) => {
            octets::<16>(packet, 24).is_some_and(|to| Ipv6Addr::from(to).segments()[0] & 0xff0f == 0xff02)
        }
        None => false,
    }
}

/// The SCTP packet in it, directly or in UDP (RFC 6951); `None` for everything else and for fragments. The caller
/// verifies the checksum.
pub(crate) fn sctp(packet: &[u8]) -> Option<&[u8]> {
    let (protocol, load) = match version(packet)? {
        Version::V4 if is_fragment(packet) => return None,
        Version::V4 => (*packet.get(9)?, packet.get(header_length(packet)..)?),
        Version::V6 => (*packet.get(6)?, packet.get(40..)?),
    };
    match protocol {
        SCTP => Some(load),
        UDP => load.get(UDP_HEADER..),
        _ => None,
    }
}

/// A hash of the properties that identify a flow: addresses, protocol, and ports. A fragment counts without ports,
/// which only the first of its packet could have.
pub(crate) fn flow(packet: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    let (protocol, addresses, ports_at) = match version(packet) {
        Some(Version::V4) => {
            let ports_at = (!is_fragment(packet)).then_some(header_length(packet));
            (packet.get(9), packet.get(12..20), ports_at)
        }
        Some(Version::V6) => (packet.get(6), packet.get(8..40), Some(40)),
        None => (None, None, None),
    };
    let has_ports = protocol.is_some_and(|protocol| WITH_PORTS.contains(protocol));
    let ports: Option<[u8; 4]> = ports_at.filter(|_| has_ports).and_then(|at| octets(packet, at));
    (protocol, addresses, ports).hash(&mut hasher);
    hasher.finish()
}

enum Version {
    V4,
    V6,
}

fn version(packet: &[u8]) -> Option<Version> {
    match packet.first()? >> 4 {
        4 => Some(Version::V4),
        6 => Some(Version::V6),
        _ => None,
    }
}

/// Returns true if it is a fragment of an IPv4 packet.
fn is_fragment(packet: &[u8]) -> bool {
    octets(packet, 6).is_some_and(|word| u16::from_be_bytes(word) & FRAGMENT != 0)
}

/// The length of an IPv4 header.
fn header_length(packet: &[u8]) -> usize {
    packet.first().map_or(0, |byte| usize::from(byte & 0xf) * 4)
}

fn octets<const N: usize>(packet: &[u8], at: usize) -> Option<[u8; N]> {
    packet.get(at..at + N)?.try_into().ok()
}

/// RFC 1624, equation 3: HC' = ~(~HC + ~m + m'), for the word of version, length and type of service.
fn set_ecn_v4(packet: &mut [u8], ecn: Ecn) {
    let (Some(old), Some(sum)) = (octets(packet, 0), octets(packet, 10)) else { return };
    let (old, sum) = (u16::from_be_bytes(old), u16::from_be_bytes(sum));
    let new = old & !u16::from(Ecn::MASK) | u16::from(ecn.bits());
    let added = u32::from(!sum) + u32::from(!old) + u32::from(new);
    let folded = (added & 0xffff) + (added >> 16);
    let folded = (folded & 0xffff) + (folded >> 16);
    packet[..2].copy_from_slice(&new.to_be_bytes());
    packet[10..12].copy_from_slice(&(!(folded as u16)).to_be_bytes());
}

const DONT_FRAGMENT: u8 = 0x40;
/// The bit for more fragments, and the offset of a fragment.
const FRAGMENT: u16 = 0x3fff;
/// The protocols whose headers begin with source and destination port: TCP, UDP, SCTP.
const WITH_PORTS: [u8; 3] = [6, UDP, SCTP];
const UDP: u8 = 17;
const SCTP: u8 = 132;
const UDP_HEADER: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    /// An IPv4 header from Wikipedia's article on its checksum, changed to ECT(0).
    const V4: [u8; 20] = [
        0x45, 0x02, 0x00, 0x73, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11, 0xb8, 0x5f, 0xc0, 0xa8, 0x00, 0x01, 0xc0,
        0xa8, 0x00, 0xc7,
    ];

    /// RFC 1071: the sum in ones' complement.
    fn sum(header: &[u8]) -> u16 {
        let words = header.chunks_exact(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]])));
        let sum: u32 = words.sum();
        let folded = (sum & 0xffff) + (sum >> 16);
        ((folded & 0xffff) + (folded >> 16)) as u16
    }

    /// Over a whole header the sum is all ones.
    fn is_right(header: &[u8]) -> bool {
        sum(header) == 0xffff
    }

    fn v6(traffic_class: u8, to: &str) -> Vec<u8> {
        let mut packet = vec![0; 40];
        packet[0] = 0x60 | traffic_class >> 4;
        packet[1] = traffic_class << 4;
        packet[24..].copy_from_slice(&to.parse::<Ipv6Addr>().expect("an address").octets());
        packet
    }

    #[test]
    fn a_mark_sets_both_bits_and_keeps_the_checksum_right() {
        let mut packet = V4;
        assert!(is_right(&packet));
        assert_eq!(ecn(&packet), Ecn::Ect0);
        set_ecn(&mut packet, Ecn::Ce);
        assert_eq!(ecn(&packet), Ecn::Ce);
        assert!(is_right(&packet), "{packet:x?}");
        let marked = packet;
        set_ecn(&mut packet, Ecn::Ce);
        assert_eq!(packet, marked);
        set_ecn(&mut packet, Ecn::Ect0);
        assert_eq!(packet, V4);
    }

    #[test]
    fn the_checksum_stays_right_whatever_the_rest_of_the_header_says() {
        for id in 0..=u16::MAX {
            let mut packet = V4;
            packet[4..6].copy_from_slice(&id.to_be_bytes());
            packet[10..12].copy_from_slice(&[0, 0]);
            let right = !sum(&packet);
            packet[10..12].copy_from_slice(&right.to_be_bytes());
            set_ecn(&mut packet, Ecn::Ce);
            assert!(is_right(&packet), "{packet:x?}");
        }
    }

    #[test]
    fn the_mark_of_version_6_leaves_the_rest_of_the_traffic_class_and_the_flow_label() {
        let mut packet = v6(0b1010_1101, "fd77::1");
        packet[1] |= 0x0f;
        assert_eq!(ecn(&packet), Ecn::Ect1);
        set_ecn(&mut packet, Ecn::Ce);
        assert_eq!((packet[0], packet[1]), (0x6a, 0xff));
        assert_eq!(ecn(&packet), Ecn::Ce);
    }

    #[test]
    fn only_version_4_without_its_bit_may_be_cut() {
        let mut packet = V4;
        assert!(!may_fragment(&packet));
        packet[6] = 0;
        assert!(may_fragment(&packet));
        assert!(!may_fragment(&v6(0, "fd77::1")));
    }

    #[test]
    fn link_local_groups_stay_and_all_else_goes() {
        let mut packet = V4;
        for (to, stays) in [([224, 0, 0, 22], true), ([224, 0, 1, 1], false), ([10, 77, 1, 2], false)] {
            packet[16..].copy_from_slice(&to);
            assert_eq!(stays_on_its_link(&packet), stays, "{to:?}");
        }
        for (to, stays) in [("ff02::2", true), ("ff12::2", true), ("ff0e::1", false), ("fd77::2", false)] {
            assert_eq!(stays_on_its_link(&v6(0, to)), stays, "{to}");
        }
    }

    #[test]
    fn a_flow_is_what_addresses_protocol_and_ports_say() {
        let packet = |from: u8, ports: [u8; 4]| {
            let mut packet = V4.to_vec();
            packet[15] = from;
            packet.extend(ports);
            packet
        };
        let known = flow(&packet(1, [1, 2, 3, 4]));
        let mut marked = packet(1, [1, 2, 3, 4]);
        set_ecn(&mut marked, Ecn::Ce);
        marked.extend([9; 100]);
        assert_eq!(flow(&marked), known, "neither marks nor content matter");
        for other in [packet(2, [1, 2, 3, 4]), packet(1, [1, 2, 3, 5]), packet(1, [0, 2, 3, 4])] {
            assert_ne!(flow(&other), known);
        }
        let mut fragments = [packet(1, [1, 2, 3, 4]), packet(1, [8, 8, 8, 8])];
        fragments.iter_mut().for_each(|packet| packet[6] = 0x20);
        assert_eq!(flow(&fragments[0]), flow(&fragments[1]), "a fragment has no ports");
        let mut ping = [packet(1, [1, 2, 3, 4]), packet(1, [8, 8, 8, 8])];
        ping.iter_mut().for_each(|packet| packet[9] = 1);
        assert_eq!(flow(&ping[0]), flow(&ping[1]), "nor has a protocol without them");
        let v6 = ["fd77::1", "fd77::2"].map(|to| flow(&v6(0, to)));
        assert_ne!(v6[0], v6[1]);
    }

    #[test]
    fn sctp_is_found_directly_and_in_udp_and_not_in_fragments_or_other_protocols() {
        let v4 = |protocol: u8, load: &[u8]| {
            let mut packet = V4.to_vec();
            packet[9] = protocol;
            packet.extend(load);
            packet
        };
        assert_eq!(sctp(&v4(132, &[7; 16])), Some(&[7; 16][..]));
        assert_eq!(sctp(&v4(17, &[7; 24])), Some(&[7; 16][..]));
        assert_eq!(sctp(&v4(6, &[7; 24])), None);
        let mut fragment = v4(132, &[7; 16]);
        fragment[7] = 1;
        assert_eq!(sctp(&fragment), None);
        let mut v6 = v6(0, "fd77::1");
        v6[6] = 132;
        v6.extend([7; 16]);
        assert_eq!(sctp(&v6), Some(&[7; 16][..]));
    }

    #[test]
    fn bytes_that_are_not_a_packet_are_left_unchanged() {
        for bytes in [&[][..], &[0x45], &[0x60], &[0x00; 40], &[0x45; 11]] {
            let mut copy = bytes.to_vec();
            set_ecn(&mut copy, Ecn::Ce);
            assert!(!stays_on_its_link(bytes));
            let _ = (ecn(bytes), may_fragment(bytes), flow(bytes), sctp(bytes));
            assert_eq!(copy.len(), bytes.len());
        }
    }
}
