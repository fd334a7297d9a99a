//! Unresolvable Address: an address of an INIT cannot be used.

use super::Cause;

/// The code of "Unresolvable Address" (RFC 9260 §3.3.10.5).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |         Cause Code = 5        |          Cause Length         |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// \                                                               \
/// /                      Unresolvable Address                     /
/// \                                                               \
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
pub(super) const CODE: u16 = 5;

pub(super) fn decode(value: &[u8]) -> Cause {
    Cause::UnresolvableAddress(value.to_vec())
}

#[cfg(test)]
mod tests {
    use crate::wire::Cause;
    use crate::wire::capture::{assert_is_cause, hex};

    #[test]
    fn usrsctp_gives_a_host_name_back() {
        let cause = Cause::UnresolvableAddress(hex("000b0008 612e6200"));
        assert_is_cause("0005000c 000b0008 612e6200", &cause);
        assert_eq!(cause.to_string(), "unresolvable address of 8 bytes");
    }
}
