//! Every parameter of a chunk by its type (RFC 9260 §3.2.1).

mod address_request;
mod change_response;
mod chunk_list;
mod cookie_preservative;
mod ecn_capable;
mod forward_tsn_supported;
pub(super) mod heartbeat_info;
mod hmac_algorithms;
mod host_name_address;
mod ipv4_address;
mod ipv6_address;
mod random;
mod state_cookie;
mod supported_address_types;
mod supported_extensions;
mod unrecognized_parameter;

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use anabranch_base::Duration;

use super::tlv::{self, Tlv, Tlvs};
use super::{Cause, TlvError, UnrecognizedAction, cause};

/// A parameter of an INIT, INIT-ACK, HEARTBEAT, ASCONF or ASCONF-ACK.
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |         Parameter Type        |        Parameter Length       |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// \                                                               \
/// /                        Parameter Value                        /
/// \                                                               \
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// Type 1: the information that a HEARTBEAT-ACK returns.
    HeartbeatInfo(Vec<u8>),
    /// Type 5: an address of the sender.
    Ipv4Address(Ipv4Addr),
    /// Type 6: an address of the sender.
    Ipv6Address(Ipv6Addr),
    /// Type 7: the cookie of an INIT-ACK, which the COOKIE-ECHO returns.
    StateCookie(Vec<u8>),
    /// Type 8: whole parameters of the INIT that the sender of the INIT-ACK does not support.
    UnrecognizedParameter(Vec<u8>),
    /// Type 9: the requested increase of the lifetime of the next cookie, in whole milliseconds.
    CookiePreservative(Duration),
    /// Type 11: a host name, deprecated. "The receiver of an INIT chunk or an INIT ACK containing a Host Name Address
    /// parameter MUST send an ABORT chunk" (RFC 9260 §3.3.2.1.4).
    HostNameAddress(Vec<u8>),
    /// Type 12: the types of address parameters that the sender supports.
    SupportedAddressTypes(Vec<u16>),
    /// Type 0x8000: the sender supports ECNE and CWR.
    EcnCapable,
    /// Type 0x8002: the sender's part of the association's key (RFC 4895).
    Random(Vec<u8>),
    /// Type 0x8003: the types of the chunks that the sender accepts only authenticated.
    ChunkList(Vec<u8>),
    /// Type 0x8004: the identifiers of the algorithms that the sender verifies, in order of preference.
    HmacAlgorithms(Vec<u16>),
    /// Type 0x8008: the types of the chunks beyond RFC 9260's that the sender supports (RFC 5061).
    SupportedExtensions(Vec<u8>),
    /// Type 0xc000: the sender supports FORWARD-TSN.
    ForwardTsnSupported,
    /// Type 0xc001: the sender has this address too; if it is unspecified, the packet's source address.
    AddAddress {
        /// The correlation id, which the response repeats.
        id: u32,
        /// The address.
        address: IpAddr,
    },
    /// Type 0xc002: the sender no longer has this address; if it is unspecified, all except the packet's source
    /// address.
    DeleteAddress {
        /// The correlation id, which the response repeats.
        id: u32,
        /// The address.
        address: IpAddr,
    },
    /// Type 0xc003: the causes for which a request was refused.
    ErrorCauseIndication {
        /// The correlation id of the request.
        id: u32,
        /// The causes.
        causes: Vec<Cause>,
    },
    /// Type 0xc004: the sender requests packets to this address.
    SetPrimaryAddress {
        /// The correlation id, which the response repeats.
        id: u32,
        /// The address.
        address: IpAddr,
    },
    /// Type 0xc005: the request with this id was granted.
    SuccessIndication(u32),
    /// Any other type.
    Unknown {
        /// The type.
        kind: u16,
        /// The bytes after type and length, without padding.
        value: Vec<u8>,
    },
}

impl Parameter {
    /// The type of [`Parameter::Ipv4Address`].
    pub const IPV4_ADDRESS: u16 = ipv4_address::KIND;
    /// The type of [`Parameter::Ipv6Address`].
    pub(crate) const IPV6_ADDRESS: u16 = ipv6_address::KIND;
    /// The type of [`Parameter::StateCookie`].
    pub(crate) const STATE_COOKIE: u16 = state_cookie::KIND;

    /// The type of [`Parameter::ChunkList`].
    pub(crate) const CHUNK_LIST: u16 = chunk_list::KIND;
    /// The type of [`Parameter::HmacAlgorithms`].
    pub(crate) const HMAC_ALGORITHMS: u16 = hmac_algorithms::KIND;

