//! The searches for routes that a station has begun, and the requests of others that it has seen and is to pass on.

use std::collections::{BTreeMap, VecDeque};

use anabranch_base::{Duration, Time};

use super::header::Request;

/// Searches and requests of one station.
#[derive(Debug, Default)]
pub(crate) struct Discoveries {
    searches: BTreeMap<u16, Search>,
    next_id: u16,
    /// The last requests of each station.
    seen: BTreeMap<u16, VecDeque<u16>>,
    /// Requests that wait for the end of their jitter.
    waiting: Vec<(Time, Request)>,
}

#[derive(Debug)]
struct Search {
    wait: Duration,
    next: Time,
}

/// The action that is due.
#[derive(Debug, PartialEq)]
pub(crate) enum Due {
    /// Ask for this station again, if a packet still waits for it.
    Search(u16),
    /// Pass this request on.
    Forward(Request),
}

impl Discoveries {
    /// Begins to look for `target`; `None` if the station already does.
    pub(crate) fn begin(&mut self, now: Time, station: u16, target: u16) -> Option<Request> {
        if self.searches.contains_key(&target) {
            return None;
        }
        self.searches.insert(target, Search { wait: FIRST_WAIT, next: now + FIRST_WAIT });
        Some(self.request(station, target))
    }

    /// Asks again: the wait for an answer doubles.
    pub(crate) fn again(&mut self, now: Time, station: u16, target: u16) -> Request {
        let search = self.searches.entry(target).or_insert(Search { wait: FIRST_WAIT, next: now });
        search.wait = (search.wait * 2).min(LONGEST_WAIT);
        search.next = now + search.wait;
        self.request(station, target)
    }

    /// Ends the search for `target`. Returns whether there was one.
    pub(crate) fn end(&mut self, target: u16) -> bool {
        self.searches.remove(&target).is_some()
    }

    /// Returns true if a request with this number of `origin` is new; from now on it is not.
    pub(crate) fn is_new(&mut self, origin: u16, id: u16) -> bool {
        let seen = self.seen.entry(origin).or_default();
        if seen.contains(&id) {
            return false;
        }
        if seen.len() == REMEMBERED {
            seen.pop_front();
        }
        seen.push_back(id);
        true
    }

    /// Passes `request` on at the time `at`.
    pub(crate) fn forward(&mut self, at: Time, request: Request) {
        self.waiting.push((at, request));
    }

    /// The next thing that is due at `now`.
    pub(crate) fn take_due(&mut self, now: Time) -> Option<Due> {
        if let Some(place) = self.waiting.iter().position(|(at, _)| *at <= now) {
            return Some(Due::Forward(self.waiting.remove(place).1));
        }
        let (target, search) = self.searches.iter_mut().find(|(_, search)| search.next <= now)?;
        search.next = now + search.wait;
        Some(Due::Search(*target))
    }

    /// When something is due.
    pub(crate) fn next(&self) -> Option<Time> {
        let waiting = self.waiting.iter().map(|(at, _)| *at);
        waiting.chain(self.searches.values().map(|search| search.next)).min()
    }

    /// The station is switched off.
    pub(crate) fn clear(&mut self) {
        self.searches.clear();
        self.waiting.clear();
    }

    fn request(&mut self, station: u16, target: u16) -> Request {
        self.next_id = self.next_id.wrapping_add(1);
        Request { id: self.next_id, target, path: vec![station] }
    }
}

const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// Requests of one station that another remembers (RFC 4728 §9: `RequestTableIds`).
const REMEMBERED: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_waits_double_from_half_a_second_to_ten() {
        let mut discoveries = Discoveries::default();
        assert!(discoveries.begin(Time::ZERO, 0, 9).is_some());
        assert!(discoveries.begin(Time::ZERO, 0, 9).is_none(), "one search at a time");
        let mut now = Time::ZERO;
        let waits: Vec<u64> = (0..7)
            .map(|_| {
                let next = discoveries.next().expect("a search");
                let wait = next.since(now).as_millis();
                now = next;
                assert_eq!(discoveries.take_due(now), Some(Due::Search(9)));
                discoveries.again(now, 0, 9);
                wait
            })
            .collect();
        assert_eq!(waits, [500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
    }

    #[test]
    fn a_request_is_passed_on_once() {
        let mut discoveries = Discoveries::default();
        assert!(discoveries.is_new(3, 1));
        assert!(!discoveries.is_new(3, 1));
        assert!(discoveries.is_new(3, 2) && discoveries.is_new(4, 1));
    }
}
