//! Packets that are sent together and follow one another in their flow, written as one train.

use std::io::{self, IoSlice};

use super::header::{Header, Segments};
use super::split::{FIN, FLAGS, PSH};
use super::transport::{Kind, Transport, Version, word};
use crate::network::{Datagram, TransportChecksum};

/// Packets for one interface: none, a single one of any kind, or several of one flow.
#[derive(Debug, Default)]
pub(crate) struct Train {
    packets: Vec<Datagram>,
    /// The total length of the payloads.
    payload: usize,
    /// The pattern that a further packet must match; `None` if none may follow.
    pattern: Option<Pattern>,
    headers: Vec<u8>,
}

/// The first packet of a train.
#[derive(Clone, Copy, Debug)]
struct Pattern {
    transport: Transport,
    /// The payload of each packet but the last.
    size: usize,
}

impl Train {
    /// Appends a packet, or returns it if it cannot follow the present ones. `carries_udp` is true if the kernel
    /// accepts trains of UDP.
    pub(crate) fn join(&mut self, packet: Datagram, carries_udp: bool) -> Result<(), Datagram> {
        let pattern = Pattern::of(&packet);
        if let Some(first) = self.packets.first() {
            let Some((pattern, next)) = self.pattern.zip(pattern) else { return Err(packet) };
            if !self.may_follow(&pattern, &first.bytes, &next, &packet.bytes) {
                return Err(packet);
            }
            self.payload += next.size;
            let is_last = next.size < pattern.size || ends(&next.transport, &packet.bytes);
            self.pattern = self.pattern.filter(|_| !is_last);
        } else {
            self.payload = pattern.map_or(0, |pattern| pattern.size);
            self.pattern = pattern.filter(|pattern| {
                let is_carried = carries_udp || pattern.transport.kind == Kind::Tcp;
                is_carried && !ends(&pattern.transport, &packet.bytes)
            });
        }
        self.packets.push(packet);
        Ok(())
    }

