//! I-DATA: a user message or a fragment of one, which fragments of other streams may interrupt.

use std::fmt;

use super::data::{Data, flags_of, write_flags};
use super::raw::{self, RawChunk};
use super::{ChunkFlags, EncodeChunk};
use crate::seq::{Fsn, Mid, Tsn};
use crate::wire::fields::{pad, padded, u16_at, u32_at};
use crate::wire::{ChunkError, ChunkFault, Ppid, StreamId};

/// An I-DATA chunk (RFC 8260 §2.1). It borrows its user data.
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |   Type = 64   |  Res  |I|U|B|E|       Length = Variable       |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                              TSN                              |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |        Stream Identifier      |           Reserved            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                      Message Identifier                       |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |    Payload Protocol Identifier / Fragment Sequence Number     |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// \                                                               \
/// /                           User Data                           /
/// \                                                               \
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IData<'a> {
    /// The chunk's TSN.
    pub tsn: Tsn,
    /// The stream of the message.
    pub stream: StreamId,
    /// The message's number among the ordered, or the unordered, messages of its stream.
    pub mid: Mid,
    /// The fragment's place in the message: 0 has the B bit.
    pub place: Place,
    /// U bit: the message is unordered, and is delivered when it is complete.
    pub unordered: bool,
    /// E bit: the last fragment of a message.
    pub ending: bool,
    /// I bit: the sender wants its SACK without delay.
    pub immediate: bool,
    /// The user data, at least one byte.
    pub payload: &'a [u8],
}

/// The place of a fragment in its message, in the field that the first fragment uses otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// B bit: it is the first fragment, with the application's identifier for the content.
    First(Ppid),
    /// It is a later one, with this number.
    Later(Fsn),
}

impl<'a> IData<'a> {
    /// The chunk type.
    pub const KIND: u8 = 64;

    /// The bytes before the user data, including the chunk's header.
    pub const HEADER_LEN: usize = 20;

    /// The bytes by which it is longer than DATA with the same user data.
    pub(crate) const LONGER: usize = IData::HEADER_LEN - Data::HEADER_LEN;

    pub(super) fn decode(raw: RawChunk<'a>) -> Result<IData<'a>, ChunkError> {
        let (fields, payload) = raw.fields::<16>()?;
        let tsn = Tsn::new(u32_at(fields, 0));
        if payload.is_empty() {
            return Err(raw.error(ChunkFault::NoUserData { tsn }));
        }
        let ChunkFlags { immediate, unordered, beginning, ending } = flags_of(raw.flags);
        let number = u32_at(fields, 12);
        let later = || Place::Later(Fsn::new(number));
        Ok(IData {
            tsn,
            stream: StreamId::new(u16_at(fields, 4)),
            mid: Mid::new(u32_at(fields, 8)),
            place: if beginning { Place::First(Ppid::new(number)) } else { later() },
            unordered,
            ending,
            immediate,
            payload,
        })
    }

    fn flags(&self) -> ChunkFlags {
        let &IData { immediate, unordered, ending, .. } = self;
        ChunkFlags { immediate, unordered, beginning: self.is_first(), ending }
    }

    /// True if it is the first fragment of its message.
    fn is_first(&self) -> bool {
        matches!(self.place, Place::First(_))
    }
}

impl EncodeChunk for IData<'_> {
    fn kind(&self) -> u8 {
        IData::KIND
    }

    fn value_len(&self) -> usize {
        16 + self.payload.len()
    }

    fn encode(&self, out: &mut Vec<u8>) {
        let number = match self.place {
            Place::First(ppid) => ppid.get(),
            Place::Later(fsn) => fsn.get(),
        };
        let mut fields = [0; IData::HEADER_LEN];
        fields[0..4].copy_from_slice(&raw::header(self, IData::KIND, self.flags().bits()));
        fields[4..8].copy_from_slice(&self.tsn.get().to_be_bytes());
        fields[8..10].copy_from_slice(&self.stream.get().to_be_bytes());
        fields[12..16].copy_from_slice(&self.mid.get().to_be_bytes());
        fields[16..20].copy_from_slice(&number.to_be_bytes());
        let start = out.len();
        out.reserve(padded(IData::HEADER_LEN + self.payload.len()));
        out.extend_from_slice(&fields);
        out.extend_from_slice(self.payload);
        pad(out, start);
    }
}

impl fmt::Display for IData<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let IData { tsn, stream, mid, .. } = self;
        write!(f, "I-DATA(tsn={tsn} stream={stream} mid={mid} ")?;
        match self.place {
            Place::First(ppid) => write!(f, "ppid={ppid} ")?,
            Place::Later(fsn) => write!(f, "fsn={fsn} ")?,
        }
        write_flags(self.flags(), f)?;
        write!(f, " {} bytes)", self.payload.len())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Chunk;
    use super::*;
    use crate::wire::capture::{assert_is_chunk, chunk_error};

    fn first() -> IData<'static> {
        IData {
            tsn: Tsn::new(0x7ce4_7141),
            stream: StreamId::new(1),
            mid: Mid::new(0x0001_0002),
            place: Place::First(Ppid::new(51)),
            unordered: false,
            ending: true,
            immediate: false,
            payload: b"abcde",
        }
    }

    #[test]
    fn a_message_with_three_bytes_of_padding() {
        let bytes = "40030019 7ce47141 00010000 00010002 00000033 61626364 65000000";
        assert_is_chunk(bytes, &Chunk::IData(first()));
        assert_eq!(first().to_string(), "I-DATA(tsn=2095345985 stream=1 mid=65538 ppid=51 BE 5 bytes)");
    }

    #[test]
    fn a_later_fragment_has_its_number_where_the_first_has_its_ppid() {
        let later = IData {
            place: Place::Later(Fsn::new(7)),
            unordered: true,
            immediate: true,
            ending: false,
            payload: b"abcd",
            ..first()
        };
        let bytes = "400c0018 7ce47141 00010000 00010002 00000007 61626364";
        assert_is_chunk(bytes, &Chunk::IData(later));
        assert_eq!(later.to_string(), "I-DATA(tsn=2095345985 stream=1 mid=65538 fsn=7 IU 4 bytes)");
    }

    #[test]
    fn without_user_data_or_whole_fields_it_is_an_error() {
        let error = chunk_error("40030014 b346ae12 00000000 00000000 00000000");
        assert_eq!(error.fault, ChunkFault::NoUserData { tsn: Tsn::new(0xb346_ae12) });
        let error = chunk_error("40030013 b346ae12 00000000 00000000 00000000");
        assert_eq!(error.fault, ChunkFault::TooShort { length: 19, minimum: 20 });
    }
}
