//! Captured bytes for the tests of the codec.
//!
//! The packets called "usrsctp" in tests were sent by usrsctp 0.9.5.0 (Debian's) to itself, or in answer to chunks made
//! by hand. Bytes that were not captured follow the RFC's diagrams, and are marked by a comment.

use super::{Cause, Checksum, Chunk, ChunkError, EncodeChunk, Packet, Parameter};

/// The bytes of a hex dump; white space is ignored.
pub(super) fn hex(dump: &str) -> Vec<u8> {
    let digits: Vec<u32> =
        dump.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_digit(16).expect("a hex digit")).collect();
    assert!(digits.len().is_multiple_of(2), "half a byte in {dump}");
    digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect()
}

/// A packet with the chunk bytes `chunks`, without a checksum.
pub(super) fn packet(chunks: &[u8]) -> Vec<u8> {
    [&[0; 12], chunks].concat()
}

/// The bytes into which `chunk` is encoded.
pub(super) fn encoded(chunk: &dyn EncodeChunk) -> Vec<u8> {
    let mut out = Vec::new();
    chunk.encode(&mut out);
    assert_eq!(out.len(), chunk.encoded_len(), "the promised length");
    out
}

/// Asserts that `dump` holds one chunk, that it is `chunk`, and that `chunk` encodes into the same bytes.
#[track_caller]
pub(super) fn assert_is_chunk(dump: &str, chunk: &Chunk<'_>) {
    let packet = packet(&hex(dump));
    let decoded: Vec<_> = Packet::decode(&packet, Checksum::Omitted).expect("a packet").chunks().collect();
    assert_eq!(decoded, [Ok(chunk.clone())]);
    assert_eq!(encoded(chunk), packet[12..]);
}

/// The error of the only chunk of `dump`.
#[track_caller]
pub(super) fn chunk_error(dump: &str) -> ChunkError {
    let packet = packet(&hex(dump));
    let mut chunks = Packet::decode(&packet, Checksum::Omitted).expect("a packet").chunks();
    let error = chunks.next().expect("a chunk").expect_err("an error");
    assert_eq!(chunks.next(), None);
    error
}

/// Asserts that `dump` holds one parameter without its padding, and that it encodes into the same bytes.
#[track_caller]
pub(super) fn assert_is_parameter(dump: &str, parameter: &Parameter) {
    assert_eq!(Parameter::decode_list(&hex(dump)), Ok(vec![parameter.clone()]));
    assert_eq!(parameter.to_bytes(), hex(dump));
}

/// Asserts that `dump` holds one cause without its padding, and that it encodes into the same bytes.
#[track_caller]
pub(super) fn assert_is_cause(dump: &str, cause: &Cause) {
    assert_eq!(Cause::decode_list(&hex(dump)), Ok(vec![cause.clone()]));
    assert_eq!(cause.to_bytes(), hex(dump));
}
