//! The laws for any bytes that are read as packets, chunks, parameters or causes.

use anabranch_sctp::association::check_init;
use anabranch_sctp::config::Config;
use anabranch_sctp::wire::{
    Checksum, Chunk, CommonHeader, EncodeChunk, Packet, PacketBuilder, VerificationTag,
};

use super::Input;
use super::content::Parts;

/// A packet of any bytes is read to its end without a panic, with and without its checksum, and what could
/// be read can be shown, and written and read again.
pub(crate) fn packet(bytes: &[u8]) {
    for checksum in [Checksum::Omitted, Checksum::Crc32c] {
        let Ok(packet) = Packet::decode(bytes, checksum) else { continue };
        let mut count = 0;
        for chunk in packet.chunks() {
            count += 1;
            match chunk {
                Ok(chunk) => check_chunk(packet.header(), &chunk),
                Err(error) => {
                    assert!(!error.to_string().is_empty());
                    assert!(!error.cause().to_string().is_empty());
                    assert!(error.cause().to_bytes().len() < 256, "the report of it fits into any packet");
                }
            }
        }
        assert!(count <= bytes.len() / 4 + 1, "every chunk takes four bytes");
        assert!(packet.to_string().len() >= packet.header().to_string().len());
    }
}

/// Chunks of any content come out of a packet as they went in, and a packet that was changed is refused.
pub(crate) fn chunks(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let header = CommonHeader {
        source_port: input.u16(),
        destination_port: input.u16(),
        verification_tag: VerificationTag::new(input.u32()),
    };
    let limit = usize::from(input.u16()).max(64);
    let (at, bit) = (usize::from(input.u16()), input.below(8));
    let mut parts = Vec::new();
    while !input.is_empty() && parts.len() < 64 {
        parts.push(Parts::any(&mut input));
    }
    let mut buffer = Vec::new();
    let mut builder = PacketBuilder::new(&mut buffer, header, limit);
    let mut written = Vec::new();
    for chunk in parts.iter().map(Parts::chunk) {
        if builder.push(&chunk).is_ok() {
            written.push(chunk);
        }
    }
    let length = builder.finish(Checksum::Crc32c);
    assert_eq!(length, buffer.len());
    assert!(length <= limit);
    if written.is_empty() {
        return;
    }
    let packet = Packet::decode(&buffer, Checksum::Crc32c).expect("it was just written");
    assert_eq!(packet.header(), header);
    let read: Vec<Chunk<'_>> = packet.chunks().map(|chunk| chunk.expect("sound")).collect();
    assert_eq!(read, written);
    let mut changed = buffer.clone();
    changed[at % length] ^= 1 << bit;
    assert!(Packet::decode(&changed, Checksum::Crc32c).is_err(), "CRC32c finds every single bit");
    self::packet(&changed);
}

/// Parameters and causes of any bytes are read without a panic; what is read writes itself as it was, and an
/// INIT with it is judged.
pub(crate) fn parameters(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let kind = [1, 2, 6, 9][input.below(4)];
    let fixed = if kind <= 2 { 16 } else { 0 };
    let value = bytes.get(1..).unwrap_or_default();
    let length = (4 + value.len().max(fixed)).min(60_000);
    let mut raw = vec![0; 12];
    raw.extend([kind, 0]);
    raw.extend((length as u16).to_be_bytes());
    raw.extend(value.iter().take(length - 4));
    raw.resize(12 + length.next_multiple_of(4), 0);
    packet(&raw);
}

/// A chunk that was read is shown, judged if it is an INIT, and comes out again if it is written.
fn check_chunk(header: CommonHeader, chunk: &Chunk<'_>) {
    assert!(!chunk.to_string().is_empty());
    let mut buffer = Vec::new();
    let mut builder = PacketBuilder::new(&mut buffer, header, usize::MAX);
    builder.push(chunk).expect("what fitted into a packet fits into one");
    assert_eq!(builder.finish(Checksum::Crc32c), 12 + chunk.encoded_len());
    let packet = Packet::decode(&buffer, Checksum::Crc32c).expect("it was just written");
    let again: Vec<_> = packet.chunks().collect();
    assert_eq!(again, [Ok(chunk.clone())]);
    match chunk {
        Chunk::Init(init) => {
            if let Ok(body) = check_init(init, &Config::rfc9260()) {
                assert!(body.addresses.len() + body.unrecognized.len() <= init.parameters.len());
            }
        }
        Chunk::InitAck(ack) => {
            if let Ok(body) = check_init(ack, &Config::rfc9260()) {
                assert!(body.addresses.len() + body.reports.len() <= ack.parameters.len());
            }
        }
        Chunk::Sack(sack) => {
            let blocks = sack.gap_blocks.iter().count();
            assert!(!sack.is_well_formed() || blocks <= usize::from(u16::MAX));
        }
        _ => {}
    }
}
