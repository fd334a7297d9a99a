//! One DATA chunk to send: its states, and the transitions between them.

mod views;

use anabranch_base::Time;
use bytes::Bytes;

use super::fragmentation::{Fragment, Fragments};
use crate::policy::PathId;
use crate::policy::retransmission::LostBy;
use crate::seq::{Fsn, Mid};
use crate::wire::{MessageKey, Ppid, StreamId};

/// The state of a chunk. It ends when the chunk is cumulatively acknowledged: the chunk is then dropped.
///
/// | event | from | to |
/// |---|---|---|
/// | [`leave`](OutboundChunk::leave) | `Waiting`, `Lost` | `InFlight` |
/// | [`lose`](OutboundChunk::lose) | `InFlight` | `Lost` |
/// | [`acknowledge`](OutboundChunk::acknowledge) | each | `Acked` |
/// | [`take_back`](OutboundChunk::take_back) | `Acked` | `Revoked` |
/// | [`lose`](OutboundChunk::lose) | `Revoked` | `RevokedLost` |
/// | [`leave`](OutboundChunk::leave) | `RevokedLost` | `Revoked` |
/// | [`give_up`](OutboundChunk::give_up) | each but `Acked` | `GivenUp` |
/// | [`take_back`](OutboundChunk::take_back) | `Acked`, of a message that was given up | `GivenUp` |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It was never sent.
    Waiting,
    /// It is in flight, on one path or, as copies, on several, and was never acknowledged.
    InFlight,
    /// It was declared lost on each path on which it was in flight, and waits for retransmission.
    Lost(LostBy),
    /// A gap block of the last SACK reports that it arrived.
    Acked,
    /// It counts as in flight again, because a SACK does not report it, although an earlier one did.
    Revoked,
    /// It was declared lost after its acknowledgement was taken back, and waits for retransmission.
    RevokedLost(LostBy),
    /// Given up with its message: it is never sent again, and the peer is told not to wait for it.
    GivenUp,
}

/// The number of transmissions of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sends {
    /// At most one: an acknowledgement answers that transmission.
    Once,
    /// Several, each after the previous one was declared lost: an acknowledgement may answer any of them.
    Resend,
    /// Several at once on different paths, now or earlier: the path that delivers it is not known either.
    Copied,
}

/// One transmission of a chunk, or of a copy of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Transmission {
    /// The path on which it was sent.
    pub path: PathId,
    /// The round of that path's window in which it was sent.
    pub round: u64,
    /// The number of its packet among the packets of the association.
    pub departure: u64,
    /// The sending time.
    pub sent_at: Time,
}

/// The values that all chunks of one message share.
#[derive(Clone, Copy, Debug)]
pub(super) struct MessageHead {
    /// The stream of the message.
    pub stream: StreamId,
    /// The number on the stream, of ordered and of unordered messages.
    pub mid: Mid,
    /// The application's identifier for the content.
    pub ppid: Ppid,
    /// True if it may be delivered before earlier messages of the stream.
    pub unordered: bool,
    /// The sender's own marks.
    pub marks: MessageMarks,
}

/// One DATA chunk to send. It is kept small, because buffers hold many chunks.
#[derive(Clone, Debug)]
pub(super) struct OutboundChunk {
    head: MessageHead,
    fsn: Fsn,
    bounds: Bounds,
    payload: Bytes,
    state: State,
    sends: Sends,
    /// The last [`Transmission`], field by field, which avoids padding. Of several transmissions at once, the first
    /// one.
    path: PathId,
    round: u64,
    departure: u64,
    sent_at: Time,
    missing_reports: u8,
    /// The kinds of loss so far, and whether its message was given up.
    losses: Losses,
}

impl OutboundChunk {
    /// A new chunk for `fragment` of a message, not sent yet.
    pub(super) fn new(head: MessageHead, fsn: Fsn, fragment: Fragment) -> OutboundChunk {
        OutboundChunk {
            head,
            fsn,
            bounds: Bounds::of(fragment.beginning, fragment.ending),
            payload: fragment.payload,
            state: State::Waiting,
            sends: Sends::Once,
            path: PathId::FIRST,
            round: 0,
            departure: 0,
            sent_at: Time::ZERO,
            missing_reports: 0,
            losses: Losses::default(),
        }
    }

