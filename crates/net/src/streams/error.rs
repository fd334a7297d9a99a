//! The error of a stream that cannot be opened.

use anabranch_sctp::wire::StreamId;

/// The error of a stream that cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// There is no such stream in both directions.
    #[error(
        "there is no stream {} for messages: the association has {count}{}",
        .stream.get(), if *.has_credits { ", of which stream 0 carries the credits" } else { "" }
    )]
    NoSuchStream {
        /// The stream.
        stream: StreamId,
        /// The number of streams in both directions.
        count: u16,
        /// True if stream 0 carries the credits.
        has_credits: bool,
    },
    /// The stream has a handle already.
    #[error("stream {} is in use", .0.get())]
    InUse(StreamId),
    /// No stream of this end is free.
    #[error("all streams of this end, half of {0}, are in use")]
    AllInUse(u16),
    /// The association is gone.
    #[error("the association is gone")]
    Closed,
}
