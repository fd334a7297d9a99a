//! Cookie Preservative: a longer lifetime for the next State Cookie.

use anabranch_base::Duration;

use super::Parameter;
use crate::wire::{TlvError, tlv};

/// The type of a Cookie Preservative (RFC 9260 §3.3.2.1.3).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |            Type = 9           |           Length = 8          |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |          Suggested Cookie Life-Span Increment (msec.)         |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
pub(in crate::wire) const KIND: u16 = 9;

pub(super) fn decode(value: &[u8]) -> Result<Parameter, TlvError> {
    let milliseconds = u32::from_be_bytes(*tlv::fixed(KIND, value)?);
    Ok(Parameter::CookiePreservative(Duration::from_millis(u64::from(milliseconds))))
}

/// Appends the increment in whole milliseconds, at most the largest 32-bit number.
pub(super) fn encode_value(increment: Duration, out: &mut Vec<u8>) {
    let milliseconds = u32::try_from(increment.as_millis()).unwrap_or(u32::MAX);
    out.extend_from_slice(&milliseconds.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::capture::{assert_is_parameter, hex};

    #[test]
    fn usrsctp_asks_for_three_seconds_more_after_a_stale_cookie() {
        let increment = Parameter::CookiePreservative(Duration::from_secs(3));
        assert_is_parameter("00090008 00000bb8", &increment);
        assert_eq!(increment.to_string(), "cookie preservative of 3 s");
    }

    #[test]
    fn an_increment_beyond_32_bits_is_the_longest_that_can_be_said() {
        let increment = Parameter::CookiePreservative(Duration::MAX);
        assert_eq!(increment.to_bytes(), hex("00090008 ffffffff"));
    }

    #[test]
    fn an_increment_of_another_length_is_an_error() {
        let error = TlvError::WrongLength { kind: KIND, length: 4, expected: 8 };
        assert_eq!(Parameter::decode_list(&hex("00090004")), Err(error));
    }
}
