//! Unrecognized Parameter: a parameter that is returned because its receiver does not support it.

use super::Parameter;

/// The type of an Unrecognized Parameter, in an INIT-ACK (RFC 9260 §3.3.3.1).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |            Type = 8           |             Length            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// \                                                               \
/// /                     Unrecognized Parameter                    /
/// \                                                               \
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
pub(in crate::wire) const KIND: u16 = 8;

pub(super) fn decode(value: &[u8]) -> Parameter {
    Parameter::UnrecognizedParameter(value.to_vec())
}

#[cfg(test)]
mod tests {
    use crate::wire::Parameter;
    use crate::wire::capture::{assert_is_parameter, hex};

    #[test]
    fn a_parameter_that_usrsctp_did_not_know() {
        let unrecognized = Parameter::UnrecognizedParameter(hex("c7770006 aabb"));
        assert_is_parameter("0008000a c7770006 aabb", &unrecognized);
        assert_eq!(unrecognized.to_string(), "unrecognized parameter of 6 bytes");
    }
}
