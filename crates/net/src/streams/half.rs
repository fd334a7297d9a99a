//! The two directions of a stream.

use std::future::poll_fn;
use std::task::{Context, Poll, ready};

use anabranch_sctp::event::CloseReason;
use anabranch_sctp::wire::StreamId;
use bytes::Bytes;

use super::message::StreamMessage;
use super::mux::{Delivery, Mux, Offer};
use super::port::CorePort;
use crate::association::{Association, SendOptions, TryRecvError};
use crate::send_error::{SendError, TrySendError};

/// The receiving half of a stream. If it is dropped before the [`SendHalf`], what arrives is discarded, and its credit
/// returns to the peer.
#[derive(Debug)]
pub struct RecvHalf {
    association: Association,
    id: StreamId,
    /// True if the peer has sent the end, or the association has ended.
    is_over: bool,
}

/// The sending half of a stream. Dropping it sends nothing: [`finish`](SendHalf::finish) sends an end.
#[derive(Debug)]
pub struct SendHalf {
    association: Association,
    id: StreamId,
    is_finished: bool,
}

impl RecvHalf {
    pub(super) fn new(association: Association, id: StreamId) -> RecvHalf {
        RecvHalf { association, id, is_over: false }
    }

    /// The id of the stream.
    pub fn id(&self) -> StreamId {
        self.id
    }

    /// Waits for the next message, or [part](StreamMessage::part) of one. `None` after the last one, if the peer sent an
    /// [end](SendHalf::finish).
    ///
    /// Messages that have arrived keep their credit until they are received: a reader that pauses stops this stream
    /// alone, if the peer gives credit, and else the association.
    ///
    /// Cancellation-safe: if the future is dropped, no message is lost.
    ///
    /// # Errors
    /// The association has ended, and the last message of the stream was received.
    pub async fn recv(&mut self) -> Result<Option<StreamMessage>, CloseReason> {
        tokio::task::consume_budget().await;
        poll_fn(|context| self.poll_recv(context)).await
    }

    /// The next message, if it has arrived. `None` after the end.
    ///
    /// # Errors
    /// No message has arrived, or the association has ended.
    pub fn try_recv(&mut self) -> Result<Option<StreamMessage>, TryRecvError> {
        if self.is_over {
            return Ok(None);
        }
        let taken = self.association.with_streams(|mux, port| mux.try_read(port, self.id)).flatten();
        match taken.ok_or(TryRecvError::Empty)?.map_err(TryRecvError::Closed)? {
            Delivery::Message(message) => Ok(Some(message)),
            Delivery::End => {
                self.is_over = true;
                Ok(None)
            }
        }
    }

    /// Returns true if both ends agreed on credits for single streams.
    pub(super) fn has_credits(&self) -> bool {
        self.association.with_streams(|mux, _| mux.has_credits()).unwrap_or_default()
    }

    pub(super) fn poll_recv(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Result<Option<StreamMessage>, CloseReason>> {
        if self.is_over {
            return Poll::Ready(Ok(None));
        }
        let mut stale = None;
        let read = |mux: &mut Mux, port: &mut CorePort<'_>| mux.poll_read(port, self.id, context, &mut stale);
        let polled = self.association.with_streams(read);
        Poll::Ready(match polled.map_or(Poll::Pending, |poll| poll) {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(Ok(Delivery::Message(message))) => Ok(Some(message)),
            Poll::Ready(Ok(Delivery::End)) => {
                self.is_over = true;
                Ok(None)
            }
            Poll::Ready(Err(reason)) => Err(reason),
        })
    }
}

impl SendHalf {
    pub(super) fn new(association: Association, id: StreamId) -> SendHalf {
        SendHalf { association, id, is_finished: false }
    }

    /// The id of the stream.
    pub fn id(&self) -> StreamId {
        self.id
    }

    /// Sends a message as soon as the stream has credit for it and the send buffer has room. The stream of `options` is
    /// not used. When this returns, the message is queued and not yet delivered.
    ///
    /// Cancellation-safe: if the future is dropped before it completes, nothing of the message is sent.
    ///
    /// # Errors
    /// The message can never be sent, or the association is closing or has ended.
    pub async fn send(
        &mut self,
        message: impl Into<Bytes>,
        options: impl Into<SendOptions>,
    ) -> Result<(), SendError> {
        tokio::task::consume_budget().await;
        let (message, options) = (message.into(), options.into());
        poll_fn(|context| self.poll_idle(Some(context))).await?;
        match self.offer(message, options) {
            Offer::Sent => Ok(()),
            Offer::Refused(error) => Err(error),
            Offer::Waiting => self.sent().await,
        }
    }

