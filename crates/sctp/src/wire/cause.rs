//! Every error cause by its code (RFC 9260 §3.3.10).

mod cookie_received_while_shutting_down;
mod invalid_mandatory_parameter;
mod invalid_stream_identifier;
mod missing_mandatory_parameter;
mod no_user_data;
mod out_of_resource;
mod protocol_violation;
mod refused_request;
mod restart_with_new_addresses;
mod stale_cookie;
mod unrecognized_chunk_type;
mod unrecognized_parameters;
mod unresolvable_address;
mod unsupported_hmac;
mod user_initiated_abort;

use std::fmt;

use anabranch_base::Duration;

use super::tlv::{self, Tlv, Tlvs};
use super::{StreamId, TlvError};
use crate::seq::Tsn;

/// An error cause: the reason for an ABORT or an ERROR.
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |           Cause Code          |          Cause Length         |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// \                                                               \
/// /                   Cause-Specific Information                  /
/// \                                                               \
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Code 1: DATA arrived on this stream, which does not exist.
    InvalidStreamIdentifier(StreamId),
    /// Code 2: the types of the missing mandatory parameters of an INIT or INIT-ACK.
    MissingMandatoryParameter(Vec<u16>),
    /// Code 3: the staleness of the State Cookie, in whole microseconds.
    StaleCookie(Duration),
    /// Code 4: the sender lacks resources for the association.
    OutOfResource,
    /// Code 5: the whole address parameter that cannot be used.
    UnresolvableAddress(Vec<u8>),
    /// Code 6: the whole unrecognized chunk ([`UnknownChunk::to_bytes`](super::UnknownChunk::to_bytes)).
    UnrecognizedChunkType(Vec<u8>),
    /// Code 7: a number in an INIT or INIT-ACK is out of range.
    InvalidMandatoryParameter,
    /// Code 8: the whole unrecognized parameters of an INIT-ACK
    /// ([`Parameter::to_bytes`](super::Parameter::to_bytes)).
    UnrecognizedParameters(Vec<u8>),
    /// Code 9: the DATA chunk with this TSN had no user data.
    NoUserData(Tsn),
    /// Code 10: a COOKIE-ECHO arrived while the association was shutting down.
    CookieReceivedWhileShuttingDown,
    /// Code 11: the whole address parameters that an INIT for an existing association added.
    RestartWithNewAddresses(Vec<u8>),
    /// Code 12: the application aborted the association for this reason.
    UserInitiatedAbort(Vec<u8>),
    /// Code 13: a protocol violation without a more specific cause, with additional information.
    ProtocolViolation(Vec<u8>),
    /// Code 0xa0: this whole request of an ASCONF would have left its sender without an address (RFC 5061).
    DeleteLastAddress(Vec<u8>),
    /// Code 0xa1: the sender lacks resources for this request.
    ResourceShortage(Vec<u8>),
    /// Code 0xa2: this request would have deleted the packet's source address.
    DeleteSourceAddress(Vec<u8>),
    /// Code 0xa3: an ASCONF-ACK answered an ASCONF that was never sent.
    IllegalAsconfAck,
    /// Code 0xa4: this request is refused.
    NoAuthorization(Vec<u8>),
    /// Code 0x105: an AUTH chunk used this algorithm (RFC 4895).
    UnsupportedHmac(u16),
    /// Any other code.
    Unknown {
        /// The code.
        code: u16,
        /// The bytes after code and length, without padding.
        value: Vec<u8>,
    },
}

impl Cause {
    /// The code on the wire.
    pub fn code(&self) -> u16 {
        match self {
            Cause::InvalidStreamIdentifier(_) => invalid_stream_identifier::CODE,
            Cause::MissingMandatoryParameter(_) => missing_mandatory_parameter::CODE,
            Cause::StaleCookie(_) => stale_cookie::CODE,
            Cause::OutOfResource => out_of_resource::CODE,
            Cause::UnresolvableAddress(_) => unresolvable_address::CODE,
            Cause::UnrecognizedChunkType(_) => unrecognized_chunk_type::CODE,
            Cause::InvalidMandatoryParameter => invalid_mandatory_parameter::CODE,
            Cause::UnrecognizedParameters(_) => unrecognized_parameters::CODE,
            Cause::NoUserData(_) => no_user_data::CODE,
            Cause::CookieReceivedWhileShuttingDown => cookie_received_while_shutting_down::CODE,
            Cause::RestartWithNewAddresses(_) => restart_with_new_addresses::CODE,
            Cause::UserInitiatedAbort(_) => user_initiated_abort::CODE,
            Cause::ProtocolViolation(_) => protocol_violation::CODE,
            Cause::DeleteLastAddress(_) => refused_request::LAST_ADDRESS,
            Cause::ResourceShortage(_) => refused_request::RESOURCE_SHORTAGE,
            Cause::DeleteSourceAddress(_) => refused_request::SOURCE_ADDRESS,
            Cause::IllegalAsconfAck => refused_request::ILLEGAL_ACK,
            Cause::NoAuthorization(_) => refused_request::NO_AUTHORIZATION,
            Cause::UnsupportedHmac(_) => unsupported_hmac::CODE,
            Cause::Unknown { code, .. } => *code,
        }
    }

