//! HEARTBEAT: tests whether a path works. HEARTBEAT-ACK has the same layout.

use std::fmt;

use anabranch_base::setting::Named;

use super::EncodeChunk;
use super::raw::{self, RawChunk};
use crate::wire::parameter::heartbeat_info;
use crate::wire::tlv::{self, Tlvs};
use crate::wire::{ChunkError, ChunkFault, PathRole};

/// A HEARTBEAT chunk (RFC 9260 §3.3.5). Parameters after the first are skipped.
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |   Type = 4    |  Chunk Flags  |       Heartbeat Length        |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// \                                                               \
/// /          Heartbeat Information TLV (Variable-Length)          /
/// \                                                               \
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
pub type Heartbeat = HeartbeatLayout<4>;

/// The layout that [`Heartbeat`] and [`HeartbeatAck`](super::HeartbeatAck) share; `KIND` is the chunk type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeartbeatLayout<const KIND: u8> {
    /// The value of the Heartbeat Info parameter, which has a meaning only for the sender of the HEARTBEAT. It
    /// returns unchanged.
    pub info: Vec<u8>,
    /// The role that the sender gives to the path of this chunk: an extension of this implementation. RFC 9260
    /// defines no flags of this chunk, and receivers that do not know these ignore them.
    pub role: PathRole,
}

impl<const KIND: u8> HeartbeatLayout<KIND> {
    /// The chunk type.
    pub const KIND: u8 = KIND;

    /// A chunk with the information `info`, for an ordinary path.
    pub fn new(info: Vec<u8>) -> HeartbeatLayout<KIND> {
        HeartbeatLayout { info, role: PathRole::Ordinary }
    }

    pub(super) fn decode(raw: RawChunk<'_>) -> Result<HeartbeatLayout<KIND>, ChunkError> {
        let mut parameters = Tlvs::new(raw.value);
        let first = parameters.next().transpose();
        let rest = parameters.try_for_each(|parameter| parameter.map(drop));
        let first = first.and_then(|first| rest.map(|()| first));
        match first.map_err(|error| raw.error(ChunkFault::Parameter { initiate_tag: None, error }))? {
            Some((heartbeat_info::KIND, info)) => {
                Ok(HeartbeatLayout { info: info.to_vec(), role: PathRole::of_flags(raw.flags) })
            }
            _ => Err(raw.error(ChunkFault::MissingParameter { kind: heartbeat_info::KIND })),
        }
    }
}

impl<const KIND: u8> EncodeChunk for HeartbeatLayout<KIND> {
    fn kind(&self) -> u8 {
        KIND
    }

    fn value_len(&self) -> usize {
        tlv::HEADER_LEN + self.info.len()
    }

    fn encode(&self, out: &mut Vec<u8>) {
        raw::encode(self, KIND, self.role.flags(), out, |out| heartbeat_info::encode(&self.info, out));
    }
}

impl<const KIND: u8> fmt::Display for HeartbeatLayout<KIND> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = if KIND == Heartbeat::KIND { "HEARTBEAT" } else { "HEARTBEAT-ACK" };
        write!(f, "{name}({} bytes", self.info.len())?;
        match self.role {
            PathRole::Ordinary => f.write_str(")"),
            role => write!(f, ", {})", role.word()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Chunk;
    use super::*;
    use crate::wire::TlvError;
    use crate::wire::capture::{assert_is_chunk, chunk_error, hex, packet};
    use crate::wire::{Checksum, Packet};

    #[test]
    fn a_heartbeat_of_usrsctp() {
        let info = "7d21016b 017a0800 00000000 00000000 7b100000 a0ad2e76 2a560000 00000000 00000000";
        let heartbeat = Heartbeat { info: hex(info), role: PathRole::Ordinary };
        assert_is_chunk(&format!("0400002c 00010028 {info}"), &Chunk::Heartbeat(heartbeat.clone()));
        assert_eq!(heartbeat.to_string(), "HEARTBEAT(36 bytes)");
    }

    #[test]
    fn a_path_with_a_role_has_a_flag() {
        let heartbeat = |role| Heartbeat { info: vec![0x77, 0x78, 0x79, 0x7a], role };
        let backup = heartbeat(PathRole::Backup);
        assert_is_chunk("0401000c 00010008 7778797a", &Chunk::Heartbeat(backup.clone()));
        assert_eq!(backup.to_string(), "HEARTBEAT(4 bytes, backup)");
        let secondary = heartbeat(PathRole::Secondary);
        assert_is_chunk("0402000c 00010008 7778797a", &Chunk::Heartbeat(secondary.clone()));
        assert_eq!(secondary.to_string(), "HEARTBEAT(4 bytes, secondary)");
        let bytes = packet(&hex("0403000c 00010008 7778797a"));
        let chunk = Packet::decode(&bytes, Checksum::Omitted).unwrap().chunks().next();
        assert_eq!(chunk, Some(Ok(Chunk::Heartbeat(backup))), "the stricter role counts");
    }

    #[test]
    fn a_heartbeat_without_its_information_is_an_error() {
        assert_eq!(chunk_error("04000004").fault, ChunkFault::MissingParameter { kind: 1 });
        assert_eq!(chunk_error("04000008 00020004").fault, ChunkFault::MissingParameter { kind: 1 });
    }

    #[test]
    fn a_broken_parameter_is_an_error() {
        let error = TlvError::LengthPastChunk { kind: 1, length: 20, left: 4 };
        let fault = ChunkFault::Parameter { initiate_tag: None, error };
        assert_eq!(chunk_error("04000008 00010014").fault, fault);
        let error = TlvError::LengthTooSmall { kind: 2, length: 1 };
        let fault = ChunkFault::Parameter { initiate_tag: None, error };
        assert_eq!(chunk_error("0400000c 00010004 00020001").fault, fault);
    }

    #[test]
    fn what_stands_behind_the_information_is_read_over() {
        let bytes = packet(&hex("0400000e 00010005 77000000 00090004"));
        let chunk = Packet::decode(&bytes, Checksum::Omitted).unwrap().chunks().next();
        assert!(matches!(chunk, Some(Err(_))), "two bytes more than the packet has");
        let bytes = packet(&hex("04000010 00010005 77000000 00090004"));
        let chunk = Packet::decode(&bytes, Checksum::Omitted).unwrap().chunks().next();
        assert_eq!(
            chunk,
            Some(Ok(Chunk::Heartbeat(Heartbeat { info: vec![0x77], role: PathRole::Ordinary })))
        );
    }
}
