//! Types for numbers that identify something: verification tags, streams, payload protocols.

use std::fmt;

use crate::seq::Mid;

/// A Verification Tag or Initiate Tag (RFC 9260 §3.1, §3.3.2): 32 bits that identify an association to the endpoint
/// that chose them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VerificationTag(u32);

/// A Stream Identifier (RFC 9260 §3.3.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId(u16);

/// A Payload Protocol Identifier (RFC 9260 §3.3.1): a number of the application, which SCTP only carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ppid(u32);

/// A message among all that one end sends: MIDs are counted for each stream, of ordered and unordered messages apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MessageKey {
    pub stream: StreamId,
    pub unordered: bool,
    pub mid: Mid,
}

impl VerificationTag {
    /// The tag of a packet with an INIT chunk; no association has it.
    pub const ZERO: VerificationTag = VerificationTag(0);

    /// The tag with the wire value `value`.
    pub const fn new(value: u32) -> VerificationTag {
        VerificationTag(value)
    }

    /// The value on the wire.
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl StreamId {
    /// The stream with the wire value `value`.
    pub const fn new(value: u16) -> StreamId {
        StreamId(value)
    }

    /// The number on the wire.
    pub const fn get(self) -> u16 {
        self.0
    }
}

impl Ppid {
    /// The payload protocol with the wire value `value`.
    pub const fn new(value: u32) -> Ppid {
        Ppid(value)
    }

    /// The number on the wire.
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl fmt::Display for VerificationTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#010x}", self.0)
    }
}

impl fmt::Display for StreamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Ppid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_shown_in_hexadecimal_and_a_stream_in_decimal() {
        assert_eq!(VerificationTag::new(0xbeef).to_string(), "0x0000beef");
        assert_eq!(StreamId::new(12).to_string(), "12");
        assert_eq!(Ppid::new(51).to_string(), "51");
    }
}
