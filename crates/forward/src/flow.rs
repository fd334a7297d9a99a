//! A flow: one stream of an association, which carries one TCP connection or one UDP mapping.

mod carrier;
mod pipe;

use std::sync::Arc;
use std::time::Duration;

use anabranch_net::streams::{RecvHalf, SendHalf};
use anabranch_net::{CloseReason, SendError, SendOptions, Stream, StreamId};
use bytes::Bytes;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use crate::destination::Destination;
use crate::ledger::{Entry, Ledger, NewFlow, Traffic};
use crate::rate::Rate;
use crate::signal::{BYTES, DATAGRAM, Refused, SIGNAL, Signal, SignalError};

pub(crate) use carrier::Carrier;
pub(crate) use pipe::{pipe, pipe_until, reset};

/// A stream that carries a flow.
#[derive(Debug)]
pub(crate) struct Flow {
    pub(crate) reader: FlowReader,
    pub(crate) writer: FlowWriter,
    carrier: Carrier,
    /// True if this end opened the stream, and may open it again.
    is_ours: bool,
    /// The place in the ledger while it carries a connection or datagrams.
    entry: Option<Entry>,
}

/// The direction from the other end.
#[derive(Debug)]
pub(crate) struct FlowReader {
    recv: RecvHalf,
    rate: Rate,
    traffic: Arc<Traffic>,
}

/// The direction to the other end.
#[derive(Debug)]
pub(crate) struct FlowWriter {
    send: SendHalf,
    rate: Rate,
    traffic: Arc<Traffic>,
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
    /// The peer sent a message that is longer than any of its kind.
    #[error("the other end sent a message of {0} bytes, which is too long")]
    TooLong(usize),
    /// The flow was not opened.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// No answer came.
    #[error("no answer from the other end within {} s", ANSWER.as_secs())]
    NoAnswer,
}

impl Flow {
    /// The flow of `stream`, which the other end opened, at a limited rate.
    pub(crate) fn new(stream: Stream, carrier: &Carrier, rate: &Rate) -> Flow {
        let (recv, send) = stream.into_split();
        let traffic = Arc::<Traffic>::default();
        Flow {
            reader: FlowReader { recv, rate: rate.clone(), traffic: Arc::clone(&traffic) },
            writer: FlowWriter { send, rate: rate.clone(), traffic },
            carrier: carrier.clone(),
            is_ours: false,
            entry: None,
        }
    }

