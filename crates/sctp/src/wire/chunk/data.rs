//! DATA: a user message or a fragment of one.

use std::fmt;

use super::EncodeChunk;
use super::raw::{self, RawChunk};
use crate::seq::{Ssn, Tsn};
use crate::wire::fields::{pad, padded, u16_at, u32_at};
use crate::wire::{ChunkError, ChunkFault, Ppid, StreamId};

/// A DATA chunk (RFC 9260 §3.3.1). It borrows its user data.
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |   Type = 0    |  Res  |I|U|B|E|            Length             |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                              TSN                              |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |      Stream Identifier S      |   Stream Sequence Number n    |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                  Payload Protocol Identifier                  |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// \                                                               \
/// /                 User Data (seq n of Stream S)                 /
/// \                                                               \
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data<'a> {
    /// The chunk's TSN.
    pub tsn: Tsn,
    /// The stream of the message.
    pub stream: StreamId,
    /// The message's number in its stream; it has no meaning if the message is unordered.
    pub ssn: Ssn,
    /// The application's identifier for the content.
    pub ppid: Ppid,
    /// U bit: the message is unordered, and is delivered when it arrives.
    pub unordered: bool,
    /// B bit: the first fragment of a message.
    pub beginning: bool,
    /// E bit: the last fragment of a message.
    pub ending: bool,
    /// I bit: the sender wants its SACK without delay.
    pub immediate: bool,
    /// The user data, at least one byte.
    pub payload: &'a [u8],
}

impl<'a> Data<'a> {
    /// The chunk type.
    pub const KIND: u8 = 0;

    /// The bytes before the user data, including the chunk's header.
    pub const HEADER_LEN: usize = 16;

    /// The bytes that a chunk with `payload_len` bytes of user data takes in a packet, including padding.
    pub(crate) const fn padded_len(payload_len: usize) -> usize {
        padded(Data::HEADER_LEN + payload_len)
    }

    pub(super) fn decode(raw: RawChunk<'a>) -> Result<Data<'a>, ChunkError> {
        let (fields, payload) = raw.fields::<12>()?;
        let tsn = Tsn::new(u32_at(fields, 0));
        if payload.is_empty() {
            return Err(raw.error(ChunkFault::NoUserData { tsn }));
        }
        let ChunkFlags { immediate, unordered, beginning, ending } = flags_of(raw.flags);
        Ok(Data {
            tsn,
            stream: StreamId::new(u16_at(fields, 4)),
            ssn: Ssn::new(u16_at(fields, 6)),
            ppid: Ppid::new(u32_at(fields, 8)),
            unordered,
            beginning,
            ending,
            immediate,
            payload,
        })
    }

    fn flags(&self) -> ChunkFlags {
        let &Data { immediate, unordered, beginning, ending, .. } = self;
        ChunkFlags { immediate, unordered, beginning, ending }
    }
}

/// The flags of DATA and I-DATA.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChunkFlags {
    pub immediate: bool,
    pub unordered: bool,
    pub beginning: bool,
    pub ending: bool,
}

impl ChunkFlags {
    /// The flags on the wire.
    #[inline]
    pub(super) fn bits(self) -> u8 {
        let bit = |is_set, bit| if is_set { bit } else { 0 };
        bit(self.immediate, IMMEDIATE)
            | bit(self.unordered, UNORDERED)
            | bit(self.beginning, BEGINNING)
            | bit(self.ending, ENDING)
    }
}

/// The flags with these bits.
#[inline]
pub(super) fn flags_of(bits: u8) -> ChunkFlags {
    ChunkFlags {
        immediate: bits & IMMEDIATE != 0,
        unordered: bits & UNORDERED != 0,
        beginning: bits & BEGINNING != 0,
        ending: bits & ENDING != 0,
    }
}

/// Writes a letter for each flag that is set.
pub(super) fn write_flags(flags: ChunkFlags, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let ChunkFlags { immediate, unordered, beginning, ending } = flags;
    let letters = [(immediate, "I"), (unordered, "U"), (beginning, "B"), (ending, "E")];
    letters.iter().filter(|(is_set, _)| *is_set).try_for_each(|(_, letter)| f.write_str(letter))
}

