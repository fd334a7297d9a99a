//! ASCONF-ACK: the results of the requests of an ASCONF.

use std::fmt;

use super::EncodeChunk;
use super::raw::{self, RawChunk};
use crate::seq::Tsn;
use crate::wire::fields::u32_at;
use crate::wire::{ChunkError, ChunkFault, Parameter, tlv};

/// An ASCONF-ACK chunk (RFC 5061 §4.1.2). A request without a response was granted.
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// | Type = 0x80   |  Chunk Flags  |      Chunk Length             |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                     Sequence Number                           |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// /                 ASCONF Parameter Responses                    /
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsconfAck {
    /// The serial number of the ASCONF that it answers.
    pub serial: Tsn,
    /// The results of requests: refused with a cause, or granted.
    pub responses: Vec<Parameter>,
}

impl AsconfAck {
    /// The chunk type.
    pub const KIND: u8 = 128;

    pub(super) fn decode(raw: RawChunk<'_>) -> Result<AsconfAck, ChunkError> {
        let (serial, rest) = raw.fields::<4>()?;
        let responses = Parameter::decode_list(rest)
            .map_err(|error| raw.error(ChunkFault::Parameter { initiate_tag: None, error }))?;
        Ok(AsconfAck { serial: Tsn::new(u32_at(serial, 0)), responses })
    }
}

impl EncodeChunk for AsconfAck {
    fn kind(&self) -> u8 {
        AsconfAck::KIND
    }

    fn value_len(&self) -> usize {
        4 + tlv::list_len(&self.responses)
    }

    fn encode(&self, out: &mut Vec<u8>) {
        raw::encode(self, AsconfAck::KIND, 0, out, |out| {
            out.extend_from_slice(&self.serial.get().to_be_bytes());
            tlv::encode_list(&self.responses, out);
        });
    }
}

impl fmt::Display for AsconfAck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ASCONF-ACK(serial={}", self.serial)?;
        self.responses.iter().try_for_each(|response| write!(f, " {response}"))?;
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::super::Chunk;
    use super::*;
    use crate::wire::Cause;
    use crate::wire::capture::{assert_is_chunk, hex};

    #[test]
    fn all_was_done() {
        let ack = AsconfAck { serial: Tsn::new(7), responses: Vec::new() };
        assert_is_chunk("80000008 00000007", &Chunk::AsconfAck(ack));
    }

    // The response is the example of RFC 5061 §4.3.1.
    #[test]
    fn the_last_address_was_not_deleted() {
        let refused = hex("c0020010 01023476 00050008 c0000201");
        let causes = vec![Cause::DeleteLastAddress(refused)];
        let responses = vec![Parameter::ErrorCauseIndication { id: 0x0102_3476, causes }];
        let ack = AsconfAck { serial: Tsn::new(7), responses };
        let dump = "80000024 00000007 c003001c 01023476 00a00014 c0020010 01023476 00050008 c0000201";
        assert_is_chunk(dump, &Chunk::AsconfAck(ack.clone()));
        assert_eq!(ack.to_string(), "ASCONF-ACK(serial=7 refused(the last address is not deleted))");
    }
}
