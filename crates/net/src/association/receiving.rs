//! Receiving messages, with and without waiting.

use anabranch_sctp::association::Message;
use anabranch_sctp::event::CloseReason;

use super::{Association, SharedHandle};
use crate::waiting::until;

/// The error of a receive call that returns no message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TryRecvError {
    /// No message has arrived.
    #[error("no message has arrived yet; try later, or wait with `recv`")]
    Empty,
    /// Every message was received, and the association has ended.
    #[error("{0}")]
    Closed(CloseReason),
}

impl Association {
    /// Waits for the next message, in the order of its stream: a complete one, or, with
    /// [`Config::partial_delivery`](crate::Config::partial_delivery), a [part](Message::part) of one, to which
    /// [`Message::append`] adds those that follow. If several tasks receive, each message and each part goes to one of
    /// them.
    ///
    /// Messages that have arrived occupy the receive buffer
    /// ([`Config::receive_buffer`](crate::Config::receive_buffer)) until they are received: a slow reader slows the
    /// sender down and never uses more memory than that.
    ///
    /// Cancellation-safe: if the future is dropped before it completes, no message is lost, and another call gets it.
    ///
    /// # Errors
    /// The association has ended, and its last message was received.
    pub async fn recv(&self) -> Result<Message, CloseReason> {
        until(&self.owner.notifiers.readable, || self.take()).await
    }

    /// The next message, if it has arrived.
    ///
    /// # Errors
    /// No message has arrived, or the association has ended.
    pub fn try_recv(&self) -> Result<Message, TryRecvError> {
        match self.take() {
            Some(result) => result.map_err(TryRecvError::Closed),
            None => Err(TryRecvError::Empty),
        }
    }

    /// The next message, or the reason for which the association ended; `None` if neither is available yet.
    fn take(&self) -> Option<Result<Message, CloseReason>> {
        let SharedHandle { shared, id, .. } = &*self.owner;
        shared.receive(*id)
    }
}
