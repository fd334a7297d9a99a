//! Computes the size of a receive buffer from the amount that its application reads in a round trip.

use anabranch_base::{ByteCount, Duration, Time};

use super::budget::Allowance;
use crate::config::Growth;

/// Dynamic right-sizing (Fisk, Feng: "Dynamic Right-Sizing in TCP", 2001; Linux's `tcp_rcv_space_adjust`) for several
/// paths.
///
/// Once in each round trip of the slowest path in use, the buffer grows to twice the data that arrived in that time, as
/// far as the application read as much or the data waits behind a gap; and to twice the stored part of a message for
/// which the buffer may be too small. Data that waits behind a gap is added to the size, at most doubling it, so that
/// losses on one path do not block the others. A sender that the window limits gets twice as much in the next round
/// trip, as in slow start. A sender that uses less than half of the window changes nothing, and neither does an
/// application that does not read, nor a lost chunk for which the others wait for long. The buffer never shrinks,
/// because an advertised window must not be withdrawn.
///
/// Where streams have credits, one stream gets half of the buffer at most, and gets more when it has used half of that: what
/// it sends in a round trip is a quarter of the buffer, and counts four times.
///
/// The receiver measures the round trip itself, with HEARTBEATs. Until it has a measurement, the bound of the round
/// trip is the least time in which the peer has used up a whole advertised window: data after that answers a later
/// window.
#[derive(Debug)]
pub(crate) struct Tuning {
    growth: Growth,
    allowance: Allowance,
    /// The reciprocal of the part of the buffer that the peer can use in a round trip.
    parts: u64,
    /// The start of the current measurement.
    since: Option<Time>,
    /// The data that arrived since then.
    arrived: ByteCount,
    /// The data that was read since then.
    read: ByteCount,
    window_use: Option<WindowUse>,
    /// The least time in which the advertised window was used up.
    turnover: Option<Duration>,
}

/// An advertised window that the peer is using up.
#[derive(Clone, Copy, Debug)]
struct WindowUse {
    began: Time,
    left: ByteCount,
}

/// The measurements when a packet with data arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DataArrival {
    /// The weight of the packet's new chunks.
    pub arrived: ByteCount,
    /// The buffer's size.
    pub capacity: ByteCount,
    /// The window that the peer may still use.
    pub offered: ByteCount,
    /// The data that waits behind a gap or for the rest of its message.
    pub waiting: ByteCount,
    /// True if a chunk is missing.
    pub has_gap: bool,
    /// The longest smoothed round trip of the paths in use; `None` while one of them is not measured.
    pub round_trip: Option<Duration>,
}

impl Tuning {
    /// The tuning of a buffer from which nothing was read yet.
    pub(crate) const fn new(growth: Growth, allowance: Allowance) -> Tuning {
        let (arrived, read) = (ByteCount::ZERO, ByteCount::ZERO);
        Tuning { growth, allowance, parts: 1, since: None, arrived, read, window_use: None, turnover: None }
    }

    /// The same for a peer whose streams have credits.
    pub(crate) fn with_credits(self, has_credits: bool) -> Tuning {
        Tuning { parts: if has_credits { PARTS_OF_CREDITS } else { 1 }, ..self }
    }

    /// Counts data of weight `charge` that the application read.
    pub(crate) fn on_read(&mut self, charge: ByteCount) {
        self.read += charge;
    }

    /// Handles a packet with data. Returns the buffer's new size if it grows.
    pub(crate) fn on_arrival(&mut self, now: Time, received: &DataArrival) -> Option<ByteCount> {
        self.time_window(now, received);
        self.arrived += received.arrived;
        let since = *self.since.get_or_insert(now);
        let round_trip = received.round_trip.or(self.turnover)?;
        if now.since(since) < round_trip {
            return None;
        }
        let waiting = if received.has_gap { received.waiting } else { ByteCount::ZERO };
        let incomplete = received.waiting.saturating_sub(waiting);
        let twice = (self.arrived.min(self.read + waiting) * self.parts).max(incomplete) * 2;
        let wanted = twice + waiting.min(twice);
        self.since = Some(now);
        (self.arrived, self.read) = (ByteCount::ZERO, ByteCount::ZERO);
        self.grow(received.capacity, wanted)
    }