    /// Records a transmission, the first or another. Returns the previous one, if there was one.
    #[inline]
    pub(super) fn leave(&mut self, transmission: Transmission) -> Option<Transmission> {
        let before = (self.state != State::Waiting).then(|| self.last());
        self.state = if self.was_acked() { State::Revoked } else { State::InFlight };
        if before.is_some() && self.sends == Sends::Once {
            self.sends = Sends::Resend;
        }
        self.set_last(transmission);
        before
    }

    /// Records that a copy is sent while it is in flight. Returns its own last transmission.
    pub(super) fn copy(&mut self) -> Transmission {
        self.sends = Sends::Copied;
        self.last()
    }

    /// Declares its only transmission in flight lost. Returns true if it was in flight and may be lost in this way: by
    /// the acknowledgement of a small window's last chunk it is lost only once.
    pub(super) fn lose(&mut self, by: LostBy) -> bool {
        if by == LostBy::SmallWindow && self.losses.had(by) {
            return false;
        }
        self.state = match self.state {
            State::InFlight => State::Lost(by),
            State::Revoked => State::RevokedLost(by),
            State::Waiting | State::Lost(_) | State::Acked | State::RevokedLost(_) | State::GivenUp => {
                return false;
            }
        };
        self.losses.add(by);
        if by == LostBy::Timeout {
            self.missing_reports = 0;
        }
        true
    }

    /// Declares its last transmission lost while it is in flight on another path as `copy`. Returns the lost
    /// transmission.
    pub(crate) fn go_on_as(&mut self, copy: Transmission) -> Transmission {
        let lost = self.last();
        self.set_last(copy);
        // The TSN order says nothing about the copy's sending time: the timer of the copy's path detects its loss.
        self.losses.add(LostBy::MissingReports);
        self.missing_reports = 0;
        lost
    }

    /// Acknowledges it, cumulatively or by a gap block. Returns the previous state.
    pub(super) fn acknowledge(&mut self) -> State {
        std::mem::replace(&mut self.state, State::Acked)
    }

    /// Takes its acknowledgement back (RFC 9260 §6.2.1 iv). Returns its last transmission, which is in flight again;
    /// `None` for a chunk that was given up.
    pub(super) fn take_back(&mut self) -> Option<Transmission> {
        if self.losses.is_given_up() {
            self.state = State::GivenUp;
            return None;
        }
        self.state = State::Revoked;
        Some(self.last())
    }

    /// Gives it up. Returns the previous state; an acknowledged chunk stays so.
    pub(super) fn give_up(&mut self) -> State {
        self.losses.give_up();
        let before = self.state;
        if before != State::Acked {
            self.state = State::GivenUp;
            self.payload = Bytes::new();
        }
        before
    }

    /// Drops its user data, and returns the length.
    pub(super) fn drop_payload(&mut self) -> usize {
        std::mem::take(&mut self.payload).len()
    }

    /// True if its message was given up, whether or not it arrived before.
    pub(super) fn is_given_up(&self) -> bool {
        self.losses.is_given_up()
    }

    /// True if its user data was dropped before it was cumulatively acknowledged.
    pub(super) fn is_dropped(&self) -> bool {
        self.payload.is_empty()
    }

    /// The message that it belongs to.
    pub(super) fn head(&self) -> MessageHead {
        self.head
    }

    /// True if it is the first, or the last, chunk of its message.
    #[inline]
    pub(super) fn bounds(&self) -> (bool, bool) {
        (
            matches!(self.bounds, Bounds::First | Bounds::Whole),
            matches!(self.bounds, Bounds::Last | Bounds::Whole),
        )
    }

    /// Sets the number of missing reports since it was last sent or lost.
    pub(super) fn count_missing(&mut self, reports: u8) {
        self.missing_reports = reports;
    }

