//! The streams of an association behind the endpoint's lock: the messages that wait to be read, one message that waits
//! to be sent for each stream, and the credits.

mod incoming;
mod outgoing;
mod parts;
mod rounds;

use std::collections::{BTreeMap, VecDeque};
use std::task::{Context, Poll, Waker};

use anabranch_base::ByteCount;
use anabranch_sctp::association::Outgoing;
use anabranch_sctp::event::CloseReason;
use anabranch_sctp::wire::{Ppid, StreamId};

use super::borrowing::Borrower;
use super::lending::Lender;
use super::message::StreamMessage;
use super::port::CorePort;
use super::{OpenError, limited};
use crate::phase::Phase;
use crate::send_error::SendError;
use parts::BegunMessages;
use rounds::{Round, Rounds};

pub(crate) use outgoing::Offer;

/// The streams of an association.
#[derive(Debug)]
pub(crate) struct Mux {
    /// `None` if the peer does not give credit.
    credits: Option<Credits>,
    streams: BTreeMap<StreamId, StreamState>,
    /// The messages that arrive in parts.
    begun: BegunMessages,
    /// The streams that wait to be accepted.
    arrived: VecDeque<StreamId>,
    /// The streams whose message waits for room in the send buffer.
    rounds: Rounds,
    /// A control message that waits for room.
    control: Option<Outgoing>,
    /// The number of streams in both directions.
    count: u16,
    /// The last id that was chosen here. Each end chooses every other id.
    last_id: u16,
    /// The charges of all messages that wait unread.
    unread: ByteCount,
    /// The phase in which waiting tasks were woken last.
    phase: Phase,
    /// True if the peer violated the rules: nothing more is read.
    has_failed: bool,
    /// Wakers to call without the lock.
    woken: Vec<Waker>,
    /// True if a stream can be accepted since this was read last.
    has_arrivals: bool,
}

/// The credits in both directions.
#[derive(Debug)]
struct Credits {
    lender: Lender,
    borrower: Borrower,
}

/// One stream.
#[derive(Debug, Default)]
struct StreamState {
    unread: VecDeque<(Delivery, ByteCount)>,
    /// True if the end of what the peer sends is in `unread`, or was read or discarded.
    has_ended: bool,
    /// Deliveries behind that end, for the next use of the stream.
    later: VecDeque<(Delivery, ByteCount)>,
    reader: Half,
    writer: Half,
    slot: Slot,
    round: Round,
}

/// One direction of a stream.
#[derive(Debug, Default)]
struct Half {
    has_handle: bool,
    waker: Option<Waker>,
}

/// A message that waits to be sent.
#[derive(Debug, Default)]
enum Slot {
    #[default]
    Empty,
    Waiting(Outgoing),
    Failed(SendError),
}

/// Something that a reader gets.
#[derive(Debug)]
pub(crate) enum Delivery {
    /// A message.
    Message(StreamMessage),
    /// The end of what the peer sends.
    End,
}

/// The sizes of an association that its streams need.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MuxSettings {
    /// The receive buffers that this end and the peer advertised, if they give credit.
    pub credits: Option<(ByteCount, ByteCount)>,
    /// The number of streams in both directions.
    pub count: u16,
    /// True if this end chooses odd ids.
    pub is_odd: bool,
}

impl Mux {
    /// No streams.
    pub(crate) fn new(settings: MuxSettings) -> Mux {
        let MuxSettings { credits, count, is_odd } = settings;
        let credits =
            credits.map(|(own, peer)| Credits { lender: Lender::new(own), borrower: Borrower::new(peer) });
        Mux {
            credits,
            streams: BTreeMap::new(),
            begun: BegunMessages::default(),
            arrived: VecDeque::new(),
            rounds: Rounds::default(),
            control: None,
            count,
            last_id: u16::from(is_odd),
            unread: ByteCount::ZERO,
            phase: Phase::Open,
            has_failed: false,
            woken: Vec::new(),
            has_arrivals: false,
        }
    }

