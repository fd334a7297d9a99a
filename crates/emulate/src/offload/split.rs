//! Splits one read of an interface into packets.

use super::header::{Header, Segments};
use super::transport::{Kind, Transport, Version, complete_from, word};
use crate::network::TransportChecksum;

/// One packet: its headers, and its payload or the complete packet.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Piece<'a> {
    /// The headers of a packet of a train; empty for a single packet.
    pub headers: &'a [u8],
    /// The bytes after them.
    pub rest: &'a [u8],
    /// The state of the transport checksum.
    pub checksum: TransportChecksum,
}

/// The error of a read with inconsistent headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

/// Passes each packet of a read to `each`, as it would have been sent without offload.
///
/// # Errors
/// The read is not a packet or a train of packets. Nothing was passed to `each`.
pub(crate) fn split(read: &mut [u8], each: impl FnMut(Piece<'_>)) -> Result<(), Malformed> {
    let (header, packet) = read.split_first_chunk_mut().ok_or(Malformed)?;
    let header = Header::decode(header);
    match header.segments {
        Segments::None => alone(&header, packet, each),
        Segments::Unknown => Err(Malformed),
        Segments::TcpV4 | Segments::TcpV6 | Segments::Udp => train(&header, packet, each),
    }
}

fn alone(header: &Header, packet: &mut [u8], mut each: impl FnMut(Piece<'_>)) -> Result<(), Malformed> {
    let (start, offset) = (usize::from(header.checksum_start), usize::from(header.checksum_offset));
    let is_transports =
        |transport: &Transport| transport.start == start && transport.kind.checksum_offset() == offset;
    let checksum = if header.needs_checksum && Transport::of(packet).as_ref().is_some_and(is_transports) {
        TransportChecksum::OfPseudoHeader
    } else if !header.needs_checksum || complete_from(packet, start, start + offset) {
        TransportChecksum::Complete
    } else {
        return Err(Malformed);
    };
    each(Piece { headers: &[], rest: packet, checksum });
    Ok(())
}

fn train(header: &Header, packet: &mut [u8], mut each: impl FnMut(Piece<'_>)) -> Result<(), Malformed> {
    let transport = Transport::of(packet).ok_or(Malformed)?;
    let size = usize::from(header.segment_size);
    let (headers, payload) = packet.split_at_mut(transport.payload);
    if !is_of(header.segments, &transport) || size == 0 || payload.is_empty() {
        return Err(Malformed);
    }
    let first = First::of(&transport, headers).ok_or(Malformed)?;
    let count = payload.len().div_ceil(size);
    for (number, rest) in payload.chunks(size).enumerate() {
        first.number(headers, number, size, number + 1 == count);
        transport.put_length(headers, headers.len() + rest.len());
        each(Piece { headers, rest, checksum: TransportChecksum::OfPseudoHeader });
    }
    Ok(())
}

fn is_of(segments: Segments, transport: &Transport) -> bool {
    match segments {
        Segments::TcpV4 => (transport.kind, transport.version) == (Kind::Tcp, Version::V4),
        Segments::TcpV6 => (transport.kind, transport.version) == (Kind::Tcp, Version::V6),
        Segments::Udp => transport.kind == Kind::Udp,
        Segments::None | Segments::Unknown => false,
    }
}

/// The fields that count up from packet to packet of a train.
struct First {
    /// IPv4's identification.
    identification: Option<u16>,
    tcp: Option<FirstOfTcp>,
}

struct FirstOfTcp {
    start: usize,
    sequence: u32,
    flags: u8,
}

impl First {
    fn of(transport: &Transport, headers: &[u8]) -> Option<First> {
        let start = transport.start;
        let sequence = u32::from(word(headers, start + 4)?) << 16 | u32::from(word(headers, start + 6)?);
        let tcp = FirstOfTcp { start, sequence, flags: *headers.get(start + FLAGS).unwrap_or(&0) };
        Some(First {
            identification: word(headers, 4).filter(|_| transport.version == Version::V4),
            tcp: (transport.kind == Kind::Tcp).then_some(tcp),
        })
    }

    /// Updates `headers` for the packet with this number, counted from zero.
    fn number(&self, headers: &mut [u8], number: usize, size: usize, is_last: bool) {
        if let Some(first) = self.identification {
            headers[4..6].copy_from_slice(&first.wrapping_add(number as u16).to_be_bytes());
        }
        if let Some(FirstOfTcp { start, sequence, flags }) = self.tcp {
            let sequence = sequence.wrapping_add((number * size) as u32);
            headers[start + 4..start + 8].copy_from_slice(&sequence.to_be_bytes());
            let not_last = if is_last { 0 } else { FIN | PSH };
            let not_first = if number == 0 { 0 } else { CWR };
            headers[start + FLAGS] = flags & !not_last & !not_first;
        }
    }
}

/// The offset of TCP's flags.
pub(super) const FLAGS: usize = 13;
/// FIN: the sender has no more data.
pub(crate) const FIN: u8 = 0x01;
/// PSH: the data is to be delivered immediately.
pub(crate) const PSH: u8 = 0x08;
/// CWR: the congestion window was reduced; set in one packet only.
const CWR: u8 = 0x80;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::offload::samples::{ACK, Sample, is_right};
    use crate::offload::transport::complete;

    fn header(sample: Sample, size: u16) -> Header {
        let segments = match sample {
            Sample::TcpV4 => Segments::TcpV4,
            Sample::TcpV6 => Segments::TcpV6,
            Sample::UdpV4 | Sample::UdpV6 => Segments::Udp,
        };
        Header { needs_checksum: true, segments, segment_size: size, ..Header::default() }
    }

    fn read(header: &Header, packet: &[u8]) -> Vec<u8> {
        [&header.encode()[..], packet].concat()
    }

    /// The packets with their checksums.
    fn pieces(read: &mut [u8]) -> Result<Vec<(Vec<u8>, TransportChecksum)>, Malformed> {
        let mut pieces = Vec::new();
        split(read, |piece| pieces.push(([piece.headers, piece.rest].concat(), piece.checksum)))?;
        Ok(pieces)
    }

    #[test]
    fn a_train_is_cut_at_its_size_and_each_packet_has_right_headers() {
        for sample in Sample::ALL {
            let mut found =
                pieces(&mut read(&header(sample, 1_000), &sample.packet(2_500))).expect("a train");
            let mut payload = Vec::new();
            for (packet, checksum) in &mut found {
                assert_eq!(*checksum, TransportChecksum::OfPseudoHeader);
                complete(packet);
                assert!(is_right(packet), "{sample:?}");
                payload.extend_from_slice(&packet[Transport::of(packet).expect("whole").payload..]);
            }
            assert_eq!(payload, (0..2_500).map(|byte| byte as u8).collect::<Vec<_>>(), "{sample:?}");
            assert_eq!(found.len(), 3);
        }
    }

    #[test]
    fn sequence_numbers_count_bytes_and_only_the_last_packet_ends_and_the_first_tells_of_the_window() {
        let mut train = Sample::TcpV4.packet(2_500);
        train[20 + FLAGS] = ACK | PSH | FIN | CWR;
        let found = pieces(&mut read(&header(Sample::TcpV4, 1_000), &train)).expect("a train");
        let numbers = found.iter().map(|(packet, _)| {
            (word(packet, 4).expect("there"), word(packet, 26).expect("there"), packet[20 + FLAGS])
        });
        // The first byte has the number 0xff00.
        let expected = [(258, 0xff00, ACK | CWR), (259, 0x02e8, ACK), (260, 0x06d0, ACK | PSH | FIN)];
        assert_eq!(numbers.collect::<Vec<_>>(), expected);
        assert_eq!(word(&found[1].0, 24), Some(1), "the carry");
    }

    #[test]
    fn a_packet_alone_is_passed_on_and_its_checksum_completed_only_where_it_is_not_the_transports() {
        let packet = Sample::UdpV4.packet(100);
        let alone = |needs_checksum, checksum_start, checksum_offset| {
            let header = Header { needs_checksum, checksum_start, checksum_offset, ..Header::default() };
            pieces(&mut read(&header, &packet)).map(|mut found| found.remove(0))
        };
        assert_eq!(alone(false, 0, 0), Ok((packet.clone(), TransportChecksum::Complete)));
        assert_eq!(alone(true, 20, 6), Ok((packet.clone(), TransportChecksum::OfPseudoHeader)));
        let (inner, checksum) = alone(true, 30, 6).expect("a packet in a packet");
        assert_eq!(checksum, TransportChecksum::Complete);
        assert_ne!(inner, packet);
        for (start, offset) in [(127, 0), (128, 6), (0xffff, 0xffff)] {
            assert_eq!(alone(true, start, offset), Err(Malformed));
        }
    }

    #[test]
    fn what_does_not_agree_is_refused() {
        for sample in Sample::ALL {
            let packet = sample.packet(2_500);
            let refused = |header: &Header, packet: &[u8]| {
                assert_eq!(pieces(&mut read(header, packet)), Err(Malformed), "{sample:?}, {header:?}");
            };
            refused(&header(sample, 0), &packet);
            refused(&header(sample, 1_000), &packet[..packet.len() - 1]);
            refused(&header(sample, 1_000), &sample.packet(0));
            for other in Sample::ALL.into_iter().filter(|other| header(*other, 1) != header(sample, 1)) {
                refused(&header(other, 1_000), &packet);
            }
        }
        let mut unknown = read(&header(Sample::UdpV4, 1_000), &Sample::UdpV4.packet(2_500));
        unknown[1] = 3;
        assert_eq!(pieces(&mut unknown), Err(Malformed));
        assert_eq!(pieces(&mut [0; Header::LEN - 1]), Err(Malformed));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic_and_no_payload_is_made_up(
            sample in prop::sample::select(Sample::ALL.to_vec()),
            length in 0_usize..300,
            size in any::<u16>(),
            cut in 0_usize..400,
            damage in prop::collection::vec((0_usize..400, any::<u8>()), 0..4),
        ) {
            let mut read = read(&header(sample, size), &sample.packet(length));
            read.truncate(cut.max(1));
            for (at, byte) in damage {
                let at = at % read.len();
                read[at] = byte;
            }
            let bound = read.len();
            let mut payload = 0;
            let _ = split(&mut read, |piece| payload += piece.rest.len());
            prop_assert!(payload <= bound);
        }
    }
}
