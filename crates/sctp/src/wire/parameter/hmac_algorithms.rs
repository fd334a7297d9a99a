//! Requested HMAC Algorithms: the algorithms that the sender verifies, in order of preference.

use super::Parameter;
use crate::wire::{TlvError, tlv};

/// The type of HMAC-ALGO (RFC 4895 §3.3).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |     Parameter Type = 0x8004   |       Parameter Length        |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |          HMAC Identifier 1    |      HMAC Identifier 2        |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// /                              ...                              /
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
pub(in crate::wire) const KIND: u16 = 0x8004;

pub(super) fn decode(value: &[u8]) -> Result<Parameter, TlvError> {
    Ok(Parameter::HmacAlgorithms(tlv::numbers(KIND, value)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::capture::{assert_is_parameter, hex};

    #[test]
    fn sha_256_before_sha_1() {
        let algorithms = Parameter::HmacAlgorithms(vec![3, 1]);
        assert_is_parameter("80040008 0003 0001", &algorithms);
        assert_eq!(algorithms.to_string(), "HMAC algorithms [3, 1]");
    }

    #[test]
    fn half_an_identifier_is_an_error() {
        let error = TlvError::BrokenEntry { kind: KIND, length: 7 };
        assert_eq!(Parameter::decode_list(&hex("80040007 000300")), Err(error));
    }
}