    /// Passes the whole train to `write` in slices, its header first.
    ///
    /// # Errors
    /// The error of `write`.
    pub(crate) fn write(
        &mut self,
        write: impl FnOnce(&[IoSlice<'_>]) -> io::Result<usize>,
    ) -> io::Result<()> {
        let Some(first) = self.packets.first() else { return Ok(()) };
        let transport = Transport::of(&first.bytes);
        let (Some(transport), [_, .., last]) = (transport, &self.packets[..]) else {
            return write_alone(first, write);
        };
        self.headers.clear();
        self.headers.extend_from_slice(&first.bytes[..transport.payload]);
        if transport.kind == Kind::Tcp {
            self.headers[transport.start + FLAGS] |= last.bytes[transport.start + FLAGS];
        }
        transport.put_length(&mut self.headers, transport.payload + self.payload);
        let header = header_of_train(&transport, first.bytes.len() - transport.payload).encode();
        let payloads = self.packets.iter().map(|packet| &packet.bytes[transport.payload..]);
        let mut pieces = [&header[..], &self.headers].into_iter().chain(payloads);
        let slices: [IoSlice<'_>; MOST_PACKETS + 2] =
            std::array::from_fn(|_| IoSlice::new(pieces.next().unwrap_or_default()));
        write(&slices[..self.packets.len() + 2]).map(drop)
    }

    /// The packets.
    pub(crate) fn packets(&self) -> &[Datagram] {
        &self.packets
    }

    /// Takes all packets.
    pub(crate) fn take(&mut self) -> impl Iterator<Item = Datagram> + '_ {
        self.pattern = None;
        self.packets.drain(..)
    }

    /// Returns true if `next` continues the train that began with `first`.
    fn may_follow(&self, pattern: &Pattern, first: &[u8], next: &Pattern, bytes: &[u8]) -> bool {
        let transport = &pattern.transport;
        *transport == next.transport
            && next.size <= pattern.size
            && self.packets.len() < MOST_PACKETS
            && transport.payload + self.payload + next.size <= LARGEST
            && same_ip(transport, first, bytes)
            && (is_unfragmented(transport, first) || self.numbers_on(first, bytes))
            && match transport.kind {
                Kind::Tcp => self.continues_tcp(transport.start, first, bytes, transport.payload),
                Kind::Udp => same(first, bytes, transport.start, transport.start + 4),
            }
    }

    /// Returns true if the IPv4 identification is the next one.
    fn numbers_on(&self, first: &[u8], next: &[u8]) -> bool {
        let expected = word(first, 4).map(|first| first.wrapping_add(self.packets.len() as u16));
        word(next, 4) == expected
    }

    /// Returns true if it is the next segment of the same connection, with the same acknowledgement, window and
    /// options.
    fn continues_tcp(&self, start: usize, first: &[u8], next: &[u8], end: usize) -> bool {
        let expected = sequence(first, start).wrapping_add(self.payload as u32);
        sequence(next, start) == expected
            && first[start + FLAGS] == next[start + FLAGS] & !(FIN | PSH)
            && same(first, next, start, start + 4)
            && same(first, next, start + 8, start + FLAGS)
            && same(first, next, start + 14, start + 16)
            && same(first, next, start + 18, end)
    }
}

impl Pattern {
    /// The pattern of a packet; `None` if it cannot be part of a train: without payload, or with a complete checksum,
    /// which may be deliberately wrong.
    fn of(packet: &Datagram) -> Option<Pattern> {
        let is_open = packet.checksum == TransportChecksum::OfPseudoHeader;
        let transport = Transport::of(&packet.bytes).filter(|_| is_open)?;
        let size = packet.bytes.len() - transport.payload;
        (size > 0).then_some(Pattern { transport, size })
    }
}

/// Passes a single packet to `write`, its header first.
///
/// # Errors
/// The error of `write`.
pub(crate) fn write_alone(
    packet: &Datagram,
    write: impl FnOnce(&[IoSlice<'_>]) -> io::Result<usize>,
) -> io::Result<()> {
    let header = match packet.checksum {
        TransportChecksum::Complete => Header::default(),
        TransportChecksum::OfPseudoHeader => {
            Transport::of(&packet.bytes).map_or(Header::default(), |transport| Header {
                segments: Segments::None,
                ..header_of_train(&transport, 0)
            })
        }
    };
    write(&[IoSlice::new(&header.encode()), IoSlice::new(&packet.bytes)]).map(drop)
}

fn header_of_train(transport: &Transport, size: usize) -> Header {
    Header {
        needs_checksum: true,
        segments: match (transport.kind, transport.version) {
            (Kind::Tcp, Version::V4) => Segments::TcpV4,
            (Kind::Tcp, Version::V6) => Segments::TcpV6,
            (Kind::Udp, _) => Segments::Udp,
        },
        header_length: transport.payload as u16,
        segment_size: size as u16,
        checksum_start: transport.start as u16,
        checksum_offset: transport.kind.checksum_offset() as u16,
    }
}

/// Returns true if a packet can only be the last of a train: TCP with flags other than ACK.
fn ends(transport: &Transport, packet: &[u8]) -> bool {
    transport.kind == Kind::Tcp && packet[transport.start + FLAGS] & !(ACK | ECE) != 0
}

/// Returns true if the IP headers belong to one flow, ignoring lengths, identifications and checksums.
fn same_ip(transport: &Transport, first: &[u8], next: &[u8]) -> bool {
    match transport.version {
        Version::V4 => {
            same(first, next, 0, 2) && same(first, next, 6, 10) && same(first, next, 12, transport.start)
        }
        Version::V6 => same(first, next, 0, 4) && same(first, next, 6, transport.start),
    }
}

/// Returns true if its identification has no meaning (RFC 6864 §4.1).
fn is_unfragmented(transport: &Transport, packet: &[u8]) -> bool {
    transport.version == Version::V6 || packet[6] & DONT_FRAGMENT != 0
}

fn same(first: &[u8], next: &[u8], from: usize, to: usize) -> bool {
    first[from..to] == next[from..to]
}

fn sequence(packet: &[u8], start: usize) -> u32 {
    let word = |at| u32::from(word(packet, start + at).unwrap_or(0));
    word(4) << 16 | word(6)
}

/// The most UDP packets of a train that the kernel accepts.
const MOST_PACKETS: usize = 64;
/// The largest IP packet.
const LARGEST: usize = 65_535;
const ACK: u8 = 0x10;
const ECE: u8 = 0x40;
const DONT_FRAGMENT: u8 = 0x40;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offload::samples::Sample;
    use crate::offload::split;

    /// The packets of one train.
    fn packets(sample: Sample, size: u16, length: usize) -> Vec<Datagram> {
        let segments = match sample {
            Sample::TcpV4 => Segments::TcpV4,
            Sample::TcpV6 => Segments::TcpV6,
            Sample::UdpV4 | Sample::UdpV6 => Segments::Udp,
        };
        let header = Header { segments, segment_size: size, ..Header::default() };
        let mut packets = Vec::new();
        let mut read = [&header.encode()[..], &sample.packet(length)].concat();
        let split = split(&mut read, |piece| {
            packets.push(Datagram::of_packet([piece.headers, piece.rest].concat()).with(piece.checksum));
        });
        split.expect("a train");
        packets
    }

    fn joined(packets: impl IntoIterator<Item = Datagram>) -> (Train, usize) {
        let mut train = Train::default();
        let refused = packets.into_iter().filter_map(|packet| train.join(packet, true).err()).count();
        (train, refused)
    }

    fn written(train: &mut Train) -> Vec<u8> {
        let mut bytes = Vec::new();
        let write = |pieces: &[IoSlice<'_>]| {
            pieces.iter().for_each(|piece| bytes.extend_from_slice(piece));
            Ok(bytes.len())
        };
        train.write(write).expect("memory");
        bytes
    }

    #[test]
    fn the_packets_of_a_train_make_the_train_again() {
        for sample in Sample::ALL {
            for length in [2_500, 3_000, 1_001] {
                let (mut train, refused) = joined(packets(sample, 1_000, length));
                assert_eq!(refused, 0, "{sample:?}");
                let written = written(&mut train);
                assert_eq!(written[Header::LEN..], sample.packet(length), "{sample:?}, {length} bytes");
                let header = Header::decode(written.first_chunk().expect("a header"));
                assert_eq!((header.segment_size, header.needs_checksum), (1_000, true));
                assert_ne!(header.segments, Segments::None);
            }
        }
    }

    #[test]
    fn a_packet_alone_leaves_as_it_came() {
        for sample in Sample::ALL {
            let (mut train, _) = joined(packets(sample, 1_000, 900));
            let written = written(&mut train);
            assert_eq!(written[Header::LEN..], sample.packet(900));
            let header = Header::decode(written.first_chunk().expect("a header"));
            assert_eq!((header.segments, header.needs_checksum), (Segments::None, true));
        }
        let (mut train, _) = joined([Datagram::of_packet(b"not a packet".to_vec())]);
        assert_eq!(written(&mut train), [&[0; Header::LEN][..], b"not a packet"].concat());
    }

    #[test]
    fn a_lost_packet_another_flow_and_another_mark_end_a_train() {
        for (sample, is_numbered) in [(Sample::TcpV4, true), (Sample::TcpV6, true), (Sample::UdpV4, false)] {
            let mut lossy = packets(sample, 1_000, 4_000);
            lossy.remove(1);
            assert_eq!(joined(lossy).1, if is_numbered { 2 } else { 0 }, "{sample:?}");
            let start = if sample == Sample::TcpV6 { 40 } else { 20 };
            for at in [1, start + 1, start + 3] {
                let mut mixed = packets(sample, 1_000, 2_000);
                mixed[1].bytes[at] ^= 2;
                assert_eq!(joined(mixed).1, 1, "{sample:?}, byte {at}");
            }
        }
        // An acknowledgement, the window, an option, a flag.
        for at in [31, 35, 41, 33] {
            let mut mixed = packets(Sample::TcpV4, 1_000, 2_000);
            mixed[1].bytes[at] ^= 2;
            assert_eq!(joined(mixed).1, 1, "byte {at}");
        }
    }

    #[test]
    fn what_is_shorter_or_ends_is_the_last_and_what_is_longer_begins_another() {
        let full = || packets(Sample::UdpV4, 1_000, 2_000);
        let short = || packets(Sample::UdpV4, 1_000, 500);
        assert_eq!(joined(full().into_iter().chain(short()).chain(full())).1, 2);
        assert_eq!(joined(short().into_iter().chain(full())).1, 2);
        let mut pushed = packets(Sample::TcpV4, 1_000, 3_000);
        pushed[1].bytes[20 + FLAGS] |= PSH;
        assert_eq!(joined(pushed).1, 1);
    }

    #[test]
    fn complete_checksums_and_trains_that_the_kernel_does_not_take_stay_apart() {
        let complete = packets(Sample::TcpV4, 1_000, 2_000).into_iter();
        assert_eq!(joined(complete.map(|packet| packet.with(TransportChecksum::Complete))).1, 1);
        let mut train = Train::default();
        let udp = packets(Sample::UdpV4, 1_000, 2_000).into_iter();
        assert_eq!(udp.filter_map(|packet| train.join(packet, false).err()).count(), 1);
    }

    #[test]
    fn a_train_is_no_longer_than_a_packet_of_ip_and_has_no_more_packets_than_the_kernel_takes() {
        let long =
            packets(Sample::UdpV4, 1_000, 60_000).into_iter().chain(packets(Sample::UdpV4, 1_000, 9_000));
        let (mut train, refused) = joined(long);
        assert_eq!((train.packets().len(), refused), (65 - 1, 69 - 64));
        assert_eq!(written(&mut train).len(), Header::LEN + 28 + 64_000);
        let (train, _) = joined((0..3).flat_map(|_| packets(Sample::UdpV4, 100, 3_000)));
        assert_eq!(train.packets().len(), MOST_PACKETS);
    }
}
