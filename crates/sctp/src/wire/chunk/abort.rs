//! ABORT: ends an association at once.

use std::fmt;

use super::EncodeChunk;
use super::raw::{self, RawChunk};
use crate::wire::{Cause, ChunkError, ChunkFault, cause, tlv};

/// An ABORT chunk (RFC 9260 §3.3.7).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |   Type = 6    |  Reserved   |T|            Length             |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// \                                                               \
/// /                   zero or more Error Causes                   /
/// \                                                               \
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Abort {
    /// T bit: the packet's Verification Tag is reflected, because its sender has none.
    pub tag_reflected: bool,
    /// The reasons for the abort.
    pub causes: Vec<Cause>,
}

impl Abort {
    /// The chunk type.
    pub const KIND: u8 = 6;

    pub(super) fn decode(raw: RawChunk<'_>) -> Result<Abort, ChunkError> {
        let causes = Cause::decode_list(raw.value).map_err(|error| raw.error(ChunkFault::Cause(error)))?;
        Ok(Abort { tag_reflected: raw.flags & TAG_REFLECTED != 0, causes })
    }
}

impl EncodeChunk for Abort {
    fn kind(&self) -> u8 {
        Abort::KIND
    }

    fn value_len(&self) -> usize {
        tlv::list_len(&self.causes)
    }

    fn encode(&self, out: &mut Vec<u8>) {
        let flags = if self.tag_reflected { TAG_REFLECTED } else { 0 };
        raw::encode(self, Abort::KIND, flags, out, |out| tlv::encode_list(&self.causes, out));
    }
}

impl fmt::Display for Abort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.tag_reflected { "ABORT[T]" } else { "ABORT" })?;
        cause::write_list(&self.causes, f)
    }
}

/// T bit: "If the Verification Tag is reflected, the T bit MUST be set to 1" (RFC 9260 §3.3.7).
const TAG_REFLECTED: u8 = 1;

#[cfg(test)]
mod tests {
    use super::super::Chunk;
    use super::*;
    use crate::seq::Tsn;
    use crate::wire::TlvError;
    use crate::wire::capture::{assert_is_chunk, chunk_error};

    #[test]
    fn an_abort_of_usrsctp_by_its_user() {
        let abort =
            Abort { tag_reflected: false, causes: vec![Cause::UserInitiatedAbort(b"bye!!".to_vec())] };
        assert_is_chunk("0600000d 000c0009 62796521 21000000", &Chunk::Abort(abort.clone()));
        assert_eq!(abort.to_string(), "ABORT(user-initiated abort \"bye!!\")");
    }

    #[test]
    fn an_abort_of_usrsctp_for_data_without_user_data() {
        let abort = Abort { tag_reflected: false, causes: vec![Cause::NoUserData(Tsn::new(0xb346_ae12))] };
        assert_is_chunk("0600000c 00090008 b346ae12", &Chunk::Abort(abort));
    }

    #[test]
    fn an_abort_of_usrsctp_for_a_packet_of_no_association_reflects_its_tag() {
        let abort = Abort { tag_reflected: true, causes: vec![] };
        assert_is_chunk("06010004", &Chunk::Abort(abort.clone()));
        assert_eq!(abort.to_string(), "ABORT[T]");
    }

    #[test]
    fn an_abort_with_a_broken_cause_is_an_error() {
        let inner = TlvError::LengthPastChunk { kind: 12, length: 9, left: 4 };
        assert_eq!(chunk_error("06000008 000c0009").fault, ChunkFault::Cause(inner));
    }
}
