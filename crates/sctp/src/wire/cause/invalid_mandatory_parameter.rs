//! Invalid Mandatory Parameter: a number in an INIT or INIT-ACK is out of range.

use super::Cause;
use crate::wire::{TlvError, tlv};

/// The code of "Invalid Mandatory Parameter" (RFC 9260 §3.3.10.7).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |         Cause Code = 7        |        Cause Length = 4       |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
pub(super) const CODE: u16 = 7;

pub(super) fn decode(value: &[u8]) -> Result<Cause, TlvError> {
    tlv::fixed::<0>(CODE, value).map(|_| Cause::InvalidMandatoryParameter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::capture::{assert_is_cause, hex};

    // The answer of usrsctp to an INIT without outbound streams.
    #[test]
    fn it_has_no_content() {
        assert_is_cause("00070004", &Cause::InvalidMandatoryParameter);
        assert_eq!(Cause::InvalidMandatoryParameter.to_string(), "invalid mandatory parameter");
    }

    #[test]
    fn with_content_it_is_an_error() {
        let error = TlvError::WrongLength { kind: CODE, length: 8, expected: 4 };
        assert_eq!(Cause::decode_list(&hex("00070008 00000000")), Err(error));
    }
}