    /// The whole cause without padding.
    ///
    /// # Panics
    ///
    /// The content is longer than 65,531 bytes. The content of a received cause never is.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        tlv::encode(self, &mut out);
        out
    }

    /// The causes of a chunk, from the bytes of its list.
    pub(super) fn decode_list(bytes: &[u8]) -> Result<Vec<Cause>, TlvError> {
        Tlvs::new(bytes).map(|tlv| tlv.and_then(|(code, value)| Cause::decode(code, value))).collect()
    }

    fn decode(code: u16, value: &[u8]) -> Result<Cause, TlvError> {
        match code {
            invalid_stream_identifier::CODE => invalid_stream_identifier::decode(value),
            missing_mandatory_parameter::CODE => missing_mandatory_parameter::decode(value),
            stale_cookie::CODE => stale_cookie::decode(value),
            out_of_resource::CODE => out_of_resource::decode(value),
            unresolvable_address::CODE => Ok(unresolvable_address::decode(value)),
            unrecognized_chunk_type::CODE => Ok(unrecognized_chunk_type::decode(value)),
            invalid_mandatory_parameter::CODE => invalid_mandatory_parameter::decode(value),
            unrecognized_parameters::CODE => Ok(unrecognized_parameters::decode(value)),
            no_user_data::CODE => no_user_data::decode(value),
            cookie_received_while_shutting_down::CODE => cookie_received_while_shutting_down::decode(value),
            restart_with_new_addresses::CODE => Ok(restart_with_new_addresses::decode(value)),
            user_initiated_abort::CODE => Ok(user_initiated_abort::decode(value)),
            protocol_violation::CODE => Ok(protocol_violation::decode(value)),
            refused_request::LAST_ADDRESS => Ok(Cause::DeleteLastAddress(value.to_vec())),
            refused_request::RESOURCE_SHORTAGE => Ok(Cause::ResourceShortage(value.to_vec())),
            refused_request::SOURCE_ADDRESS => Ok(Cause::DeleteSourceAddress(value.to_vec())),
            refused_request::ILLEGAL_ACK => tlv::fixed::<0>(code, value).map(|_| Cause::IllegalAsconfAck),
            refused_request::NO_AUTHORIZATION => Ok(Cause::NoAuthorization(value.to_vec())),
            unsupported_hmac::CODE => unsupported_hmac::decode(value),
            _ => Ok(Cause::Unknown { code, value: value.to_vec() }),
        }
    }
}

impl Tlv for Cause {
    fn kind(&self) -> u16 {
        self.code()
    }

    fn value_len(&self) -> usize {
        match self {
            Cause::UnresolvableAddress(bytes)
            | Cause::UnrecognizedChunkType(bytes)
            | Cause::UnrecognizedParameters(bytes)
            | Cause::RestartWithNewAddresses(bytes)
            | Cause::UserInitiatedAbort(bytes)
            | Cause::ProtocolViolation(bytes)
            | Cause::DeleteLastAddress(bytes)
            | Cause::ResourceShortage(bytes)
            | Cause::DeleteSourceAddress(bytes)
            | Cause::NoAuthorization(bytes)
            | Cause::Unknown { value: bytes, .. } => bytes.len(),
            Cause::InvalidStreamIdentifier(_) | Cause::StaleCookie(_) | Cause::NoUserData(_) => 4,
            Cause::MissingMandatoryParameter(types) => 4 + 2 * types.len(),
            Cause::OutOfResource
            | Cause::InvalidMandatoryParameter
            | Cause::IllegalAsconfAck
            | Cause::CookieReceivedWhileShuttingDown => 0,
            Cause::UnsupportedHmac(_) => 2,
        }
    }

