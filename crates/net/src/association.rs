//! The handle of an association: sending, receiving, ending it, and watching its paths. It knows no packet;
//! every method locks the core for a moment and waits without the lock.

use std::sync::Arc;

use anabranch_base::ByteCount;
use anabranch_sctp::association::{self as core, Outgoing};
use anabranch_sctp::endpoint::AssociationId;
use anabranch_sctp::event::{CloseReason, Event};
use anabranch_sctp::policy::PathId;
use anabranch_sctp::receive::Message;
use tokio::sync::broadcast;

use crate::report::{PathReport, Unsent};
use crate::shared::Shared;
use crate::slot::{Phase, Signals};

/// An open association with a peer.
///
/// Clones are handles of the same association. When the last one is gone, an open association is aborted; one
/// that is closing, by either end, ends by itself.
#[derive(Clone, Debug)]
pub struct Association {
    owner: Arc<Owner>,
}

/// Its end is the end of the last handle.
#[derive(Debug)]
struct Owner {
    shared: Arc<Shared>,
    id: AssociationId,
    signals: Arc<Signals>,
}

/// Why a message was not sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// This message cannot be sent, now or ever.
    #[error(transparent)]
    Refused(#[from] core::SendError),
    /// The association is closing: what was sent before is still delivered.
    #[error("the association is closing")]
    Closing,
    /// The association is over.
    #[error("{0}")]
    Closed(CloseReason),
}

/// What happens to an association, for one listener.
#[derive(Debug)]
pub struct Events {
    receiver: Option<broadcast::Receiver<Event>>,
}

impl Association {
    pub(crate) fn new(shared: Arc<Shared>, id: AssociationId, signals: Arc<Signals>) -> Association {
        Association { owner: Arc::new(Owner { shared, id, signals }) }
    }

    /// Gives a message to be sent, when there is room for it in the send buffer. It is on its way when this
    /// answers, and not yet delivered: [`close`](Association::close) waits for that.
    ///
    /// Cancellation-safe: if the future is dropped before it answered, the message is not sent. Messages of
    /// one task leave in order; of several tasks that wait, a small message may pass a large one.
    ///
    /// # Errors
    /// The message can never be sent, or the association is closing or over.
    pub async fn send(&self, message: Outgoing) -> Result<(), SendError> {
        let Owner { shared, id, signals } = &*self.owner;
        loop {
            let writable = signals.writable.notified();
            let answer = shared.attempt(|core, now| match core.try_send(now, *id, message.clone()) {
                Err(SendError::Refused(core::SendError::BufferFull { .. })) => None,
                answer => Some(answer),
            });
            if let Some(answer) = answer {
                return answer;
            }
            writable.await;
        }
    }

    /// The next message, when it has arrived whole and in its turn.
    ///
    /// Cancellation-safe: if the future is dropped, no message is lost.
    ///
    /// # Errors
    /// How the association ended, after the last message.
    pub async fn receive(&self) -> Result<Message, CloseReason> {
        let Owner { shared, id, signals } = &*self.owner;
        loop {
            let readable = signals.readable.notified();
            // What is taken makes room, of which the peer may have to be told.
            let taken = shared.attempt(|core, _| match core.association(*id)?.receive() {
                Some(message) => Some(Ok(message)),
                None => core.close_reason(*id).map(Err),
            });
            match taken {
                Some(result) => return result,
                None => readable.await,
            }
        }
    }

    /// Ends the association in order and waits until it is over: what was sent is delivered first. Messages of
    /// the peer that arrive until then can still be received, by another handle or afterwards.
    ///
    /// Cancellation-safe: the end that has begun goes on.
    pub async fn close(&self) -> CloseReason {
        let Owner { shared, id, .. } = &*self.owner;
        shared.change(|core, now| core.close(now, *id));
        self.closed().await
    }

    /// Waits until the association is over, by whomever.
    pub async fn closed(&self) -> CloseReason {
        loop {
            let changed = self.owner.signals.changed.notified();
            if let Phase::Closed(reason) = self.phase() {
                return reason;
            }
            changed.await;
        }
    }

    /// Ends the association at once; the peer is told `why`. What is not acknowledged may be lost.
    pub fn abort(&self, why: &str) {
        let Owner { shared, id, .. } = &*self.owner;
        shared.change(|core, _| {
            if let Some(association) = core.association(*id) {
                association.abort(why);
            }
        });
    }

    /// Whether messages may be sent.
    pub fn is_open(&self) -> bool {
        self.phase() == Phase::Open
    }

    /// User data that was sent and is not acknowledged by the peer.
    pub fn unacknowledged(&self) -> ByteCount {
        let Owner { shared, id, .. } = &*self.owner;
        let core = shared.lock();
        core.endpoint.association(*id).map_or(ByteCount::ZERO, core::Association::unacknowledged)
    }

    /// Every path there is or was, in order of their ids.
    pub fn paths(&self) -> Vec<PathReport> {
        let Owner { shared, id, .. } = &*self.owner;
        let core = shared.lock();
        let now = core.now();
        let Some(association) = core.endpoint.association(*id) else { return Vec::new() };
        let report = |sample: &anabranch_sctp::policy::PathSample| {
            let addresses = association.path_addresses(sample.id);
            let mut sockets = core.sockets.iter();
            let socket = sockets.find(|socket| {
                socket.address.port() == addresses.local.port()
                    && (socket.address.ip() == addresses.local.ip() || socket.address.ip().is_unspecified())
            });
            PathReport {
                id: sample.id,
                addresses,
                sample: sample.clone(),
                counters: association.path_counters(sample.id),
                limits: association.time_in_limit(now, sample.id),
                mean_cwnd: association.mean_cwnd(now, sample.id),
                unsent: socket.map_or_else(Unsent::default, |socket| socket.unsent.clone()),
            }
        };
        association.paths().iter().map(report).collect()
    }

    /// Data goes to `path` when only one is used. Unknown paths are passed over.
    pub fn set_primary(&self, path: PathId) {
        let Owner { shared, id, .. } = &*self.owner;
        shared.change(|core, _| {
            if let Some(association) = core.association(*id) {
                association.set_primary(path);
            }
        });
    }

    /// What happens to the association from now on, for one listener; there may be many.
    pub fn subscribe(&self) -> Events {
        let Owner { shared, id, .. } = &*self.owner;
        Events { receiver: shared.lock().subscribe(*id) }
    }

    /// Waits until the handshake is done.
    pub(crate) async fn opened(&self) -> Result<(), CloseReason> {
        loop {
            let changed = self.owner.signals.changed.notified();
            match self.phase() {
                Phase::Opening => changed.await,
                Phase::Open | Phase::Closing => return Ok(()),
                Phase::Closed(reason) => return Err(reason),
            }
        }
    }

    fn phase(&self) -> Phase {
        self.owner.shared.lock().phase(self.owner.id)
    }
}

impl Events {
    /// The next event; all but [`Event::Readable`] and [`Event::Writable`] are told. `None` after the last one. A
    /// listener that lags behind by more than 64 events misses the oldest.
    ///
    /// Cancellation-safe: if the future is dropped, no event is lost.
    pub async fn next(&mut self) -> Option<Event> {
        loop {
            match self.receiver.as_mut()?.recv().await {
                Ok(event) => return Some(event),
                Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => return None,
            }
        }
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        let id = self.id;
        self.shared.change(|core, now| core.release(now, id));
    }
}
