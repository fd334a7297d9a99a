//! Protocol Violation: the peer violated a rule that has no more specific cause.

use super::Cause;

/// The code of "Protocol Violation" (RFC 9260 §3.3.10.13).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |        Cause Code = 13        |          Cause Length         |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// \                                                               \
/// /                     Additional Information                    /
/// \                                                               \
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
pub(super) const CODE: u16 = 13;

pub(super) fn decode(value: &[u8]) -> Cause {
    Cause::ProtocolViolation(value.to_vec())
}

#[cfg(test)]
mod tests {
    use crate::wire::Cause;
    use crate::wire::capture::{assert_is_cause, hex};

    #[test]
    fn usrsctp_gives_a_broken_parameter_back_or_says_it_in_words() {
        assert_is_cause("000d0008 00050014", &Cause::ProtocolViolation(hex("00050014")));
        let words = Cause::ProtocolViolation(b"Cum ack ce3a41ad greater or equal than TSN ce3a41ad".to_vec());
        let bytes = "000d0037 43756d20 61636b20 63653361 34316164 20677265 61746572 206f7220
            65717561 6c207468 616e2054 534e2063 65336134 316164";
        assert_is_cause(bytes, &words);
        assert!(words.to_string().starts_with("protocol violation \"Cum ack"), "{words}");
    }
}
