//! Fragments a message into the user data of DATA chunks (RFC 9260 §6.9).

use anabranch_base::ByteCount;
use bytes::Bytes;

use super::reliability::Reliability;
use crate::wire::{Ppid, StreamId};

/// A message to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// The stream on which it is sent.
    pub stream: StreamId,
    /// The application's identifier for the content; SCTP ignores it.
    pub ppid: Ppid,
    /// True if the receiver may deliver it before earlier messages of the stream.
    pub unordered: bool,
    /// True if its last chunk requests a SACK without delay (RFC 7053).
    pub immediate: bool,
    /// The effort for it. Only a peer that supports FORWARD-TSN allows less than full effort.
    pub reliability: Reliability,
    /// The message, shared with the caller. It is copied only into packets.
    pub payload: Bytes,
}

impl Outgoing {
    /// The user data.
    pub(crate) fn length(&self) -> ByteCount {
        ByteCount::of_len(self.payload.len())
    }
}

/// The fragments of one message, first to last.
#[derive(Clone, Debug)]
pub(super) struct Fragments {
    rest: Bytes,
    largest: usize,
    is_first: bool,
}

/// One fragment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fragment {
    /// The user data.
    pub payload: Bytes,
    /// True if it is the message's first fragment.
    pub beginning: bool,
    /// True if it is the message's last fragment.
    pub ending: bool,
}

impl Fragments {
    /// Cuts `payload` into pieces of `largest` bytes; the last may be shorter.
    pub(super) fn new(payload: Bytes, largest: usize) -> Fragments {
        Fragments { rest: payload, largest: largest.max(1), is_first: true }
    }
}

impl Iterator for Fragments {
    type Item = Fragment;

    fn next(&mut self) -> Option<Fragment> {
        if self.rest.is_empty() {
            return None;
        }
        let payload = self.rest.split_to(self.largest.min(self.rest.len()));
        let beginning = std::mem::replace(&mut self.is_first, false);
        Some(Fragment { payload, beginning, ending: self.rest.is_empty() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(length: usize, largest: usize) -> Vec<(usize, bool, bool)> {
        let fragments = Fragments::new(Bytes::from(vec![7; length]), largest);
        fragments.map(|fragment| (fragment.payload.len(), fragment.beginning, fragment.ending)).collect()
    }

    #[test]
    fn a_message_that_fits_is_one_fragment() {
        assert_eq!(cut(100, 100), [(100, true, true)]);
    }

    #[test]
    fn a_longer_one_has_a_beginning_and_an_ending() {
        assert_eq!(cut(250, 100), [(100, true, false), (100, false, false), (50, false, true)]);
    }
}
