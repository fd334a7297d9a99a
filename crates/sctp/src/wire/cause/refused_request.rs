//! The causes for a refused request of an ASCONF, and for an illegal ASCONF-ACK.

/// The code of "Request to Delete Last Remaining IP Address" (RFC 5061 §4.3.1).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |     Cause Code=0x00A0         |      Cause Length=Variable    |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// \                     TLV-Copied-From-ASCONF                    \
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
pub(super) const LAST_ADDRESS: u16 = 0xa0;
/// The code of "Operation Refused Due to Resource Shortage" (§4.3.2).
pub(super) const RESOURCE_SHORTAGE: u16 = 0xa1;
/// The code of "Request to Delete Source IP Address" (§4.3.3).
pub(super) const SOURCE_ADDRESS: u16 = 0xa2;
/// The code of "Association Aborted Due to Illegal ASCONF-ACK" (§4.3.4), which has no content.
pub(super) const ILLEGAL_ACK: u16 = 0xa3;
/// The code of "Request Refused - No Authorization" (§4.3.5).
pub(super) const NO_AUTHORIZATION: u16 = 0xa4;

#[cfg(test)]
mod tests {
    use crate::wire::Cause;
    use crate::wire::capture::{assert_is_cause, hex};

    // The first one is the example of RFC 5061 §4.3.1.
    #[test]
    fn the_request_is_given_back_whole() {
        let request = hex("c0020010 01023476 00050008 c0000201");
        let last = Cause::DeleteLastAddress(request.clone());
        assert_is_cause("00a00014 c0020010 01023476 00050008 c0000201", &last);
        assert_eq!(last.to_string(), "the last address is not deleted");
        assert_is_cause("00a20008 c0020004", &Cause::DeleteSourceAddress(hex("c0020004")));
        assert_is_cause("00a40008 c0010004", &Cause::NoAuthorization(hex("c0010004")));
        assert_is_cause("00a30004", &Cause::IllegalAsconfAck);
    }
}
