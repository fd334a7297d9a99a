//! Missing Mandatory Parameter: an INIT or INIT-ACK does not have a mandatory parameter.

use super::Cause;
use crate::wire::{TlvError, tlv};

/// The code of "Missing Mandatory Parameter" (RFC 9260 §3.3.10.2).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |         Cause Code = 2        |    Cause Length = 8 + N * 2   |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                  Number of missing params = N                 |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |     Missing Param Type #1     |     Missing Param Type #2     |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |    Missing Param Type #N-1    |     Missing Param Type #N     |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
pub(super) const CODE: u16 = 2;

pub(super) fn decode(value: &[u8]) -> Result<Cause, TlvError> {
    let length = tlv::HEADER_LEN + value.len();
    let Some((count, types)) = value.split_first_chunk::<4>() else {
        return Err(TlvError::TooShort { kind: CODE, length, minimum: 8 });
    };
    let count = u32::from_be_bytes(*count) as usize;
    if types.len() != count.saturating_mul(2) {
        let expected = count.saturating_mul(2).saturating_add(8);
        return Err(TlvError::WrongLength { kind: CODE, length, expected });
    }
    Ok(Cause::MissingMandatoryParameter(tlv::numbers(CODE, types)?))
}

/// Appends the number of types, which the 16-bit length limits, and the types.
pub(super) fn encode_value(types: &[u16], out: &mut Vec<u8>) {
    out.extend_from_slice(&(types.len() as u32).to_be_bytes());
    out.extend(types.iter().flat_map(|kind| kind.to_be_bytes()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Parameter;
    use crate::wire::capture::{assert_is_cause, hex};

    // Written according to the RFC; no implementation was observed to send it.
    #[test]
    fn it_lists_the_types() {
        let cause = Cause::MissingMandatoryParameter(vec![Parameter::STATE_COOKIE]);
        assert_is_cause("0002000a 00000001 0007", &cause);
        assert_eq!(cause.to_string(), "missing mandatory parameter [7]");
        assert_is_cause("0002000c 00000002 00070005", &Cause::MissingMandatoryParameter(vec![7, 5]));
    }

    #[test]
    fn a_count_that_does_not_agree_with_the_length_is_an_error() {
        let error = |length, expected| TlvError::WrongLength { kind: CODE, length, expected };
        assert_eq!(Cause::decode_list(&hex("0002000a 00000002 0007")), Err(error(10, 12)));
        assert_eq!(Cause::decode_list(&hex("0002000b 00000001 000700")), Err(error(11, 10)));
        let huge = Cause::decode_list(&hex("0002000a ffffffff 0007"));
        assert_eq!(huge, Err(error(10, (u32::MAX as usize).saturating_mul(2).saturating_add(8))));
        let error = TlvError::TooShort { kind: CODE, length: 6, minimum: 8 };
        assert_eq!(Cause::decode_list(&hex("00020006 0000")), Err(error));
    }
}
