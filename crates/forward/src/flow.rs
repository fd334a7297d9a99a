//! A flow: one stream of an association, which carries one TCP connection or one UDP mapping.

mod pipe;

use std::time::Duration;

use anabranch_net::streams::{RecvHalf, SendHalf};
use anabranch_net::{CloseReason, SendError, SendOptions, Stream, StreamId};
use bytes::Bytes;
use tokio::time::{sleep, timeout};

use crate::rate::Rate;
use crate::signal::{BYTES, DATAGRAM, Refused, SIGNAL, Signal, SignalError};

pub(crate) use pipe::{pipe, reset};

/// A stream that carries a flow.
#[derive(Debug)]
pub(crate) struct Flow {
    pub(crate) reader: FlowReader,
    pub(crate) writer: FlowWriter,
    /// True if this end opened the stream, and may open it again.
    is_ours: bool,
}

/// The direction from the other end.
#[derive(Debug)]
pub(crate) struct FlowReader {
    recv: RecvHalf,
    rate: Rate,
}

/// The direction to the other end.
#[derive(Debug)]
pub(crate) struct FlowWriter {
    send: SendHalf,
    rate: Rate,
}

/// Something that arrives on a flow.
#[derive(Debug)]
pub(crate) enum Arrived {
    /// Bytes of the connection.
    Bytes(Bytes),
    /// A datagram, behind its destination or source.
    Datagram(Bytes),
    /// A signal.
    Signal(Signal),
}

/// The reason for which a flow cannot go on.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FlowError {
    /// The association has ended.
    #[error("the bond to the other end has ended: {0}")]
    Closed(#[from] CloseReason),
    /// Nothing can be sent.
    #[error("the bond to the other end is closing: {0}")]
    Send(#[from] SendError),
    /// The peer sent what the protocol does not allow.
    #[error("the other end sent {0}")]
    Signal(#[from] SignalError),
    /// The peer sent a message of an unknown kind, or where another was expected.
    #[error("the other end sent an unexpected message")]
    Unexpected,
    /// The flow was not opened.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// No answer came.
    #[error("no answer from the other end within {} s", ANSWER.as_secs())]
    NoAnswer,
}

impl Flow {
    /// The flow of `stream`, at a limited rate.
    pub(crate) fn new(stream: Stream, rate: &Rate) -> Flow {
        let (recv, send) = stream.into_split();
        Flow {
            reader: FlowReader { recv, rate: rate.clone() },
            writer: FlowWriter { send, rate: rate.clone() },
            is_ours: false,
        }
    }

    /// The flow of `stream`, which this end opened.
    pub(crate) fn opened_here(stream: Stream, rate: &Rate) -> Flow {
        Flow { is_ours: true, ..Flow::new(stream, rate) }
    }

    /// The stream.
    pub(crate) fn id(&self) -> StreamId {
        self.reader.recv.id()
    }

    /// Asks the other end to open the flow, and waits for the answer.
    ///
    /// # Errors
    /// It refuses, does not answer, or breaks the protocol.
    pub(crate) async fn ask(&mut self, signal: &Signal) -> Result<Signal, FlowError> {
        self.writer.signal(signal).await?;
        let answer = timeout(ANSWER, self.reader.next()).await.map_err(|_| FlowError::NoAnswer)??;
        match answer {
            Some(Arrived::Signal(Signal::Refused(refused))) => Err(refused.into()),
            Some(Arrived::Signal(opened @ Signal::Opened(_))) => Ok(opened),
            _ => Err(FlowError::Unexpected),
        }
    }

    /// Answers that the flow is not opened, and ends it.
    pub(crate) async fn refuse(mut self, refused: Refused) {
        let _ = self.writer.signal(&Signal::Refused(refused)).await;
        self.end().await;
    }

    /// Ends the flow in both directions: what still arrives is dropped, and the stream can be used again when both ends
    /// have ended it.
    pub(crate) async fn end(mut self) {
        let ended = async {
            self.writer.finish().await?;
            while self.reader.next().await?.is_some() {}
            Ok::<(), FlowError>(())
        };
        // A peer that violates the protocol loses the stream.
        let _ = ended.await;
        if self.is_ours {
            // A datagram that the end overtook arrives before that, and would be taken for one of the next flow.
            sleep(REST).await;
        }
    }
}

impl FlowReader {
    /// The next message; `None` after the end.
    ///
    /// # Errors
    /// The association has ended, or the peer broke the protocol.
    pub(crate) async fn next(&mut self) -> Result<Option<Arrived>, FlowError> {
        let Some(message) = self.recv.recv().await? else { return Ok(None) };
        let ppid = message.ppid;
        // Signals open and end flows, and do not wait behind the bytes of others.
        if ppid != SIGNAL {
            self.rate.take(message.len()).await;
        }
        let bytes = message.into_bytes();
        Ok(Some(match ppid {
            BYTES => Arrived::Bytes(bytes),
            DATAGRAM => Arrived::Datagram(bytes),
            SIGNAL => Arrived::Signal(Signal::decode(&bytes)?),
            _ => return Err(FlowError::Unexpected),
        }))
    }
}

impl FlowWriter {
    /// Sends bytes of the connection.
    ///
    /// # Errors
    /// The association is ending.
    pub(crate) async fn bytes(&mut self, bytes: Bytes) -> Result<(), FlowError> {
        self.rate.take(bytes.len()).await;
        Ok(self.send.send(bytes, SendOptions::default().ppid(BYTES)).await?)
    }

    /// Sends a datagram, which is given up when it is too old to matter. It is dropped if it cannot leave before that.
    ///
    /// # Errors
    /// The association is ending.
    pub(crate) async fn datagram(&mut self, datagram: Bytes) -> Result<(), FlowError> {
        self.rate.take(datagram.len()).await;
        let options = SendOptions::default().ppid(DATAGRAM).unordered().lifetime(LIFETIME);
        match timeout(LIFETIME, self.send.send(datagram, options)).await {
            Err(_) | Ok(Ok(()) | Err(SendError::Expired | SendError::BeyondCredit { .. })) => Ok(()),
            Ok(Err(error)) => Err(error.into()),
        }
    }

    /// Sends a signal.
    ///
    /// # Errors
    /// The association is ending.
    pub(crate) async fn signal(&mut self, signal: &Signal) -> Result<(), FlowError> {
        Ok(self.send.send(signal.encode(), SendOptions::default().ppid(SIGNAL)).await?)
    }

    /// Sends the end, behind which nothing follows.
    ///
    /// # Errors
    /// The association is ending.
    pub(crate) async fn finish(&mut self) -> Result<(), FlowError> {
        Ok(self.send.finish().await?)
    }
}

/// The time for the answer to a request: the far end looks a name up and connects meanwhile.
const ANSWER: Duration = Duration::from_secs(60);
/// The time after which an ended stream may be opened again.
const REST: Duration = Duration::from_secs(1);
/// The age at which a datagram is given up.
const LIFETIME: Duration = Duration::from_millis(500);
