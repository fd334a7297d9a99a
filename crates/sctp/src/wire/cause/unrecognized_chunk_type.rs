//! Unrecognized Chunk Type: a chunk arrived that the sender of the error does not support.

use super::Cause;

/// The code of "Unrecognized Chunk Type" (RFC 9260 §3.3.10.6).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |         Cause Code = 6        |          Cause Length         |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// \                                                               \
/// /                       Unrecognized Chunk                      /
/// \                                                               \
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
pub(super) const CODE: u16 = 6;

pub(super) fn decode(value: &[u8]) -> Cause {
    Cause::UnrecognizedChunkType(value.to_vec())
}

#[cfg(test)]
mod tests {
    use crate::wire::Cause;
    use crate::wire::capture::{assert_is_cause, hex};

    #[test]
    fn usrsctp_gives_the_chunk_back_with_its_padding() {
        let cause = Cause::UnrecognizedChunkType(hex("c5010007 01020300"));
        assert_is_cause("0006000c c5010007 01020300", &cause);
        assert_eq!(cause.to_string(), "unrecognized chunk type 197 of 8 bytes");
        assert_eq!(Cause::UnrecognizedChunkType(vec![]).to_string(), "unrecognized chunk of 0 bytes");
    }
}
