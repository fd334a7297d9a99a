//! The types of SCTP chunks that a loss rule can name. It stands alone because links know nothing else of SCTP.

use anabranch_base::setting::Named;

/// A type of SCTP chunk (RFC 9260 §3.2, and the RFCs of later chunks).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkKind(u8);

impl ChunkKind {
    /// The answer to the report of a congestion mark.
    pub const CWR: ChunkKind = ChunkKind(13);

    /// The type as its byte on the wire.
    pub fn number(self) -> u8 {
        self.0
    }
}

impl Named for ChunkKind {
    const WHAT: &'static str = "type of chunk";
    const NAMES: &'static [(&'static str, ChunkKind)] = &[
        ("DATA", ChunkKind(0)),
        ("INIT", ChunkKind(1)),
        ("INIT-ACK", ChunkKind(2)),
        ("SACK", ChunkKind(3)),
        ("HEARTBEAT", ChunkKind(4)),
        ("HEARTBEAT-ACK", ChunkKind(5)),
        ("ABORT", ChunkKind(6)),
        ("SHUTDOWN", ChunkKind(7)),
        ("SHUTDOWN-ACK", ChunkKind(8)),
        ("ERROR", ChunkKind(9)),
        ("COOKIE-ECHO", ChunkKind(10)),
        ("COOKIE-ACK", ChunkKind(11)),
        ("ECNE", ChunkKind(12)),
        ("CWR", ChunkKind::CWR),
        ("SHUTDOWN-COMPLETE", ChunkKind(14)),
        ("AUTH", ChunkKind(15)),
        ("NR-SACK", ChunkKind(16)),
        ("ASCONF-ACK", ChunkKind(128)),
        ("PAD", ChunkKind(132)),
        ("FORWARD-TSN", ChunkKind(192)),
        ("ASCONF", ChunkKind(193)),
    ];
}
