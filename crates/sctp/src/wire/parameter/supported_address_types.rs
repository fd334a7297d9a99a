//! Supported Address Types: the types of addresses that the sender supports.

use super::Parameter;
use crate::wire::{TlvError, tlv};

/// The type of the Supported Address Types (RFC 9260 §3.3.2.1.5).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |           Type = 12           |             Length            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |        Address Type #1        |        Address Type #2        |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// /                              ...                              /
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
pub(in crate::wire) const KIND: u16 = 12;

pub(super) fn decode(value: &[u8]) -> Result<Parameter, TlvError> {
    Ok(Parameter::SupportedAddressTypes(tlv::numbers(KIND, value)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::capture::{assert_is_parameter, hex};

    #[test]
    fn usrsctp_over_ipv4_and_over_both() {
        let one = Parameter::SupportedAddressTypes(vec![Parameter::IPV4_ADDRESS]);
        assert_is_parameter("000c0006 0005", &one);
        let both = Parameter::SupportedAddressTypes(vec![Parameter::IPV4_ADDRESS, Parameter::IPV6_ADDRESS]);
        assert_is_parameter("000c0008 0005 0006", &both);
        assert_eq!(both.to_string(), "address types [5, 6]");
    }

    #[test]
    fn half_a_type_is_an_error() {
        let error = TlvError::BrokenEntry { kind: KIND, length: 7 };
        assert_eq!(Parameter::decode_list(&hex("000c0007 000500")), Err(error));
    }
}
