//! Type, length, value: the common form of parameters and error causes (RFC 9260 §3.2.1, §3.3.10).

use super::fields::{pad, padded, u16_at};

/// The bytes of type and length.
pub(super) const HEADER_LEN: usize = 4;

/// A fault of a parameter or an error cause. Lengths are in bytes and include the four bytes of type and length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TlvError {
    /// The chunk ends within type and length.
    #[error("unknown type: {left} bytes are left, less than type and length of 4 bytes")]
    HeaderCutShort {
        /// Bytes left of the chunk.
        left: usize,
    },
    /// The length is less than that of type and length.
    #[error("type {kind}: length {length} is less than the header of 4 bytes")]
    LengthTooSmall {
        /// The type.
        kind: u16,
        /// The length.
        length: u16,
    },
    /// It is longer than the rest of the chunk.
    #[error("type {kind}: length {length} exceeds the {left} bytes left in the chunk")]
    LengthPastChunk {
        /// The type.
        kind: u16,
        /// The length.
        length: u16,
        /// Bytes left of the chunk, including type and length.
        left: usize,
    },
    /// It has a fixed length, or a length that follows from its own count, and its length field differs from that.
    #[error("type {kind}: length {length}, expected {expected}")]
    WrongLength {
        /// The type.
        kind: u16,
        /// The length.
        length: usize,
        /// The only correct length.
        expected: usize,
    },
    /// It ends within its fixed fields.
    #[error("type {kind}: length {length}, expected at least {minimum}")]
    TooShort {
        /// The type.
        kind: u16,
        /// The length.
        length: usize,
        /// The shortest correct length.
        minimum: usize,
    },
    /// A list of 16-bit entries ends within one.
    #[error("type {kind}: length {length} ends within an entry of 2 bytes")]
    BrokenEntry {
        /// The type.
        kind: u16,
        /// The length.
        length: usize,
    },
}

/// Something with a type, a length and a value.
pub(super) trait Tlv {
    fn kind(&self) -> u16;
    fn value_len(&self) -> usize;
    fn encode_value(&self, out: &mut Vec<u8>);
}

/// A type and its value.
type TypeValue<'a> = (u16, &'a [u8]);

/// Iterates over type and value of each item. An error ends the iteration.
#[derive(Clone, Debug)]
pub(super) struct Tlvs<'a> {
    rest: &'a [u8],
}

impl<'a> Tlvs<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Tlvs<'a> {
        Tlvs { rest: bytes }
    }

    /// The first item, and the bytes after its padding. The last item may come with or without padding: "A robust
    /// implementation is expected to accept the chunk whether or not the final padding has been included in the Chunk
    /// Length" (RFC 9260 §3.2).
    fn split(bytes: &'a [u8]) -> Result<(TypeValue<'a>, &'a [u8]), TlvError> {
        let left = bytes.len();
        if left < HEADER_LEN {
            return Err(TlvError::HeaderCutShort { left });
        }
        let (kind, length) = (u16_at(bytes, 0), u16_at(bytes, 2));
        let end = usize::from(length);
        if end < HEADER_LEN {
            return Err(TlvError::LengthTooSmall { kind, length });
        }
        let Some(value) = bytes.get(HEADER_LEN..end) else {
            return Err(TlvError::LengthPastChunk { kind, length, left });
        };
        Ok(((kind, value), bytes.get(padded(end)..).unwrap_or_default()))
    }
}

impl<'a> Iterator for Tlvs<'a> {
    type Item = Result<TypeValue<'a>, TlvError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let split = Tlvs::split(self.rest);
        self.rest = split.map_or(&[], |(_, rest)| rest);
        Some(split.map(|(first, _)| first))
    }
}

/// The value of a type with a fixed length, as an array.
pub(super) fn fixed<const N: usize>(kind: u16, value: &[u8]) -> Result<&[u8; N], TlvError> {
    let (length, expected) = (HEADER_LEN + value.len(), HEADER_LEN + N);
    value.try_into().map_err(|_| TlvError::WrongLength { kind, length, expected })
}

/// The 16-bit numbers of which a value consists.
pub(super) fn numbers(kind: u16, value: &[u8]) -> Result<Vec<u16>, TlvError> {
    let (pairs, []) = value.as_chunks::<2>() else {
        return Err(TlvError::BrokenEntry { kind, length: HEADER_LEN + value.len() });
    };
    Ok(pairs.iter().map(|pair| u16::from_be_bytes(*pair)).collect())
}

/// The length of all items in bytes, with padding between them and none after the last: a chunk's length "does not
/// count any chunk padding. However, it does include any padding of variable-length parameters other than the last
/// parameter in the chunk" (RFC 9260 §3.2).
pub(super) fn list_len(items: &[impl Tlv]) -> usize {
    items.iter().fold(0, |length, item| padded(length) + HEADER_LEN + item.value_len())
}

/// Appends all items, with padding between them and none after the last.
pub(super) fn encode_list(items: &[impl Tlv], out: &mut Vec<u8>) {
    let start = out.len();
    for item in items {
        pad(out, start);
        encode(item, out);
    }
}

/// Appends one item, without padding.
///
/// # Panics
///
/// The item is longer than a length field can express. A chunk with such an item is itself too long, and a
/// [`PacketBuilder`](super::PacketBuilder) refuses it before.
pub(super) fn encode(item: &impl Tlv, out: &mut Vec<u8>) {
    let length = u16::try_from(HEADER_LEN + item.value_len()).expect("a length of 65,535 bytes at most");
    out.extend_from_slice(&item.kind().to_be_bytes());
    out.extend_from_slice(&length.to_be_bytes());
    item.encode_value(out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::capture::hex;

    fn read(dump: &str) -> Vec<Result<(u16, Vec<u8>), TlvError>> {
        Tlvs::new(&hex(dump)).map(|tlv| tlv.map(|(kind, value)| (kind, value.to_vec()))).collect()
    }

    #[test]
    fn padding_stands_between_them_and_may_stand_behind_the_last() {
        let both = vec![Ok((1, vec![7])), Ok((2, vec![8, 9]))];
        assert_eq!(read("0001 0005 07ffffff 0002 0006 0809"), both);
        assert_eq!(read("0001 0005 07000000 0002 0006 08090000"), both);
    }

    #[test]
    fn a_list_that_ends_within_an_entry_says_how_long_its_entries_are() {
        let parameter = TlvError::BrokenEntry { kind: 12, length: 7 };
        assert_eq!(parameter.to_string(), "type 12: length 7 ends within an entry of 2 bytes");
    }

    #[test]
    fn a_broken_length_is_an_error_and_the_end() {
        assert_eq!(read("0001 0003 0002 0004"), [Err(TlvError::LengthTooSmall { kind: 1, length: 3 })]);
        assert_eq!(
            read("0001 0004 0002 0009 00000000"),
            [Ok((1, vec![])), Err(TlvError::LengthPastChunk { kind: 2, length: 9, left: 8 })]
        );
        assert_eq!(read("0001 0004 0002"), [Ok((1, vec![])), Err(TlvError::HeaderCutShort { left: 2 })]);
    }
}
