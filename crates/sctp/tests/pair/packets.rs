//! Packets by hand: made, read, and named in the log.

use anabranch_sctp::seq::{Ssn, Tsn};
use anabranch_sctp::wire::{
    Checksum, Chunk, CommonHeader, Data, EncodeChunk, Packet, PacketBuilder, Ppid, StreamId, VerificationTag,
};
use bytes::Bytes;

use super::PORT;

/// A packet with both ends' port and this tag.
pub(crate) fn packet(tag: VerificationTag, chunks: &[&dyn EncodeChunk]) -> Vec<u8> {
    let header = CommonHeader { source_port: PORT, destination_port: PORT, verification_tag: tag };
    packet_with(header, chunks)
}

/// A packet with this header.
pub(crate) fn packet_with(header: CommonHeader, chunks: &[&dyn EncodeChunk]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut builder = PacketBuilder::new(&mut bytes, header, usize::from(u16::MAX));
    chunks.iter().for_each(|chunk| builder.push(*chunk).expect("there is room"));
    builder.finish(Checksum::Crc32c);
    bytes
}

/// The chunks of a sound packet.
pub(crate) fn chunks(bytes: &Bytes) -> Vec<Chunk<'_>> {
    let packet = Packet::decode(bytes, Checksum::Crc32c).expect("a sound packet");
    packet.chunks().map(|chunk| chunk.expect("a sound chunk")).collect()
}

/// A DATA chunk that is a whole message, the first on stream 0.
pub(crate) fn data(tsn: Tsn, payload: &[u8]) -> Data<'_> {
    Data {
        tsn,
        stream: StreamId::new(0),
        ssn: Ssn::new(0),
        ppid: Ppid::new(0),
        unordered: false,
        beginning: true,
        ending: true,
        immediate: false,
        payload,
    }
}

/// `SACK + DATA`.
pub(crate) fn chunk_names(bytes: &[u8]) -> String {
    let packet = match Packet::decode(bytes, Checksum::Crc32c) {
        Ok(packet) => packet,
        Err(error) => return error.to_string(),
    };
    let names: Vec<String> =
        packet.chunks().map(|chunk| chunk.map_or_else(|e| e.to_string(), |c| c.name().to_owned())).collect();
    names.join(" + ")
}
