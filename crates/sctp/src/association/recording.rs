//! Records for studies and listeners: kept from the request until they are polled.

use std::collections::VecDeque;

use super::{Association, State};
use crate::record::Record;

impl Association {
    /// What a study may want to know next; nothing unless [`record`](Association::record) was called.
    pub fn poll_record(&mut self) -> Option<Record> {
        self.records_mut().as_mut()?.pop_front()
    }

    /// From now on, or from its opening on, records are kept until they are polled.
    pub fn record(&mut self) {
        self.records_mut().get_or_insert_default();
    }

    /// From now on none are kept, and those that were not polled are gone.
    pub fn stop_recording(&mut self) {
        *self.records_mut() = None;
    }

    fn records_mut(&mut self) -> &mut Option<VecDeque<Record>> {
        match &mut self.state {
            State::Open(session) | State::Closing(session, _) => &mut session.records,
            State::Opening(_) | State::Closed(_) => &mut self.records,
        }
    }
}