    /// Returns true if the peer gives credit for single streams.
    pub(crate) fn has_credits(&self) -> bool {
        self.credits.is_some()
    }

    /// The charges of all messages that wait unread.
    pub(crate) fn unread(&self) -> ByteCount {
        self.unread
    }

    /// The credit of the peer, and the charges of unread messages.
    pub(crate) fn committed(&self) -> ByteCount {
        self.credits.as_ref().map_or(self.unread, |credits| credits.lender.committed())
    }

    /// Opens a stream.
    pub(crate) fn open(&mut self, stream: StreamId) -> Result<(), OpenError> {
        if stream.get() >= self.count || (self.credits.is_some() && stream == CONTROL_STREAM) {
            return Err(OpenError::NoSuchStream {
                stream,
                count: self.count,
                has_credits: self.has_credits(),
            });
        }
        let state = self.streams.entry(stream).or_default();
        if state.is_open() {
            return Err(OpenError::InUse(stream));
        }
        if !state.unread.is_empty() {
            self.arrived.retain(|other| *other != stream);
        }
        self.take_handles(stream);
        Ok(())
    }

    /// Opens the next stream of this end that is not in use.
    pub(crate) fn open_next(&mut self) -> Result<StreamId, OpenError> {
        for _ in 0..self.count.div_ceil(2) {
            self.last_id = match self.last_id.checked_add(2) {
                Some(id) if id < self.count => id,
                _ => self.last_id % 2,
            };
            let stream = StreamId::new(self.last_id);
            if !self.streams.contains_key(&stream) && self.open(stream).is_ok() {
                return Ok(stream);
            }
        }
        Err(OpenError::AllInUse(self.count))
    }

    /// Opens a stream on which the peer sent first.
    pub(crate) fn accept(&mut self) -> Option<StreamId> {
        let stream = self.arrived.pop_front()?;
        self.take_handles(stream);
        Some(stream)
    }

    /// Takes what is read next. `stale` gets the waker of the poll before, to be dropped without the lock. It is not
    /// called: it may be that of the same task, which would poll again without end.
    pub(crate) fn poll_read(
        &mut self,
        port: &mut CorePort<'_>,
        stream: StreamId,
        context: &mut Context<'_>,
        stale: &mut Option<Waker>,
    ) -> Poll<Result<Delivery, CloseReason>> {
        if let Some(delivery) = self.try_read(port, stream) {
            return Poll::Ready(delivery);
        }
        if let Some(state) = self.streams.get_mut(&stream) {
            *stale = state.reader.waker.replace(context.waker().clone());
        }
        Poll::Pending
    }

    /// Takes what is read next, or the reason for which nothing is; `None` if something may still arrive.
    pub(crate) fn try_read(
        &mut self,
        port: &mut CorePort<'_>,
        stream: StreamId,
    ) -> Option<Result<Delivery, CloseReason>> {
        let next = self.streams.get_mut(&stream).and_then(|state| state.unread.pop_front());
        if let Some((delivery, charge)) = next {
            self.release(stream, charge);
            self.turn(port);
            return Some(Ok(delivery));
        }
        port.close_reason().map(Err)
    }

    /// Handles the drop of the handle that reads a stream: what arrives is discarded.
    pub(crate) fn close_reader(&mut self, port: &mut CorePort<'_>, stream: StreamId) {
        let Some(state) = self.streams.get_mut(&stream) else { return };
        state.reader.has_handle = false;
        self.woken.extend(state.reader.waker.take());
        self.begun.on_discarded(stream);
        let charge = std::mem::take(&mut state.unread).into_iter().map(|(_, charge)| charge).sum();
        self.release(stream, charge);
        self.forget_closed(stream);
        self.turn(port);
    }