    /// Handles a chunk that does not fit although everything else waits for it. Returns a larger size.
    pub(crate) fn on_stuck(&mut self, capacity: ByteCount) -> Option<ByteCount> {
        self.grow(capacity, capacity * 2)
    }

    fn grow(&mut self, capacity: ByteCount, wanted: ByteCount) -> Option<ByteCount> {
        let more = wanted.min(self.growth.limit).saturating_sub(capacity);
        let given = if more.is_zero() { more } else { self.allowance.take(more) };
        (!given.is_zero()).then(|| capacity + given)
    }

    fn time_window(&mut self, now: Time, received: &DataArrival) {
        let fresh = WindowUse { began: now, left: received.offered };
        let window_use = self.window_use.get_or_insert(fresh);
        window_use.left = window_use.left.saturating_sub(received.arrived);
        if window_use.left.is_zero() && now > window_use.began {
            let took = now.since(window_use.began);
            self.turnover = Some(self.turnover.map_or(took, |least| least.min(took)));
            self.window_use = Some(fresh);
        }
    }
}

const PARTS_OF_CREDITS: u64 = 4;

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::budget::Budget;
    use super::*;

    const LIMIT: ByteCount = ByteCount::new(10_000);

    fn tuning() -> Tuning {
        let budget = Arc::new(Budget::new(ByteCount::new(1_000_000)));
        Tuning::new(Growth { limit: LIMIT, endpoint: budget.left() }, Allowance::none(budget))
    }

    fn at(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    fn bytes(count: u64) -> ByteCount {
        ByteCount::new(count)
    }

    /// A packet of 100 bytes in a buffer of 1,000, with a round trip of 50 ms.
    fn packet() -> DataArrival {
        packets(1)
    }

    /// The data of `count` such packets.
    fn packets(count: u64) -> DataArrival {
        DataArrival {
            arrived: bytes(100 * count),
            capacity: bytes(1_000),
            offered: bytes(1_000),
            waiting: ByteCount::ZERO,
            has_gap: true,
            round_trip: Some(Duration::from_millis(50)),
        }
    }

    #[test]
    fn it_grows_to_twice_what_arrived_in_a_round_trip_and_was_read() {
        let mut tuning = tuning();
        assert_eq!(tuning.on_arrival(at(0), &packets(4)), None);
        tuning.on_read(bytes(900));
        assert_eq!(tuning.on_arrival(at(49), &packets(4)), None, "the round trip is not over");
        assert_eq!(tuning.on_arrival(at(50), &packet()), Some(bytes(1_800)));
        assert_eq!(tuning.on_arrival(at(100), &packets(9)), None, "nothing was read since");
    }

    #[test]
    fn what_waits_for_something_missing_counts_as_what_is_read() {
        let mut tuning = tuning();
        tuning.on_arrival(at(0), &packets(9));
        tuning.on_read(bytes(300));
        let received = DataArrival { waiting: bytes(500), ..packet() };
        assert_eq!(tuning.on_arrival(at(60), &received), Some(bytes(2_100)), "and takes no room from others");
    }

    /// A lost chunk is waited for through a time-out: the window fills once, and no more arrives.
    #[test]
    fn a_window_that_waits_for_one_chunk_for_many_round_trips_is_counted_once() {
        let mut tuning = tuning();
        let waits = DataArrival { capacity: bytes(2_000), ..packets(2) };
        let grown = [200, 400, 600, 800, 1_000].map(|held| {
            let received = DataArrival { waiting: bytes(held), ..waits };
            tuning.on_arrival(at(held / 4), &received)
        });
        assert_eq!(grown, [None; 5]);
        tuning.on_read(bytes(1_200));
        assert_eq!(tuning.on_arrival(at(1_000), &waits), None, "it is read at once when the chunk has come");
    }

    #[test]
    fn a_message_that_only_needs_more_of_itself_is_given_twice_the_room_that_it_takes() {
        let mut tuning = tuning();
        let received = DataArrival { waiting: bytes(900), has_gap: false, ..packet() };
        tuning.on_arrival(at(0), &received);
        assert_eq!(tuning.on_arrival(at(50), &received), Some(bytes(1_800)));
    }

    #[test]
    fn a_sender_that_uses_half_of_the_window_changes_nothing() {
        let mut tuning = tuning();
        tuning.on_arrival(at(0), &packet());
        for round in 1..100 {
            tuning.on_read(bytes(500));
            assert_eq!(tuning.on_arrival(at(50 * round), &packets(5)), None);
        }
    }

    /// Otherwise a flow that its credit limits would never get more.
    #[test]
    fn with_credits_a_stream_that_uses_its_share_lets_the_buffer_grow() {
        for (has_credits, grown) in [(false, None), (true, Some(bytes(2_400)))] {
            let mut tuning = tuning().with_credits(has_credits);
            tuning.on_arrival(at(0), &packet());
            tuning.on_read(bytes(300));
            assert_eq!(tuning.on_arrival(at(50), &packets(2)), grown);
        }
    }

    #[test]
    fn it_never_shrinks_and_never_passes_its_limit() {
        let mut tuning = tuning();
        let mut capacity = bytes(1_000);
        for round in 0..20 {
            tuning.on_read(capacity);
            let received = DataArrival { arrived: capacity, capacity, ..packet() };
            let grown = tuning.on_arrival(at(50 * round), &received);
            assert!(grown.is_none_or(|grown| grown > capacity && grown <= LIMIT));
            capacity = grown.unwrap_or(capacity);
        }
        assert_eq!(capacity, LIMIT);
    }

    #[test]
    fn associations_of_one_endpoint_share_what_is_left() {
        let budget = Arc::new(Budget::new(bytes(1_500)));
        let growth = Growth { limit: LIMIT, endpoint: budget.left() };
        let mut both = [0, 1].map(|_| Tuning::new(growth, Allowance::none(budget.clone())));
        let grown = both.each_mut().map(|tuning| {
            tuning.on_arrival(at(0), &packet());
            tuning.on_read(bytes(1_000));
            tuning.on_arrival(at(50), &packets(9))
        });
        assert_eq!(grown, [Some(bytes(2_000)), Some(bytes(1_500))]);
        drop(both);
        assert_eq!(budget.left(), bytes(1_500));
    }

    #[test]
    fn without_a_round_trip_the_time_in_which_a_window_comes_stands_for_it() {
        let mut tuning = tuning();
        let received = DataArrival { round_trip: None, ..packet() };
        // Ten packets use up the window; the eleventh answers another window.
        for number in 0..9 {
            tuning.on_read(bytes(100));
            assert_eq!(tuning.on_arrival(at(4 * number), &received), None);
        }
        tuning.on_read(bytes(100));
        assert_eq!(tuning.on_arrival(at(80), &received), Some(bytes(2_000)));
        tuning.on_read(bytes(1_000));
        let most = DataArrival { round_trip: None, ..packets(9) };
        assert_eq!(tuning.on_arrival(at(159), &most), None);
        assert_eq!(tuning.on_arrival(at(160), &received), Some(bytes(2_000)));
    }

    #[test]
    fn one_message_larger_than_the_buffer_makes_it_grow() {
        let mut tuning = tuning();
        assert_eq!(tuning.on_stuck(bytes(1_000)), Some(bytes(2_000)));
        assert_eq!(tuning.on_stuck(bytes(8_000)), Some(LIMIT));
        assert_eq!(tuning.on_stuck(LIMIT), None);
    }
}
