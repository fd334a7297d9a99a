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
    /// It was fast-retransmitted, or is marked for it.
    pub(super) is_spent: bool,
    /// The T3-rtx timer marked it once.
    pub(super) has_timed_out: bool,
    /// It counted as newly acknowledged once (M-SCTP-12: only once).
    pub(super) was_acked: bool,
    pub(super) lost_by: LostBy,
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
            is_spent: false,
            has_timed_out: false,
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
