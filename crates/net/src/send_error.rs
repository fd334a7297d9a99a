//! The errors of sending a message.

use anabranch_base::ByteCount;
use anabranch_sctp::association as core;
use anabranch_sctp::event::CloseReason;
use anabranch_sctp::wire::Ppid;
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
    /// The association has [`Streams`](crate::Streams), which carry all its messages.
    #[error("the streams of the association carry its messages: send on one of them")]
    Multiplexed,
    /// The peer never grants credit for a message of this size.
    #[error("a message of {wanted} is larger than the {largest} for which the peer gives credit")]
    BeyondCredit {
        /// The size of the message.
        wanted: ByteCount,
        /// The largest size.
        largest: ByteCount,
    },
    /// The framing of streams uses this payload protocol identifier.
    #[error("the payload protocol identifier {:#010x} is one of the framing of streams", .0.get())]
    ReservedPpid(Ppid),
    /// The end of the stream was sent before.
    #[error("the end of the stream was sent: no message follows it")]
    Finished,
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