    fn encode_value(&self, out: &mut Vec<u8>) {
        match self {
            Cause::UnresolvableAddress(bytes)
            | Cause::UnrecognizedChunkType(bytes)
            | Cause::UnrecognizedParameters(bytes)
            | Cause::RestartWithNewAddresses(bytes)
            | Cause::UserInitiatedAbort(bytes)
            | Cause::ProtocolViolation(bytes)
            | Cause::DeleteLastAddress(bytes)
            | Cause::ResourceShortage(bytes)
            | Cause::DeleteSourceAddress(bytes)
            | Cause::NoAuthorization(bytes)
            | Cause::Unknown { value: bytes, .. } => out.extend_from_slice(bytes),
            Cause::InvalidStreamIdentifier(stream) => invalid_stream_identifier::encode_value(*stream, out),
            Cause::MissingMandatoryParameter(types) => missing_mandatory_parameter::encode_value(types, out),
            Cause::StaleCookie(staleness) => stale_cookie::encode_value(*staleness, out),
            Cause::NoUserData(tsn) => out.extend_from_slice(&tsn.get().to_be_bytes()),
            Cause::OutOfResource
            | Cause::InvalidMandatoryParameter
            | Cause::IllegalAsconfAck
            | Cause::CookieReceivedWhileShuttingDown => {}
            Cause::UnsupportedHmac(id) => out.extend_from_slice(&id.to_be_bytes()),
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::InvalidStreamIdentifier(stream) => write!(f, "invalid stream identifier {stream}"),
            Cause::MissingMandatoryParameter(types) => write!(f, "missing mandatory parameter {types:?}"),
            Cause::StaleCookie(staleness) => write!(f, "stale cookie by {staleness}"),
            Cause::OutOfResource => f.write_str("out of resource"),
            Cause::UnresolvableAddress(bytes) => write!(f, "unresolvable address of {} bytes", bytes.len()),
            Cause::UnrecognizedChunkType(bytes) => match bytes.first() {
                Some(kind) => write!(f, "unrecognized chunk type {kind} of {} bytes", bytes.len()),
                None => f.write_str("unrecognized chunk of 0 bytes"),
            },
            Cause::InvalidMandatoryParameter => f.write_str("invalid mandatory parameter"),
            Cause::UnrecognizedParameters(bytes) => {
                write!(f, "unrecognized parameters of {} bytes", bytes.len())
            }
            Cause::NoUserData(tsn) => write!(f, "no user data in tsn {tsn}"),
            Cause::CookieReceivedWhileShuttingDown => f.write_str("cookie received while shutting down"),
            Cause::RestartWithNewAddresses(bytes) => {
                write!(f, "restart with new addresses of {} bytes", bytes.len())
            }
            Cause::UserInitiatedAbort(reason) => {
                write!(f, "user-initiated abort \"{}\"", reason.escape_ascii())
            }
            Cause::ProtocolViolation(more) => write!(f, "protocol violation \"{}\"", more.escape_ascii()),
            Cause::DeleteLastAddress(_) => f.write_str("the last address is not deleted"),
            Cause::ResourceShortage(_) => f.write_str("a resource is short"),
            Cause::DeleteSourceAddress(_) => f.write_str("the source address is not deleted"),
            Cause::IllegalAsconfAck => f.write_str("an ASCONF-ACK for nothing"),
            Cause::NoAuthorization(_) => f.write_str("not authorized"),
            Cause::UnsupportedHmac(id) => write!(f, "unsupported HMAC algorithm {id}"),
            Cause::Unknown { code, value } => write!(f, "cause {code} of {} bytes", value.len()),
        }
    }
}

/// Writes `(cause; cause)`, or nothing if `causes` is empty.
pub(super) fn write_list(causes: &[Cause], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (index, cause) in causes.iter().enumerate() {
        write!(f, "{}{cause}", if index == 0 { "(" } else { "; " })?;
    }
    if causes.is_empty() { Ok(()) } else { f.write_str(")") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::capture::{assert_is_cause, hex};

    #[test]
    fn a_cause_of_an_unknown_code_keeps_its_bytes() {
        let cause = Cause::Unknown { code: 0xaa, value: hex("c0040004") };
        assert_is_cause("00aa0008 c0040004", &cause);
        assert_eq!(cause.to_string(), "cause 170 of 4 bytes");
    }
}
