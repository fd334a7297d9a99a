//! Packets written and read: one full of DATA, one with a SACK of many gaps, one with small DATA chunks.

use std::hint::black_box;

use anabranch_sctp::seq::{Ssn, Tsn};
use anabranch_sctp::wire::{
    Checksum, Chunk, CommonHeader, Data, Duplicates, EncodeChunk, GapBlock, GapBlocks, Packet, PacketBuilder,
    Ppid, Sack, StreamId, VerificationTag,
};

use crate::count;

const ROUNDS: u32 = 10_000;
const LIMIT: usize = 1_472;
const HEADER: CommonHeader = CommonHeader {
    source_port: 5001,
    destination_port: 5002,
    verification_tag: VerificationTag::new(0xecad_596e),
};

/// Writes and reads each packet [`ROUNDS`] times.
pub(crate) fn round_trips() {
    let gaps: Vec<GapBlock> = (1..=40).map(|gap| GapBlock { start: 3 * gap, end: 3 * gap + 1 }).collect();
    let payload = [7; 1_400];
    let mut buffer = Vec::with_capacity(2 * LIMIT);
    let mut chunks = 0;
    count(&mut || {
        for round in 0..ROUNDS {
            let sack = Sack {
                cumulative_tsn_ack: Tsn::new(round),
                a_rwnd: 1 << 20,
                flags: 0,
                gap_blocks: GapBlocks::from(&gaps[..]),
                duplicates: Duplicates::EMPTY,
            };
            chunks += round_trip(&mut buffer, &[&sack]);
            chunks += round_trip(&mut buffer, &[&data(round, &payload)]);
            let small = [data(round, &payload[..20]); 30];
            chunks += round_trip(&mut buffer, &small.each_ref().map(|chunk| chunk as &dyn EncodeChunk));
        }
    });
    assert_eq!(chunks, ROUNDS * 32, "every chunk that was written is read");
}

fn data(tsn: u32, payload: &[u8]) -> Data<'_> {
    Data {
        tsn: Tsn::new(tsn),
        stream: StreamId::new(1),
        ssn: Ssn::new(tsn as u16),
        ppid: Ppid::new(0),
        unordered: false,
        beginning: true,
        ending: true,
        immediate: false,
        payload,
    }
}

/// The number of chunks that come out of a packet of these.
fn round_trip(buffer: &mut Vec<u8>, chunks: &[&dyn EncodeChunk]) -> u32 {
    buffer.clear();
    let mut packet = PacketBuilder::new(buffer, HEADER, LIMIT);
    chunks.iter().for_each(|chunk| packet.push(*chunk).expect("it fits"));
    packet.finish(Checksum::Crc32c);
    let packet = Packet::decode(buffer, Checksum::Crc32c).expect("our own packet");
    packet.chunks().map(|chunk| weight(&black_box(chunk.expect("our own chunk")))).sum()
}

/// One for a chunk all of whose fields were read.
fn weight(chunk: &Chunk<'_>) -> u32 {
    match chunk {
        Chunk::Sack(sack) => u32::from(sack.gap_blocks.iter().all(|gap| gap.start <= gap.end)),
        Chunk::Data(data) => u32::from(!data.payload.is_empty()),
        _ => 0,
    }
}
