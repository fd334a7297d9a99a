//! Messages from the streams to the core: with credit, in the order in which they got it, and behind few others, so that
//! control messages do not wait long.

use std::task::{Context, Poll, Waker};

use anabranch_base::ByteCount;
use anabranch_sctp::association::{Outgoing, Reliability, SendError as CoreError};
use anabranch_sctp::wire::{Ppid, StreamId};
use bytes::Bytes;

use super::super::lending::charge_of;
use super::super::limited;
use super::super::message::StreamMessage;
use super::super::port::CorePort;
use super::rounds::Round;
use super::{CONTROL, CONTROL_STREAM, END, LONGEST_CONTROL, Mux, Slot, is_reserved};
use crate::send_error::SendError;

/// The answer to a message.
#[derive(Debug)]
pub(crate) enum Offer {
    /// It is in the send buffer.
    Sent,
    /// It waits for credit or room.
    Waiting,
    /// It can never be sent.
    Refused(SendError),
}

impl Mux {
    /// Sends a message, or lets it wait. The stream must have no message that waits.
    pub(crate) fn offer(&mut self, port: &mut CorePort<'_>, message: Outgoing) -> Offer {
        if is_reserved(message.ppid) && self.has_credits() {
            return Offer::Refused(SendError::ReservedPpid(message.ppid));
        }
        self.queue(port, message)
    }

    /// Sends the end of a stream, or lets it wait. It is sent only if the peer gives credit: others have no end.
    pub(crate) fn offer_end(&mut self, port: &mut CorePort<'_>, stream: StreamId) -> Offer {
        let payload = Bytes::from_static(&[0]);
        self.queue(
            port,
            Outgoing {
                stream,
                ppid: END,
                unordered: false,
                immediate: false,
                reliability: Reliability::Full,
                payload,
            },
        )
    }

    /// Returns whether the message that waits was sent: ready without one. `stale` is as in
    /// [`poll_read`](Mux::poll_read).
    pub(crate) fn poll_idle(
        &mut self,
        stream: StreamId,
        context: Option<&mut Context<'_>>,
        stale: &mut Option<Waker>,
    ) -> Poll<Result<(), SendError>> {
        let Some(state) = self.streams.get_mut(&stream) else { return Poll::Ready(Ok(())) };
        match std::mem::take(&mut state.slot) {
            Slot::Empty => return Poll::Ready(Ok(())),
            Slot::Failed(error) => return Poll::Ready(Err(error)),
            Slot::Waiting(message) => state.slot = Slot::Waiting(message),
        }
        if let Some(context) = context {
            *stale = state.writer.waker.replace(context.waker().clone());
        }
        Poll::Pending
    }

    /// Takes back the message that waits.
    pub(crate) fn withdraw(&mut self, stream: StreamId) -> Option<Bytes> {
        let state = self.streams.get_mut(&stream)?;
        let Slot::Waiting(message) = std::mem::take(&mut state.slot) else { return None };
        if let Some(credits) = &mut self.credits {
            credits.borrower.on_withdrawn(stream);
        }
        Some(message.payload)
    }

    /// Handles the news that the core gave a message up.
    pub(crate) fn on_given_up(&mut self, stream: StreamId, ppid: Ppid, bytes: ByteCount) {
        if let (Some(credits), Some(number)) = (&mut self.credits, limited::bits_in(ppid)) {
            credits.borrower.on_given_up(stream, number, charge_of(bytes.as_len()));
        }
    }

    /// Sends what waits for room, by the rounds of the streams.
    pub(super) fn send_waiting(&mut self, port: &mut CorePort<'_>) {
        while let Some(stream) = self.rounds.take() {
            let Some(state) = self.streams.get_mut(&stream) else { continue };
            state.round.end();
            let Slot::Waiting(mut message) = std::mem::take(&mut state.slot) else { continue };
            let haste = Haste::of(&state.round);
            let answer = self.send(port, &mut message, haste);
            let Some(state) = self.streams.get_mut(&stream) else { continue };
            match answer {
                Sending::Sent => {}
                Sending::NoCredit => state.slot = Slot::Waiting(message),
                Sending::NoRoom => {
                    state.slot = Slot::Waiting(message);
                    self.rounds.put_back(stream, &mut state.round);
                    return;
                }
                Sending::Failed(error) => state.slot = Slot::Failed(error),
            }
            if !matches!(state.slot, Slot::Waiting(_)) {
                self.woken.extend(state.writer.waker.take());
            }
        }
    }

    /// Sends the entries that are due.
    pub(super) fn send_control(&mut self, port: &mut CorePort<'_>) {
        while self.control.is_some() || self.has_entries() {
            let mut message = self.control.take().unwrap_or_else(|| self.next_control());
            match port.offer_prompt(&mut message) {
                Err(CoreError::BufferFull { .. }) => {
                    self.control = Some(message);
                    return;
                }
                // The association ends, and nothing needs credit any more.
                Err(_) => return,
                Ok(()) => {}
            }
        }
    }

    fn has_entries(&self) -> bool {
        self.credits
            .as_ref()
            .is_some_and(|credits| credits.lender.has_entry() || credits.borrower.has_entry())
    }

    fn next_control(&mut self) -> Outgoing {
        let mut bytes = Vec::new();
        if let Some(credits) = &mut self.credits {
            while bytes.len() + LONGEST_ENTRY <= LONGEST_CONTROL {
                let entry = credits.lender.poll_entry().or_else(|| credits.borrower.poll_entry());
                let Some(entry) = entry else { break };
                entry.encode(&mut bytes);
            }
        }
        Outgoing {
            stream: CONTROL_STREAM,
            ppid: CONTROL,
            unordered: false,
            immediate: false,
            reliability: Reliability::Full,
            payload: bytes.into(),
        }
    }

