//! The headers of a TCP or UDP packet, and the checksums over them (RFC 1071).

use std::ops::Range;

/// The headers of a complete TCP or UDP packet: not a fragment, and without IPv6 extension headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Transport {
    /// The version of IP.
    pub version: Version,
    /// The transport protocol.
    pub kind: Kind,
    /// The offset of its header.
    pub start: usize,
    /// The offset of its payload.
    pub payload: usize,
}

/// An IP version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    /// IPv4.
    V4,
    /// IPv6.
    V6,
}

/// A transport protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// TCP.
    Tcp,
    /// UDP.
    Udp,
}

impl Kind {
    /// The offset of the checksum in its header.
    pub(crate) fn checksum_offset(self) -> usize {
        match self {
            Kind::Tcp => 16,
            Kind::Udp => 6,
        }
    }

    /// The protocol number in the IP header.
    fn protocol(self) -> u8 {
        match self {
            Kind::Tcp => 6,
            Kind::Udp => 17,
        }
    }

    fn of(protocol: u8) -> Option<Kind> {
        [Kind::Tcp, Kind::Udp].into_iter().find(|kind| kind.protocol() == protocol)
    }
}

impl Transport {
    /// The headers of `packet`; `None` for everything else, and for inconsistent lengths.
    pub(super) fn of(packet: &[u8]) -> Option<Transport> {
        let (version, start, protocol, length) = match packet.first()? >> 4 {
            4 => {
                let start = usize::from(packet[0] & 0xf) * 4;
                let is_fragment = word(packet, 6)? & FRAGMENT != 0;
                let is_whole = start >= V4_HEADER && !is_fragment;
                (Version::V4, is_whole.then_some(start)?, *packet.get(9)?, usize::from(word(packet, 2)?))
            }
            6 => {
                let length = V6_HEADER + usize::from(word(packet, 4)?);
                (Version::V6, V6_HEADER, *packet.get(6)?, length)
            }
            _ => return None,
        };
        let kind = Kind::of(protocol)?;
        let header = match kind {
            Kind::Tcp => usize::from(packet.get(start + 12)? >> 4) * 4,
            Kind::Udp => UDP_HEADER,
        };
        let payload = start + header;
        let is_long_enough = kind == Kind::Udp || header >= TCP_HEADER;
        let is_whole = is_long_enough && length == packet.len() && payload <= length;
        is_whole.then_some(Transport { version, kind, start, payload })
    }

    /// The position of the transport checksum.
    pub(super) fn checksum(&self) -> Range<usize> {
        let at = self.start + self.kind.checksum_offset();
        at..at + 2
    }

    /// The position of the two addresses.
    fn addresses(&self) -> Range<usize> {
        match self.version {
            Version::V4 => 12..20,
            Version::V6 => 8..40,
        }
    }

    /// Sets the checksum field to the sum of the pseudo-header (RFC 9293 §3.1, RFC 8200 §8.1), for a packet with
    /// these `headers` and this `length` in bytes.
    pub(crate) fn put_pseudo_sum(&self, headers: &mut [u8], length: usize) {
        let transport = (length - self.start) as u32;
        let others = (transport >> 16) + (transport & 0xffff) + u32::from(self.kind.protocol());
        let sum = fold(sum(&headers[self.addresses()]) + others);
        headers[self.checksum()].copy_from_slice(&sum.to_be_bytes());
    }

    /// Sets the length of the packet in the headers of IP and UDP, and the fields that depend on it.
    pub(crate) fn put_length(&self, headers: &mut [u8], length: usize) {
        match self.version {
            Version::V4 => {
                headers[2..4].copy_from_slice(&(length as u16).to_be_bytes());
                headers[10..12].copy_from_slice(&[0, 0]);
                let sum = !fold(sum(&headers[..self.start]));
                headers[10..12].copy_from_slice(&sum.to_be_bytes());
            }
            Version::V6 => headers[4..6].copy_from_slice(&((length - V6_HEADER) as u16).to_be_bytes()),
        }
        if self.kind == Kind::Udp {
            let length = (length - self.start) as u16;
            headers[self.start + 4..self.start + 6].copy_from_slice(&length.to_be_bytes());
        }
        self.put_pseudo_sum(headers, length);
    }
}

