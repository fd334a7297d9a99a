//! A chunk of an unknown type, and the action that the two high bits of its type demand.

use std::fmt;

use super::EncodeChunk;
use super::raw::{self, RawChunk};

/// A chunk of an unknown type. It borrows its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownChunk<'a> {
    /// The chunk's type.
    pub kind: u8,
    /// The flags octet.
    pub flags: u8,
    /// The bytes after the header, without padding.
    pub value: &'a [u8],
}

/// The receiver's action for an unrecognized chunk or parameter, by the two high bits of the type (RFC 9260 §3.2,
/// §3.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnrecognizedAction {
    /// 00: discard it and stop reading.
    Stop,
    /// 01: discard it, stop reading, and report it.
    StopAndReport,
    /// 10: skip it and continue.
    Skip,
    /// 11: skip it, continue, and report it.
    SkipAndReport,
}

impl<'a> UnknownChunk<'a> {
    /// The whole chunk with its padding, for the cause "Unrecognized Chunk Type".
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.encode(&mut out);
        out
    }

    pub(super) fn decode(raw: RawChunk<'a>) -> UnknownChunk<'a> {
        UnknownChunk { kind: raw.kind, flags: raw.flags, value: raw.value }
    }
}

impl UnrecognizedAction {
    /// The action for a chunk of type `kind`.
    pub(crate) fn of_chunk(kind: u8) -> UnrecognizedAction {
        match kind >> 6 {
            0 => UnrecognizedAction::Stop,
            1 => UnrecognizedAction::StopAndReport,
            2 => UnrecognizedAction::Skip,
            _ => UnrecognizedAction::SkipAndReport,
        }
    }

    /// The action for a parameter of type `kind`.
    pub(crate) fn of_parameter(kind: u16) -> UnrecognizedAction {
        let [high, _] = kind.to_be_bytes();
        UnrecognizedAction::of_chunk(high)
    }

    /// Returns true if reading stops after it: in the packet, or in the chunk if it is a parameter.
    pub(crate) fn is_stop(self) -> bool {
        matches!(self, UnrecognizedAction::Stop | UnrecognizedAction::StopAndReport)
    }

    /// Returns true if it is reported to the sender.
    pub(crate) fn is_report(self) -> bool {
        matches!(self, UnrecognizedAction::StopAndReport | UnrecognizedAction::SkipAndReport)
    }
}

impl EncodeChunk for UnknownChunk<'_> {
    fn kind(&self) -> u8 {
        self.kind
    }

    fn value_len(&self) -> usize {
        self.value.len()
    }

    fn encode(&self, out: &mut Vec<u8>) {
        raw::encode(self, self.kind, self.flags, out, |out| out.extend_from_slice(self.value));
    }
}

impl fmt::Display for UnknownChunk<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "chunk {}(flags={:#04x} {} bytes)", self.kind, self.flags, self.value.len())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Chunk;
    use super::*;
    use crate::wire::capture::{assert_is_chunk, hex};

    #[test]
    fn an_unknown_chunk_keeps_its_flags_and_bytes() {
        let unknown = UnknownChunk { kind: 0xc5, flags: 1, value: &[1, 2, 3] };
        assert_is_chunk("c5010007 01020300", &Chunk::Unknown(unknown));
        assert_eq!(unknown.to_string(), "chunk 197(flags=0x01 3 bytes)");
        assert_eq!(unknown.to_bytes(), hex("c5010007 01020300"));
        assert_eq!(UnrecognizedAction::of_chunk(unknown.kind), UnrecognizedAction::SkipAndReport);
    }

    #[test]
    fn the_two_high_bits_say_what_to_do() {
        use UnrecognizedAction::{Skip, SkipAndReport, Stop, StopAndReport};
        assert_eq!(
            [0x3f, 0x40, 0x84, 0xc1].map(UnrecognizedAction::of_chunk),
            [Stop, StopAndReport, Skip, SkipAndReport]
        );
        assert_eq!(
            [0x00ff, 0x4000, 0x8008, 0xc777].map(UnrecognizedAction::of_parameter),
            [Stop, StopAndReport, Skip, SkipAndReport]
        );
        assert_eq!(
            [Stop, StopAndReport, Skip, SkipAndReport].map(UnrecognizedAction::is_stop),
            [true, true, false, false]
        );
        assert_eq!(
            [Stop, StopAndReport, Skip, SkipAndReport].map(UnrecognizedAction::is_report),
            [false, true, false, true]
        );
    }
}