    /// Chunks of at most `largest` bytes of user data in place of this one, which was never sent, numbered from its own
    /// FSN on.
    pub(super) fn split(self, largest: usize) -> impl Iterator<Item = OutboundChunk> {
        let (beginning, ending) = self.bounds();
        let OutboundChunk { head, fsn, payload, .. } = self;
        (fsn.get()..).map(Fsn::new).zip(Fragments::new(payload, largest)).map(move |(fsn, piece)| {
            let (beginning, ending) = (beginning && piece.beginning, ending && piece.ending);
            OutboundChunk::new(head, fsn, Fragment { beginning, ending, ..piece })
        })
    }

    /// The place in its message.
    pub(super) fn fsn(&self) -> Fsn {
        self.fsn
    }

    /// Moves it to another place of its message.
    pub(super) fn set_fsn(&mut self, fsn: Fsn) {
        self.fsn = fsn;
    }

    /// The bytes of its user data.
    pub(super) fn length(&self) -> usize {
        self.payload.len()
    }

    /// The state.
    pub(super) fn state(&self) -> State {
        self.state
    }

    /// The last transmission; of several at once, the first one. Meaningless before it was sent.
    #[inline]
    pub(super) fn last(&self) -> Transmission {
        let &OutboundChunk { path, round, departure, sent_at, .. } = self;
        Transmission { path, round, departure, sent_at }
    }

    /// The path of its last transmission.
    pub(super) fn path(&self) -> PathId {
        self.path
    }

    /// The number of transmissions.
    pub(super) fn sends(&self) -> Sends {
        self.sends
    }

    /// Returns true if it is in flight.
    pub(crate) fn is_in_flight(&self) -> bool {
        matches!(self.state, State::InFlight | State::Revoked)
    }

    /// Returns true if it was ever acknowledged (M-SCTP-12: it counts as newly acknowledged only once).
    pub(crate) fn was_acked(&self) -> bool {
        matches!(self.state, State::Acked | State::Revoked | State::RevokedLost(_))
    }

    fn set_last(&mut self, last: Transmission) {
        let Transmission { path, round, departure, sent_at } = last;
        (self.path, self.round, self.departure, self.sent_at) = (path, round, departure, sent_at);
    }
}

/// The part of its message that a chunk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bounds {
    First,
    Middle,
    Last,
    Whole,
}

impl Bounds {
    fn of(beginning: bool, ending: bool) -> Bounds {
        match (beginning, ending) {
            (true, true) => Bounds::Whole,
            (true, false) => Bounds::First,
            (false, true) => Bounds::Last,
            (false, false) => Bounds::Middle,
        }
    }
}

/// Marks of a message that are not sent, a bit each.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MessageMarks(u8);

impl MessageMarks {
    /// Of a message that may be given up, and one whose last chunk requests a SACK without delay.
    pub(super) fn of(is_limited: bool, immediate: bool) -> MessageMarks {
        MessageMarks(u8::from(is_limited) | u8::from(immediate) << 1)
    }
}

impl MessageHead {
    /// True if the message may be given up.
    pub(super) fn is_limited(&self) -> bool {
        self.marks.0 & 1 != 0
    }

    /// True if its last chunk requests a SACK without delay (RFC 7053).
    pub(super) fn is_immediate(&self) -> bool {
        self.marks.0 & 2 != 0
    }

    /// The message among all of the association.
    pub(super) fn key(&self) -> MessageKey {
        MessageKey { stream: self.stream, unordered: self.unordered, mid: self.mid }
    }
}

impl State {
    /// Returns true if a chunk in this state is lost and waits for retransmission.
    pub(super) fn is_lost(self) -> bool {
        matches!(self, State::Lost(_) | State::RevokedLost(_))
    }
}

/// The kinds of loss of a chunk, of which the last is to be given up: a set in one byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Losses(u8);

impl Losses {
    fn add(&mut self, by: LostBy) {
        self.0 |= 1 << by as u8;
    }

    fn give_up(&mut self) {
        self.0 |= GIVEN_UP;
    }

    fn is_given_up(self) -> bool {
        self.0 & GIVEN_UP != 0
    }

    fn had(self, by: LostBy) -> bool {
        self.0 & 1 << by as u8 != 0
    }
}