/// Completes the checksum of a packet that has only the sum of its pseudo-header. Anything but a TCP or UDP packet
/// stays unchanged.
pub(crate) fn complete(packet: &mut [u8]) {
    if let Some(transport) = Transport::of(packet) {
        complete_from(packet, transport.start, transport.checksum().start);
    }
}

/// Completes the checksum at `at` over everything from `start`; false if the packet is too short.
pub(crate) fn complete_from(packet: &mut [u8], start: usize, at: usize) -> bool {
    if start > at || packet.get(at..at + 2).is_none() {
        return false;
    }
    // In UDP zero means no checksum, and both forms of zero are valid elsewhere (RFC 768).
    let sum = match !fold(sum(&packet[start..])) {
        0 => 0xffff,
        sum => sum,
    };
    packet[at..at + 2].copy_from_slice(&sum.to_be_bytes());
    true
}

/// The 16-bit word at `at`.
pub(super) fn word(packet: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(packet.get(at..at + 2)?.try_into().ok()?))
}

/// The unfolded sum of the words in network order, of at most 64 KiB.
pub(super) fn sum(bytes: &[u8]) -> u32 {
    let (words, rest) = bytes.as_chunks::<2>();
    let sum: u32 = words.iter().map(|word| u32::from(u16::from_be_bytes(*word))).sum();
    sum + rest.first().map_or(0, |last| u32::from(*last) << 8)
}

/// Folds a sum to ones' complement.
pub(super) fn fold(sum: u32) -> u16 {
    let folded = (sum & 0xffff) + (sum >> 16);
    ((folded & 0xffff) + (folded >> 16)) as u16
}

const V4_HEADER: usize = 20;
const V6_HEADER: usize = 40;
const UDP_HEADER: usize = 8;
const TCP_HEADER: usize = 20;
/// The bit for more fragments, and the offset of a fragment.
const FRAGMENT: u16 = 0x3fff;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offload::samples::{Sample, is_right};

    #[test]
    fn a_completed_checksum_is_right_in_both_versions_and_transports() {
        for sample in Sample::ALL {
            for length in [0, 1, 2, 1_001, 1_400] {
                let mut packet = sample.packet(length);
                assert!(!is_right(&packet), "{sample:?}");
                complete(&mut packet);
                assert!(is_right(&packet), "{sample:?}, {length} bytes");
            }
        }
    }

    #[test]
    fn headers_end_where_they_say_and_lengths_agree() {
        for sample in Sample::ALL {
            let packet = sample.packet(100);
            let transport = Transport::of(&packet).expect("a whole packet");
            assert_eq!(packet.len() - transport.payload, 100, "{sample:?}");
            for length in 0..packet.len() {
                assert_eq!(Transport::of(&packet[..length]), None, "{sample:?}, cut to {length}");
            }
        }
    }

    #[test]
    fn fragments_other_protocols_and_impossible_headers_have_no_transport() {
        let with = |at: usize, byte: u8| {
            let mut packet = Sample::TcpV4.packet(100);
            packet[at] = byte;
            Transport::of(&packet)
        };
        assert!(with(1, 0).is_some());
        let [version, short, fragment, protocol, offset] =
            [(0, 0x55), (0, 0x44), (6, 0x20), (9, 1), (32, 0x40)];
        for (at, byte) in [version, short, fragment, protocol, offset] {
            assert_eq!(with(at, byte), None, "byte {at} is {byte:#x}");
        }
    }

    #[test]
    fn a_checksum_without_room_is_not_written() {
        let mut packet = [7; 20];
        for (start, at) in [(0, 19), (10, 8), (0xffff, 2 * 0xffff), (21, 30)] {
            assert!(!complete_from(&mut packet, start, at));
        }
        assert_eq!(packet, [7; 20]);
    }
}
