//! Counts the delivered messages of a test: number, time, delay.

use anabranch_base::{ByteCount, Duration, Time};
use hdrhistogram::Histogram;

use super::ask::Ask;
use super::deadlines::Deadlines;
use super::report::{Delays, ReceiverReport};

/// The deliveries so far. The time begins with the first message.
#[derive(Clone, Debug)]
pub struct DeliveryMeter {
    window: Duration,
    interval: Duration,
    /// The local clock minus the sender's, in nanoseconds.
    offset_ns: i64,
    deadlines: Option<Deadlines>,
    began: Option<Time>,
    last: Time,
    messages: u64,
    /// The number that arrived by their deadline.
    punctual: u64,
    all: ByteCount,
    in_time: ByteCount,
    intervals: Vec<u64>,
    /// In microseconds.
    delays: Option<Histogram<u64>>,
    longest_stall: Duration,
    longest_stall_at: Duration,
}

/// The error of messages that are out of order or incomplete.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TallyError {
    /// A message arrived out of order, although the association delivers in order.
    #[error("message {found} arrived where message {expected} was expected")]
    Order {
        /// The next expected number.
        expected: u64,
        /// The received number.
        found: u64,
    },
    /// The sums of the sender's END differ from those of the received messages.
    #[error(
        "{messages} messages with {bytes} were sent, {found_messages} messages with {found_bytes} arrived"
    )]
    Sum {
        /// The number of messages sent.
        messages: u64,
        /// Their bytes.
        bytes: ByteCount,
        /// The number of messages received.
        found_messages: u64,
        /// Their bytes.
        found_bytes: ByteCount,
    },
}

impl DeliveryMeter {
    /// A meter before the first message. `offset_ns` is the local clock minus the sender's.
    pub fn new(ask: &Ask, offset_ns: i64) -> DeliveryMeter {
        let least = ask.duration / (MOST_INTERVALS - 1);
        DeliveryMeter {
            window: ask.duration,
            interval: ask.interval.max(least).max(Duration::from_nanos(1)),
            offset_ns,
            deadlines: ask.deadlines,
            began: None,
            last: Time::ZERO,
            messages: 0,
            punctual: 0,
            all: ByteCount::ZERO,
            in_time: ByteCount::ZERO,
            intervals: Vec::new(),
            delays: Histogram::new_with_bounds(1, LONGEST_DELAY.as_nanos() / 1_000, 3).ok(),
            longest_stall: Duration::ZERO,
            longest_stall_at: Duration::ZERO,
        }
    }

    /// Records a message delivered at `now`.
    ///
    /// # Errors
    /// The message is not the next one, in a test in which none may be missing.
    pub fn on_data(
        &mut self,
        now: Time,
        number: u64,
        due: Time,
        length: ByteCount,
    ) -> Result<(), TallyError> {
        if self.deadlines.is_none() && number != self.messages {
            return Err(TallyError::Order { expected: self.messages, found: number });
        }
        self.on_delivery(now);
        self.messages += 1;
        self.all += length;
        let age = now.since(self.began.unwrap_or(now));
        if age <= self.window {
            self.in_time += length;
            let index = usize::try_from(age.as_nanos() / self.interval.as_nanos()).unwrap_or(usize::MAX);
            let index = index.min(MOST_INTERVALS as usize - 1);
            if index >= self.intervals.len() {
                self.intervals.resize(index + 1, 0);
            }
            self.intervals[index] += length.get();
        }
        let delay = i128::from(now.as_nanos()) - i128::from(self.offset_ns) - i128::from(due.as_nanos());
        if self.deadlines.is_some_and(|deadlines| delay <= i128::from(deadlines.deadline.as_nanos())) {
            self.punctual += 1;
        }
        let micros = u64::try_from(delay / 1_000).unwrap_or(0);
        if let Some(delays) = &mut self.delays {
            delays.saturating_record(micros);
        }
        Ok(())
    }

