//! Out of Resource: the sender lacks resources for the association.

use super::Cause;
use crate::wire::{TlvError, tlv};

/// The code of "Out of Resource" (RFC 9260 §3.3.10.4).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |         Cause Code = 4        |        Cause Length = 4       |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
pub(super) const CODE: u16 = 4;

pub(super) fn decode(value: &[u8]) -> Result<Cause, TlvError> {
    tlv::fixed::<0>(CODE, value).map(|_| Cause::OutOfResource)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::capture::{assert_is_cause, hex};

    // Written according to the RFC; no implementation was observed to send it.
    #[test]
    fn it_has_no_content() {
        assert_is_cause("00040004", &Cause::OutOfResource);
        assert_eq!(Cause::OutOfResource.to_string(), "out of resource");
    }

    #[test]
    fn with_content_it_is_an_error() {
        let error = TlvError::WrongLength { kind: CODE, length: 8, expected: 4 };
        assert_eq!(Cause::decode_list(&hex("00040008 00000000")), Err(error));
    }
}
