//! Stale Cookie: a State Cookie returned too late.

use anabranch_base::Duration;

use super::Cause;
use crate::wire::{TlvError, tlv};

/// The code of "Stale Cookie" (RFC 9260 §3.3.10.3).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |         Cause Code = 3        |        Cause Length = 8       |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                  Measure of Staleness (usec.)                 |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
pub(super) const CODE: u16 = 3;

pub(super) fn decode(value: &[u8]) -> Result<Cause, TlvError> {
    let microseconds = u32::from_be_bytes(*tlv::fixed(CODE, value)?);
    Ok(Cause::StaleCookie(Duration::from_micros(u64::from(microseconds))))
}

/// Appends the staleness in whole microseconds, at most the largest 32-bit number.
pub(super) fn encode_value(staleness: Duration, out: &mut Vec<u8>) {
    let microseconds = u32::try_from(staleness.as_nanos() / 1_000).unwrap_or(u32::MAX);
    out.extend_from_slice(&microseconds.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::capture::{assert_is_cause, hex};

    #[test]
    fn a_cookie_that_came_back_to_usrsctp_one_and_a_half_seconds_late() {
        let cause = Cause::StaleCookie(Duration::from_micros(1_500_828));
        assert_is_cause("00030008 0016e69c", &cause);
        assert_eq!(cause.to_string(), "stale cookie by 1.5 s");
    }

    #[test]
    fn a_staleness_beyond_32_bits_is_the_longest_that_can_be_said() {
        assert_eq!(Cause::StaleCookie(Duration::MAX).to_bytes(), hex("00030008 ffffffff"));
    }

    #[test]
    fn of_another_length_it_is_an_error() {
        let error = TlvError::WrongLength { kind: CODE, length: 4, expected: 8 };
        assert_eq!(Cause::decode_list(&hex("00030004")), Err(error));
    }
}
