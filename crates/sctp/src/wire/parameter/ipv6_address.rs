//! IPv6 Address: an address of the sender.

use std::net::Ipv6Addr;

use super::Parameter;
use crate::wire::{TlvError, tlv};

/// The type of an IPv6 Address (RFC 9260 §3.3.2.1.2).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |            Type = 6           |          Length = 20          |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                                                               |
/// |                          IPv6 Address                         |
/// |                                                               |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
pub(in crate::wire) const KIND: u16 = 6;

pub(super) fn decode(value: &[u8]) -> Result<Parameter, TlvError> {
    let octets: [u8; 16] = *tlv::fixed(KIND, value)?;
    Ok(Parameter::Ipv6Address(Ipv6Addr::from(octets)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::capture::{assert_is_parameter, hex};

    #[test]
    fn an_address_of_usrsctp() {
        let address = Parameter::Ipv6Address("fd00::2".parse().unwrap());
        assert_is_parameter("00060014 fd000000 00000000 00000000 00000002", &address);
        assert_eq!(address.to_string(), "fd00::2");
    }

    #[test]
    fn an_address_of_another_length_is_an_error() {
        let error = TlvError::WrongLength { kind: KIND, length: 7, expected: 20 };
        assert_eq!(Parameter::decode_list(&hex("00060007 c0000200")), Err(error));
    }
}
