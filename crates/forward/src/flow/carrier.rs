//! An association that carries flows. A reset of a connection may wait in its stream behind bytes that the other end does
//! not read; it then takes a stream of its own, and this file finds the connection that it ends.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anabranch_net::streams::OpenError;
use anabranch_net::{StreamId, Streams};
use tokio::sync::Notify;

use super::Flow;
use crate::rate::Rate;
use crate::signal::Signal;

/// An association, and the flows that carry a connection over it. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct Carrier {
    streams: Streams,
    connections: Arc<Mutex<HashMap<StreamId, Arc<Notify>>>>,
}

/// A flow that carries a connection. When it is dropped, the other end can no longer break it.
#[derive(Debug)]
pub(super) struct Carried {
    carrier: Carrier,
    id: StreamId,
    broken: Arc<Notify>,
}

impl Carrier {
    /// The flows of an association.
    pub(crate) fn new(streams: Streams) -> Carrier {
        Carrier { streams, connections: Arc::default() }
    }

    /// The streams of the association.
    pub(crate) fn streams(&self) -> &Streams {
        &self.streams
    }

    /// Returns true if the association is open.
    pub(crate) fn is_open(&self) -> bool {
        self.streams.association().is_open()
    }

    /// Returns true if both are the same.
    pub(crate) fn is(&self, other: &Carrier) -> bool {
        Arc::ptr_eq(&self.connections, &other.connections)
    }

    /// Opens a flow at a limited rate.
    ///
    /// # Errors
    /// All streams are in use, or the association has ended.
    pub(crate) fn open(&self, rate: &Rate) -> Result<Flow, OpenError> {
        Ok(Flow { is_ours: true, ..Flow::new(self.streams.open_next()?, self, rate) })
    }

    /// Breaks the connection of a flow, if it carries one: the other end says that it was reset.
    pub(crate) fn on_broken(&self, id: StreamId) {
        if let Some(connection) = self.lock().get(&id) {
            connection.notify_one();
        }
    }

    /// Tells the other end on a stream of its own that the connection of the flow `id` was reset, and waits for the answer:
    /// until then the stream of the flow must not be used again. Without a free stream, nothing is told.
    pub(super) async fn tell_broken(&self, id: StreamId) {
        let Ok(mut messenger) = self.open(&Rate::default()) else { return };
        if messenger.writer.signal(&Signal::Broken(id)).await.is_ok() {
            let _ = messenger.reader.next().await;
        }
        tokio::spawn(messenger.end());
    }

    /// Notes that a flow carries a connection.
    pub(super) fn carry(&self, id: StreamId) -> Carried {
        let broken = Arc::new(Notify::new());
        self.lock().insert(id, Arc::clone(&broken));
        Carried { carrier: self.clone(), id, broken }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<StreamId, Arc<Notify>>> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Carried {
    /// Waits until the other end breaks the connection.
    pub(super) async fn broken(&self) {
        self.broken.notified().await;
    }
}

impl Drop for Carried {
    fn drop(&mut self) {
        self.carrier.lock().remove(&self.id);
    }
}
