//! The header before each packet that is read from or written to an interface with offload: `struct virtio_net_hdr` of
//! `<linux/virtio_net.h>`, in the byte order of the machine.

/// The metadata of a packet read from or written to the kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Header {
    /// True if the transport's checksum is still to be computed.
    pub needs_checksum: bool,
    /// The kind of the train.
    pub segments: Segments,
    /// The length of the headers before a train's payload, only a hint.
    pub header_length: u16,
    /// The bytes of payload in each packet of a train, except the last.
    pub segment_size: u16,
    /// The first byte that the checksum covers.
    pub checksum_start: u16,
    /// The offset of the checksum from there.
    pub checksum_offset: u16,
}

/// The kind of a train.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Segments {
    /// Not a train.
    #[default]
    None,
    /// TCP over IPv4.
    TcpV4,
    /// TCP over IPv6.
    TcpV6,
    /// UDP.
    Udp,
    /// A kind that was not requested.
    Unknown,
}

impl Header {
    /// The length, without the fields that only some devices have.
    pub(crate) const LEN: usize = 10;

    /// Reads a header.
    pub(crate) fn decode(bytes: &[u8; Header::LEN]) -> Header {
        let word = |at: usize| u16::from_ne_bytes([bytes[at], bytes[at + 1]]);
        Header {
            needs_checksum: bytes[0] & NEEDS_CHECKSUM != 0,
            // TCP's congestion mark is in its own header as well.
            segments: match bytes[1] & !TCP_ECN {
                0 => Segments::None,
                TCP_V4 => Segments::TcpV4,
                TCP_V6 => Segments::TcpV6,
                UDP => Segments::Udp,
                _ => Segments::Unknown,
            },
            header_length: word(2),
            segment_size: word(4),
            checksum_start: word(6),
            checksum_offset: word(8),
        }
    }

    /// Writes it.
    pub(crate) fn encode(&self) -> [u8; Header::LEN] {
        let segments = match self.segments {
            Segments::None | Segments::Unknown => 0,
            Segments::TcpV4 => TCP_V4,
            Segments::TcpV6 => TCP_V6,
            Segments::Udp => UDP,
        };
        let mut bytes = [0; Header::LEN];
        bytes[0] = if self.needs_checksum { NEEDS_CHECKSUM } else { 0 };
        bytes[1] = segments;
        let words = [self.header_length, self.segment_size, self.checksum_start, self.checksum_offset];
        for (to, word) in bytes[2..].chunks_exact_mut(2).zip(words) {
            to.copy_from_slice(&word.to_ne_bytes());
        }
        bytes
    }
}

/// `VIRTIO_NET_HDR_F_NEEDS_CSUM`.
const NEEDS_CHECKSUM: u8 = 1;
/// `VIRTIO_NET_HDR_GSO_TCPV4`.
const TCP_V4: u8 = 1;
/// `VIRTIO_NET_HDR_GSO_TCPV6`.
const TCP_V6: u8 = 4;
/// `VIRTIO_NET_HDR_GSO_UDP_L4`.
const UDP: u8 = 5;
/// `VIRTIO_NET_HDR_GSO_ECN`, combined with another.
const TCP_ECN: u8 = 0x80;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_survives_a_round_trip() {
        for segments in [Segments::None, Segments::TcpV4, Segments::TcpV6, Segments::Udp] {
            let header = Header {
                needs_checksum: true,
                segments,
                header_length: 40,
                segment_size: 1_448,
                checksum_start: 20,
                checksum_offset: 16,
            };
            assert_eq!(Header::decode(&header.encode()), header);
        }
    }

    #[test]
    fn a_congestion_mark_changes_no_kind_and_other_kinds_are_unknown() {
        let kind = |byte| Header::decode(&[0, byte, 0, 0, 0, 0, 0, 0, 0, 0]).segments;
        assert_eq!(kind(TCP_V4 | TCP_ECN), Segments::TcpV4);
        // 3 was fragmentation of UDP.
        assert_eq!([2, 3, 6, 0x7f].map(kind), [Segments::Unknown; 4]);
    }
}
