//! The errors of sending a message.

use anabranch_sctp::association as core;
use anabranch_sctp::event::CloseReason;
use bytes::Bytes;

/// The error of a message that was not sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SendError {
    /// This message can never be sent.
    #[error(transparent)]
    Refused(#[from] core::SendError),
    /// The lifetime of the message ended while the call waited for room in the send buffer. Nothing of it was sent.
    #[error("the message expired while it waited for room in the send buffer")]
    Expired,
    /// The association is closing: earlier messages are still delivered.
    #[error("the association is closing and accepts no more messages")]
    Closing,
    /// The association has ended.
    #[error("{0}")]
    Closed(CloseReason),
}

/// The error of a message that was not sent immediately.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TrySendError {
    /// The send buffer is full, or other senders are waiting. The message is returned.
    #[error("the send buffer has no room for {} bytes now; try later, or wait with `send`", .0.len())]
    Full(Bytes),
    /// The message can never be sent.
    #[error(transparent)]
    Failed(#[from] SendError),
}
