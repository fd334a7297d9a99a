//! State Cookie: the values with which an endpoint creates an association; the peer keeps them meanwhile.

use super::Parameter;

/// The type of a State Cookie (RFC 9260 §3.3.3.1).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |            Type = 7           |             Length            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// \                                                               \
/// /                             Cookie                            /
/// \                                                               \
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
pub(in crate::wire) const KIND: u16 = 7;

pub(super) fn decode(value: &[u8]) -> Parameter {
    Parameter::StateCookie(value.to_vec())
}

#[cfg(test)]
mod tests {
    use crate::wire::Parameter;
    use crate::wire::capture::assert_is_parameter;

    #[test]
    fn a_state_cookie_as_usrsctp_begins_it() {
        // Only the first 16 of the cookie's 316 bytes are kept here.
        let cookie = Parameter::StateCookie(b"KAME-BSD 1.1\0\0\0\0".to_vec());
        assert_is_parameter("00070014 4b414d45 2d425344 20312e31 00000000", &cookie);
        assert_eq!(cookie.to_string(), "state cookie of 16 bytes");
    }
}