    /// The type on the wire.
    pub fn kind(&self) -> u16 {
        match self {
            Parameter::HeartbeatInfo(_) => heartbeat_info::KIND,
            Parameter::Ipv4Address(_) => ipv4_address::KIND,
            Parameter::Ipv6Address(_) => ipv6_address::KIND,
            Parameter::StateCookie(_) => state_cookie::KIND,
            Parameter::UnrecognizedParameter(_) => unrecognized_parameter::KIND,
            Parameter::CookiePreservative(_) => cookie_preservative::KIND,
            Parameter::HostNameAddress(_) => host_name_address::KIND,
            Parameter::SupportedAddressTypes(_) => supported_address_types::KIND,
            Parameter::EcnCapable => ecn_capable::KIND,
            Parameter::Random(_) => random::KIND,
            Parameter::ChunkList(_) => chunk_list::KIND,
            Parameter::HmacAlgorithms(_) => hmac_algorithms::KIND,
            Parameter::SupportedExtensions(_) => supported_extensions::KIND,
            Parameter::ForwardTsnSupported => forward_tsn_supported::KIND,
            Parameter::AddAddress { .. } => address_request::ADD,
            Parameter::DeleteAddress { .. } => address_request::DELETE,
            Parameter::ErrorCauseIndication { .. } => change_response::ERROR,
            Parameter::SetPrimaryAddress { .. } => address_request::SET_PRIMARY,
            Parameter::SuccessIndication(_) => change_response::SUCCESS,
            Parameter::Unknown { kind, .. } => *kind,
        }
    }

    /// The action of a receiver that does not support the type.
    pub(crate) fn action(&self) -> UnrecognizedAction {
        UnrecognizedAction::of_parameter(self.kind())
    }

    /// The whole parameter without padding, for the causes that carry parameters and for
    /// [`Parameter::UnrecognizedParameter`].
    ///
    /// # Panics
    ///
    /// The value is longer than 65,531 bytes. The value of a received parameter never is.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        tlv::encode(self, &mut out);
        out
    }

    /// The parameters of a chunk, from the bytes of its list.
    pub(super) fn decode_list(bytes: &[u8]) -> Result<Vec<Parameter>, TlvError> {
        Tlvs::new(bytes).map(|tlv| tlv.and_then(|(kind, value)| Parameter::decode(kind, value))).collect()
    }

    fn decode(kind: u16, value: &[u8]) -> Result<Parameter, TlvError> {
        match kind {
            heartbeat_info::KIND => Ok(heartbeat_info::decode(value)),
            ipv4_address::KIND => ipv4_address::decode(value),
            ipv6_address::KIND => ipv6_address::decode(value),
            state_cookie::KIND => Ok(state_cookie::decode(value)),
            unrecognized_parameter::KIND => Ok(unrecognized_parameter::decode(value)),
            cookie_preservative::KIND => cookie_preservative::decode(value),
            host_name_address::KIND => Ok(host_name_address::decode(value)),
            supported_address_types::KIND => supported_address_types::decode(value),
            ecn_capable::KIND => ecn_capable::decode(value),
            random::KIND => Ok(random::decode(value)),
            chunk_list::KIND => Ok(chunk_list::decode(value)),
            hmac_algorithms::KIND => hmac_algorithms::decode(value),
            supported_extensions::KIND => Ok(supported_extensions::decode(value)),
            forward_tsn_supported::KIND => forward_tsn_supported::decode(value),
            address_request::ADD => address_request::decode(kind, value)
                .map(|(id, address)| Parameter::AddAddress { id, address }),
            address_request::DELETE => address_request::decode(kind, value)
                .map(|(id, address)| Parameter::DeleteAddress { id, address }),
            address_request::SET_PRIMARY => address_request::decode(kind, value)
                .map(|(id, address)| Parameter::SetPrimaryAddress { id, address }),
            change_response::ERROR => change_response::decode_error(value),
            change_response::SUCCESS => change_response::decode_success(value),
            _ => Ok(Parameter::Unknown { kind, value: value.to_vec() }),
        }
    }
}

impl Tlv for Parameter {
    fn kind(&self) -> u16 {
        Parameter::kind(self)
    }

    fn value_len(&self) -> usize {
        match self {
            Parameter::HeartbeatInfo(bytes)
            | Parameter::StateCookie(bytes)
            | Parameter::UnrecognizedParameter(bytes)
            | Parameter::HostNameAddress(bytes)
            | Parameter::Random(bytes)
            | Parameter::ChunkList(bytes)
            | Parameter::SupportedExtensions(bytes)
            | Parameter::Unknown { value: bytes, .. } => bytes.len(),
            Parameter::Ipv4Address(_)
            | Parameter::CookiePreservative(_)
            | Parameter::SuccessIndication(_) => 4,
            Parameter::AddAddress { address, .. }
            | Parameter::DeleteAddress { address, .. }
            | Parameter::SetPrimaryAddress { address, .. } => address_request::value_len(*address),
            Parameter::ErrorCauseIndication { causes, .. } => 4 + tlv::list_len(causes),
            Parameter::Ipv6Address(_) => 16,
            Parameter::SupportedAddressTypes(numbers) | Parameter::HmacAlgorithms(numbers) => {
                2 * numbers.len()
            }
            Parameter::EcnCapable | Parameter::ForwardTsnSupported => 0,
        }
    }

