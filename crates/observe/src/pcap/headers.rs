//! IPv4 (RFC 791) and UDP (RFC 768) headers around the content of a simulated packet.

use std::net::Ipv4Addr;

use anabranch_base::Ecn;
use anabranch_sctp::wire;
use anabranch_sim::following_data;
use anabranch_sim::observe::Host;

/// The encapsulation between IP and the content of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PacketEncapsulation {
    /// None: the content is an SCTP packet.
    Sctp,
    /// UDP, then an SCTP packet (RFC 6951).
    SctpInUdp,
    /// UDP from the port of a flow, then its datagram.
    Udp {
        /// That port.
        port: u16,
    },
    /// None: the content is a TCP header, without the data that follow it.
    Tcp,
}

/// The addressing of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Journey {
    /// Index of the path.
    pub path: usize,
    /// The host that sent it.
    pub from: Host,
    /// The packet's ECN codepoint.
    pub ecn: Ecn,
    /// The number of the packet in its IP header.
    pub identification: u16,
}

impl Journey {
    /// Fills `packet` with the IP packet that carries `load`, and returns its length on the link, which is more where
    /// data are left out. Anything longer than an IP packet is cut.
    pub(crate) fn wrap(self, transport: PacketEncapsulation, load: &[u8], packet: &mut Vec<u8>) -> usize {
        let (between, protocol) = match transport {
            PacketEncapsulation::Sctp => (0, SCTP),
            PacketEncapsulation::Tcp => (0, TCP),
            PacketEncapsulation::SctpInUdp | PacketEncapsulation::Udp { .. } => (UDP_HEADER, UDP),
        };
        let load = &load[..load.len().min(LONGEST - IP_HEADER - between)];
        let left_out = if transport == PacketEncapsulation::Tcp { following_data(load) } else { 0 };
        let length = (IP_HEADER + between + load.len() + left_out).min(LONGEST);
        packet.clear();
        packet.extend_from_slice(&self.ip_header(protocol, length));
        if between > 0 {
            packet.extend_from_slice(&self.udp_header(transport, UDP_HEADER + load.len()));
        }
        packet.extend_from_slice(load);
        if matches!(transport, PacketEncapsulation::Sctp | PacketEncapsulation::SctpInUdp) {
            wire::fill_in_checksum(&mut packet[IP_HEADER + between..]);
        }
        if between > 0 {
            self.write_udp_checksum(packet);
        }
        length
    }

    /// `length`, here and below, is at most 65,535.
    fn ip_header(self, protocol: u8, length: usize) -> [u8; IP_HEADER] {
        let mut header = [0; IP_HEADER];
        header[0] = 0x45; // version 4, five words
        header[1] = self.ecn.bits();
        header[2..4].copy_from_slice(&(length as u16).to_be_bytes());
        header[4..6].copy_from_slice(&self.identification.to_be_bytes());
        header[6] = 0x40; // do not fragment
        header[8] = TIME_TO_LIVE;
        header[9] = protocol;
        header[12..16].copy_from_slice(&address(self.path, self.from).octets());
        header[16..20].copy_from_slice(&address(self.path, self.from.other()).octets());
        let checksum = !ones_sum(0, &header);
        header[10..12].copy_from_slice(&checksum.to_be_bytes());
        header
    }

    fn udp_header(self, transport: PacketEncapsulation, length: usize) -> [u8; UDP_HEADER] {
        let (first, second) = match transport {
            PacketEncapsulation::Udp { port } => (port, DISCARD),
            _ => (SCTP_TUNNELING, SCTP_TUNNELING),
        };
        let (source, destination) = match self.from {
            Host::First => (first, second),
            Host::Second => (second, first),
        };
        let mut header = [0; UDP_HEADER];
        header[0..2].copy_from_slice(&source.to_be_bytes());
        header[2..4].copy_from_slice(&destination.to_be_bytes());
        header[4..6].copy_from_slice(&(length as u16).to_be_bytes());
        header
    }

    /// The checksum over the pseudo header of addresses, protocol and length, and the datagram (RFC 768). A sum of zero
    /// is written as all ones, since zero means that there is no checksum.
    fn write_udp_checksum(self, packet: &mut [u8]) {
        let length = (packet.len() - IP_HEADER) as u16;
        let sum = ones_sum(0, &packet[12..20]);
        let sum = ones_sum(sum, &[0, UDP]);
        let sum = ones_sum(sum, &length.to_be_bytes());
        let checksum = match !ones_sum(sum, &packet[IP_HEADER..]) {
            0 => u16::MAX,
            sum => sum,
        };
        packet[IP_HEADER + 6..IP_HEADER + 8].copy_from_slice(&checksum.to_be_bytes());
    }
}

/// The address of a path's end: `10.0.P.1` at the first host, `10.0.P.2` at the second; from path 256 on P carries into
/// the second byte.
pub fn address(path: usize, host: Host) -> Ipv4Addr {
    let [.., high, low] = path.to_be_bytes();
    Ipv4Addr::new(10, high, low, if host == Host::First { 1 } else { 2 })
}

