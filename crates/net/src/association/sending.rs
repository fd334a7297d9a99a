//! Sending messages, by an association or by one of its streams, with and without waiting for room.

use std::time::Duration;

use anabranch_base::Time;
use anabranch_sctp::association::{Message, Outgoing, Reliability};
use anabranch_sctp::wire::{Ppid, StreamId};
use bytes::Bytes;
use tokio::time::{Instant, timeout_at};

use super::{Association, SharedHandle};
use crate::send_error::{SendError, TrySendError};
use crate::waiting::until;

/// The options of a message: by default stream 0, ordered, with payload protocol identifier 0, never given up.
///
/// A [`StreamId`] converts into options with the other defaults. A received [`Message`] converts into the options
/// with which it was sent, for an answer.
///
/// ```
/// use std::time::Duration;
///
/// use anabranch_net::{Effort, Ppid, SendOptions, StreamId};
///
/// let urgent = SendOptions::on(StreamId::new(3)).ppid(Ppid::new(51)).unordered();
/// assert_eq!((urgent.stream.get(), urgent.ppid.get(), urgent.unordered), (3, 51, true));
/// let frame = SendOptions::default().lifetime(Duration::from_millis(100));
/// assert_eq!(frame.effort, Effort::Lifetime(Duration::from_millis(100)));
/// assert!(urgent.immediate().immediate);
/// assert_eq!(frame.retransmissions(1).effort, Effort::Retransmissions(1));
/// assert_eq!(frame.priority(3).effort, Effort::Priority(3));
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
    /// The effort after which the message is given up.
    pub effort: Effort,
    /// True if the receiver acknowledges the message without delay (RFC 7053).
    pub immediate: bool,
}

/// The effort for a message (RFC 3758, RFC 7496). A message that is given up is not delivered, later ones do not wait for
/// it, [`Event::GivenUp`](crate::Event::GivenUp) reports it, and [`Association::given_up`] counts it.
///
/// Every message has full effort unless both ends set
/// [`Config::partial_reliability`](crate::Config::partial_reliability).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Effort {
    /// The message is never given up.
    #[default]
    Full,
    /// The message is given up this long after the call, on every path and whether it was sent or not. A call that still
    /// waits for room then fails with [`SendError::Expired`].
    Lifetime(Duration),
    /// The message is given up when a part of it is lost after this many retransmissions.
    Retransmissions(u32),
    /// The message is given up when the send buffer has no room for a message of a lower value.
    Priority(u32),
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
    /// Sends a message as soon as the send buffer ([`Config::send_buffer`](crate::Config::send_buffer)) has room for
    /// it. When this returns, the message is queued and not yet delivered: [`close`](Association::close) waits for
    /// delivery.
    ///
    /// A sender faster than the network or the reader at the other end waits here: the association holds no more than
    /// its send buffer, whatever the message's size. Waiting senders get room in the order of their calls, so that
    /// small messages cannot overtake a large one indefinitely.
    ///
    /// Cancellation-safe: if the future is dropped before it completes, nothing of the message is sent, and its place
    /// in the queue is lost. A future that is neither polled nor dropped blocks later callers.
    ///
    /// # Errors
    /// The message can never be sent, its [lifetime](Effort::Lifetime) ended before there was room for it
    /// ([`SendError::Expired`]), or the association is closing or has ended.
    pub async fn send(
        &self,
        message: impl Into<Bytes>,
        options: impl Into<SendOptions>,
    ) -> Result<(), SendError> {
        // A task that always finds room must still let others run.
        tokio::task::consume_budget().await;
        let mut message = options.into().outgoing(message.into(), || self.owner.shared.now());
        let notifiers = &self.owner.notifiers;
        if notifiers.send_queue.is_free()
            && let Some(answer) = self.offer(&mut message)
        {
            return answer;
        }
        let expiry = self.expiry(message.reliability);
        let waiting = async {
            let _turn = notifiers.send_queue.wait().await;
            until(&notifiers.writable, || self.offer(&mut message)).await
        };
        match expiry {
            None => waiting.await,
            Some(expiry) => timeout_at(expiry, waiting).await.unwrap_or(Err(SendError::Expired)),
        }
    }

    /// Sends a message if there is room for it now and no sender waits.
    ///
    /// # Errors
    /// The send buffer is full, and the message is returned; or the message can never be sent.
    pub fn try_send(
        &self,
        message: impl Into<Bytes>,
        options: impl Into<SendOptions>,
    ) -> Result<(), TrySendError> {
        let mut message = options.into().outgoing(message.into(), || self.owner.shared.now());
        let is_free = self.owner.notifiers.send_queue.is_free();
        match is_free.then(|| self.offer(&mut message)).flatten() {
            Some(answer) => answer.map_err(TrySendError::Failed),
            None => Err(TrySendError::Full(message.payload)),
        }
    }

    /// A stream to send on. Sending fails if the peer does not accept messages on it.
    pub fn stream(&self, stream: StreamId) -> OutboundStream {
        OutboundStream { association: self.clone(), options: SendOptions::on(stream) }
    }

    /// Gives a stream a value for [`Config::stream_scheduler`](crate::Config::stream_scheduler): its priority, of which the
    /// lowest is sent first, by default 0; or its weight, by default 1. Other schedulers ignore it.
    pub fn set_stream_value(&self, stream: StreamId, value: u16) {
        let SharedHandle { shared, id, .. } = &*self.owner;
        if let Some(association) = shared.lock().endpoint.association_mut(*id) {
            association.set_stream_value(stream, value);
        }
    }

    /// The instant until which a message may wait for room; `None` for ever.
    fn expiry(&self, reliability: Reliability) -> Option<Instant> {
        let Reliability::Until(deadline) = reliability else { return None };
        let is_limited = self.has_partial_reliability();
        is_limited.then(|| self.owner.shared.lock().instant(deadline))
    }

    /// Passes a message to the core; `None` if the core has no room, and `message` stays unchanged.
    fn offer(&self, message: &mut Outgoing) -> Option<Result<(), SendError>> {
        let SharedHandle { shared, id, .. } = &*self.owner;
        shared.attempt(|core, now| core.try_send(now, *id, message))
    }
}

