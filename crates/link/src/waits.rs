//! For how long packets wait before their transmission: what a sender's load causes, without propagation and jitter.

use std::collections::VecDeque;

use anabranch_base::{Duration, Time};

/// Records the waits of packets that leave in the order in which they came.
#[derive(Debug, Default)]
pub(crate) struct Waits {
    /// When each of those that wait came.
    entered: VecDeque<Time>,
    recorded: Vec<Duration>,
}

impl Waits {
    /// A packet came at `now`, and waits.
    pub(crate) fn on_enter(&mut self, now: Time) {
        self.entered.push_back(now);
    }

    /// The first of those that wait left the queue at `now` and is not transmitted.
    pub(crate) fn on_refuse(&mut self) {
        self.entered.pop_front();
    }

    /// The first of those that wait is transmitted from `now` on.
    pub(crate) fn on_leave(&mut self, now: Time) {
        if let Some(entered) = self.entered.pop_front() {
            self.recorded.push(now.since(entered));
        }
    }

    /// A packet is transmitted that did not stand in the queue.
    pub(crate) fn on_pass(&mut self, waited: Duration) {
        self.recorded.push(waited);
    }

    /// Those that wait are lost.
    pub(crate) fn clear(&mut self) {
        self.entered.clear();
    }

    /// The waits since the last call, of packets in the order of their transmissions.
    pub(crate) fn take(&mut self) -> Vec<Duration> {
        std::mem::take(&mut self.recorded)
    }
}