    /// Sends a message if it need not wait for credit or room.
    ///
    /// # Errors
    /// It would have to wait, and the message is returned; or it can never be sent.
    pub fn try_send(
        &mut self,
        message: impl Into<Bytes>,
        options: impl Into<SendOptions>,
    ) -> Result<(), TrySendError> {
        let message = message.into();
        match self.poll_idle(None) {
            Poll::Pending => return Err(TrySendError::Full(message)),
            Poll::Ready(earlier) => earlier?,
        }
        match self.offer(message, options.into()) {
            Offer::Sent => Ok(()),
            Offer::Refused(error) => Err(error.into()),
            Offer::Waiting => Err(TrySendError::Full(self.withdraw().unwrap_or_default())),
        }
    }

    /// Sends the end of the stream behind all messages: the peer's [`RecvHalf::recv`] returns `None`. No message follows.
    /// A peer without credits has no such end: nothing is sent to it.
    ///
    /// Cancellation-safe: if the future is dropped before it completes, the end is not sent.
    ///
    /// # Errors
    /// The association is closing or has ended.
    pub async fn finish(&mut self) -> Result<(), SendError> {
        poll_fn(|context| self.poll_idle(Some(context))).await?;
        let offer = self.offer_end();
        let result = match offer {
            Some(Offer::Waiting) => self.sent().await,
            Some(Offer::Refused(error)) => Err(error),
            Some(Offer::Sent) | None => Ok(()),
        };
        self.is_finished |= result.is_ok();
        result
    }

    /// Returns true if both ends agreed on credits for single streams.
    pub(super) fn has_credits(&self) -> bool {
        self.association.with_streams(|mux, _| mux.has_credits()).unwrap_or_default()
    }

    /// Waits until the message that waits was sent; takes it back if the future is dropped.
    async fn sent(&mut self) -> Result<(), SendError> {
        let waiting = Waiting(self);
        poll_fn(|context| waiting.0.poll_idle(Some(context))).await
    }

    /// Ready if no message waits.
    fn poll_idle(&self, context: Option<&mut Context<'_>>) -> Poll<Result<(), SendError>> {
        let mut stale = None;
        let polled = self.association.with_streams(|mux, _| mux.poll_idle(self.id, context, &mut stale));
        polled.unwrap_or(Poll::Ready(Err(SendError::Closing)))
    }

    fn offer(&self, message: Bytes, options: SendOptions) -> Offer {
        if self.is_finished {
            return Offer::Refused(SendError::Finished);
        }
        let options = SendOptions { stream: self.id, ..options };
        let message = options.outgoing(message, || self.association.now());
        let offer = self.association.with_streams(|mux, port| mux.offer(port, message));
        offer.unwrap_or(Offer::Refused(SendError::Closing))
    }

    /// Offers the end, unless it was sent or the peer has none.
    fn offer_end(&self) -> Option<Offer> {
        if self.is_finished || !self.has_credits() {
            return None;
        }
        self.association.with_streams(|mux, port| mux.offer_end(port, self.id))
    }

    fn withdraw(&self) -> Option<Bytes> {
        self.association.with_streams(|mux, port| {
            let taken = mux.withdraw(self.id);
            mux.turn(port);
            taken
        })?
    }
}

/// Takes the message that waits back when it is dropped.
struct Waiting<'a>(&'a SendHalf);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.withdraw();
    }
}

impl RecvHalf {
    /// The next message as an item; `None` after the end, and after the reason for which the association ended.
    #[cfg(feature = "futures")]
    pub(crate) fn poll_item(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<StreamMessage, CloseReason>>> {
        let result = ready!(self.poll_recv(context));
        self.is_over |= result.is_err();
        Poll::Ready(match result {
            Err(CloseReason::Graceful) => None,
            other => other.transpose(),
        })
    }
}

impl SendHalf {
    /// Waits until no message waits.
    pub(crate) fn poll_sent(&mut self, context: &mut Context<'_>) -> Poll<Result<(), SendError>> {
        self.poll_idle(Some(context))
    }

    /// Sends a message with the default options, or lets it wait: one may.
    pub(crate) fn send_or_keep(&mut self, message: Bytes) -> Result<(), SendError> {
        match self.offer(message, SendOptions::default()) {
            Offer::Sent | Offer::Waiting => Ok(()),
            Offer::Refused(error) => Err(error),
        }
    }

    /// Sends what waits, and the [end](SendHalf::finish).
    pub(crate) fn poll_finish(&mut self, context: &mut Context<'_>) -> Poll<Result<(), SendError>> {
        ready!(self.poll_idle(Some(context)))?;
        let offer = self.offer_end();
        self.is_finished = true;
        match offer {
            Some(Offer::Refused(error)) => Poll::Ready(Err(error)),
            _ => self.poll_idle(Some(context)),
        }
    }
}

impl Drop for RecvHalf {
    fn drop(&mut self) {
        self.association.with_streams(|mux, port| mux.close_reader(port, self.id));
    }
}

impl Drop for SendHalf {
    fn drop(&mut self) {
        self.association.with_streams(|mux, port| mux.close_writer(port, self.id));
    }
}
