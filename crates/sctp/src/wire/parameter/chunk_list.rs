//! Chunk List: the chunks that the sender accepts only authenticated.

use super::Parameter;

/// The type of CHUNKS (RFC 4895 §3.2).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |     Parameter Type = 0x8003   |       Parameter Length        |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// \                    Chunk Types, one a byte                    \
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
pub(in crate::wire) const KIND: u16 = 0x8003;

pub(super) fn decode(value: &[u8]) -> Parameter {
    Parameter::ChunkList(value.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::capture::assert_is_parameter;

    #[test]
    fn asconf_and_its_answer_as_every_sender_of_them_lists_them() {
        let list = Parameter::ChunkList(vec![0xc1, 0x80]);
        assert_is_parameter("80030006 c180", &list);
        assert_eq!(list.to_string(), "authenticated chunks [193, 128]");
    }
}
