//! Messages at a constant rate for a time, then none for a time (M-NET-6).

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_scenario::model::Messages;

use super::{TrafficSource, evenly};

/// Turns of sending and silence. Each turn begins with a message.
#[derive(Debug)]
pub struct OnOff {
    messages: Messages,
    on: Duration,
    off: Duration,
    /// When the current turn began.
    turn: Time,
    count: u64,
}

impl OnOff {
    /// A source whose first turn begins at `start`.
    pub fn new(messages: Messages, on: Duration, off: Duration, start: Time) -> OnOff {
        OnOff { messages, on, off, turn: start, count: 0 }
    }
}

impl TrafficSource for OnOff {
    fn next(&mut self, now: Time) -> Option<(Time, ByteCount)> {
        let mut offset = evenly(self.messages, self.count);
        if offset >= self.on && self.count > 0 {
            self.turn = self.turn + self.on + self.off;
            self.count = 0;
            offset = Duration::ZERO;
        }
        self.count += 1;
        Some(((self.turn + offset).max(now), self.messages.size))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{A_MILLISECOND_EACH, moments};
    use super::*;

    #[test]
    fn nothing_comes_while_it_is_off() {
        let (on, off) = (Duration::from_millis(2), Duration::from_millis(8));
        let mut source = OnOff::new(A_MILLISECOND_EACH, on, off, Time::ZERO);
        assert_eq!(moments(&mut source, 5), [0.0, 1.0, 10.0, 11.0, 20.0]);
    }
}