impl OutboundStream {
    /// Sets the payload protocol identifier of later messages.
    #[must_use]
    pub fn with_ppid(self, ppid: Ppid) -> OutboundStream {
        OutboundStream { options: self.options.ppid(ppid), ..self }
    }

    /// The stream's id.
    pub fn id(&self) -> StreamId {
        self.options.stream
    }

    /// Sends an ordered message on this stream, like [`Association::send`], and equally cancellation-safe.
    ///
    /// # Errors
    /// As for [`Association::send`].
    pub async fn send(&self, message: impl Into<Bytes>) -> Result<(), SendError> {
        self.association.send(message, self.options).await
    }

    /// Sends an ordered message on this stream if there is room for it now, like [`Association::try_send`].
    ///
    /// # Errors
    /// As for [`Association::try_send`].
    pub fn try_send(&self, message: impl Into<Bytes>) -> Result<(), TrySendError> {
        self.association.try_send(message, self.options)
    }
}

impl SendOptions {
    /// Ordered on `stream`, with payload protocol identifier 0.
    pub const fn on(stream: StreamId) -> SendOptions {
        SendOptions { stream, ppid: Ppid::new(0), unordered: false, effort: Effort::Full, immediate: false }
    }

    /// Sets the payload protocol identifier.
    #[must_use]
    pub const fn ppid(self, ppid: Ppid) -> SendOptions {
        SendOptions { ppid, ..self }
    }

    /// Sends the message unordered.
    #[must_use]
    pub const fn unordered(self) -> SendOptions {
        SendOptions { unordered: true, ..self }
    }

    /// Asks the receiver to acknowledge the message without delay (RFC 7053): the sender waits for it.
    #[must_use]
    pub const fn immediate(self) -> SendOptions {
        SendOptions { immediate: true, ..self }
    }

    /// Gives the message up this long after it was passed to [`Association::send`]. It is not sent if it would arrive later on
    /// every path.
    #[must_use]
    pub const fn lifetime(self, lifetime: Duration) -> SendOptions {
        SendOptions { effort: Effort::Lifetime(lifetime), ..self }
    }

    /// Gives the message up when it is lost after this many retransmissions.
    #[must_use]
    pub const fn retransmissions(self, most: u32) -> SendOptions {
        SendOptions { effort: Effort::Retransmissions(most), ..self }
    }

    /// Gives the message up when a message of a lower value needs its room in the send buffer.
    #[must_use]
    pub const fn priority(self, value: u32) -> SendOptions {
        SendOptions { effort: Effort::Priority(value), ..self }
    }

    /// The message for the core. `now` is read only for a lifetime.
    pub(crate) fn outgoing(self, payload: Bytes, now: impl FnOnce() -> Time) -> Outgoing {
        let SendOptions { stream, ppid, unordered, effort, immediate } = self;
        let reliability = match effort {
            Effort::Full => Reliability::Full,
            Effort::Lifetime(lifetime) => Reliability::Until(now() + lifetime.into()),
            Effort::Retransmissions(most) => Reliability::Retransmissions(most),
            Effort::Priority(value) => Reliability::Priority(value),
        };
        Outgoing { stream, ppid, unordered, immediate, reliability, payload }
    }
}

impl From<StreamId> for SendOptions {
    fn from(stream: StreamId) -> SendOptions {
        SendOptions::on(stream)
    }
}

impl From<&Message> for SendOptions {
    /// The options with which the message was sent, with full effort: stream, payload protocol identifier, order.
    fn from(message: &Message) -> SendOptions {
        let Message { stream, ppid, unordered, .. } = *message;
        SendOptions { stream, ppid, unordered, ..SendOptions::default() }
    }
}