    /// Handles the drop of the handle that sends on a stream: a message that waits is not sent.
    pub(crate) fn close_writer(&mut self, port: &mut CorePort<'_>, stream: StreamId) {
        self.withdraw(stream);
        let Some(state) = self.streams.get_mut(&stream) else { return };
        state.writer.has_handle = false;
        self.woken.extend(state.writer.waker.take());
        self.rounds.remove(stream, &mut state.round);
        if let Some(credits) = &mut self.credits {
            credits.borrower.close(stream);
        }
        self.forget_closed(stream);
        self.turn(port);
    }

    /// Moves everything that can move: messages that arrived, credits, and messages that wait to be sent.
    pub(crate) fn turn(&mut self, port: &mut CorePort<'_>) {
        self.take_arrivals(port);
        self.send_control(port);
        self.send_waiting(port);
        self.send_control(port);
        if *port.phase() != self.phase {
            self.phase = port.phase().clone();
            self.on_phase();
        }
    }

    /// Wakes every task: the association has another phase. Messages that wait are not sent any more.
    fn on_phase(&mut self) {
        let error = match &self.phase {
            Phase::Opening | Phase::Open => return,
            Phase::Closing => SendError::Closing,
            Phase::Closed(reason) => SendError::Closed(reason.clone()),
        };
        self.has_arrivals = true;
        for state in self.streams.values_mut() {
            if matches!(state.slot, Slot::Waiting(_)) {
                state.slot = Slot::Failed(error.clone());
            }
            self.woken.extend(state.reader.waker.take());
            self.woken.extend(state.writer.waker.take());
        }
    }

    /// The wakers of tasks that can continue.
    pub(crate) fn take_woken(&mut self) -> Vec<Waker> {
        std::mem::take(&mut self.woken)
    }

    /// Returns true if tasks that accept streams can continue.
    pub(crate) fn take_arrival_news(&mut self) -> bool {
        std::mem::take(&mut self.has_arrivals)
    }

    /// Notes that a stream has handles for both directions.
    fn take_handles(&mut self, stream: StreamId) {
        let state = self.streams.entry(stream).or_default();
        state.reader.has_handle = true;
        state.writer.has_handle = true;
        if let Some(credits) = &mut self.credits {
            credits.borrower.open(stream);
        }
    }

    /// Frees the room of messages that were read or discarded.
    fn release(&mut self, stream: StreamId, charge: ByteCount) {
        self.unread = self.unread.saturating_sub(charge);
        if let Some(credits) = &mut self.credits
            && !charge.is_zero()
        {
            credits.lender.on_read(stream, charge);
        }
    }

    /// Drops the state of a stream without handles. The peer may have begun to use it again.
    fn forget_closed(&mut self, stream: StreamId) {
        let Some(state) = self.streams.get_mut(&stream).filter(|state| !state.is_open()) else { return };
        let mut later = std::mem::take(&mut state.later);
        if later.is_empty() {
            self.streams.remove(&stream);
            return;
        }
        let end = later.iter().position(|(delivery, _)| matches!(delivery, Delivery::End));
        let next = later.split_off(end.map_or(later.len(), |end| end + 1));
        *state =
            StreamState { unread: later, has_ended: end.is_some(), later: next, ..StreamState::default() };
        self.arrived.push_back(stream);
        self.has_arrivals = true;
    }
}

impl StreamState {
    fn is_open(&self) -> bool {
        self.reader.has_handle || self.writer.has_handle
    }
}

/// Returns true if an application may not use `ppid` on a stream with credit.
fn is_reserved(ppid: Ppid) -> bool {
    ppid == CONTROL || ppid == END || limited::bits_in(ppid).is_some()
}

/// The stream of the control messages.
pub(super) const CONTROL_STREAM: StreamId = StreamId::new(0);
/// The identifier of control messages.
const CONTROL: Ppid = Ppid::new(0x9a1c_0000);
/// The identifier of the end of what a stream carries.
const END: Ppid = Ppid::new(0x9a1c_0001);
/// The longest control message.
const LONGEST_CONTROL: usize = 1024;