    /// Enters a flow that is open in `ledger`, until it ends. The destination of datagrams is that of the first one.
    pub(crate) fn enter(&mut self, ledger: &Ledger, new: NewFlow<'_>, destination: Option<Destination>) {
        let traffic = &self.writer.traffic;
        if let Some(destination) = destination {
            traffic.leads_to(destination);
        }
        self.entry = Some(ledger.enter(new, traffic));
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

    /// Waits until `until` for the request that opens the flow. A datagram before it was overtaken by the end of the
    /// stream's last flow. `None` without a request, and for an end, which the other end would answer with another.
    ///
    /// # Errors
    /// The first message is not a signal.
    pub(crate) async fn request(&mut self, until: Instant) -> Result<Option<Signal>, FlowError> {
        loop {
            match timeout_at(until, self.reader.next()).await {
                Ok(Ok(Some(Arrived::Signal(request)))) => return Ok(Some(request)),
                Ok(Ok(Some(Arrived::Datagram(_)))) => {}
                Ok(Ok(Some(Arrived::Bytes(_)))) => return Err(FlowError::Unexpected),
                Ok(Ok(None)) | Err(_) => return Ok(None),
                Ok(Err(error)) => return Err(error),
            }
        }
    }

    /// Answers that the flow is not opened, and ends it.
    pub(crate) async fn refuse(mut self, refused: Refused) {
        let refusing = async {
            let _ = self.writer.signal(&Signal::Refused(refused)).await;
            self.end().await;
        };
        // A flow that was refused does not count: one whose end does not come must not stay.
        let _ = timeout(PARTING, refusing).await;
    }

    /// Ends a flow that was not opened, as [`Flow::end`], within a moment.
    pub(crate) async fn dismiss(self) {
        let _ = timeout(PARTING, self.end()).await;
    }

    /// Tells the other end that the connection was reset, and ends the flow. To an end that does not read, the news has a
    /// stream of its own, as TCP delivers a reset to a program that does not read. This end of the flow stays until the other
    /// end has answered, so that a late reset cannot meet the next flow of the stream.
    pub(crate) async fn reset(mut self) {
        self.tell_reset().await;
        self.end().await;
    }

    /// Ends the flow in both directions: what still arrives is dropped, and the stream can be used again when both ends
    /// have ended it.
    pub(crate) async fn end(mut self) {
        self.entry = None;
        // Both at once: the end may wait for credit that the other end gives when its own was read.
        let Flow { reader, writer, .. } = &mut self;
        let all_read = async {
            while reader.next().await?.is_some() {}
            Ok::<(), FlowError>(())
        };
        let ended = async { tokio::try_join!(biased; writer.finish(), all_read) };
        // A peer that violates the protocol loses the stream.
        let _ = ended.await;
        if self.is_ours {
            // A datagram that the end overtook arrives before that, and would be taken for one of the next flow.
            sleep(REST).await;
        }
    }

    /// Waits until the other end knows of the reset.
    async fn tell_reset(&mut self) {
        let id = self.id();
        let Flow { reader, writer, carrier, .. } = self;
        let heard = async {
            // If both ends reset, neither waits for the end of the other.
            while !matches!(reader.next().await?, None | Some(Arrived::Signal(Signal::Reset))) {}
            Ok::<(), FlowError>(())
        };
        // Both at once: where neither end reads any more, the signal waits for credit, and so does that of the other end.
        let told = async { tokio::try_join!(biased; writer.signal(&Signal::Reset), heard) };
        tokio::pin!(told);
        tokio::select! {
            _ = &mut told => {}
            () = sleep(GRACE) => {
                let _ = tokio::join!(told, carrier.tell_broken(id));
            }
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
        let most = match ppid {
            BYTES => MOST_BYTES,
            DATAGRAM => MOST_DATAGRAM,
            _ => MOST_SIGNAL,
        };
        // A flow holds one message, which no longer counts against the receive buffer.
        if message.len() > most {
            return Err(FlowError::TooLong(message.len()));
        }
        // Signals open and end flows, and do not wait behind the bytes of others.
        if ppid != SIGNAL {
            self.rate.take(message.len()).await;
        }
        let bytes = message.into_bytes();
        Ok(Some(match ppid {
            BYTES => {
                self.traffic.on_received(bytes.len());
                Arrived::Bytes(bytes)
            }
            DATAGRAM => {
                self.traffic.on_received(self.traffic.payload(&bytes));
                Arrived::Datagram(bytes)
            }
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
        self.turn(bytes.len()).await;
        self.bytes_now(bytes).await
    }

    /// Waits until this many bytes may pass at the rate.
    async fn turn(&mut self, bytes: usize) {
        self.rate.take(bytes).await;
    }

    /// Sends bytes whose [`turn`](FlowWriter::turn) has come, as soon as the other end has room for them.
    async fn bytes_now(&mut self, bytes: Bytes) -> Result<(), FlowError> {
        let length = bytes.len();
        self.send.send(bytes, SendOptions::default().ppid(BYTES)).await?;
        self.traffic.on_sent(length);
        Ok(())
    }

    /// Sends a datagram, which is given up when it is too old to matter. It is dropped if it cannot leave before that.
    ///
    /// # Errors
    /// The association is ending.
    pub(crate) async fn datagram(&mut self, datagram: Bytes) -> Result<(), FlowError> {
        self.rate.take(datagram.len()).await;
        let options = SendOptions::default().ppid(DATAGRAM).unordered().lifetime(LIFETIME);
        let payload = self.traffic.payload(&datagram);
        match timeout(LIFETIME, self.send.send(datagram, options)).await {
            Ok(Ok(())) => {
                self.traffic.on_sent(payload);
                Ok(())
            }
            Err(_) | Ok(Err(SendError::Expired | SendError::BeyondCredit { .. })) => Ok(()),
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
/// The time for which the end of a flow that was not opened is awaited.
const PARTING: Duration = Duration::from_secs(10);
/// The time for which a connection that was reset waits for room at the other end.
const GRACE: Duration = Duration::from_millis(300);
/// The longest message with bytes: one that is read from a connection, or what a program sent behind its request.
const MOST_BYTES: usize = 20 * 1024;
/// The longest message with a datagram and its destination.
const MOST_DATAGRAM: usize = 65_535 + 259;
/// The longest signal.
const MOST_SIGNAL: usize = 1024;
/// The age at which a datagram is given up.
const LIFETIME: Duration = Duration::from_millis(500);
