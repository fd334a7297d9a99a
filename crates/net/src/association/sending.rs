//! Sending messages, by an association or by one of its streams, with and without waiting for room.

use anabranch_sctp::association::{Message, Outgoing};
use anabranch_sctp::wire::{Ppid, StreamId};
use bytes::Bytes;

use super::{Association, SharedHandle};
use crate::send_error::{SendError, TrySendError};
use crate::waiting::until;

/// How a message is sent: by default on stream 0, in its order, with payload protocol 0.
///
/// A [`StreamId`] converts into options with the usual defaults; a received [`Message`] converts into the options with
/// which it was sent, for an answer.
///
/// ```
/// use anabranch_net::{Ppid, SendOptions, StreamId};
///
/// let urgent = SendOptions::on(StreamId::new(3)).ppid(Ppid::new(51)).unordered();
/// assert_eq!((urgent.stream.get(), urgent.ppid.get(), urgent.unordered), (3, 51, true));
/// assert_eq!(SendOptions::from(StreamId::new(3)), SendOptions::on(StreamId::new(3)));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SendOptions {
    /// The stream: messages of a stream arrive in the order in which they were sent, and do not wait for other streams.
    pub stream: StreamId,
    /// The application's identifier for the content of the message; SCTP only carries it.
    pub ppid: Ppid,
    /// True if the message may overtake others of its stream, and be overtaken.
    pub unordered: bool,
}

/// One of an association's streams, for sending: a handle of the association with a fixed stream.
///
/// ```no_run
/// # async fn example(association: anabranch_net::Association) -> Result<(), anabranch_net::SendError> {
/// use anabranch_net::StreamId;
///
/// let (orders, pictures) = (association.stream(StreamId::new(0)), association.stream(StreamId::new(1)));
/// pictures.send(vec![0; 100_000]).await?;
/// orders.send("does not wait for the picture").await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct OutboundStream {
    association: Association,
    options: SendOptions,
}

impl Association {
    /// Sends a message, as soon as there is room for it in the send buffer
    /// ([`Config::send_buffer`](crate::Config::send_buffer)). When this returns, the message is queued and not yet
    /// delivered: [`close`](Association::close) waits for delivery.
    ///
    /// A sender that outruns the network or the reader at the other end waits here: what the association holds is
    /// bounded by its send buffer, whatever the message's size. Waiting senders get room in the order in which they
    /// asked, so that small messages cannot pass a large one for ever.
    ///
    /// Cancellation-safe: if the future is dropped before it completes, nothing of the message is sent, and its place
    /// in the queue is lost. A future that is neither polled nor dropped blocks those that asked after it.
    ///
    /// # Errors
    /// The message can never be sent, or the association is closing or over.
    pub async fn send(
        &self,
        message: impl Into<Bytes>,
        options: impl Into<SendOptions>,
    ) -> Result<(), SendError> {
        // A task that always finds room lets others run all the same.
        tokio::task::consume_budget().await;
        let mut message = options.into().outgoing(message.into());
        let notifiers = &self.owner.notifiers;
        if notifiers.turn.is_free()
            && let Some(answer) = self.offer(&mut message)
        {
            return answer;
        }
        let _turn = notifiers.turn.wait().await;
        until(&notifiers.writable, || self.offer(&mut message)).await
    }

    /// Sends a message if there is room for it now and no sender waits.
    ///
    /// # Errors
    /// There is no room now, and the message is returned; or it can never be sent.
    pub fn try_send(
        &self,
        message: impl Into<Bytes>,
        options: impl Into<SendOptions>,
    ) -> Result<(), TrySendError> {
        let mut message = options.into().outgoing(message.into());
        let is_free = self.owner.notifiers.turn.is_free();
        match is_free.then(|| self.offer(&mut message)).flatten() {
            Some(answer) => answer.map_err(TrySendError::Failed),
            None => Err(TrySendError::Full(message.payload)),
        }
    }

    /// A stream to send on. Whether the peer takes messages on it is known when one is sent.
    pub fn stream(&self, stream: StreamId) -> OutboundStream {
        OutboundStream { association: self.clone(), options: SendOptions::on(stream) }
    }

    /// Hands a message to the core; `None`, and the message stays, if the core has no room now.
    fn offer(&self, message: &mut Outgoing) -> Option<Result<(), SendError>> {
        let SharedHandle { shared, id, .. } = &*self.owner;
        shared.attempt(|core, now| core.try_send(now, *id, message))
    }
}

impl OutboundStream {
    /// Sets the payload protocol of later messages.
    #[must_use]
    pub fn with_ppid(self, ppid: Ppid) -> OutboundStream {
        OutboundStream { options: self.options.ppid(ppid), ..self }
    }

    /// Which stream it is.
    pub fn id(&self) -> StreamId {
        self.options.stream
    }

    /// Sends a message on this stream, in its order, like [`Association::send`], and equally cancellation-safe.
    ///
    /// # Errors
    /// As there.
    pub async fn send(&self, message: impl Into<Bytes>) -> Result<(), SendError> {
        self.association.send(message, self.options).await
    }

    /// Sends a message on this stream if there is room for it now: [`Association::try_send`].
    ///
    /// # Errors
    /// As there.
    pub fn try_send(&self, message: impl Into<Bytes>) -> Result<(), TrySendError> {
        self.association.try_send(message, self.options)
    }
}

impl SendOptions {
    /// In order on `stream`, with payload protocol 0.
    pub const fn on(stream: StreamId) -> SendOptions {
        SendOptions { stream, ppid: Ppid::new(0), unordered: false }
    }

    /// The same with another payload protocol.
    #[must_use]
    pub const fn ppid(self, ppid: Ppid) -> SendOptions {
        SendOptions { ppid, ..self }
    }

    /// The same without an order.
    #[must_use]
    pub const fn unordered(self) -> SendOptions {
        SendOptions { unordered: true, ..self }
    }

    fn outgoing(self, payload: Bytes) -> Outgoing {
        let SendOptions { stream, ppid, unordered } = self;
        Outgoing { stream, ppid, unordered, payload }
    }
}

impl From<StreamId> for SendOptions {
    fn from(stream: StreamId) -> SendOptions {
        SendOptions::on(stream)
    }
}

impl From<&Message> for SendOptions {
    /// As the message was sent: its stream, its payload protocol, its order.
    fn from(message: &Message) -> SendOptions {
        SendOptions { stream: message.stream, ppid: message.ppid, unordered: message.unordered }
    }
}
