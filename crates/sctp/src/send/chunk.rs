//! One DATA chunk to send, and its state.

use anabranch_base::Time;
use bytes::Bytes;

use super::fragmentation::Fragment;
use crate::policy::PathId;
use crate::policy::retransmission::LostBy;
use crate::seq::{Ssn, Tsn};
use crate::wire::{Data, Ppid, StreamId};

/// What all chunks of one message have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct MessageHead {
    pub(super) stream: StreamId,
    pub(super) ssn: Ssn,
    pub(super) ppid: Ppid,
    pub(super) unordered: bool,
}

/// One DATA chunk to send, and its state.
#[derive(Clone, Debug)]
pub(super) struct OutboundChunk {
    pub(super) head: MessageHead,
    pub(super) beginning: bool,
    pub(super) ending: bool,
    pub(super) payload: Bytes,
    pub(super) state: State,
    /// The path on which it was sent last; of several paths at once, the first one.
    pub(super) path: PathId,
    /// The round of that path's window in which it left.
    pub(super) round: u64,
    /// The number of the packet in which it left last, among the packets of the association.
    pub(super) departure: u64,
    /// When it left last.
    pub(super) sent_at: Time,
    pub(super) was_sent_again: bool,
    /// It is, or was, in flight on several paths at once.
    pub(super) was_copied: bool,
    pub(super) missing_reports: u8,
    /// How it was found lost so far.
    pub(super) losses: Losses,
    /// It counted as newly acknowledged once (M-SCTP-12: only once).
    pub(super) was_acked: bool,
    pub(super) lost_by: LostBy,
}

/// The ways in which a chunk was found lost: a set in one byte, because buffers hold many chunks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Losses(u8);

impl Losses {
    /// It was found lost in this way.
    pub(super) fn add(&mut self, by: LostBy) {
        self.0 |= 1 << by as u8;
    }

    /// Whether it was ever found lost in this way.
    pub(super) fn had(self, by: LostBy) -> bool {
        self.0 & 1 << by as u8 != 0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Never sent.
    Waiting,
    /// Sent, and neither acknowledged nor lost.
    InFlight,
    /// Lost, and to be sent again.
    Marked,
    /// Acknowledged by a gap block.
    Acked,
}

impl OutboundChunk {
    /// A new chunk for `fragment` of a message, not sent yet.
    pub(super) fn new(head: MessageHead, fragment: Fragment) -> OutboundChunk {
        OutboundChunk {
            head,
            beginning: fragment.beginning,
            ending: fragment.ending,
            payload: fragment.payload,
            state: State::Waiting,
            path: PathId::FIRST,
            round: 0,
            departure: 0,
            sent_at: Time::ZERO,
            was_sent_again: false,
            was_copied: false,
            missing_reports: 0,
            losses: Losses::default(),
            was_acked: false,
            lost_by: LostBy::Timeout,
        }
    }

    /// The chunk in wire format, with the TSN of its position.
    pub(super) fn data(&self, tsn: Tsn) -> Data<'_> {
        Data {
            tsn,
            stream: self.head.stream,
            ssn: self.head.ssn,
            ppid: self.head.ppid,
            unordered: self.head.unordered,
            beginning: self.beginning,
            ending: self.ending,
            immediate: false,
            payload: &self.payload,
        }
    }
}