/// No [`LostBy`] has this bit.
const GIVEN_UP: u8 = 1 << 7;

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk() -> OutboundChunk {
        let head = MessageHead {
            stream: StreamId::new(3),
            mid: Mid::default(),
            ppid: Ppid::new(0),
            unordered: false,
            marks: MessageMarks::default(),
        };
        let payload = Bytes::from_static(&[7; 100]);
        OutboundChunk::new(head, Fsn::default(), Fragment { payload, beginning: true, ending: true })
    }

    fn by(departure: u64) -> Transmission {
        let path = PathId::from_index(departure as usize % 2);
        Transmission { path, round: 0, departure, sent_at: Time::ZERO }
    }

    #[test]
    fn a_chunk_leaves_is_lost_leaves_again_and_arrives() {
        let mut chunk = chunk();
        assert_eq!((chunk.state(), chunk.leave(by(1))), (State::Waiting, None));
        assert_eq!((chunk.state(), chunk.sends()), (State::InFlight, Sends::Once));
        assert!(chunk.lose(LostBy::MissingReports) && !chunk.lose(LostBy::Timeout), "it is lost already");
        assert_eq!(chunk.state(), State::Lost(LostBy::MissingReports));
        assert_eq!((chunk.leave(by(2)), chunk.sends()), (Some(by(1)), Sends::Resend));
        assert_eq!((chunk.acknowledge(), chunk.state()), (State::InFlight, State::Acked));
        assert!(!chunk.lose(LostBy::Timeout), "it arrived");
    }

    #[test]
    fn a_chunk_whose_acknowledgement_was_taken_back_stays_known_as_acknowledged_once() {
        let mut chunk = chunk();
        chunk.leave(by(1));
        chunk.acknowledge();
        assert_eq!((chunk.take_back(), chunk.state()), (Some(by(1)), State::Revoked));
        assert!(chunk.lose(LostBy::Timeout) && chunk.was_acked());
        assert_eq!(chunk.state(), State::RevokedLost(LostBy::Timeout));
        chunk.leave(by(2));
        assert_eq!((chunk.state(), chunk.acknowledge()), (State::Revoked, State::Revoked));
    }

    #[test]
    fn a_chunk_that_is_given_up_is_never_in_flight_again() {
        let mut chunk = chunk();
        chunk.leave(by(1));
        assert_eq!((chunk.give_up(), chunk.state(), chunk.length()), (State::InFlight, State::GivenUp, 0));
        assert!(!chunk.lose(LostBy::Timeout) && !chunk.is_in_flight() && chunk.is_dropped());
        assert_eq!(chunk.acknowledge(), State::GivenUp);
        assert_eq!((chunk.take_back(), chunk.state()), (None, State::GivenUp));
    }

    #[test]
    fn what_arrived_of_a_message_that_is_given_up_keeps_its_weight() {
        let mut chunk = chunk();
        chunk.leave(by(1));
        chunk.acknowledge();
        assert_eq!((chunk.give_up(), chunk.state(), chunk.length()), (State::Acked, State::Acked, 100));
        assert!(!chunk.is_dropped());
    }

    #[test]
    fn a_small_window_finds_a_chunk_lost_only_once() {
        let mut chunk = chunk();
        let mut lost_by = |by_what| {
            chunk.leave(by(1));
            chunk.lose(by_what)
        };
        assert_eq!(
            [LostBy::SmallWindow, LostBy::SmallWindow, LostBy::Timeout].map(&mut lost_by),
            [true, false, true]
        );
    }

    #[test]
    fn a_copy_takes_the_place_of_the_transmission_that_is_lost() {
        let mut chunk = chunk();
        chunk.leave(by(1));
        assert_eq!((chunk.copy(), chunk.sends()), (by(1), Sends::Copied));
        assert_eq!((chunk.go_on_as(by(2)), chunk.last(), chunk.state()), (by(1), by(2), State::InFlight));
        assert!(chunk.lose(LostBy::Timeout));
        chunk.leave(by(3));
        assert_eq!(chunk.sends(), Sends::Copied, "which copy is acknowledged is not known for good");
    }
}
