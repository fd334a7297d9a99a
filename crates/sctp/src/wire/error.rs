//! Errors of bytes that cannot be decoded as a packet or a chunk, and the error cause of the answer.

use super::{Cause, TlvError, VerificationTag};
use crate::seq::Tsn;

/// An error that makes a whole packet undecodable. RFC 9260 §6.8: such a packet is discarded without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// The packet is shorter than the common header.
    #[error("{length} bytes are less than the common header of 12 bytes")]
    TooShort {
        /// The number of bytes that arrived.
        length: usize,
    },
    /// The checksum does not match the bytes.
    #[error("the packet has the checksum {found:#010x}, expected {computed:#010x}")]
    Checksum {
        /// The checksum in the packet.
        found: u32,
        /// The checksum of its bytes.
        computed: u32,
    },
}

/// A chunk that cannot be decoded.
///
/// If the RFC demands an answer, it carries [`cause`](ChunkError::cause). An ABORT with such an error gets no answer:
/// "If an endpoint receives an ABORT chunk with a format error …, it MUST silently discard it" (RFC 9260 §3.3.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("chunk of type {kind}: {fault}")]
pub struct ChunkError {
    /// The chunk's type.
    pub kind: u8,
    /// The fault.
    pub fault: ChunkFault,
}

/// A fault of a chunk. Lengths are in bytes and include the chunk's header, as in wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChunkFault {
    /// The packet ends within the header. Nothing can be read after it.
    #[error("{left} bytes are left, less than a chunk header of 4 bytes")]
    HeaderCutShort {
        /// Bytes left of the packet.
        left: usize,
    },
    /// The length is less than that of the header. Nothing can be read after it.
    #[error("length {length} is less than the header of 4 bytes")]
    LengthTooSmall {
        /// The chunk's length.
        length: u16,
    },
    /// The chunk is longer than the packet. Nothing can be read after it.
    #[error("length {length} exceeds the {left} bytes left in the packet")]
    LengthPastPacket {
        /// The chunk's length.
        length: u16,
        /// Bytes left of the packet, including the chunk's header.
        left: usize,
    },
    /// A chunk of fixed length has another length.
    #[error("length {length}, expected {expected}")]
    WrongLength {
        /// The chunk's length.
        length: usize,
        /// The only correct length; for ECNE, which has three, that of RFC 4960.
        expected: usize,
    },
    /// The chunk ends within its fixed fields.
    #[error("length {length}, expected at least {minimum}")]
    TooShort {
        /// The chunk's length.
        length: usize,
        /// The shortest correct length.
        minimum: usize,
    },
    /// A list of 32-bit entries ends within one.
    #[error("length {length} ends within an entry of 4 bytes")]
    BrokenEntry {
        /// The chunk's length.
        length: usize,
    },
    /// A DATA chunk without user data. The answer is an ABORT with "No User Data" (RFC 9260 §6.2).
    #[error("tsn {tsn} carries no user data")]
    NoUserData {
        /// The chunk's TSN.
        tsn: Tsn,
    },
    /// A SACK's counts do not match its length.
    #[error("length {length} does not hold {gap_blocks} gap blocks and {duplicates} duplicates")]
    SackCounts {
        /// The chunk's length.
        length: usize,
        /// The number of gap ack blocks in its header.
        gap_blocks: u16,
        /// The number of duplicate TSNs in its header.
        duplicates: u16,
    },
    /// An NR-SACK's counts do not match its length.
    #[error(
        "length {length} does not hold {renegable} R blocks, {firm} NR blocks and {duplicates} duplicates"
    )]
    NrSackCounts {
        /// The chunk's length.
        length: usize,
        /// The number of R gap ack blocks in its header.
        renegable: u16,
        /// The number of NR gap ack blocks in its header.
        firm: u16,
        /// The number of duplicate TSNs in its header.
        duplicates: u16,
    },
    /// A HEARTBEAT or HEARTBEAT-ACK does not begin with its parameter.
    #[error("there is no parameter of type {kind}")]
    MissingParameter {
        /// The type of the missing parameter.
        kind: u16,
    },
    /// A parameter cannot be decoded.
    #[error("parameter of {error}")]
    Parameter {
        /// The Initiate Tag of an INIT or INIT-ACK, with which the answer is sent.
        initiate_tag: Option<VerificationTag>,
        /// The fault of the parameter.
        error: TlvError,
    },
    /// The parameters of a RE-CONFIG may not stand together in one chunk. The answer is an ERROR with "Protocol Violation"
    /// (RFC 6525 §3.1).
    #[error("its parameters do not go together")]
    Combination,
    /// An error cause cannot be decoded.
    #[error("cause of {0}")]
    Cause(TlvError),
}

impl ChunkError {
    /// The cause for an ABORT or ERROR that answers this chunk: "No User Data" with the TSN, else "Protocol
    /// Violation" with the error message.
    pub fn cause(&self) -> Cause {
        match self.fault {
            ChunkFault::NoUserData { tsn } => Cause::NoUserData(tsn),
            _ => Cause::ProtocolViolation(self.to_string().into_bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_both_numbers_and_becomes_the_cause_of_an_answer() {
        let error = ChunkError { kind: 7, fault: ChunkFault::WrongLength { length: 6, expected: 8 } };
        assert_eq!(error.to_string(), "chunk of type 7: length 6, expected 8");
        assert_eq!(error.cause(), Cause::ProtocolViolation(error.to_string().into_bytes()));

        let tsn = Tsn::new(9);
        let error = ChunkError { kind: 0, fault: ChunkFault::NoUserData { tsn } };
        assert_eq!(error.cause(), Cause::NoUserData(tsn));
    }

    #[test]
    fn a_list_that_ends_within_an_entry_says_how_long_its_entries_are() {
        let chunk = ChunkError { kind: 192, fault: ChunkFault::BrokenEntry { length: 10 } };
        assert_eq!(chunk.to_string(), "chunk of type 192: length 10 ends within an entry of 4 bytes");
    }
}
