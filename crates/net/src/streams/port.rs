//! The association of streams in the core, for the time in which the lock is held.

use anabranch_base::{ByteCount, Time};
use anabranch_sctp::association::{self as core, Message, Outgoing};
use anabranch_sctp::endpoint::{AssociationId, Endpoint};
use anabranch_sctp::event::CloseReason;

use crate::phase::Phase;
use crate::send_error::SendError;

/// An association in the core.
#[derive(Debug)]
pub(crate) struct CorePort<'a> {
    endpoint: &'a mut Endpoint,
    id: AssociationId,
    now: Time,
    phase: &'a Phase,
    has_changed: bool,
}

impl<'a> CorePort<'a> {
    /// The association `id` at the time `now`.
    pub(crate) fn new(
        endpoint: &'a mut Endpoint,
        id: AssociationId,
        now: Time,
        phase: &'a Phase,
    ) -> CorePort<'a> {
        CorePort { endpoint, id, now, phase, has_changed: false }
    }

    /// Sends a message. It stays unchanged on an error.
    pub(super) fn offer(&mut self, message: &mut Outgoing) -> Result<(), core::SendError> {
        let association = self.endpoint.association_mut(self.id).ok_or(core::SendError::NotOpen)?;
        association.try_send(self.now, message)?;
        self.has_changed = true;
        Ok(())
    }

    /// Sends a message before all that waits. It stays unchanged on an error.
    pub(super) fn offer_prompt(&mut self, message: &mut Outgoing) -> Result<(), core::SendError> {
        let association = self.endpoint.association_mut(self.id).ok_or(core::SendError::NotOpen)?;
        association.try_send_prompt(self.now, message)?;
        self.has_changed = true;
        Ok(())
    }

    /// The data that is to wait for its first transmission, so that each path finds what is due when it arrives there.
    pub(super) fn look_ahead(&self) -> ByteCount {
        self.endpoint.association(self.id).map_or(ByteCount::ZERO, core::Association::look_ahead)
    }

    /// Takes the next message that arrived.
    pub(super) fn take(&mut self) -> Option<Message> {
        let (message, has_news) = self.endpoint.receive(self.id)?;
        self.has_changed |= has_news;
        Some(message)
    }

    /// Aborts the association.
    pub(super) fn abort(&mut self, why: &str) {
        if let Some(association) = self.endpoint.association_mut(self.id) {
            association.abort(why);
            self.has_changed = true;
        }
    }

    /// The user data that waits for its first transmission.
    pub(super) fn waiting(&self) -> ByteCount {
        self.endpoint.association(self.id).map_or(ByteCount::ZERO, core::Association::waiting)
    }

    /// The size of the receive buffer.
    pub(super) fn receive_buffer(&self) -> ByteCount {
        self.endpoint.association(self.id).map_or(ByteCount::ZERO, core::Association::receive_buffer)
    }

    /// The phase of the association.
    pub(super) fn phase(&self) -> &Phase {
        self.phase
    }

    /// The reason for which nothing can be sent any more.
    pub(super) fn send_error(&self) -> Option<SendError> {
        match self.phase {
            Phase::Opening | Phase::Open => None,
            Phase::Closing => Some(SendError::Closing),
            Phase::Closed(reason) => Some(SendError::Closed(reason.clone())),
        }
    }

    /// The reason for which the association ended, if it did.
    pub(super) fn close_reason(&self) -> Option<CloseReason> {
        match self.phase {
            Phase::Closed(reason) => Some(reason.clone()),
            _ => None,
        }
    }

    /// Returns true if the driver has something to do.
    pub(crate) fn has_changed(&self) -> bool {
        self.has_changed
    }
}
