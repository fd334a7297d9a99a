//! A message as a stream delivers it.

use anabranch_sctp::association::{Message, Part};
use anabranch_sctp::wire::Ppid;
use bytes::{Buf, Bytes, BytesMut};

use super::lending::Violation;
use super::limited;
use crate::association::SendOptions;

/// A message of a stream, complete or, with [`Config::partial_delivery`](crate::Config::partial_delivery), a part of one.
///
/// The payload is the slices that arrived from the network, as in [`Message`]; a short one is copied, so that it keeps
/// no datagram in memory.
#[derive(Clone, Debug)]
pub struct StreamMessage {
    /// The sending application's identifier for its content.
    pub ppid: Ppid,
    /// True if it was sent without a position in its stream.
    pub unordered: bool,
    /// The part of the message that this is.
    pub part: Part,
    first: Bytes,
    rest: Vec<Bytes>,
}

impl StreamMessage {
    /// Takes a message, whose framing is removed if it `is_framed`.
    pub(super) fn read(message: &Message, is_framed: bool) -> Result<StreamMessage, Violation> {
        let (length, stream) = (message.len(), message.stream);
        let (mut ppid, unordered, part) = (message.ppid, message.unordered, message.part);
        let mut chunks: Vec<Bytes> = if length <= LONGEST_COPIED {
            vec![Bytes::from(message.to_vec())]
        } else {
            message.chunks().cloned().collect()
        };
        if is_framed && limited::bits_in(ppid).is_some() {
            // A message this short was copied into one slice, and the first fragment of a long one is longer.
            let header = chunks.first_mut().filter(|first| first.len() > HEADER);
            let Some(header) = header else { return Err(Violation::NotFramed { stream, length }) };
            ppid = Ppid::new(header.get_u32());
        }
        let mut chunks = chunks.into_iter();
        let first = chunks.next().unwrap_or_default();
        Ok(StreamMessage { ppid, unordered, part, first, rest: chunks.collect() })
    }

    /// The payload of a message that may be given up, with its framing.
    pub(super) fn framed(ppid: Ppid, payload: &Bytes) -> Bytes {
        let mut framed = BytesMut::with_capacity(HEADER + payload.len());
        framed.extend_from_slice(&ppid.get().to_be_bytes());
        framed.extend_from_slice(payload);
        framed.freeze()
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

    /// The pieces of the payload in order.
    pub fn chunks(&self) -> impl Iterator<Item = &Bytes> {
        std::iter::once(&self.first).chain(&self.rest)
    }

    /// The number of bytes of payload.
    pub fn len(&self) -> usize {
        self.chunks().map(Bytes::len).sum()
    }

    /// Returns true if it has no payload: it is [aborted](Part::Aborted).
    pub fn is_empty(&self) -> bool {
        self.chunks().all(Bytes::is_empty)
    }
}

impl From<&StreamMessage> for SendOptions {
    /// The options with which the message was sent, with full effort: payload protocol identifier and order.
    fn from(message: &StreamMessage) -> SendOptions {
        let options = SendOptions::default().ppid(message.ppid);
        if message.unordered { options.unordered() } else { options }
    }
}

/// The length of the framing: the application's identifier.
pub(super) const HEADER: usize = 4;
/// The longest message that is copied: a longer one fills most of its datagram.
const LONGEST_COPIED: usize = 1024;
