//! The arrivals of the segments that were not reported yet, within a bound.

use std::collections::BTreeMap;

use anabranch_base::{ByteCount, Time};

/// The arrivals of all lanes.
#[derive(Clone, Debug, Default)]
pub(crate) struct ArrivalLog {
    flights: BTreeMap<(u16, u8), Vec<LoggedArrival>>,
    held: usize,
    missed: u64,
}

/// A test packet that arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LoggedArrival {
    /// The number.
    pub number: u32,
    /// The size of the IP packet.
    pub size: ByteCount,
    /// The time of sending, by the sender's clock.
    pub sent: Time,
    /// The time of arrival.
    pub at: Time,
}

impl ArrivalLog {
    /// Records an arrival.
    pub(crate) fn add(&mut self, segment: u16, lane: u8, arrival: LoggedArrival) {
        if self.held >= MOST_HELD
            || (self.flights.len() >= MOST_FLIGHTS && !self.flights.contains_key(&(segment, lane)))
        {
            self.missed += 1;
            return;
        }
        self.held += 1;
        self.flights.entry((segment, lane)).or_default().push(arrival);
    }

    /// Takes the arrivals of a segment, by lanes, and forgets those of segments before it.
    pub(crate) fn take(&mut self, segment: u16) -> Vec<(u8, Vec<LoggedArrival>)> {
        let later = match segment.checked_add(1) {
            Some(next) => self.flights.split_off(&(next, 0)),
            None => BTreeMap::new(),
        };
        let taken = std::mem::replace(&mut self.flights, later);
        self.held = self.flights.values().map(Vec::len).sum();
        taken
            .into_iter()
            .filter(|((of, _), _)| *of == segment)
            .map(|((_, lane), arrivals)| (lane, arrivals))
            .collect()
    }

    /// Takes the number of arrivals for which there was no room.
    pub(crate) fn take_missed(&mut self) -> u64 {
        std::mem::take(&mut self.missed)
    }
}

/// The most arrivals that are held: 32 bytes each.
const MOST_HELD: usize = 1_000_000;
/// The most pairs of segments and lanes.
const MOST_FLIGHTS: usize = 512;

#[cfg(test)]
mod tests {
    use super::*;

    fn arrival(number: u32) -> LoggedArrival {
        LoggedArrival { number, size: ByteCount::new(100), sent: Time::ZERO, at: Time::ZERO }
    }

    #[test]
    fn a_segment_is_taken_once_and_those_before_it_are_forgotten() {
        let mut log = ArrivalLog::default();
        for (segment, lane) in [(1, 0), (2, 1), (2, 0), (3, 0)] {
            log.add(segment, lane, arrival(7));
        }
        assert_eq!(log.take(2), [(0, vec![arrival(7)]), (1, vec![arrival(7)])]);
        assert_eq!((log.take(2).len(), log.held), (0, 1));
        assert_eq!((log.take(u16::MAX).len(), log.held), (0, 0));
    }

    #[test]
    fn a_flood_is_counted_and_not_kept() {
        let mut log = ArrivalLog::default();
        (0..=u16::MAX).for_each(|segment| log.add(segment, 0, arrival(0)));
        assert_eq!((log.flights.len(), log.take_missed()), (MOST_FLIGHTS, 65_536 - MOST_FLIGHTS as u64));
        (0..MOST_HELD as u32 + 5).for_each(|number| log.add(0, 0, arrival(number)));
        assert_eq!((log.held, log.take_missed()), (MOST_HELD, 5 + MOST_FLIGHTS as u64));
    }
}
