//! What the endpoint keeps of each association for its handles: its phase, and the tasks that wait for events.

use std::sync::Arc;

use anabranch_sctp::event::{CloseReason, Event};
use anabranch_sctp::record::Record;
use tokio::sync::Notify;

use crate::feed::Feed;
use crate::turn::Turn;

/// What the handles of an association share.
#[derive(Debug)]
pub struct AssociationEntry {
    /// The phase.
    pub phase: Phase,
    /// True if this end requested a shutdown.
    pub is_shutdown_requested: bool,
    /// What refers to it.
    pub holder: Holder,
    /// Wake the tasks that wait for it.
    pub notifiers: Arc<Notifiers>,
    /// The feed of its events.
    pub events: Feed<Event>,
    /// The feed of the measurements on its paths.
    pub records: Feed<Record>,
}

/// The phase of an association.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The handshake has not ended.
    Opening,
    /// Messages go both ways.
    Open,
    /// It is shutting down.
    Closing,
    /// It is over.
    Closed(CloseReason),
}

/// What refers to an association.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// A handle of the application.
    Handle,
    /// The queue of associations that wait to be accepted.
    AcceptQueue,
    /// Nothing: its last handle was dropped.
    Dropped,
}

/// One notifier for each event that tasks wait for.
#[derive(Debug, Default)]
pub struct Notifiers {
    /// A message can be received.
    pub readable: Notify,
    /// The send buffer has room.
    pub writable: Notify,
    /// The phase has changed.
    pub changed: Notify,
    /// The tasks that wait for room.
    pub turn: Turn,
}

impl AssociationEntry {
    /// An association whose handshake is not done.
    pub fn new(holder: Holder) -> AssociationEntry {
        AssociationEntry {
            phase: Phase::Opening,
            is_shutdown_requested: false,
            holder,
            notifiers: Arc::default(),
            events: Feed::default(),
            records: Feed::default(),
        }
    }

    /// Enters a phase, and wakes every task that waits for the association.
    pub fn enter(&mut self, phase: Phase) {
        self.phase = phase;
        self.notifiers.changed.notify_waiters();
        self.notifiers.readable.notify_waiters();
        self.notifiers.writable.notify_waiters();
    }

    /// Ends the feeds.
    pub fn close_feeds(&mut self) {
        self.events.close();
        self.records.close();
    }
}
