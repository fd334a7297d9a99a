//! Receiving messages, with and without waiting.

use anabranch_sctp::association::Message;
use anabranch_sctp::event::CloseReason;

use super::{Association, SharedHandle};
use crate::waiting::until;

/// Why there is no message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TryRecvError {
    /// No message is waiting.
    #[error("no message has arrived yet; try later, or wait with `recv`")]
    Empty,
    /// The messages were received, and none will follow.
    #[error("{0}")]
    Closed(CloseReason),
}

impl Association {
    /// Waits for the next complete message, in the order of its stream. If several tasks receive, each message goes to
    /// one of them.
    ///
    /// What has arrived and was not received takes room in the receive buffer
    /// ([`Config::receive_buffer`](crate::Config::receive_buffer)): a slow reader slows the sender down, and never
    /// costs more memory than that.
    ///
    /// Cancellation-safe: if the future is dropped before it answered, no message is lost, and another one gets it.
    ///
    /// # Errors
    /// The association has ended, and its last message was received.
    pub async fn recv(&self) -> Result<Message, CloseReason> {
        until(&self.owner.notifiers.readable, || self.take()).await
    }

    /// The next message, if it has arrived.
    ///
    /// # Errors
    /// No message is waiting now, or none will follow.
    pub fn try_recv(&self) -> Result<Message, TryRecvError> {
        match self.take() {
            Some(result) => result.map_err(TryRecvError::Closed),
            None => Err(TryRecvError::Empty),
        }
    }

    /// The next message, or how the association ended; `None` if there is neither yet.
    fn take(&self) -> Option<Result<Message, CloseReason>> {
        let SharedHandle { shared, id, .. } = &*self.owner;
        shared.receive(*id)
    }
}
