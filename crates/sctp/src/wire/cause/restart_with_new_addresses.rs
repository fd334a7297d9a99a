//! Restart of an Association with New Addresses: an INIT for an existing association had addresses that the
//! association does not have.

use super::Cause;

/// The code of "Restart of an Association with New Addresses" (RFC 9260 §3.3.10.11).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |        Cause Code = 11        |          Cause Length         |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// \                                                               \
/// /                        New Address TLVs                       /
/// \                                                               \
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
pub(super) const CODE: u16 = 11;

pub(super) fn decode(value: &[u8]) -> Cause {
    Cause::RestartWithNewAddresses(value.to_vec())
}

#[cfg(test)]
mod tests {
    use crate::wire::Cause;
    use crate::wire::capture::{assert_is_cause, hex};

    // Written according to the RFC; no implementation was observed to send it.
    #[test]
    fn it_gives_the_address_parameters_back() {
        let cause = Cause::RestartWithNewAddresses(hex("00050008 c0000202"));
        assert_is_cause("000b000c 00050008 c0000202", &cause);
        assert_eq!(cause.to_string(), "restart with new addresses of 8 bytes");
    }
}
