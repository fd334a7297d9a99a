//! The messages of a sender until it closes the association.

use anabranch_net::{Association, CloseReason, Event, Events, Message, TryRecvError};
use bytes::Bytes;

/// The messages of a sender until it closes the association.
#[derive(Debug)]
pub(crate) struct MessageStream<'a> {
    association: &'a Association,
    events: Events,
    is_closing: bool,
}

impl MessageStream<'_> {
    /// The messages from now on.
    pub(crate) fn of(association: &Association) -> MessageStream<'_> {
        MessageStream { association, events: association.subscribe(), is_closing: false }
    }

    /// The next message. A sender that closes the association has every verdict and sends nothing more: the files do
    /// not depend on its receiving the answer, and it may be gone before its last packet has arrived.
    ///
    /// # Errors
    /// The reason for which the association ended.
    pub(crate) async fn next(&mut self) -> Result<Bytes, CloseReason> {
        while !self.is_closing {
            tokio::select! {
                biased;
                message = self.association.recv() => return message.map(Message::into_bytes),
                event = self.events.next() => {
                    self.is_closing = matches!(event, None | Some(Ok(Event::PeerClosing)));
                }
            }
        }
        match self.association.try_recv() {
            Ok(message) => Ok(message.into_bytes()),
            Err(TryRecvError::Closed(reason)) => Err(reason),
            Err(_) => Err(CloseReason::Graceful),
        }
    }
}
