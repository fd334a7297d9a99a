//! Messages from the core to the streams, and the peer's control messages.

use anabranch_sctp::association::Message;
use anabranch_sctp::wire::StreamId;

use super::super::control::Entry;
use super::super::lending::{Violation, charge_of};
use super::super::limited;
use super::super::message::StreamMessage;
use super::super::port::CorePort;
use super::{CONTROL, CONTROL_STREAM, Delivery, END, LONGEST_CONTROL, Mux};

impl Mux {
    /// Takes the messages that have arrived. Without credits, only while the streams have room for them: the rest fills
    /// the receive buffer of the association, which stops the peer.
    pub(super) fn take_arrivals(&mut self, port: &mut CorePort<'_>) {
        let capacity = port.receive_buffer();
        if let Some(credits) = &mut self.credits {
            credits.lender.grow_to(capacity);
        }
        while !self.has_failed
            && (self.credits.is_some() || self.unread < capacity)
            && let Some(message) = port.take()
        {
            if let Err(violation) = self.handle(&message) {
                self.has_failed = true;
                port.abort(&violation.to_string());
            }
        }
    }

    fn handle(&mut self, message: &Message) -> Result<(), Violation> {
        let (stream, length) = (message.stream, message.len());
        let charge = charge_of(length);
        let mut is_end = false;
        if let Some(credits) = &mut self.credits {
            if stream == CONTROL_STREAM {
                return self.handle_control(message);
            }
            if let Some(bits) = limited::bits_in(message.ppid)
                && !credits.lender.on_number(stream, bits)?
            {
                return Ok(());
            }
            credits.lender.on_message(stream, charge)?;
            is_end = message.ppid == END;
        }
        if !self.begun.on_part(message) {
            return Ok(());
        }
        let delivery = if is_end {
            Delivery::End
        } else {
            Delivery::Message(StreamMessage::read(message, self.credits.is_some())?)
        };
        self.unread += charge;
        let state = self.streams.entry(stream).or_default();
        if !state.is_open() && state.unread.is_empty() {
            self.arrived.push_back(stream);
            self.has_arrivals = true;
        }
        if state.has_ended {
            // The next use of the stream, which may arrive before the handles of this one are dropped.
            state.later.push_back((delivery, charge));
            return Ok(());
        }
        state.has_ended = is_end;
        if state.is_open() && !state.reader.has_handle {
            self.begun.on_discarded(stream);
            self.release(stream, charge);
            return Ok(());
        }
        state.unread.push_back((delivery, charge));
        self.woken.extend(state.reader.waker.take());
        Ok(())
    }

    fn handle_control(&mut self, message: &Message) -> Result<(), Violation> {
        let (stream, length) = (message.stream, message.len());
        if message.ppid != CONTROL || length > LONGEST_CONTROL {
            return Err(Violation::NotFramed { stream, length });
        }
        let bytes = message.to_vec();
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let entry = Entry::decode(&mut rest)?;
            self.handle_entry(entry)?;
        }
        Ok(())
    }

    fn handle_entry(&mut self, entry: Entry) -> Result<(), Violation> {
        let Some(credits) = &mut self.credits else { return Ok(()) };
        if credits.lender.on_entry(entry)? {
            return Ok(());
        }
        match entry {
            Entry::Grant { stream, granted } => {
                if credits.borrower.on_grant(stream, granted) {
                    self.retry(stream);
                }
            }
            Entry::Pool { granted } => credits.borrower.on_pool(granted),
            _ => credits.borrower.on_reclaim(),
        }
        Ok(())
    }

    /// Lets the message of a stream that has credit wait for room.
    fn retry(&mut self, stream: StreamId) {
        let Some(state) = self.streams.get_mut(&stream) else { return };
        if matches!(state.slot, super::Slot::Waiting(_)) {
            self.rounds.wait(stream, &mut state.round);
        }
    }
}