    /// Checks the sums of the sender's END, which arrived at `now`.
    ///
    /// # Errors
    /// The sums differ from those of the received messages; with deadlines, they are smaller.
    pub fn on_end(&mut self, now: Time, messages: u64, bytes: ByteCount) -> Result<(), TallyError> {
        let is_possible = match self.deadlines {
            None => (messages, bytes) == (self.messages, self.all),
            Some(_) => messages >= self.messages && bytes >= self.all,
        };
        if !is_possible {
            return Err(TallyError::Sum {
                messages,
                bytes,
                found_messages: self.messages,
                found_bytes: self.all,
            });
        }
        // With deadlines END waits for acknowledgements, which is no stall of messages.
        if self.deadlines.is_none() {
            self.on_delivery(now);
        }
        Ok(())
    }

    /// Returns true if messages have deadlines: some may be missing.
    pub(super) fn has_deadlines(&self) -> bool {
        self.deadlines.is_some()
    }

    /// The bytes of all delivered messages.
    pub fn bytes(&self) -> ByteCount {
        self.all
    }

    /// The receiver's report at `now`.
    pub fn received(&self, now: Time) -> ReceiverReport {
        let began = self.began.unwrap_or(now);
        // If the data ended early, the missing part must not look like a lower rate of the rest.
        let seconds = now.since(began).min(self.window);
        let micros = |value: u64| value as f64 / 1e6;
        let delays = self.delays.as_ref().filter(|delays| !delays.is_empty());
        let delay_s = delays.map_or(Delays::default(), |delays| Delays {
            p50: micros(delays.value_at_quantile(0.50)),
            p95: micros(delays.value_at_quantile(0.95)),
            p99: micros(delays.value_at_quantile(0.99)),
            max: micros(delays.max()),
        });
        ReceiverReport {
            messages: self.messages,
            in_time_messages: self.deadlines.map(|_| self.punctual),
            bytes: self.in_time.get(),
            seconds: seconds.as_secs_f64(),
            late_bytes: self.all.saturating_sub(self.in_time).get(),
            delay_s,
            longest_stall_s: self.longest_stall.as_secs_f64(),
            longest_stall_at_s: self.longest_stall_at.as_secs_f64(),
            interval_s: self.interval.as_secs_f64(),
            intervals: self.intervals.clone(),
        }
    }

    fn on_delivery(&mut self, now: Time) {
        let began = *self.began.get_or_insert(now);
        let gap = if self.messages == 0 { Duration::ZERO } else { now.since(self.last) };
        if gap > self.longest_stall {
            self.longest_stall = gap;
            self.longest_stall_at = self.last.since(began);
        }
        self.last = now;
    }
}

/// The most intervals: those of longer tests are longer.
const MOST_INTERVALS: u64 = 512;
/// The longest recorded delay: longer ones count as this.
const LONGEST_DELAY: Duration = Duration::from_secs(3_600);

#[cfg(test)]
mod tests {
    use super::super::ask::RequestedDirection;
    use super::super::deadlines::Order;
    use super::*;

    fn ask(seconds: u64) -> Ask {
        Ask {
            direction: RequestedDirection::Forward,
            duration: Duration::from_secs(seconds),
            message: ByteCount::new(1_000),
            rate: None,
            interval: Duration::from_secs(1),
            offset_ns: 0,
            deadlines: None,
        }
    }

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    /// Messages of 1,000 B delivered at these times, each due at another.
    fn told(seconds: u64, times: &[(u64, u64)]) -> DeliveryMeter {
        let mut tally = DeliveryMeter::new(&ask(seconds), 0);
        for (number, (due, now)) in times.iter().enumerate() {
            tally.on_data(at(*now), number as u64, at(*due), ByteCount::new(1_000)).expect("the next one");
        }
        tally
    }

    #[test]
    fn time_runs_from_the_first_delivery_and_what_comes_after_it_is_late() {
        let received = told(2, &[(0, 5_000), (0, 5_900), (0, 6_100), (0, 7_100)]).received(at(9_000));
        assert_eq!((received.messages, received.bytes, received.late_bytes), (4, 3_000, 1_000));
        assert_eq!((received.seconds, received.intervals), (2.0, vec![2_000, 1_000]));
    }