impl EncodeChunk for Data<'_> {
    fn kind(&self) -> u8 {
        Data::KIND
    }

    fn value_len(&self) -> usize {
        12 + self.payload.len()
    }

    fn encode(&self, out: &mut Vec<u8>) {
        let mut fields = [0; Data::HEADER_LEN];
        fields[0..4].copy_from_slice(&raw::header(self, Data::KIND, self.flags().bits()));
        fields[4..8].copy_from_slice(&self.tsn.get().to_be_bytes());
        fields[8..10].copy_from_slice(&self.stream.get().to_be_bytes());
        fields[10..12].copy_from_slice(&self.ssn.get().to_be_bytes());
        fields[12..16].copy_from_slice(&self.ppid.get().to_be_bytes());
        let start = out.len();
        out.reserve(Data::padded_len(self.payload.len()));
        out.extend_from_slice(&fields);
        out.extend_from_slice(self.payload);
        pad(out, start);
    }
}

impl fmt::Display for Data<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Data { tsn, stream, ssn, ppid, .. } = self;
        write!(f, "DATA(tsn={tsn} stream={stream} ssn={ssn} ppid={ppid} ")?;
        write_flags(self.flags(), f)?;
        write!(f, " {} bytes)", self.payload.len())
    }
}

const ENDING: u8 = 1;
const BEGINNING: u8 = 2;
const UNORDERED: u8 = 4;
const IMMEDIATE: u8 = 8;

#[cfg(test)]
mod tests {
    use super::super::Chunk;
    use super::*;
    use crate::wire::capture::{assert_is_chunk, chunk_error};

    fn hello() -> Data<'static> {
        Data {
            tsn: Tsn::new(0x7ce4_7141),
            stream: StreamId::new(1),
            ssn: Ssn::new(0),
            ppid: Ppid::new(51),
            unordered: false,
            beginning: true,
            ending: true,
            immediate: false,
            payload: b"abcde",
        }
    }

    #[test]
    fn a_message_of_usrsctp_with_three_bytes_of_padding() {
        assert_is_chunk("00030015 7ce47141 00010000 00000033 61626364 65000000", &Chunk::Data(hello()));
    }

    #[test]
    fn an_unordered_message_of_usrsctp() {
        let (tsn, stream, ppid) = (Tsn::new(0x7ce4_7142), StreamId::new(2), Ppid::new(53));
        let data = Data { tsn, stream, ppid, unordered: true, payload: b"abcdefgh", ..hello() };
        assert_is_chunk("00070018 7ce47142 00020000 00000035 61626364 65666768", &Chunk::Data(data));
    }

    #[test]
    fn a_message_of_usrsctp_that_wants_its_sack_at_once() {
        let (tsn, stream, ppid) = (Tsn::new(0x7ce4_7143), StreamId::new(0), Ppid::new(0));
        let data = Data { tsn, stream, ppid, immediate: true, payload: b"abcdef", ..hello() };
        assert_is_chunk("000b0016 7ce47143 00000000 00000000 61626364 65660000", &Chunk::Data(data));
    }

    #[test]
    fn the_first_part_of_a_message_of_usrsctp_which_had_1252_bytes_of_data() {
        let payload: Vec<u8> = (0..0x4f4 - 16).map(|n| b'a' + (n % 26) as u8).collect();
        let letters: String = payload.iter().map(|byte| format!("{byte:02x}")).collect();
        let data = Data {
            tsn: Tsn::new(0x7ce4_7144),
            stream: StreamId::new(0),
            ssn: Ssn::new(1),
            ppid: Ppid::new(0),
            ending: false,
            payload: &payload,
            ..hello()
        };
        assert_is_chunk(&format!("000204f4 7ce47144 00000001 00000000 {letters}"), &Chunk::Data(data));
    }

    #[test]
    fn data_without_user_data_is_an_error_with_its_tsn() {
        // usrsctp answers this with 0600000c 00090008 b346ae12: ABORT, No User Data.
        let error = chunk_error("00030010 b346ae12 00000000 00000000");
        assert_eq!(error.fault, ChunkFault::NoUserData { tsn: Tsn::new(0xb346_ae12) });
    }

    #[test]
    fn data_that_ends_within_its_fields_is_an_error() {
        let error = chunk_error("0003000f b346ae12 00000000 00000000");
        assert_eq!(error.fault, ChunkFault::TooShort { length: 15, minimum: 16 });
    }

    #[test]
    fn it_is_shown_in_one_line() {
        assert_eq!(hello().to_string(), "DATA(tsn=2095345985 stream=1 ssn=0 ppid=51 BE 5 bytes)");
        let middle = Data { beginning: false, ending: false, ..hello() };
        assert_eq!(middle.to_string(), "DATA(tsn=2095345985 stream=1 ssn=0 ppid=51  5 bytes)");
    }

    #[test]
    fn its_length_in_a_packet_is_a_whole_number_of_words() {
        assert_eq!([1, 4, 5].map(Data::padded_len), [20, 20, 24]);
    }
}
