//! Messages at a constant rate for a time, then none for a time (M-NET-6).

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_scenario::model::Messages;

use super::{TrafficSource, evenly};

/// Turns of sending and silence.
#[derive(Debug)]
pub(super) struct OnOff {
    messages: Messages,
    on: Duration,
    off: Duration,
    begins: Begins,
    /// When the turn began from which messages are counted.
    since: Time,
    count: u64,
}

/// The beginning of an on period.
#[derive(Clone, Copy, Debug)]
enum Begins {
    /// A message.
    Anew,
    /// The rest of the time between two messages when the period before ended. A turn of few messages, or one that begins
    /// sooner after the last message than the rate has it, would carry more than the rate if it began with a message.
    WhereItStopped,
}

impl OnOff {
    /// A source whose first turn begins at `start`.
    pub(super) fn new(messages: Messages, on: Duration, off: Duration, start: Time) -> OnOff {
        let gap = evenly(messages, 1);
        let begins = if on >= gap * LONG && off >= gap { Begins::Anew } else { Begins::WhereItStopped };
        OnOff { messages, on, off, begins, since: start, count: 0 }
    }

    /// When a source is due that has sent for `sent` since the first turn.
    fn after(&self, sent: Duration) -> Time {
        let on = self.on.as_nanos().max(1);
        let (cycles, rest) = (sent.as_nanos() / on, sent.as_nanos() % on);
        self.since + (self.on + self.off) * cycles + Duration::from_nanos(rest)
    }
}

impl TrafficSource for OnOff {
    fn next(&mut self, now: Time) -> Option<(Time, ByteCount)> {
        let mut sent = evenly(self.messages, self.count);
        if matches!(self.begins, Begins::Anew) && sent >= self.on {
            self.since = self.after(self.on);
            self.count = 0;
            sent = Duration::ZERO;
        }
        self.count += 1;
        Some((self.after(sent).max(now), self.messages.size))
    }
}

/// A turn of so many messages begins with one: its last message may be one more than the rate has in that time.
const LONG: u64 = 3;

#[cfg(test)]
mod tests {
    use anabranch_base::BitRate;
    use proptest::prelude::*;

    use super::super::tests::{A_MILLISECOND_EACH, moments};
    use super::*;

    #[test]
    fn nothing_comes_while_it_is_off() {
        let (on, off) = (Duration::from_millis(3), Duration::from_millis(7));
        let mut source = OnOff::new(A_MILLISECOND_EACH, on, off, Time::ZERO);
        assert_eq!(moments(&mut source, 5), [0.0, 1.0, 2.0, 10.0, 11.0]);
    }

    #[test]
    fn turns_shorter_than_the_time_between_messages_share_it() {
        let on = Duration::from_micros(400);
        let mut source = OnOff::new(A_MILLISECOND_EACH, on, on, Time::ZERO);
        assert_eq!(moments(&mut source, 5), [0.0, 1.8, 4.0, 5.8, 8.0]);
    }

    #[test]
    fn a_short_silence_does_not_bring_the_next_message_nearer() {
        let (on, off) = (Duration::from_micros(3500), Duration::from_micros(500));
        let mut source = OnOff::new(A_MILLISECOND_EACH, on, off, Time::ZERO);
        assert_eq!(moments(&mut source, 5), [0.0, 1.0, 2.0, 3.0, 4.5]);
    }

    proptest! {
        /// Messages are never nearer than the rate has them, and come while it is on. Over many turns they are the share of the
        /// rate that the times say, and at most a message a turn more.
        #[test]
        fn it_never_sends_more_than_its_rate(
            bits in 1_000_u64..1_000_000_000,
            size in 1_u64..65_000,
            on in 1_u64..1_000_000_000,
            off in 0_u64..1_000_000_000,
        ) {
            let messages = Messages { rate: BitRate::from_bits_per_second(bits), size: ByteCount::new(size) };
            let mut source =
                OnOff::new(messages, Duration::from_nanos(on), Duration::from_nanos(off), Time::ZERO);
            let gap = size as f64 * 8e9 / bits as f64;
            let (mut before, count) = (None, 1_000);
            for _ in 0..count {
                let (at, _) = source.next(Time::ZERO).expect("it never ends");
                let at = at.since(Time::ZERO).as_nanos();
                prop_assert!(at % (on + off) < on, "{at} is in an off-time");
                prop_assert!(before.is_none_or(|before| (at - before) as f64 > gap - 1.0));
                before = Some(at);
            }
            let cycles = before.expect("messages") / (on + off) + 1;
            let whole = (cycles * on) as f64 / gap;
            let more = if on as f64 >= gap * 3.0 && off as f64 >= gap { cycles as f64 } else { 1.0 };
            let count = f64::from(count);
            prop_assert!(count <= whole + more + 1e-3 * whole, "{count} of {whole} in {cycles} turns");
            prop_assert!(count >= whole - on as f64 / gap - 1.0, "{count} of {whole} in {cycles} turns");
        }
    }
}
