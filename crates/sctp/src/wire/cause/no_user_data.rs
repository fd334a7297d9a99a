//! No User Data: a DATA chunk arrived without user data.

use super::Cause;
use crate::seq::Tsn;
use crate::wire::{TlvError, tlv};

/// The code of "No User Data" (RFC 9260 §3.3.10.9).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |         Cause Code = 9        |        Cause Length = 8       |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                              TSN                              |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
pub(super) const CODE: u16 = 9;

pub(super) fn decode(value: &[u8]) -> Result<Cause, TlvError> {
    Ok(Cause::NoUserData(Tsn::new(u32::from_be_bytes(*tlv::fixed(CODE, value)?))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::capture::{assert_is_cause, hex};

    #[test]
    fn usrsctp_names_the_tsn() {
        let cause = Cause::NoUserData(Tsn::new(0xb346_ae12));
        assert_is_cause("00090008 b346ae12", &cause);
        assert_eq!(cause.to_string(), "no user data in tsn 3007753746");
    }

    #[test]
    fn of_another_length_it_is_an_error() {
        let error = TlvError::WrongLength { kind: CODE, length: 4, expected: 8 };
        assert_eq!(Cause::decode_list(&hex("00090004")), Err(error));
    }
}
