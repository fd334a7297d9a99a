//! The frame of every chunk: type, flags, length, padding (RFC 9260 §3.2).

use super::EncodeChunk;
use crate::wire::fields::{pad, padded, u16_at};
use crate::wire::{ChunkError, ChunkFault};

/// The bytes of type, flags and length.
pub(in crate::wire) const HEADER_LEN: usize = 4;

/// A chunk whose length fits its packet. The value is not decoded yet.
#[derive(Clone, Copy, Debug)]
pub(in crate::wire) struct RawChunk<'a> {
    pub(in crate::wire) kind: u8,
    pub(in crate::wire) flags: u8,
    pub(in crate::wire) value: &'a [u8],
}

impl<'a> RawChunk<'a> {
    /// The first chunk of `bytes`, which are not empty, and the bytes after its padding.
    #[inline]
    pub(in crate::wire) fn split(bytes: &'a [u8]) -> Result<(RawChunk<'a>, &'a [u8]), ChunkError> {
        let (kind, left) = (bytes[0], bytes.len());
        if left < HEADER_LEN {
            return Err(ChunkError { kind, fault: ChunkFault::HeaderCutShort { left } });
        }
        let (flags, length) = (bytes[1], u16_at(bytes, 2));
        let end = usize::from(length);
        if end < HEADER_LEN {
            return Err(ChunkError { kind, fault: ChunkFault::LengthTooSmall { length } });
        }
        let Some(value) = bytes.get(HEADER_LEN..end) else {
            return Err(ChunkError { kind, fault: ChunkFault::LengthPastPacket { length, left } });
        };
        Ok((RawChunk { kind, flags, value }, bytes.get(padded(end)..).unwrap_or_default()))
    }

    /// The value of a chunk with a fixed length.
    pub(super) fn fixed<const N: usize>(self) -> Result<&'a [u8; N], ChunkError> {
        let (length, expected) = (self.length(), HEADER_LEN + N);
        self.value.try_into().map_err(|_| self.error(ChunkFault::WrongLength { length, expected }))
    }

    /// The fixed fields at the start of a value, and the rest of it.
    pub(super) fn fields<const N: usize>(self) -> Result<(&'a [u8; N], &'a [u8]), ChunkError> {
        let (length, minimum) = (self.length(), HEADER_LEN + N);
        self.value.split_first_chunk().ok_or_else(|| self.error(ChunkFault::TooShort { length, minimum }))
    }

    /// An error with this chunk's type.
    pub(super) fn error(self, fault: ChunkFault) -> ChunkError {
        ChunkError { kind: self.kind, fault }
    }

    /// The value of the length field.
    pub(super) fn length(self) -> usize {
        HEADER_LEN + self.value.len()
    }
}

/// Appends a chunk: its header, the value that `value` appends, and padding.
pub(super) fn encode(
    chunk: &dyn EncodeChunk,
    kind: u8,
    flags: u8,
    out: &mut Vec<u8>,
    value: impl FnOnce(&mut Vec<u8>),
) {
    let start = out.len();
    out.extend_from_slice(&header(chunk, kind, flags));
    value(out);
    pad(out, start);
}

/// The first four bytes of a chunk.
///
/// # Panics
///
/// The chunk is longer than a length field can express.
pub(super) fn header(chunk: &dyn EncodeChunk, kind: u8, flags: u8) -> [u8; HEADER_LEN] {
    let length = u16::try_from(HEADER_LEN + chunk.value_len()).expect("a length of 65,535 bytes at most");
    let [high, low] = length.to_be_bytes();
    [kind, flags, high, low]
}
