//! TEST: a packet that measures a path.

use std::fmt;

use super::EncodeChunk;
use super::raw::{self, RawChunk};

/// A TEST chunk, an extension of this implementation: its body is a matter of the programs at both ends. A receiver that
/// does not support it skips it without a report, because of the two high bits of its type.
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// | Type = 0xA5   |   Flags=0     |     Length = 5 to 68          |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// \                                                               \
/// /                             Body                              /
/// \                                                               \
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Test<'a> {
    /// The bytes for the program at the other end. An association ignores a chunk with none or more than 64.
    pub body: &'a [u8],
}

impl<'a> Test<'a> {
    /// The chunk type.
    pub const KIND: u8 = 0xa5;
    /// The longest body.
    pub(crate) const MOST_BODY: usize = 64;

    pub(super) fn decode(raw: RawChunk<'a>) -> Test<'a> {
        Test { body: raw.value }
    }

    /// Returns true if the length of the body is allowed.
    pub(crate) fn is_valid(&self) -> bool {
        (1..=Test::MOST_BODY).contains(&self.body.len())
    }
}

impl EncodeChunk for Test<'_> {
    fn kind(&self) -> u8 {
        Test::KIND
    }

    fn value_len(&self) -> usize {
        self.body.len()
    }

    fn encode(&self, out: &mut Vec<u8>) {
        raw::encode(self, Test::KIND, 0, out, |out| out.extend_from_slice(self.body));
    }
}

impl fmt::Display for Test<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TEST({} bytes)", self.body.len())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Chunk, UnrecognizedAction};
    use super::*;
    use crate::wire::capture::assert_is_chunk;

    #[test]
    fn a_body_of_any_length_survives_and_only_some_are_valid() {
        assert_is_chunk("a5000007 01020300", &Chunk::Test(Test { body: &[1, 2, 3] }));
        assert_is_chunk("a5000004", &Chunk::Test(Test { body: &[] }));
        assert_eq!(Test { body: &[1, 2, 3] }.to_string(), "TEST(3 bytes)");
        let valid = [0, 1, 64, 65].map(|len| Test { body: &[7; 65][..len] }.is_valid());
        assert_eq!(valid, [false, true, true, false]);
    }

    #[test]
    fn a_receiver_that_does_not_support_it_skips_it_silently() {
        assert_eq!(UnrecognizedAction::of_chunk(Test::KIND), UnrecognizedAction::Skip);
    }
}
