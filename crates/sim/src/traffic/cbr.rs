//! Messages at a constant rate (M-NET-6).

use anabranch_base::{ByteCount, Time};
use anabranch_scenario::model::Messages;

use super::{TrafficSource, evenly};

/// A constant bit rate.
#[derive(Debug)]
pub(super) struct Cbr {
    messages: Messages,
    start: Time,
    count: u64,
}

impl Cbr {
    /// A source whose first message is due at `start`.
    pub(super) fn new(messages: Messages, start: Time) -> Cbr {
        Cbr { messages, start, count: 0 }
    }
}

impl TrafficSource for Cbr {
    fn next(&mut self, now: Time) -> Option<(Time, ByteCount)> {
        let due = self.start + evenly(self.messages, self.count);
        self.count += 1;
        Some((due.max(now), self.messages.size))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{A_MILLISECOND_EACH, moments};
    use super::*;

    #[test]
    fn messages_come_evenly() {
        assert_eq!(moments(&mut Cbr::new(A_MILLISECOND_EACH, Time::ZERO), 4), [0.0, 1.0, 2.0, 3.0]);
    }
}
