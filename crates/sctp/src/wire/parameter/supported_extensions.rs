//! Supported Extensions: the chunks beyond RFC 9260's that the sender supports.

use super::Parameter;

/// The type of Supported Extensions (RFC 5061 §4.2.7).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |     Parameter Type = 0x8008   |      Parameter Length         |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// \                    Chunk Types, one a byte                    \
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
pub(in crate::wire) const KIND: u16 = 0x8008;

pub(super) fn decode(value: &[u8]) -> Parameter {
    Parameter::SupportedExtensions(value.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::capture::assert_is_parameter;

    #[test]
    fn those_of_usrsctp() {
        let extensions = Parameter::SupportedExtensions(vec![0xc0, 0x0f, 0xc1, 0x80, 0x82]);
        assert_is_parameter("80080009 c00fc18082", &extensions);
        assert_eq!(extensions.to_string(), "extensions [192, 15, 193, 128, 130]");
    }
}
