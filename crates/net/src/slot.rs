//! An association as its handles see it: where it is in its life, and who waits for what. It knows neither
//! the core nor the driver.

use std::sync::Arc;

use anabranch_sctp::event::{CloseReason, Event};
use anabranch_sctp::record::Record;
use tokio::sync::{Mutex, Notify};

use crate::feed::Feed;

/// An association as its handles see it.
#[derive(Debug)]
pub struct Slot {
    /// Where it is in its life.
    pub phase: Phase,
    /// Whether this end asked for its end in order.
    pub is_told_to_close: bool,
    /// Who will ask for it.
    pub owner: Owner,
    /// Who waits for it.
    pub signals: Arc<Signals>,
    /// Where listeners hear what happens to it.
    pub news: Feed<Event>,
    /// And what is measured on its paths.
    pub records: Feed<Record>,
}

/// Where an association is in its life.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The handshake is not done.
    Opening,
    /// Messages go both ways.
    Open,
    /// It will end by itself.
    Closing,
    /// It is over.
    Closed(CloseReason),
}

/// Who will ask for an association.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The application has a handle.
    Handle,
    /// It waits to be accepted.
    Queue,
    /// Nobody will ever ask for it again.
    Nobody,
}

/// Who waits for what.
#[derive(Debug, Default)]
pub struct Signals {
    /// For a message.
    pub readable: Notify,
    /// For room in the send buffer.
    pub writable: Notify,
    /// For another phase.
    pub changed: Notify,
    /// For their turn to wait for room: in the order in which they asked.
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

    /// Everybody who waits for the association looks at it again.
    pub fn enter(&mut self, phase: Phase) {
        self.phase = phase;
        self.signals.changed.notify_waiters();
        self.signals.readable.notify_waiters();
        self.signals.writable.notify_waiters();
    }

    /// Nothing more will be told of it.
    pub fn close_feeds(&mut self) {
        self.news.close();
        self.records.close();
    }
}
