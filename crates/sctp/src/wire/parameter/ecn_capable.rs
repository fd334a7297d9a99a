//! ECN Capable: the sender supports ECNE and CWR.

use super::Parameter;
use crate::wire::{TlvError, tlv};

/// The type of ECN Capable (RFC 4960 appendix A; RFC 9260 only reserves the type).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |         Type = 0x8000         |           Length = 4          |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
pub(in crate::wire) const KIND: u16 = 0x8000;

pub(super) fn decode(value: &[u8]) -> Result<Parameter, TlvError> {
    tlv::fixed::<0>(KIND, value).map(|_| Parameter::EcnCapable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::capture::{assert_is_parameter, hex};

    #[test]
    fn it_has_no_content_in_an_init_of_usrsctp() {
        assert_is_parameter("80000004", &Parameter::EcnCapable);
        assert_eq!(Parameter::EcnCapable.to_string(), "ECN capable");
    }

    #[test]
    fn with_content_it_is_an_error() {
        let error = TlvError::WrongLength { kind: KIND, length: 8, expected: 4 };
        assert_eq!(Parameter::decode_list(&hex("80000008 00000000")), Err(error));
    }
}
