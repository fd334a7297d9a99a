//! The content that DATA and I-DATA share.

use super::EncodeChunk;
use super::data::Data;
use super::i_data::{IData, Place};
use super::raw::HEADER_LEN;
use crate::seq::{Fsn, Mid, Ssn, Tsn};
use crate::wire::fields::padded;
use crate::wire::{Ppid, StreamId};

/// The content of a DATA or I-DATA chunk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UserData<'a> {
    /// The chunk's TSN.
    pub tsn: Tsn,
    /// The stream of the message.
    pub stream: StreamId,
    /// The message's number; of DATA, its SSN.
    pub mid: Mid,
    /// The fragment's place; 0 in DATA.
    pub fsn: Fsn,
    /// The application's identifier; 0 in a later fragment of I-DATA.
    pub ppid: Ppid,
    /// U bit: the message is unordered.
    pub unordered: bool,
    /// B bit: the first fragment of a message.
    pub beginning: bool,
    /// E bit: the last fragment of a message.
    pub ending: bool,
    /// I bit: the sender wants its SACK without delay.
    pub immediate: bool,
    /// True for I-DATA.
    pub interleaves: bool,
    /// The user data, at least one byte.
    pub payload: &'a [u8],
}

impl<'a> UserData<'a> {
    /// The bytes that a chunk with `payload_len` bytes of user data takes in a packet, including padding.
    pub(crate) const fn padded_len(interleaves: bool, payload_len: usize) -> usize {
        let header = if interleaves { IData::HEADER_LEN } else { Data::HEADER_LEN };
        padded(header + payload_len)
    }

    /// The content as DATA.
    #[inline]
    fn as_data(&self) -> Data<'a> {
        let &UserData { tsn, stream, ppid, unordered, beginning, ending, immediate, payload, .. } = self;
        // The SSN of unordered DATA has no meaning (RFC 9260 §6.6).
        let ssn = if unordered { Ssn::default() } else { self.mid.ssn() };
        Data { tsn, stream, ssn, ppid, unordered, beginning, ending, immediate, payload }
    }

    /// The content as I-DATA.
    fn as_i_data(&self) -> IData<'a> {
        let &UserData { tsn, stream, mid, unordered, ending, immediate, payload, .. } = self;
        let place = if self.beginning { Place::First(self.ppid) } else { Place::Later(self.fsn) };
        IData { tsn, stream, mid, place, unordered, ending, immediate, payload }
    }
}

impl EncodeChunk for UserData<'_> {
    #[inline]
    fn kind(&self) -> u8 {
        if self.interleaves { IData::KIND } else { Data::KIND }
    }

    #[inline]
    fn value_len(&self) -> usize {
        let header = if self.interleaves { IData::HEADER_LEN } else { Data::HEADER_LEN };
        header - HEADER_LEN + self.payload.len()
    }

    fn encode(&self, out: &mut Vec<u8>) {
        if self.interleaves { self.as_i_data().encode(out) } else { self.as_data().encode(out) }
    }
}

impl<'a> From<Data<'a>> for UserData<'a> {
    #[inline]
    fn from(data: Data<'a>) -> UserData<'a> {
        let Data { tsn, stream, ssn, ppid, unordered, beginning, ending, immediate, payload } = data;
        let (mid, fsn, interleaves) = (Mid::from(ssn), Fsn::default(), false);
        UserData {
            tsn,
            stream,
            mid,
            fsn,
            ppid,
            unordered,
            beginning,
            ending,
            immediate,
            interleaves,
            payload,
        }
    }
}

impl<'a> From<IData<'a>> for UserData<'a> {
    fn from(data: IData<'a>) -> UserData<'a> {
        let IData { tsn, stream, mid, place, unordered, ending, immediate, payload } = data;
        let (beginning, ppid, fsn) = match place {
            Place::First(ppid) => (true, ppid, Fsn::default()),
            Place::Later(fsn) => (false, Ppid::new(0), fsn),
        };
        UserData {
            tsn,
            stream,
            mid,
            fsn,
            ppid,
            unordered,
            beginning,
            ending,
            immediate,
            interleaves: true,
            payload,
        }
    }
}
