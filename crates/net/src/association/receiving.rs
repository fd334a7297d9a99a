//! Receiving messages, waiting for them or not. It knows no fragment.

use anabranch_sctp::event::CloseReason;
use anabranch_sctp::receive::Message;

use super::{Association, Owner};
use crate::waiting::until;

/// Why there is no message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TryRecvError {
    /// None has arrived that was not received.
    #[error("no message has arrived yet; try later, or wait with `recv`")]
    Empty,
    /// All were received, and none will follow.
    #[error("{0}")]
    Closed(CloseReason),
}

impl Association {
    /// The next message, when it has arrived whole and in its turn. Where several tasks receive, each message goes to
    /// one of them.
    ///
    /// What has arrived and was not received takes room in the receive buffer
    /// ([`Config::receive_buffer`](crate::Config::receive_buffer)): a reader that is slow slows the sender down, and
    /// never costs more memory than that.
    ///
    /// Cancellation-safe: if the future is dropped before it answered, no message is lost, and another one gets it.
    ///
    /// # Errors
    /// How the association ended, after the last message.
    pub async fn recv(&self) -> Result<Message, CloseReason> {
        until(&self.owner.signals.readable, || self.take()).await
    }

    /// The next message, if it has arrived.
    ///
    /// # Errors
    /// There is none now, or will be none ever.
    pub fn try_recv(&self) -> Result<Message, TryRecvError> {
        match self.take() {
            Some(result) => result.map_err(TryRecvError::Closed),
            None => Err(TryRecvError::Empty),
        }
    }

    /// The next message, or how all ended; `None` if there is neither yet.
    fn take(&self) -> Option<Result<Message, CloseReason>> {
        let Owner { shared, id, .. } = &*self.owner;
        shared.receive(*id)
    }
}
