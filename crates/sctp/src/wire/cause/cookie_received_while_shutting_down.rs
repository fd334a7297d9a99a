//! Cookie Received While Shutting Down: a COOKIE-ECHO arrived too late for this association.

use super::Cause;
use crate::wire::{TlvError, tlv};

/// The code of "Cookie Received While Shutting Down" (RFC 9260 §3.3.10.10).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |        Cause Code = 10        |        Cause Length = 4       |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
pub(super) const CODE: u16 = 10;

pub(super) fn decode(value: &[u8]) -> Result<Cause, TlvError> {
    tlv::fixed::<0>(CODE, value).map(|_| Cause::CookieReceivedWhileShuttingDown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::capture::{assert_is_cause, hex};

    // Written according to the RFC; no implementation was observed to send it.
    #[test]
    fn it_has_no_content() {
        assert_is_cause("000a0004", &Cause::CookieReceivedWhileShuttingDown);
        assert_eq!(Cause::CookieReceivedWhileShuttingDown.to_string(), "cookie received while shutting down");
    }

    #[test]
    fn with_content_it_is_an_error() {
        let error = TlvError::WrongLength { kind: CODE, length: 8, expected: 4 };
        assert_eq!(Cause::decode_list(&hex("000a0008 00000000")), Err(error));
    }
}
