//! The output queues of an association: events for the application, and records for studies and observers.

use std::collections::VecDeque;

use anabranch_base::Time;

use crate::event::Event;
use crate::policy::PathId;
use crate::record::{Happening, Record};

/// Events and records that were not polled yet.
#[derive(Debug, Default)]
pub(crate) struct Log {
    events: VecDeque<Event>,
    /// `None` if recording is off.
    records: Option<VecDeque<Record>>,
}

impl Log {
    /// Reports `event` to the application.
    pub(crate) fn event(&mut self, event: Event) {
        self.events.push_back(event);
    }

    /// Returns true if there is an event for the application.
    #[inline]
    pub(crate) fn has_events(&self) -> bool {
        !self.events.is_empty()
    }

    /// Takes the next event for the application.
    pub(crate) fn take_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Returns true if recording is on.
    #[inline]
    pub(crate) fn is_recording(&self) -> bool {
        self.records.is_some()
    }

    /// Records something for studies, if recording is on.
    #[inline]
    pub(crate) fn record(&mut self, at: Time, path: PathId, what: Happening) {
        if let Some(records) = &mut self.records {
            records.push_back(Record { at, path, what });
        }
    }

    /// The records; `None` if recording is off.
    pub(crate) fn records_mut(&mut self) -> &mut Option<VecDeque<Record>> {
        &mut self.records
    }

    /// Puts the events of an `earlier` session before those of this one.
    pub(crate) fn follow(&mut self, mut earlier: VecDeque<Event>) {
        earlier.append(&mut self.events);
        self.events = earlier;
    }

    /// The events and records that were not polled.
    pub(crate) fn into_parts(self) -> (VecDeque<Event>, Option<VecDeque<Record>>) {
        (self.events, self.records)
    }
}
