//! IPv4 Address: an address of the sender.

use std::net::Ipv4Addr;

use super::Parameter;
use crate::wire::{TlvError, tlv};

/// The type of an IPv4 Address (RFC 9260 §3.3.2.1.1).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |            Type = 5           |           Length = 8          |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                          IPv4 Address                         |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
pub(in crate::wire) const KIND: u16 = 5;

pub(super) fn decode(value: &[u8]) -> Result<Parameter, TlvError> {
    let octets: [u8; 4] = *tlv::fixed(KIND, value)?;
    Ok(Parameter::Ipv4Address(Ipv4Addr::from(octets)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::capture::{assert_is_parameter, hex};

    #[test]
    fn an_address_of_usrsctp() {
        let address = Parameter::Ipv4Address(Ipv4Addr::new(192, 0, 2, 2));
        assert_is_parameter("00050008 c0000202", &address);
        assert_eq!(address.to_string(), "192.0.2.2");
    }

    #[test]
    fn an_address_of_another_length_is_an_error() {
        let error = TlvError::WrongLength { kind: KIND, length: 7, expected: 8 };
        assert_eq!(Parameter::decode_list(&hex("00050007 c0000200")), Err(error));
    }
}
