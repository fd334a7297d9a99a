//! User-Initiated Abort: the application aborted the association.

use super::Cause;

/// The code of "User-Initiated Abort" (RFC 9260 §3.3.10.12).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |        Cause Code = 12        |          Cause Length         |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// \                                                               \
/// /                    Upper Layer Abort Reason                   /
/// \                                                               \
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
pub(super) const CODE: u16 = 12;

pub(super) fn decode(value: &[u8]) -> Cause {
    Cause::UserInitiatedAbort(value.to_vec())
}

#[cfg(test)]
mod tests {
    use crate::wire::Cause;
    use crate::wire::capture::assert_is_cause;

    #[test]
    fn usrsctp_carries_the_reason_of_its_user() {
        let cause = Cause::UserInitiatedAbort(b"bye!!".to_vec());
        assert_is_cause("000c0009 62796521 21", &cause);
        assert_eq!(cause.to_string(), "user-initiated abort \"bye!!\"");
        assert_is_cause("000c0004", &Cause::UserInitiatedAbort(vec![]));
    }
}
