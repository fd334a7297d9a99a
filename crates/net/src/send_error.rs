//! Why a message was not sent.

use anabranch_sctp::association as core;
use anabranch_sctp::event::CloseReason;
use bytes::Bytes;

/// Why a message was not sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SendError {
    /// This message can never be sent.
    #[error(transparent)]
    Refused(#[from] core::SendError),
    /// The association is closing: what was sent before is still delivered.
    #[error("the association is closing and accepts no more messages")]
    Closing,
    /// The association is over.
    #[error("{0}")]
    Closed(CloseReason),
}

/// Why a message was not sent at once.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TrySendError {
    /// There is no room for the message now, or others have waited longer. The message is returned.
    #[error("the send buffer has no room for {} bytes now; try later, or wait with `send`", .0.len())]
    Full(Bytes),
    /// Waiting would not help.
    #[error(transparent)]
    Failed(#[from] SendError),
}
