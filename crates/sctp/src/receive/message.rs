//! A message as it is delivered to the application.

use std::collections::VecDeque;
use std::iter;

use bytes::{Bytes, BytesMut};

use super::load::MemoryLoad;
use crate::seq::Ssn;
use crate::wire::{Ppid, StreamId};

/// One complete user message.
///
/// The payload is the slices that arrived from the network, without a copy: [`Message::chunks`] gives them in order,
/// [`Message::into_bytes`] joins them. A message of one fragment owns no memory besides its slice. Messages that
/// arrived together may share 64 KiB: keeping one of them keeps all of that allocated, unless it is copied.
#[derive(Clone, Debug)]
pub struct Message {
    /// The stream on which it arrived.
    pub stream: StreamId,
    /// The position in the stream; it has no meaning if the message is unordered.
    pub ssn: Ssn,
    /// The sending application's identifier for its content.
    pub ppid: Ppid,
    /// True if it was sent without a position in its stream.
    pub unordered: bool,
    pub(super) first: Bytes,
    pub(super) rest: VecDeque<Bytes>,
    pub(super) load: MemoryLoad,
}

impl Message {
    /// A message of one fragment.
    #[inline]
    pub(crate) fn of_one(
        (stream, ssn, ppid): (StreamId, Ssn, Ppid),
        unordered: bool,
        first: Bytes,
        load: MemoryLoad,
    ) -> Message {
        Message { stream, ssn, ppid, unordered, first, rest: VecDeque::new(), load }
    }

    /// The payload in one piece: copied once if it arrived in several pieces, else not copied.
    pub fn into_bytes(self) -> Bytes {
        if self.rest.is_empty() {
            return self.first;
        }
        let mut whole = BytesMut::with_capacity(self.len());
        self.chunks().for_each(|chunk| whole.extend_from_slice(chunk));
        whole.freeze()
    }

    /// A copy of the payload.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut whole = Vec::with_capacity(self.len());
        self.chunks().for_each(|chunk| whole.extend_from_slice(chunk));
        whole
    }

    /// The pieces of the payload in order.
    pub fn chunks(&self) -> impl Iterator<Item = &Bytes> {
        iter::once(&self.first).chain(&self.rest)
    }

    /// The number of bytes of payload.
    pub fn len(&self) -> usize {
        self.chunks().map(Bytes::len).sum()
    }

    /// Returns true if it has no payload, which RFC 9260 §3.3.1 does not allow.
    pub fn is_empty(&self) -> bool {
        self.chunks().all(Bytes::is_empty)
    }

    /// The load that reading the message takes from the receive buffer.
    pub fn load(&self) -> MemoryLoad {
        self.load
    }
}

#[cfg(test)]
pub(super) mod tests {
    use anabranch_base::ByteCount;

    use super::*;

    /// A message of one fragment with `payload`, charged by its length.
    pub(crate) fn message(stream: u16, ssn: u16, payload: &'static [u8]) -> Message {
        Message {
            stream: StreamId::new(stream),
            ssn: Ssn::new(ssn),
            ppid: Ppid::new(0),
            unordered: false,
            first: Bytes::from_static(payload),
            rest: VecDeque::new(),
            load: MemoryLoad::of_chunk(ByteCount::of_len(payload.len()), payload.len()),
        }
    }

    #[test]
    fn a_message_of_one_fragment_is_not_copied() {
        let payload = b"one";
        let whole = message(0, 0, payload).into_bytes();
        assert_eq!(whole.as_ptr(), payload.as_ptr());
    }

    #[test]
    fn fragments_read_as_one() {
        let rest = VecDeque::from([Bytes::from_static(b"bra"), Bytes::from_static(b"nch")]);
        let message = Message { rest, ..message(0, 0, b"ana") };
        assert_eq!(message.len(), 9);
        assert_eq!(message.chunks().count(), 3);
        assert_eq!(message.to_vec(), b"anabranch");
        assert_eq!(message.into_bytes(), "anabranch");
    }
}
