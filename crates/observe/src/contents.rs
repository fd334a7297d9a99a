//! What a packet carries, as far as tables and charts tell.

use anabranch_sctp::seq::Tsn;
use anabranch_sctp::wire::{Checksum, Chunk, Packet};

/// What an SCTP packet carries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// The types of its chunks, each once, in the order in which they come.
    pub kinds: Vec<&'static str>,
    /// The TSN of its first DATA chunk.
    pub first_tsn: Option<Tsn>,
    /// How many DATA chunks it has.
    pub data_chunks: u64,
}

impl Contents {
    /// Reads a packet; what cannot be read, as a link may damage packets, is left out.
    pub fn of(packet: &[u8]) -> Contents {
        let mut contents = Contents::default();
        let Ok(packet) = Packet::decode(packet, Checksum::Omitted) else { return contents };
        for chunk in packet.chunks().flatten() {
            let kind = kind(&chunk);
            if !contents.kinds.contains(&kind) {
                contents.kinds.push(kind);
            }
            if let Chunk::Data(data) = chunk {
                contents.first_tsn.get_or_insert(data.tsn);
                contents.data_chunks += 1;
            }
        }
        contents
    }
}

/// The chunk's type as RFC 9260 §3.2 names it.
fn kind(chunk: &Chunk<'_>) -> &'static str {
    match chunk {
        Chunk::Data(_) => "DATA",
        Chunk::Init(_) => "INIT",
        Chunk::InitAck(_) => "INIT-ACK",
        Chunk::Sack(_) => "SACK",
        Chunk::Heartbeat(_) => "HEARTBEAT",
        Chunk::HeartbeatAck(_) => "HEARTBEAT-ACK",
        Chunk::Abort(_) => "ABORT",
        Chunk::Shutdown(_) => "SHUTDOWN",
        Chunk::ShutdownAck => "SHUTDOWN-ACK",
        Chunk::Error(_) => "ERROR",
        Chunk::CookieEcho(_) => "COOKIE-ECHO",
        Chunk::CookieAck => "COOKIE-ACK",
        Chunk::EcnEcho(_) => "ECNE",
        Chunk::CongestionWindowReduced(_) => "CWR",
        Chunk::ShutdownComplete(_) => "SHUTDOWN-COMPLETE",
        Chunk::Pad(_) => "PAD",
        Chunk::Auth(_) => "AUTH",
        Chunk::AsconfAck(_) => "ASCONF-ACK",
        Chunk::ForwardTsn(_) => "FORWARD-TSN",
        Chunk::Asconf(_) => "ASCONF",
        Chunk::Unknown(_) => "UNKNOWN",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn a_bundle_has_its_kinds_once_and_its_first_tsn() {
        let contents = Contents::of(&testing::data_packet(&[7, 8]));
        assert_eq!(contents.kinds, ["DATA"]);
        assert_eq!((contents.first_tsn, contents.data_chunks), (Some(Tsn::new(7)), 2));
    }

    #[test]
    fn what_cannot_be_read_is_left_out() {
        let mut packet = testing::data_packet(&[7, 8]);
        let cut = packet.len() - 10;
        packet.truncate(cut);
        assert_eq!(Contents::of(&packet).data_chunks, 1);
        assert_eq!(Contents::of(&packet[..11]), Contents::default());
        assert_eq!(Contents::of(&[]), Contents::default());
    }
}
