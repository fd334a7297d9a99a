//! The state that an endpoint keeps for the handles of an association: its phase, and the tasks that wait for events.

use std::sync::Arc;

use anabranch_sctp::event::Event;
use anabranch_sctp::record::Record;
use tokio::sync::Notify;

use crate::feed::Feed;
use crate::phase::Phase;
use crate::report::GivenUpCounters;
use crate::seal::Client;
use crate::send_queue::SendQueue;
use crate::streams::Mux;

/// The state that the handles of an association share.
#[derive(Debug)]
pub(crate) struct AssociationEntry {
    /// The phase of the association.
    pub phase: Phase,
    /// True if this end requested a shutdown.
    pub is_shutdown_requested: bool,
    /// The present holder of the association.
    pub holder: Holder,
    /// The client that opened the association, at a server that knows several.
    pub client: Option<Arc<Client>>,
    /// The streams that carry the messages of the association, if it has any.
    pub mux: Option<Box<Mux>>,
    /// The notifiers of the waiting tasks.
    pub notifiers: Arc<Notifiers>,
    /// The messages that were given up.
    pub given_up: GivenUpCounters,
    /// The feed of its events.
    pub events: Feed<Event>,
    /// The feed of the measurements on its paths.
    pub records: Feed<Record>,
    /// The number of readers of its test packets.
    pub test_readers: usize,
}

/// The holder of an association.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holder {
    /// A handle of the application.
    Handle,
    /// The queue of associations that wait to be accepted.
    AcceptQueue,
    /// None: its last handle was dropped.
    Dropped,
}

/// One notifier for each event for which tasks wait.
#[derive(Debug, Default)]
pub(crate) struct Notifiers {
    /// A message can be received.
    pub readable: Notify,
    /// The send buffer has room.
    pub writable: Notify,
    /// The phase has changed.
    pub changed: Notify,
    /// A stream can be accepted.
    pub acceptable: Notify,
    /// A test packet can be received.
    pub tests: Notify,
    /// The queue of tasks that wait for room.
    pub send_queue: SendQueue,
}

impl AssociationEntry {
    /// An association during its handshake.
    pub(crate) fn new(holder: Holder) -> AssociationEntry {
        AssociationEntry {
            phase: Phase::Opening,
            is_shutdown_requested: false,
            holder,
            client: None,
            mux: None,
            notifiers: Arc::default(),
            given_up: GivenUpCounters::default(),
            events: Feed::default(),
            records: Feed::default(),
            test_readers: 0,
        }
    }

    /// Enters a phase, and wakes every task that waits for the association.
    pub(crate) fn enter(&mut self, phase: Phase) {
        self.phase = phase;
        self.notifiers.changed.notify_waiters();
        self.notifiers.readable.notify_waiters();
        self.notifiers.writable.notify_waiters();
        self.notifiers.tests.notify_waiters();
    }

    /// Ends the feeds.
    pub(crate) fn close_feeds(&mut self) {
        self.events.close();
        self.records.close();
    }
}
