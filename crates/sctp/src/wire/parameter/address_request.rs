//! Add, Delete, Set Primary: the requests of an ASCONF, which share one layout.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::wire::fields::u32_at;
use crate::wire::tlv::Tlvs;
use crate::wire::{TlvError, tlv};

use super::{ipv4_address, ipv6_address};

/// The type of Add IP Address (RFC 5061 §4.2.1).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |    Type = 0xC001, 2 or 4      |    Length = Variable          |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |               ASCONF-Request Correlation ID                   |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                       Address Parameter                       |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
pub(in crate::wire) const ADD: u16 = 0xc001;
/// The type of Delete IP Address (RFC 5061 §4.2.2).
pub(in crate::wire) const DELETE: u16 = 0xc002;
/// The type of Set Primary IP Address (RFC 5061 §4.2.4).
pub(in crate::wire) const SET_PRIMARY: u16 = 0xc004;

/// The correlation id and the address of a request of type `kind`.
pub(super) fn decode(kind: u16, value: &[u8]) -> Result<(u32, IpAddr), TlvError> {
    let length = tlv::HEADER_LEN + value.len();
    let Some((id, rest)) = value.split_at_checked(4) else {
        return Err(TlvError::TooShort { kind, length, minimum: LEAST });
    };
    let address = match Tlvs::new(rest).next() {
        None => return Err(TlvError::TooShort { kind, length, minimum: LEAST }),
        Some(Err(error)) => return Err(error),
        Some(Ok((ipv4_address::KIND, ip))) => {
            IpAddr::V4(Ipv4Addr::from(*tlv::fixed(ipv4_address::KIND, ip)?))
        }
        Some(Ok((ipv6_address::KIND, ip))) => {
            IpAddr::V6(Ipv6Addr::from(*tlv::fixed(ipv6_address::KIND, ip)?))
        }
        // A host name, or a parameter that is not an address.
        Some(Ok((inner, ip))) => {
            let (length, expected) = (tlv::HEADER_LEN + ip.len(), tlv::HEADER_LEN + 4);
            return Err(TlvError::WrongLength { kind: inner, length, expected });
        }
    };
    Ok((u32_at(id, 0), address))
}

pub(super) fn value_len(address: IpAddr) -> usize {
    4 + tlv::HEADER_LEN + if address.is_ipv4() { 4 } else { 16 }
}

pub(super) fn encode_value(id: u32, address: IpAddr, out: &mut Vec<u8>) {
    out.extend_from_slice(&id.to_be_bytes());
    let (kind, length) = match address {
        IpAddr::V4(_) => (ipv4_address::KIND, 8_u16),
        IpAddr::V6(_) => (ipv6_address::KIND, 20_u16),
    };
    out.extend_from_slice(&kind.to_be_bytes());
    out.extend_from_slice(&length.to_be_bytes());
    match address {
        IpAddr::V4(ip) => out.extend_from_slice(&ip.octets()),
        IpAddr::V6(ip) => out.extend_from_slice(&ip.octets()),
    }
}

/// The length of a request for an IPv4 address.
const LEAST: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Parameter;
    use crate::wire::capture::{assert_is_parameter, hex};

    // The examples of RFC 5061 §4.2.1, §4.2.2 and §4.2.4.
    #[test]
    fn an_address_is_wrapped_whole() {
        let address = IpAddr::from([192, 0, 2, 1]);
        let add = Parameter::AddAddress { id: 0x0102_3474, address };
        assert_is_parameter("c0010010 01023474 00050008 c0000201", &add);
        let delete = Parameter::DeleteAddress { id: 0x0102_3476, address };
        assert_is_parameter("c0020010 01023476 00050008 c0000201", &delete);
        let primary = Parameter::SetPrimaryAddress { id: 0x0102_3479, address };
        assert_is_parameter("c0040010 01023479 00050008 c0000201", &primary);
        assert_eq!(primary.to_string(), "set primary 192.0.2.1");
        let six: IpAddr = "2001:db8::1".parse().expect("an address");
        let dump = "c001001c 00000001 00060014 20010db8 00000000 00000000 00000001";
        assert_is_parameter(dump, &Parameter::AddAddress { id: 1, address: six });
    }

    #[test]
    fn a_request_without_an_address_or_with_a_host_name_is_an_error() {
        let short = |length| Err(TlvError::TooShort { kind: ADD, length, minimum: 16 });
        assert_eq!(Parameter::decode_list(&hex("c0010006 0102")), short(6));
        assert_eq!(Parameter::decode_list(&hex("c0010008 01023474")), short(8));
        let name = TlvError::WrongLength { kind: 11, length: 8, expected: 8 };
        assert_eq!(Parameter::decode_list(&hex("c0010010 01023474 000b0008 61626300")), Err(name));
    }
}
