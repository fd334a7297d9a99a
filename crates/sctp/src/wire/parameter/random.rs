//! Random Number: the sender's part of the association's key.

use super::Parameter;

/// The type of RANDOM (RFC 4895 §3.1).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |     Parameter Type = 0x8002   |       Parameter Length        |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// \                          Random Number                        \
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
pub(in crate::wire) const KIND: u16 = 0x8002;

pub(super) fn decode(value: &[u8]) -> Parameter {
    Parameter::Random(value.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::capture::assert_is_parameter;

    #[test]
    fn its_length_is_its_own_and_is_judged_elsewhere() {
        let random = Parameter::Random(vec![1, 2, 3]);
        assert_is_parameter("80020007 010203", &random);
        assert_eq!(random.to_string(), "random number of 3 bytes");
    }
}
