//! Streams of an association, each with its own back-pressure, as messages or as bytes.
//!
//! SCTP has one receive window for the association: a reader that pauses on one stream fills it, and stops all. If both
//! ends set [`Config::stream_credits`](crate::Config::stream_credits), a sender needs credit of the receiver for each
//! stream, and a reader that pauses stops its stream alone. `docs/streams.md` describes the credits. With another peer,
//! streams work as well, within the window of the association.
//!
//! ```
//! use anabranch_net::{Config, Endpoint, Options, Security, SendOptions};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let options = |accepts| Options {
//!     local: vec!["127.0.0.1:0".parse().expect("an address")],
//!     accepts,
//!     config: Config { stream_credits: true, outbound_streams: 1_000, ..Config::rfc9260() },
//!     ..Options::with(Security::Insecure)
//! };
//! let server = Endpoint::bind(options(true))?;
//! let addresses = server.local_addresses();
//! let serving = tokio::spawn(async move {
//!     let streams = server.accept().await.expect("a client comes").into_streams();
//!     while let Ok(mut stream) = streams.accept_stream().await {
//!         tokio::spawn(async move {
//!             if let Ok(Some(request)) = stream.recv().await {
//!                 stream.send(request.into_bytes(), SendOptions::default()).await.expect("the client waits");
//!             }
//!         });
//!     }
//! });
//!
//! let client = Endpoint::bind(options(false))?;
//! let streams = client.connect(&addresses).await?.into_streams();
//! let mut stream = streams.open_next()?;
//! stream.send("a request", SendOptions::default()).await?;
//! assert_eq!(stream.recv().await?.expect("an answer").into_bytes(), "a request");
//! streams.association().close().await?;
//! serving.await?;
//! # Ok(())
//! # }
//! ```
//!
//! # Handles
//!
//! A [`Stream`] is used in both directions. It has no clones: [`Stream::into_split`] gives a half for each direction.
//! When both are dropped, the stream can be opened again, and what the peer sends on it later opens it anew at
//! [`Streams::accept_stream`]. Messages that arrive while only the [`SendHalf`] exists are discarded.
//!
//! # Dropped futures
//!
//! | dropped before it completes | effect |
//! |---|---|
//! | [`Streams::accept_stream`], [`RecvHalf::recv`] | nothing; another call gets it |
//! | [`SendHalf::send`], [`SendHalf::finish`] | nothing is sent |

mod borrowing;
mod bytes;
pub mod control;
mod error;
mod half;
mod lending;
mod limited;
mod message;
mod mux;
mod port;
mod stream;

pub use bytes::{ByteReader, ByteStream, ByteWriter};
pub use error::OpenError;
pub use half::{RecvHalf, SendHalf};
pub use message::StreamMessage;
pub use stream::Stream;

pub(crate) use mux::{Mux, MuxSettings};
pub(crate) use port::CorePort;

use anabranch_base::ByteCount;
use anabranch_sctp::event::CloseReason;
use anabranch_sctp::wire::StreamId;

use crate::association::Association;

/// The streams of an association. Clones are handles of the same streams.
#[derive(Clone, Debug)]
pub struct Streams {
    association: Association,
}

impl Streams {
    pub(crate) fn new(association: Association) -> Streams {
        Streams { association }
    }

    /// Opens a stream with an id that both ends know. Nothing is sent until the first message.
    ///
    /// # Errors
    /// The stream does not exist, carries the credits (stream 0, if the peer gives credit), or is in use here.
    pub fn open(&self, stream: StreamId) -> Result<Stream, OpenError> {
        self.association.with_streams(|mux, _| mux.open(stream)).ok_or(OpenError::Closed)??;
        Ok(Stream::new(self.association.clone(), stream))
    }

    /// Opens a stream that is not in use. One end has the even ids and the other the odd ones, so that both never open
    /// the same.
    ///
    /// # Errors
    /// All streams of this end are in use.
    pub fn open_next(&self) -> Result<Stream, OpenError> {
        let opened = self.association.with_streams(|mux, _| mux.open_next());
        let stream = opened.ok_or(OpenError::Closed)??;
        Ok(Stream::new(self.association.clone(), stream))
    }

    /// Waits for the next stream on which the peer sent first.
    ///
    /// Cancellation-safe: if the future is dropped, no stream is lost.
    ///
    /// # Errors
    /// The association has ended, and its last stream was accepted.
    pub async fn accept_stream(&self) -> Result<Stream, CloseReason> {
        let accepted = self.association.until_arrival(|| self.accept()).await?;
        Ok(Stream::new(self.association.clone(), accepted))
    }

    /// Accepts a stream on which the peer sent first, if there is one.
    pub fn try_accept_stream(&self) -> Option<Stream> {
        self.accept().map(|stream| Stream::new(self.association.clone(), stream))
    }

    /// The association: to close it, and to watch its paths.
    pub fn association(&self) -> &Association {
        &self.association
    }

    /// Returns true if both ends agreed on credits for single streams.
    pub fn has_credits(&self) -> bool {
        self.association.with_streams(|mux, _| mux.has_credits()).unwrap_or_default()
    }

    /// The messages that wait unread in all streams, with a charge of 256 bytes each.
    pub fn unread(&self) -> ByteCount {
        self.association.with_streams(|mux, _| mux.unread()).unwrap_or_default()
    }

    /// The messages that wait unread, and all that the peer may still send: never more than the receive buffer, if the
    /// peer gives credit.
    pub fn committed(&self) -> ByteCount {
        self.association.with_streams(|mux, _| mux.committed()).unwrap_or_default()
    }

    fn accept(&self) -> Option<StreamId> {
        self.association.with_streams(|mux, _| mux.accept()).flatten()
    }
}
