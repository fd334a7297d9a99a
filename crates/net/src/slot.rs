//! An association as its handles see it: its phase, and what waits for which event.

use std::sync::Arc;

use anabranch_sctp::event::{CloseReason, Event};
use anabranch_sctp::record::Record;
use tokio::sync::{Mutex, Notify};

use crate::feed::Feed;

/// An association as its handles see it.
#[derive(Debug)]
pub struct Slot {
    /// Its phase.
    pub phase: Phase,
    /// Whether this end asked for a shutdown.
    pub is_told_to_close: bool,
    /// What holds it.
    pub owner: Owner,
    /// The tasks that wait for it.
    pub signals: Arc<Signals>,
    /// The feed of its events.
    pub news: Feed<Event>,
    /// The feed of the measurements on its paths.
    pub records: Feed<Record>,
}

/// The phase of an association.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The handshake is not done.
    Opening,
    /// Messages go both ways.
    Open,
    /// It is shutting down.
    Closing,
    /// It is over.
    Closed(CloseReason),
}

/// What holds an association.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The application has a handle.
    Handle,
    /// It waits to be accepted.
    Queue,
    /// Its last handle was dropped.
    Nobody,
}

/// The events for which tasks wait.
#[derive(Debug, Default)]
pub struct Signals {
    /// For a message.
    pub readable: Notify,
    /// For room in the send buffer.
    pub writable: Notify,
    /// For a change of phase.
    pub changed: Notify,
    /// For a turn to wait for room: in the order in which they asked.
    pub turn: Mutex<()>,
}

impl Slot {
    /// An association whose handshake is not done.
    pub fn new(owner: Owner) -> Slot {
        Slot {
            phase: Phase::Opening,
            is_told_to_close: false,
            owner,
            signals: Arc::default(),
            news: Feed::default(),
            records: Feed::default(),
        }
    }

    /// Enters a phase, and wakes every task that waits for the association.
    pub fn enter(&mut self, phase: Phase) {
        self.phase = phase;
        self.signals.changed.notify_waiters();
        self.signals.readable.notify_waiters();
        self.signals.writable.notify_waiters();
    }

    /// Ends the feeds.
    pub fn close_feeds(&mut self) {
        self.news.close();
        self.records.close();
    }
}
