//! The content of the messages between this program and other SCTP stacks, and its checksum.

/// The first payload protocol identifier without an assigned meaning, also in capture tools.
pub(crate) const FIRST_PPID: u32 = 0x4142_0000;

/// Message `number`: no two messages and no two places in one look alike.
pub(crate) fn content(number: u32, size: usize) -> Vec<u8> {
    let mut state = (u64::from(number) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut bytes = Vec::with_capacity(size + 8);
    while bytes.len() < size {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    bytes.truncate(size);
    bytes
}

/// Adler-32 (RFC 1950 §8.2), which most languages have at hand, of bytes after others whose sum is `before`.
pub(crate) fn adler32(before: u32, bytes: &[u8]) -> u32 {
    let start = (before & 0xffff, before >> 16);
    let (low, high) = bytes.iter().fold(start, |(low, high), byte| {
        let low = (low + u32::from(*byte)) % 65_521;
        (low, (high + low) % 65_521)
    });
    high << 16 | low
}
