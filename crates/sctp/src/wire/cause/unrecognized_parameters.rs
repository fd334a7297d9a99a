//! Unrecognized Parameters: an INIT-ACK had parameters that the sender of the error does not support.

use super::Cause;

/// The code of "Unrecognized Parameters" (RFC 9260 §3.3.10.8).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |         Cause Code = 8        |          Cause Length         |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// \                                                               \
/// /                    Unrecognized Parameters                    /
/// \                                                               \
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
pub(super) const CODE: u16 = 8;

pub(super) fn decode(value: &[u8]) -> Cause {
    Cause::UnrecognizedParameters(value.to_vec())
}

#[cfg(test)]
mod tests {
    use crate::wire::Cause;
    use crate::wire::capture::{assert_is_cause, hex};

    // Written according to the RFC; no implementation was observed to send it.
    #[test]
    fn it_gives_the_parameters_back() {
        let cause = Cause::UnrecognizedParameters(hex("c7770006 aabb0000 40770004"));
        assert_is_cause("00080010 c7770006 aabb0000 40770004", &cause);
        assert_eq!(cause.to_string(), "unrecognized parameters of 12 bytes");
    }
}
