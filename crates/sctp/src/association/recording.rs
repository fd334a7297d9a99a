//! Turns recording on and off, and polls the records.

use std::collections::VecDeque;

use super::{Association, State};
use crate::record::Record;

impl Association {
    /// The next record; `None` unless [`record`](Association::record) was called.
    pub fn poll_record(&mut self) -> Option<Record> {
        self.records_mut().as_mut()?.pop_front()
    }

    /// Keeps records until they are polled, from now on or from the association's opening on.
    pub fn record(&mut self) {
        self.records_mut().get_or_insert_default();
    }

    /// Stops recording, and drops records that were not polled.
    pub fn stop_recording(&mut self) {
        *self.records_mut() = None;
    }

    fn records_mut(&mut self) -> &mut Option<VecDeque<Record>> {
        match &mut self.state {
            State::Open(session) | State::Closing(session, _) => session.ground_mut().log.records_mut(),
            State::Opening(_) | State::Closed(_) => &mut self.records,
        }
    }
}
