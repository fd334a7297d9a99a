//! Packets by hand: made, read, and named in the log.

use anabranch_sctp::seq::{Ssn, Tsn};
use anabranch_sctp::wire::{
    Checksum, Chunk, CommonHeader, Data, EncodeChunk, Packet, PacketBuilder, Ppid, StreamId, VerificationTag,
};
use bytes::Bytes;

use super::PORT;

/// A packet with both ends' port and this tag.
pub fn packet(tag: VerificationTag, chunks: &[&dyn EncodeChunk]) -> Vec<u8> {
    let header = CommonHeader { source_port: PORT, destination_port: PORT, verification_tag: tag };
    packet_with(header, chunks)
}

/// A packet with this header.
pub fn packet_with(header: CommonHeader, chunks: &[&dyn EncodeChunk]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut builder = PacketBuilder::new(&mut bytes, header, usize::from(u16::MAX));
    chunks.iter().for_each(|chunk| builder.push(*chunk).expect("there is room"));
    builder.finish(Checksum::Crc32c);
    bytes
}

/// The chunks of a sound packet.
pub fn chunks(bytes: &Bytes) -> Vec<Chunk<'_>> {
    let packet = Packet::decode(bytes, Checksum::Crc32c).expect("a sound packet");
    packet.chunks().map(|chunk| chunk.expect("a sound chunk")).collect()
}

/// A DATA chunk that is a whole message, the first on stream 0.
pub fn data(tsn: Tsn, payload: &[u8]) -> Data<'_> {
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
pub fn chunk_names(bytes: &[u8]) -> String {
    let packet = match Packet::decode(bytes, Checksum::Crc32c) {
        Ok(packet) => packet,
        Err(error) => return error.to_string(),
    };
    let names: Vec<String> =
        packet.chunks().map(|chunk| chunk.map_or_else(|e| e.to_string(), |c| name(&c))).collect();
    names.join(" + ")
}

fn name(chunk: &Chunk<'_>) -> String {
    let name = match chunk {
        Chunk::Data(_) => "DATA",
        Chunk::Init(_) => "INIT",
        Chunk::InitAck(_) => "INIT-ACK",
        Chunk::Sack(_) => "SACK",
        Chunk::Heartbeat(_) => "HEARTBEAT",
        Chunk::HeartbeatAck(_) => "HEARTBEAT-ACK",
        Chunk::Abort(_) => "ABORT",
        Chunk::Shutdown(_) => "SHUTDOWN",
        Chunk::ShutdownAck => "SHUTDOWN-ACK",
        Chunk::Error(_) => "ERROR",
        Chunk::CookieEcho(_) => "COOKIE-ECHO",
        Chunk::CookieAck => "COOKIE-ACK",
        Chunk::EcnEcho(_) => "ECNE",
        Chunk::CongestionWindowReduced(_) => "CWR",
        Chunk::ShutdownComplete(_) => "SHUTDOWN-COMPLETE",
        Chunk::Pad(_) => "PAD",
        Chunk::Auth(_) => "AUTH",
        Chunk::Asconf(_) => "ASCONF",
        Chunk::AsconfAck(_) => "ASCONF-ACK",
        Chunk::ForwardTsn(_) => "FORWARD-TSN",
        Chunk::Unknown(_) => "UNKNOWN",
    };
    name.to_owned()
}
