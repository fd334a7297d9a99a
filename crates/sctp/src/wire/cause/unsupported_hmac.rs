//! Unsupported HMAC Identifier: an AUTH chunk uses an algorithm that its receiver did not announce.

use super::Cause;
use crate::wire::{TlvError, tlv};

/// The code of "Unsupported HMAC Identifier" (RFC 4895 §4.1).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |      Cause Code = 0x0105      |       Cause Length = 6        |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |         HMAC Identifier       |            Padding            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
pub(super) const CODE: u16 = 0x0105;

pub(super) fn decode(value: &[u8]) -> Result<Cause, TlvError> {
    Ok(Cause::UnsupportedHmac(u16::from_be_bytes(*tlv::fixed(CODE, value)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::capture::{assert_is_cause, hex};

    #[test]
    fn it_names_the_algorithm() {
        let cause = Cause::UnsupportedHmac(2);
        assert_is_cause("01050006 0002", &cause);
        assert_eq!(cause.to_string(), "unsupported HMAC algorithm 2");
    }

    #[test]
    fn of_another_length_it_is_an_error() {
        let error = TlvError::WrongLength { kind: CODE, length: 4, expected: 6 };
        assert_eq!(Cause::decode_list(&hex("01050004")), Err(error));
    }
}
