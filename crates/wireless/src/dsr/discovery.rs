//! The routes that a station looks for: when it asks again, and which requests of others it has passed on.

use std::collections::BTreeMap;

use anabranch_base::{Duration, Time};
use anabranch_link::fabric::Station;

/// Route discoveries that are under way, and requests that were seen.
#[derive(Debug, Default)]
pub struct Discoveries {
    next_number: u32,
    underway: BTreeMap<Station, Attempt>,
    /// The last request of each initiator. Numbers rise, and requests of one initiator arrive in order but for the jitter
    /// of their way: an older one than the last is stale.
    seen: BTreeMap<Station, u32>,
}

#[derive(Debug)]
struct Attempt {
    again: Time,
    /// The wait after the next request.
    next: Duration,
}

impl Discoveries {
    /// Begins to look for a route to `target`, unless that is under way; returns the number of the request to send. With
    /// `neighbours_first` the request is for the neighbours alone, and soon followed by one for all.
    pub fn begin(&mut self, now: Time, target: Station, neighbours_first: bool) -> Option<u32> {
        if self.underway.contains_key(&target) {
            return None;
        }
        let (wait, next) =
            if neighbours_first { (NEIGHBOURS_WAIT, FIRST_WAIT) } else { (FIRST_WAIT, FIRST_WAIT * 2) };
        self.underway.insert(target, Attempt { again: now + wait, next });
        Some(self.number())
    }

    /// When to ask for a route to `target` again.
    pub fn again(&self, target: Station) -> Option<Time> {
        self.underway.get(&target).map(|attempt| attempt.again)
    }

    /// The time to ask again has come: returns the number of the next request. The wait doubles.
    pub fn retry(&mut self, now: Time, target: Station) -> Option<u32> {
        let attempt = self.underway.get_mut(&target).filter(|attempt| attempt.again <= now)?;
        attempt.again = now + attempt.next;
        attempt.next = (attempt.next * 2).min(LONGEST_WAIT);
        Some(self.number())
    }

    /// A route to `target` was found, or nobody needs one any more.
    pub fn end(&mut self, target: Station) {
        self.underway.remove(&target);
    }

    /// Whether a request is seen for the first time.
    pub fn is_new(&mut self, initiator: Station, number: u32) -> bool {
        let is_new = self.seen.get(&initiator).is_none_or(|last| *last < number);
        if is_new {
            self.seen.insert(initiator, number);
        }
        is_new
    }

    fn number(&mut self) -> u32 {
        self.next_number = self.next_number.wrapping_add(1);
        self.next_number
    }
}

/// How long a station waits for a reply of a neighbour (RFC 4728 §9, NonpropRequestTimeout).
const NEIGHBOURS_WAIT: Duration = Duration::from_millis(30);
/// How long it waits for a reply to its first request to all.
const FIRST_WAIT: Duration = Duration::from_millis(500);
/// How long it waits at most.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

#[cfg(test)]
mod tests {
    use super::*;

    const TARGET: Station = Station::new(3);

    #[test]
    fn requests_are_repeated_after_times_that_double_up_to_ten_seconds() {
        let mut discoveries = Discoveries::default();
        assert_eq!(discoveries.begin(Time::ZERO, TARGET, false), Some(1));
        assert_eq!(discoveries.begin(Time::ZERO, TARGET, false), None, "one is under way");
        let mut waits = Vec::new();
        let mut now = Time::ZERO;
        for number in 2..9 {
            let again = discoveries.again(TARGET).expect("under way");
            waits.push(again.since(now).as_secs_f64());
            now = again;
            assert_eq!(discoveries.retry(now, TARGET), Some(number));
            assert_eq!(discoveries.retry(now, TARGET), None, "not yet");
        }
        assert_eq!(waits, [0.5, 1.0, 2.0, 4.0, 8.0, 10.0, 10.0]);
    }

    #[test]
    fn after_the_neighbours_all_are_asked_soon() {
        let mut discoveries = Discoveries::default();
        discoveries.begin(Time::ZERO, TARGET, true);
        let first = discoveries.again(TARGET).expect("under way");
        discoveries.retry(first, TARGET);
        let second = discoveries.again(TARGET).expect("under way");
        assert_eq!([first.since(Time::ZERO), second.since(first)], [NEIGHBOURS_WAIT, FIRST_WAIT]);
    }

    #[test]
    fn a_request_is_new_once() {
        let mut discoveries = Discoveries::default();
        let from = Station::new(7);
        assert!(discoveries.is_new(from, 1) && !discoveries.is_new(from, 1));
        assert!(discoveries.is_new(from, 2) && !discoveries.is_new(from, 1));
    }
}