/// The sum of 16-bit words in ones' complement (RFC 1071), starting from `start`.
fn ones_sum(start: u16, bytes: &[u8]) -> u16 {
    let word = |pair: &[u8]| u64::from(pair[0]) << 8 | pair.get(1).map_or(0, |low| u64::from(*low));
    let mut sum = bytes.chunks(2).map(word).sum::<u64>() + u64::from(start);
    while sum > 0xffff {
        sum = (sum >> 16) + (sum & 0xffff);
    }
    sum as u16
}

const IP_HEADER: usize = 20;
const UDP_HEADER: usize = 8;
/// The longest IP packet.
const LONGEST: usize = 65_535;
const TIME_TO_LIVE: u8 = 64;
const TCP: u8 = 6;
const UDP: u8 = 17;
const SCTP: u8 = 132;
/// The port of SCTP in UDP (RFC 6951 §5.1).
const SCTP_TUNNELING: u16 = 9899;
/// The port whose datagrams are discarded (RFC 863).
const DISCARD: u16 = 9;

#[cfg(test)]
mod tests {
    use super::*;

    const JOURNEY: Journey = Journey { path: 3, from: Host::First, ecn: Ecn::NotEct, identification: 0x0102 };

    fn wrapped(transport: PacketEncapsulation, load: &[u8]) -> Vec<u8> {
        let mut packet = vec![0xee; 5];
        JOURNEY.wrap(transport, load, &mut packet);
        packet
    }

    #[test]
    fn sums_are_those_of_rfc_1071() {
        // RFC 1071 §3: the bytes 00 01 f2 03 f4 f5 f6 f7 sum to ddf2.
        assert_eq!(ones_sum(0, &[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]), 0xddf2);
        assert_eq!(ones_sum(0, &[0x12]), 0x1200);
    }

    #[test]
    fn a_header_verifies_and_names_both_ends() {
        let packet = wrapped(PacketEncapsulation::Sctp, &[7; 16]);
        assert_eq!(packet[..10], [0x45, 0, 0, 36, 1, 2, 0x40, 0, 64, 132]);
        assert_eq!(packet[12..20], [10, 0, 3, 1, 10, 0, 3, 2]);
        assert_eq!(ones_sum(0, &packet[..20]), 0xffff);
        assert_eq!(packet[20..], [7; 16]);
    }

    #[test]
    fn a_mark_is_in_the_header_and_its_checksum_is_right() {
        let mut packet = Vec::new();
        Journey { ecn: Ecn::Ce, ..JOURNEY }.wrap(PacketEncapsulation::Sctp, &[7; 16], &mut packet);
        assert_eq!(packet[..2], [0x45, 0b11]);
        assert_eq!(ones_sum(0, &packet[..20]), 0xffff);
    }

    #[test]
    fn sctp_in_udp_has_both_checksums() {
        let mut load = [0; 16];
        load[..4].copy_from_slice(&[0x13, 0x89, 0x13, 0x8a]);
        load[12..].copy_from_slice(&[11, 0, 0, 4]);
        let packet = wrapped(PacketEncapsulation::SctpInUdp, &load);
        assert_eq!(packet[20..26], [0x26, 0xab, 0x26, 0xab, 0, 24]);
        let pseudo = ones_sum(ones_sum(0, &packet[12..20]), &[0, 17, 0, 24]);
        assert_eq!(ones_sum(pseudo, &packet[20..]), 0xffff);
        assert!(wire::Packet::decode(&packet[28..], wire::Checksum::Crc32c).is_ok());
    }

    #[test]
    fn datagrams_go_to_the_discard_port_and_are_left_as_they_are() {
        let packet = wrapped(PacketEncapsulation::Udp { port: 40_001 }, &[0; 12]);
        assert_eq!(packet[20..26], [0x9c, 0x41, 0, 9, 0, 20]);
        assert_eq!(packet[28..], [0; 12]);
    }

    #[test]
    fn path_numbers_above_255_go_on_in_the_second_byte() {
        assert_eq!(address(0, Host::First), Ipv4Addr::new(10, 0, 0, 1));
        assert_eq!(address(0x1_0203, Host::Second), Ipv4Addr::new(10, 2, 3, 2));
    }

    #[test]
    fn a_tcp_header_is_as_long_on_the_link_as_with_its_data() {
        let mut header = [0; 32];
        header[20..22].copy_from_slice(&[254, 12]);
        header[30..32].copy_from_slice(&1_448_u16.to_be_bytes());
        let mut packet = Vec::new();
        let length = JOURNEY.wrap(PacketEncapsulation::Tcp, &header, &mut packet);
        assert_eq!((length, packet.len(), packet[9]), (1_500, 52, 6));
        assert_eq!(packet[2..4], 1_500_u16.to_be_bytes());
        assert_eq!(packet[20..], header);
    }

    #[test]
    fn what_no_ip_packet_holds_is_cut() {
        assert_eq!(wrapped(PacketEncapsulation::Udp { port: 40_000 }, &[1; 70_000]).len(), LONGEST);
    }
}
