//! Forward TSN Supported: the sender supports FORWARD-TSN.

use super::Parameter;
use crate::wire::{TlvError, tlv};

/// The type of Forward TSN Supported (RFC 3758 §3.1).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |         Type = 0xc000         |           Length = 4          |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
pub(in crate::wire) const KIND: u16 = 0xc000;

pub(super) fn decode(value: &[u8]) -> Result<Parameter, TlvError> {
    tlv::fixed::<0>(KIND, value).map(|_| Parameter::ForwardTsnSupported)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::capture::{assert_is_parameter, hex};

    #[test]
    fn it_has_no_content_in_an_init_of_usrsctp() {
        assert_is_parameter("c0000004", &Parameter::ForwardTsnSupported);
        assert_eq!(Parameter::ForwardTsnSupported.to_string(), "FORWARD-TSN supported");
    }

    #[test]
    fn with_content_it_is_an_error() {
        let error = TlvError::WrongLength { kind: KIND, length: 8, expected: 4 };
        assert_eq!(Parameter::decode_list(&hex("c0000008 00000000")), Err(error));
    }
}
