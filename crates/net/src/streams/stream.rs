//! One stream in both directions.

use anabranch_sctp::event::CloseReason;
use anabranch_sctp::wire::StreamId;
use bytes::Bytes;

use super::bytes::{ByteReader, ByteStream, ByteWriter};
use super::half::{RecvHalf, SendHalf};
use super::message::StreamMessage;
use crate::association::{Association, SendOptions, TryRecvError};
use crate::send_error::{SendError, TrySendError};

/// One stream in both directions: a `Stream` of messages that arrive, and a `Sink` of messages to send.
///
/// ```no_run
/// # async fn example(streams: anabranch_net::Streams) -> Result<(), Box<dyn std::error::Error>> {
/// use anabranch_net::{SendOptions, StreamId};
///
/// let mut stream = streams.open(StreamId::new(3))?;
/// stream.send("one", SendOptions::default()).await?;
/// stream.send("may overtake it", SendOptions::default().unordered()).await?;
/// while let Some(message) = stream.recv().await? {
///     println!("{} bytes", message.len());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Stream {
    recv: RecvHalf,
    send: SendHalf,
}

impl Stream {
    pub(super) fn new(association: Association, id: StreamId) -> Stream {
        let recv = RecvHalf::new(association.clone(), id);
        Stream { recv, send: SendHalf::new(association, id) }
    }

    /// The id, which is the same at both ends.
    pub fn id(&self) -> StreamId {
        self.recv.id()
    }

    /// Sends a message: see [`SendHalf::send`].
    ///
    /// # Errors
    /// As for [`SendHalf::send`].
    pub async fn send(
        &mut self,
        message: impl Into<Bytes>,
        options: impl Into<SendOptions>,
    ) -> Result<(), SendError> {
        self.send.send(message, options).await
    }

    /// Sends a message if it need not wait: see [`SendHalf::try_send`].
    ///
    /// # Errors
    /// As for [`SendHalf::try_send`].
    pub fn try_send(
        &mut self,
        message: impl Into<Bytes>,
        options: impl Into<SendOptions>,
    ) -> Result<(), TrySendError> {
        self.send.try_send(message, options)
    }

    /// Sends the end: see [`SendHalf::finish`].
    ///
    /// # Errors
    /// As for [`SendHalf::finish`].
    pub async fn finish(&mut self) -> Result<(), SendError> {
        self.send.finish().await
    }

    /// Waits for the next message: see [`RecvHalf::recv`].
    ///
    /// # Errors
    /// As for [`RecvHalf::recv`].
    pub async fn recv(&mut self) -> Result<Option<StreamMessage>, CloseReason> {
        self.recv.recv().await
    }

    /// The next message if it has arrived: see [`RecvHalf::try_recv`].
    ///
    /// # Errors
    /// As for [`RecvHalf::try_recv`].
    pub fn try_recv(&mut self) -> Result<Option<StreamMessage>, TryRecvError> {
        self.recv.try_recv()
    }

    /// One half for each direction, for two tasks.
    pub fn into_split(self) -> (RecvHalf, SendHalf) {
        (self.recv, self.send)
    }

    /// The stream as bytes in both directions.
    pub fn into_bytes(self) -> ByteStream {
        ByteStream::new(ByteReader::new(self.recv), ByteWriter::new(self.send))
    }

    #[cfg(feature = "futures")]
    pub(crate) fn halves(&mut self) -> (&mut RecvHalf, &mut SendHalf) {
        (&mut self.recv, &mut self.send)
    }
}
