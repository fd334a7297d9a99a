//! Events of an association, and records of every window and round trip, as streams for listeners.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use anabranch_base::Time;
use anabranch_sctp::endpoint::AssociationId;
use anabranch_sctp::event::Event;
use anabranch_sctp::record::Record;
use futures_core::Stream;

use super::{Association, SharedHandle};
use crate::feed::{Listener, Missed};
use crate::shared::Shared;

/// The events of an association, for one listener: paths that fail and come back, the peer's end, the end. A [`Stream`]
/// that ends after [`Event::Closed`].
///
/// [`Event::Readable`] and [`Event::Writable`] are left out: [`recv`](Association::recv) and
/// [`send`](Association::send) wait for them.
#[derive(Debug)]
pub struct Events {
    listener: Listener<Event>,
}

/// The measurements on an association's paths, for one listener: each change of a window, each round-trip time, each
/// loss, with its time on the [clock of the endpoint](Association::now). A [`Stream`] that ends with the association.
///
/// Nothing is recorded without a listener.
#[derive(Debug)]
pub struct Records {
    listener: Listener<Record>,
    shared: Arc<Shared>,
    id: AssociationId,
}

impl Association {
    /// The events of the association from now on, for one listener of any number.
    pub fn subscribe(&self) -> Events {
        let SharedHandle { shared, id, .. } = &*self.owner;
        Events { listener: shared.lock().subscribe(*id) }
    }

    /// The measurements on its paths from now on, for one listener of any number.
    pub fn records(&self) -> Records {
        let SharedHandle { shared, id, .. } = &*self.owner;
        Records { listener: shared.lock().record(*id), shared: shared.clone(), id: *id }
    }

    /// The time on the endpoint's clock, which records carry: it stood at zero when the endpoint was opened.
    pub fn now(&self) -> Time {
        self.owner.shared.lock().now()
    }
}

impl Events {
    /// The next event; `None` after the last.
    ///
    /// Cancellation-safe: if the future is dropped, no event is lost.
    ///
    /// # Errors
    /// [`Missed`] where the listener lagged behind by more than 64: the oldest were dropped, and the next ones follow.
    pub async fn next(&mut self) -> Option<Result<Event, Missed>> {
        poll_fn(|context| self.listener.poll_next(context)).await
    }
}

impl Records {
    /// The next record; `None` after the last.
    ///
    /// Cancellation-safe: if the future is dropped, no record is lost.
    ///
    /// # Errors
    /// [`Missed`] where the listener lagged behind by more than 4,096: the oldest were dropped, and the next ones follow.
    pub async fn next(&mut self) -> Option<Result<Record, Missed>> {
        poll_fn(|context| self.listener.poll_next(context)).await
    }
}

impl Stream for Events {
    type Item = Result<Event, Missed>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.listener.poll_next(context)
    }
}

impl Stream for Records {
    type Item = Result<Record, Missed>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.listener.poll_next(context)
    }
}

impl Drop for Records {
    /// The last listener ends the recording.
    fn drop(&mut self) {
        self.listener = Listener::too_late();
        self.shared.lock().stop_recording_without_listener(self.id);
    }
}