    fn encode_value(&self, out: &mut Vec<u8>) {
        match self {
            Parameter::HeartbeatInfo(bytes)
            | Parameter::StateCookie(bytes)
            | Parameter::UnrecognizedParameter(bytes)
            | Parameter::HostNameAddress(bytes)
            | Parameter::Random(bytes)
            | Parameter::ChunkList(bytes)
            | Parameter::SupportedExtensions(bytes)
            | Parameter::Unknown { value: bytes, .. } => out.extend_from_slice(bytes),
            Parameter::Ipv4Address(address) => out.extend_from_slice(&address.octets()),
            Parameter::Ipv6Address(address) => out.extend_from_slice(&address.octets()),
            Parameter::CookiePreservative(increment) => cookie_preservative::encode_value(*increment, out),
            Parameter::SupportedAddressTypes(numbers) | Parameter::HmacAlgorithms(numbers) => {
                out.extend(numbers.iter().flat_map(|number| number.to_be_bytes()));
            }
            Parameter::AddAddress { id, address }
            | Parameter::DeleteAddress { id, address }
            | Parameter::SetPrimaryAddress { id, address } => {
                address_request::encode_value(*id, *address, out);
            }
            Parameter::ErrorCauseIndication { id, causes } => {
                out.extend_from_slice(&id.to_be_bytes());
                tlv::encode_list(causes, out);
            }
            Parameter::SuccessIndication(id) => out.extend_from_slice(&id.to_be_bytes()),
            Parameter::EcnCapable | Parameter::ForwardTsnSupported => {}
        }
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Parameter::HeartbeatInfo(info) => write!(f, "heartbeat info of {} bytes", info.len()),
            Parameter::Ipv4Address(address) => write!(f, "{address}"),
            Parameter::Ipv6Address(address) => write!(f, "{address}"),
            Parameter::StateCookie(cookie) => write!(f, "state cookie of {} bytes", cookie.len()),
            Parameter::UnrecognizedParameter(bytes) => {
                write!(f, "unrecognized parameter of {} bytes", bytes.len())
            }
            Parameter::CookiePreservative(increment) => write!(f, "cookie preservative of {increment}"),
            Parameter::HostNameAddress(name) => write!(f, "host name \"{}\"", name.escape_ascii()),
            Parameter::SupportedAddressTypes(types) => write!(f, "address types {types:?}"),
            Parameter::EcnCapable => f.write_str("ECN capable"),
            Parameter::Random(bytes) => write!(f, "random number of {} bytes", bytes.len()),
            Parameter::ChunkList(kinds) => write!(f, "authenticated chunks {kinds:?}"),
            Parameter::HmacAlgorithms(ids) => write!(f, "HMAC algorithms {ids:?}"),
            Parameter::SupportedExtensions(kinds) => write!(f, "extensions {kinds:?}"),
            Parameter::ForwardTsnSupported => f.write_str("FORWARD-TSN supported"),
            Parameter::AddAddress { address, .. } => write!(f, "add {address}"),
            Parameter::DeleteAddress { address, .. } => write!(f, "delete {address}"),
            Parameter::ErrorCauseIndication { causes, .. } => {
                f.write_str("refused")?;
                cause::write_list(causes, f)
            }
            Parameter::SetPrimaryAddress { address, .. } => write!(f, "set primary {address}"),
            Parameter::SuccessIndication(_) => f.write_str("done"),
            Parameter::Unknown { kind, value } => write!(f, "parameter {kind:#06x} of {} bytes", value.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::capture::{assert_is_parameter, hex};

    #[test]
    fn a_parameter_of_an_unknown_type_keeps_its_bytes() {
        let padding = Parameter::Unknown { kind: 0x8005, value: hex("0000000000") };
        assert_is_parameter("80050009 0000000000", &padding);
        assert_eq!(padding.action(), UnrecognizedAction::Skip);
        assert_eq!(padding.to_string(), "parameter 0x8005 of 5 bytes");
    }

    #[test]
    fn one_broken_parameter_breaks_the_list() {
        let error = TlvError::WrongLength { kind: 0x8000, length: 5, expected: 4 };
        assert_eq!(Parameter::decode_list(&hex("c0000004 80000005 00000000")), Err(error));
    }
}
