//! Tests: packets with only the sum of the pseudo-header as their transport checksum, and their validation.

use crate::offload::transport::{Kind, Transport, Version, fold, sum};

/// A kind of packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sample {
    TcpV4,
    TcpV6,
    UdpV4,
    UdpV6,
}

impl Sample {
    pub(super) const ALL: [Sample; 4] = [Sample::TcpV4, Sample::TcpV6, Sample::UdpV4, Sample::UdpV6];

    /// A packet with this many bytes of payload, which count up.
    pub(super) fn packet(self, payload: usize) -> Vec<u8> {
        let mut packet = match self {
            Sample::TcpV4 | Sample::UdpV4 => {
                // Identification 258, DF, 64 hops, 10.77.1.1 to 10.77.1.2.
                vec![0x45, 0, 0, 0, 1, 2, 0x40, 0, 64, 0, 0, 0, 10, 77, 1, 1, 10, 77, 1, 2]
            }
            Sample::TcpV6 | Sample::UdpV6 => {
                let mut header = vec![0; 40];
                (header[0], header[7], header[8], header[23], header[39]) = (0x60, 64, 0xfd, 1, 2);
                header
            }
        };
        let protocol_at = if packet.len() == 20 { 9 } else { 6 };
        let (protocol, header): (u8, &[u8]) = match self {
            // Ports 4,096 and 8,192, a sequence number, an acknowledgement, ACK, and NOPs as an option.
            Sample::TcpV4 | Sample::TcpV6 => {
                (6, &[0x10, 0, 0x20, 0, 0, 0, 0xff, 0, 0, 0, 0, 9, 0x60, ACK, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1])
            }
            Sample::UdpV4 | Sample::UdpV6 => (17, &[0x10, 0, 0x20, 0, 0, 0, 0, 0]),
        };
        packet[protocol_at] = protocol;
        packet.extend(header);
        let length = packet.len() + payload;
        packet.extend((0..payload).map(|byte| byte as u8));
        self.transport().put_length(&mut packet, length);
        packet
    }

    fn transport(self) -> Transport {
        let (version, start) = match self {
            Sample::TcpV4 | Sample::UdpV4 => (Version::V4, 20),
            Sample::TcpV6 | Sample::UdpV6 => (Version::V6, 40),
        };
        let (kind, header) = match self {
            Sample::TcpV4 | Sample::TcpV6 => (Kind::Tcp, 24),
            Sample::UdpV4 | Sample::UdpV6 => (Kind::Udp, 8),
        };
        Transport { version, kind, start, payload: start + header }
    }
}

/// Returns true if the checksums of IP and of the transport are valid.
pub(super) fn is_right(packet: &[u8]) -> bool {
    let Some(transport) = Transport::of(packet) else { return false };
    let ip = transport.version == Version::V6 || fold(sum(&packet[..transport.start])) == 0xffff;
    let mut headers = packet.to_vec();
    transport.put_pseudo_sum(&mut headers, packet.len());
    let pseudo = sum(&headers[transport.checksum()]);
    ip && fold(pseudo + sum(&packet[transport.start..])) == 0xffff
}

/// TCP's ACK flag.
pub(super) const ACK: u8 = 0x10;