    fn queue(&mut self, port: &mut CorePort<'_>, mut message: Outgoing) -> Offer {
        let stream = message.stream;
        // A sparse stream need not wait behind bulk data with a short message, and has the first turns with a longer one.
        let state = self.streams.get_mut(&stream);
        let (is_sparse, haste) = state.map_or((false, Haste::Ordinary), |state| {
            let is_sparse = self.rounds.on_message(&mut state.round);
            (is_sparse, Haste::of(&state.round))
        });
        let answer = if let Some(refused) = self.refusal(&message) {
            Sending::Failed(refused)
        } else if is_sparse && message.payload.len() <= LONGEST_SPARSE {
            self.send(port, &mut message, Haste::Prompt)
        } else if self.rounds.is_empty() || haste == Haste::New {
            self.send(port, &mut message, haste)
        } else {
            Sending::NoRoom
        };
        match answer {
            Sending::Sent => return Offer::Sent,
            Sending::Failed(error) => return Offer::Refused(error),
            Sending::NoCredit | Sending::NoRoom => {}
        }
        let Some(state) = self.streams.get_mut(&stream) else {
            return Offer::Refused(SendError::Closing);
        };
        state.slot = Slot::Waiting(message);
        if matches!(answer, Sending::NoRoom) {
            self.rounds.wait(stream, &mut state.round);
        }
        self.send_control(port);
        Offer::Waiting
    }

    /// The reason for which a message can never be sent.
    fn refusal(&self, message: &Outgoing) -> Option<SendError> {
        if message.payload.is_empty() {
            return Some(SendError::Refused(CoreError::Empty));
        }
        let largest = self.credits.as_ref()?.borrower.largest();
        let wanted = charge_of(message.payload.len() + super::super::message::HEADER);
        (wanted > largest).then(|| SendError::BeyondCredit {
            wanted: ByteCount::of_len(message.payload.len()),
            largest: largest.saturating_sub(wanted - ByteCount::of_len(message.payload.len())),
        })
    }

    /// Passes a message to the core, with its charge, unless enough waits there.
    fn send(&mut self, port: &mut CorePort<'_>, message: &mut Outgoing, haste: Haste) -> Sending {
        if let Some(ended) = port.send_error() {
            return Sending::Failed(ended);
        }
        let stream = message.stream;
        let is_limited = self.has_credits() && message.reliability != Reliability::Full;
        let header = if is_limited { super::super::message::HEADER } else { 0 };
        let charge = charge_of(message.payload.len() + header);
        if let Some(credits) = &mut self.credits
            && !credits.borrower.may_spend(stream, charge)
        {
            credits.borrower.ask(stream, charge);
            return Sending::NoCredit;
        }
        if port.waiting() >= haste.most_queued(port) {
            return Sending::NoRoom;
        }
        let answer = match &self.credits {
            Some(credits) if is_limited => {
                let number = credits.borrower.next_number(stream);
                let payload = StreamMessage::framed(message.ppid, &message.payload);
                haste.offer(port, &mut Outgoing { ppid: limited::ppid_of(number), payload, ..*message })
            }
            _ => haste.offer(port, message),
        };
        match answer {
            Ok(()) => {}
            Err(CoreError::BufferFull { .. }) => return Sending::NoRoom,
            Err(CoreError::NotOpen) => return Sending::Failed(SendError::Closing),
            Err(error) => return Sending::Failed(SendError::Refused(error)),
        }
        if let Some(credits) = &mut self.credits {
            credits.borrower.spend(stream, charge);
            if is_limited {
                credits.borrower.take_number(stream);
            }
        }
        if let Some(state) = self.streams.get_mut(&stream) {
            self.rounds.on_served(&mut state.round, ByteCount::of_len(message.payload.len()));
        }
        Sending::Sent
    }
}

/// The place of a message in the send buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Haste {
    /// Among the others, by the rounds of the streams.
    Ordinary,
    /// The same, for a stream that has sent little: it need not wait until others have left.
    New,
    /// Before all that wait.
    Prompt,
}

impl Haste {
    fn of(round: &Round) -> Haste {
        if round.is_new() { Haste::New } else { Haste::Ordinary }
    }

    /// The most data that may wait in the send buffer before such a message. The look-ahead of paths changes from one packet to
    /// the next; messages that pass others do not depend on it.
    fn most_queued(self, port: &CorePort<'_>) -> ByteCount {
        match self {
            Haste::Ordinary => LEAST_QUEUED.max(port.look_ahead().min(MOST_QUEUED)),
            Haste::New | Haste::Prompt => MOST_QUEUED * 2,
        }
    }

    fn offer(self, port: &mut CorePort<'_>, message: &mut Outgoing) -> Result<(), CoreError> {
        match self {
            Haste::Ordinary | Haste::New => port.offer(message),
            Haste::Prompt => port.offer_prompt(message),
        }
    }
}

/// The result of passing a message to the core.
enum Sending {
    Sent,
    NoCredit,
    NoRoom,
    Failed(SendError),
}

/// The data that may wait in the send buffer for its first transmission, whatever the paths: enough to keep fast ones
/// busy, and little enough that streams take turns.
const LEAST_QUEUED: ByteCount = ByteCount::from_kib(128);
/// The most that may wait where a slow path carries what is due much later; twice as much with the messages that pass it.
const MOST_QUEUED: ByteCount = ByteCount::from_mib(4);
/// The longest message that may pass bulk data.
const LONGEST_SPARSE: usize = 2 * 1024;
/// The length of the longest entry.
const LONGEST_ENTRY: usize = 19;
