//! Invalid Stream Identifier: DATA arrived on a stream that does not exist.

use super::Cause;
use crate::wire::fields::u16_at;
use crate::wire::{StreamId, TlvError, tlv};

/// The code of "Invalid Stream Identifier" (RFC 9260 §3.3.10.1).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |         Cause Code = 1        |        Cause Length = 8       |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |       Stream Identifier       |           (Reserved)          |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
pub(super) const CODE: u16 = 1;

pub(super) fn decode(value: &[u8]) -> Result<Cause, TlvError> {
    let fields: &[u8; 4] = tlv::fixed(CODE, value)?;
    Ok(Cause::InvalidStreamIdentifier(StreamId::new(u16_at(fields, 0))))
}

/// Appends the stream, and zeros for the reserved field.
pub(super) fn encode_value(stream: StreamId, out: &mut Vec<u8>) {
    out.extend_from_slice(&stream.get().to_be_bytes());
    out.extend_from_slice(&[0; 2]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::capture::{assert_is_cause, hex};

    #[test]
    fn usrsctp_names_the_stream() {
        let cause = Cause::InvalidStreamIdentifier(StreamId::new(0xffee));
        assert_is_cause("00010008 ffee0000", &cause);
        assert_eq!(cause.to_string(), "invalid stream identifier 65518");
    }

    #[test]
    fn without_its_reserved_bytes_it_is_an_error() {
        let error = TlvError::WrongLength { kind: CODE, length: 6, expected: 8 };
        assert_eq!(Cause::decode_list(&hex("00010006 ffee")), Err(error));
    }
}