    #[test]
    fn delays_count_from_when_messages_were_due() {
        let times: Vec<(u64, u64)> =
            (0..100).map(|n| (n * 10, n * 10 + if n == 50 { 400 } else { 20 })).collect();
        let received = told(10, &times[..51]).received(at(2_000));
        let near = |value: f64, expected: f64| (value - expected).abs() < expected * 0.002;
        assert!(near(received.delay_s.p50, 0.02) && near(received.delay_s.max, 0.4), "{received:?}");
    }

    #[test]
    fn the_difference_of_the_clocks_is_taken_away_and_no_delay_is_negative() {
        let mut tally = DeliveryMeter::new(&ask(1), 1_000_000_000);
        tally.on_data(at(1_500), 0, at(400), ByteCount::new(1_000)).expect("the first");
        let first = tally.received(at(1_500)).delay_s.max;
        assert!((first - 0.1).abs() < 0.001, "{first}");
        tally.on_data(at(1_500), 1, at(900), ByteCount::new(1_000)).expect("the second");
        assert_eq!(tally.received(at(1_500)).delay_s.p50, 0.0);
    }

    #[test]
    fn the_longest_stall_is_the_longest_gap_and_its_place_is_known() {
        let mut tally = told(5, &[(0, 1_000), (0, 1_200), (0, 1_900), (0, 2_000)]);
        let received = tally.received(at(2_000));
        assert_eq!((received.longest_stall_s, received.longest_stall_at_s), (0.7, 0.2));
        tally.on_end(at(4_000), 4, ByteCount::new(4_000)).expect("all of them");
        assert_eq!(tally.received(at(4_000)).longest_stall_s, 2.0, "the end came late");
    }

    #[test]
    fn messages_out_of_order_and_a_wrong_sum_are_told() {
        let mut tally = told(1, &[(0, 1)]);
        let twice = tally.on_data(at(2), 0, at(0), ByteCount::new(1_000));
        assert_eq!(twice, Err(TallyError::Order { expected: 1, found: 0 }));
        assert!(tally.on_end(at(2), 2, ByteCount::new(2_000)).is_err());
    }

    #[test]
    fn with_deadlines_those_in_time_are_counted_by_the_senders_clock_and_some_may_be_missing() {
        let deadline = Duration::from_millis(100);
        let deadlines = Some(Deadlines { deadline, lifetime: None, order: Order::Sent });
        let mut tally = DeliveryMeter::new(&Ask { deadlines, ..ask(1) }, 1_000_000_000);
        for (number, delay) in [(0, 20), (3, 100), (1, 101), (7, 500)] {
            tally.on_data(at(1_000 + delay), number, at(0), ByteCount::new(1_000)).expect("any number");
        }
        let received = tally.received(at(2_000));
        assert_eq!((received.messages, received.in_time_messages), (4, Some(2)));
        assert!(tally.clone().on_end(at(2_000), 3, ByteCount::new(4_000)).is_err(), "fewer were sent");
        assert_eq!(tally.on_end(at(2_000), 9, ByteCount::new(9_000)), Ok(()));
        assert_eq!(told(1, &[(0, 1)]).received(at(2)).in_time_messages, None);
    }

    #[test]
    fn a_long_test_of_short_intervals_takes_no_more_memory() {
        let mut tally = DeliveryMeter::new(&Ask { interval: Duration::from_millis(100), ..ask(3_600) }, 0);
        for number in 0..36_000 {
            tally.on_data(at(number * 100), number, at(0), ByteCount::new(1_000)).expect("the next one");
        }
        let received = tally.received(at(3_600_000));
        assert!(received.intervals.len() <= 512, "{}", received.intervals.len());
        assert_eq!(received.intervals.iter().sum::<u64>(), 36_000_000);
    }
}
