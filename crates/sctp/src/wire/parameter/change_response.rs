//! Error Cause Indication and Success Indication: the result of one request of an ASCONF.

use super::Parameter;
use crate::wire::fields::u32_at;
use crate::wire::{Cause, TlvError, tlv};

/// The type of Error Cause Indication (RFC 5061 §4.2.3).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |    Type = 0xC003              |      Length = Variable        |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |             ASCONF-Response Correlation ID                    |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |             Error Cause(s)                                    |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
pub(in crate::wire) const ERROR: u16 = 0xc003;
/// The type of Success Indication (RFC 5061 §4.2.5), which has only the correlation id.
pub(in crate::wire) const SUCCESS: u16 = 0xc005;

pub(super) fn decode_error(value: &[u8]) -> Result<Parameter, TlvError> {
    let length = tlv::HEADER_LEN + value.len();
    let Some((id, causes)) = value.split_at_checked(4) else {
        return Err(TlvError::TooShort { kind: ERROR, length, minimum: 8 });
    };
    Ok(Parameter::ErrorCauseIndication { id: u32_at(id, 0), causes: Cause::decode_list(causes)? })
}

pub(super) fn decode_success(value: &[u8]) -> Result<Parameter, TlvError> {
    Ok(Parameter::SuccessIndication(u32::from_be_bytes(*tlv::fixed(SUCCESS, value)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::capture::{assert_is_parameter, hex};

    #[test]
    fn each_names_the_request() {
        let success = Parameter::SuccessIndication(0x0102_3474);
        assert_is_parameter("c0050008 01023474", &success);
        assert_eq!(success.to_string(), "done");
        let causes = vec![Cause::ResourceShortage(hex("c0010004"))];
        let refused = Parameter::ErrorCauseIndication { id: 9, causes };
        assert_is_parameter("c0030010 00000009 00a10008 c0010004", &refused);
        assert_eq!(refused.to_string(), "refused(a resource is short)");
    }

    #[test]
    fn without_the_request_it_is_an_error() {
        let short = TlvError::TooShort { kind: ERROR, length: 5, minimum: 8 };
        assert_eq!(Parameter::decode_list(&hex("c0030005 01")), Err(short));
        let wrong = TlvError::WrongLength { kind: SUCCESS, length: 4, expected: 8 };
        assert_eq!(Parameter::decode_list(&hex("c0050004")), Err(wrong));
    }
}
