//! A message as it is delivered to the application.

use std::collections::VecDeque;
use std::iter;

use anabranch_base::ByteCount;
use bytes::{Bytes, BytesMut};

use super::load::MemoryLoad;
use crate::seq::Ssn;
use crate::wire::{Ppid, StreamId};

/// One user message, complete or, with [`partial_delivery`](crate::config::Config::partial_delivery), a part of one.
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
    /// The part of the message that this is.
    pub part: Part,
    pub(super) first: Bytes,
    pub(super) rest: VecDeque<Bytes>,
    pub(super) load: MemoryLoad,
}

/// The part of a message that is delivered at once (RFC 9260 §6.9, RFC 6458 §6.1.7).
///
/// The stream and `unordered` name the message to which a part belongs: of each stream, at most one ordered and one
/// unordered message are delivered in parts at once. Complete messages of other streams may be delivered between parts,
/// and so may unordered ones of the same stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// The whole message.
    #[default]
    Whole,
    /// The beginning.
    First,
    /// A part between the beginning and the end.
    Middle,
    /// The end.
    Last,
    /// No data: the message ends without its rest. The peer gave it up or reset the stream, or the association ended.
    Aborted,
}

impl Part {
    /// Returns true if no part of the message was delivered before.
    pub fn begins(self) -> bool {
        matches!(self, Part::Whole | Part::First)
    }

    /// Returns true if no part of the message follows.
    pub fn ends(self) -> bool {
        matches!(self, Part::Whole | Part::Last | Part::Aborted)
    }
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
        Message { stream, ssn, ppid, unordered, part: Part::Whole, first, rest: VecDeque::new(), load }
    }

    /// Adds `next`, a part that follows this one, at the end. Parts of one message make it whole again.
    ///
    /// # Errors
    /// `next` does not follow this part, and is returned.
    pub fn append(&mut self, mut next: Message) -> Result<(), Message> {
        let part = match (self.part, next.part) {
            (Part::First, Part::Last) => Part::Whole,
            (Part::First, Part::Middle) => Part::First,
            (Part::Middle, Part::Middle | Part::Last) => next.part,
            _ => return Err(next),
        };
        if (self.stream, self.unordered) != (next.stream, next.unordered) {
            return Err(next);
        }
        self.part = part;
        self.rest.push_back(next.first);
        self.rest.append(&mut next.rest);
        self.load += next.load;
        Ok(())
    }

    /// The end of a message whose rest does not follow.
    pub(super) fn aborted((stream, ssn, ppid): (StreamId, Ssn, Ppid), unordered: bool) -> Message {
        let load = MemoryLoad { charge: ByteCount::ZERO, memory: MemoryLoad::OVERHEAD };
        Message { part: Part::Aborted, ..Message::of_one((stream, ssn, ppid), unordered, Bytes::new(), load) }
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

    /// Returns true if it has no payload, which RFC 9260 §3.3.1 does not allow of a message.
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
    use super::*;

    /// A message of one fragment with `payload`, charged by its length.
    pub(crate) fn message(stream: u16, ssn: u16, payload: &'static [u8]) -> Message {
        Message {
            stream: StreamId::new(stream),
            ssn: Ssn::new(ssn),
            ppid: Ppid::new(0),
            unordered: false,
            part: Part::Whole,
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

    #[test]
    fn parts_of_a_message_make_it_whole_and_others_are_refused() {
        let part = |part, payload| Message { part, ..message(1, 0, payload) };
        let mut joined = part(Part::First, b"ana");
        joined.append(part(Part::Middle, b"bra")).expect("it follows");
        assert_eq!(joined.part, Part::First);
        let other = Message { stream: StreamId::new(2), ..part(Part::Last, b"x") };
        let unordered = Message { unordered: true, ..part(Part::Last, b"x") };
        for refused in [other, unordered, part(Part::First, b"x"), part(Part::Whole, b"x")] {
            assert!(joined.append(refused).is_err());
        }
        joined.append(part(Part::Last, b"nch")).expect("it follows");
        assert_eq!((joined.part, joined.load().charge), (Part::Whole, ByteCount::new(9)));
        assert!(joined.append(part(Part::Middle, b"x")).is_err(), "it is whole");
        assert_eq!(joined.into_bytes(), "anabranch");
    }
}
