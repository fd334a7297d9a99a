//! The events of an association and the records of its windows and round-trip times, as streams for listeners.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};

use anabranch_base::Time;
use anabranch_sctp::endpoint::AssociationId;
use anabranch_sctp::event::Event;
use anabranch_sctp::record::Record;

use super::{Association, SharedHandle};
use crate::feed::{Listener, Missed};
use crate::shared::Shared;

/// The events of an association, for one listener: failures and recoveries of paths, the peer's shutdown, the end. A
/// `Stream` that ends after [`Event::Closed`].
///
/// [`Event::Readable`] and [`Event::Writable`] are left out: [`recv`](Association::recv) and
/// [`send`](Association::send) wait for them.
#[derive(Debug)]
pub struct Events {
    pub(super) listener: Listener<Event>,
}

/// The measurements on an association's paths, for one listener: each change of a window, each round-trip time, each
/// loss, with its time on the [clock of the endpoint](Association::now). A `Stream` that ends with the association.
///
/// Nothing is recorded without a listener.
#[derive(Debug)]
pub struct Records {
    listener: Listener<Record>,
    shared: Arc<Shared>,
    id: AssociationId,
}

impl Association {
    /// Subscribes a listener to the events of the association from now on. There may be any number of listeners.
    pub fn subscribe(&self) -> Events {
        let SharedHandle { shared, id, .. } = &*self.owner;
        Events { listener: shared.lock().subscribe(*id) }
    }

    /// Subscribes a listener to the measurements on its paths from now on. There may be any number of listeners.
    pub fn records(&self) -> Records {
        let SharedHandle { shared, id, .. } = &*self.owner;
        Records { listener: shared.lock().record(*id), shared: shared.clone(), id: *id }
    }

    /// The time on the endpoint's clock, which records use: zero when the endpoint was opened.
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
    /// [`Missed`] if more than 64 events waited for the listener: the oldest were dropped, first those of messages that
    /// were given up ([`Association::given_up`] counts them), and the next ones follow.
    pub async fn next(&mut self) -> Option<Result<Event, Missed>> {
        poll_fn(|context| self.poll_item(context)).await
    }

    pub(crate) fn poll_item(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Event, Missed>>> {
        self.listener.poll_next(context)
    }
}

impl Records {
    /// The next record; `None` after the last.
    ///
    /// Cancellation-safe: if the future is dropped, no record is lost.
    ///
    /// # Errors
    /// [`Missed`] if more than 4,096 records waited for the listener: the oldest were dropped, and the next ones
    /// follow.
    pub async fn next(&mut self) -> Option<Result<Record, Missed>> {
        poll_fn(|context| self.poll_item(context)).await
    }

    pub(crate) fn poll_item(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Record, Missed>>> {
        self.listener.poll_next(context)
    }
}

impl Drop for Records {
    /// Ends the recording with the last listener.
    fn drop(&mut self) {
        self.listener = Listener::too_late();
        self.shared.lock().stop_recording_without_listener(self.id);
    }
}
