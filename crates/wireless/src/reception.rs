//! Which of the frames that overlap at a station it receives.

use crate::medium::Neighbour;

/// The transmissions that a station senses now.
#[derive(Debug, Default)]
pub(crate) struct Arrivals(Vec<Arrival>);

/// A transmission that arrives.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    from: Neighbour,
    is_spoilt: bool,
}

/// The end of a transmission at a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reception {
    /// The frame was received.
    Intact,
    /// It would have been received without others.
    Spoilt,
    /// It was only sensed.
    Sensed,
}

/// By which factor another transmitter must be farther away, for a frame to be received in spite of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Capture(Option<f64>);

impl Capture {
    /// Power falls with the fourth power of the distance: `decibels` are a factor of 10^(decibels / 40).
    pub(crate) fn new(decibels: Option<f64>) -> Capture {
        Capture(decibels.map(|decibels| libm::pow(10.0, decibels / 40.0)))
    }

    fn prefers(self, one: Neighbour, other: Neighbour) -> bool {
        self.0.is_some_and(|factor| other.metres >= one.metres * factor)
    }
}

impl Arrivals {
    /// A transmission begins to arrive; `is_deaf` while the station itself sends. Of two frames each of which is as
    /// strong as capture asks, the first is received.
    pub(crate) fn begin(&mut self, from: Neighbour, is_deaf: bool, capture: Capture) {
        let mut new = Arrival { from, is_spoilt: is_deaf };
        for other in &mut self.0 {
            if !other.is_spoilt && capture.prefers(other.from, from) {
                new.is_spoilt = true;
                continue;
            }
            other.is_spoilt = true;
            new.is_spoilt |= !capture.prefers(from, other.from);
        }
        self.0.push(new);
    }

    /// The transmission of `station` ends, or is cut off. `None` if it did not arrive here.
    pub(crate) fn end(&mut self, station: u16, is_cut: bool) -> Option<Reception> {
        let place = self.0.iter().position(|arrival| arrival.from.station == station)?;
        let arrival = self.0.swap_remove(place);
        Some(match (arrival.from.receives, arrival.is_spoilt || is_cut) {
            (false, _) => Reception::Sensed,
            (true, true) => Reception::Spoilt,
            (true, false) => Reception::Intact,
        })
    }

    /// The station itself begins to send.
    pub(crate) fn spoil(&mut self) {
        for arrival in &mut self.0 {
            arrival.is_spoilt = true;
        }
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(station: u16, metres: f64) -> Neighbour {
        Neighbour { station, metres, receives: metres <= 300.0 }
    }

    fn overlap(first: f64, second: f64, capture: Option<f64>) -> [Option<Reception>; 2] {
        let mut arrivals = Arrivals::default();
        arrivals.begin(from(1, first), false, Capture::new(capture));
        arrivals.begin(from(2, second), false, Capture::new(capture));
        [arrivals.end(1, false), arrivals.end(2, false)]
    }

    #[test]
    fn without_capture_any_overlap_destroys_both() {
        assert_eq!(overlap(10.0, 290.0, None), [Some(Reception::Spoilt); 2]);
        assert_eq!(overlap(250.0, 400.0, None), [Some(Reception::Spoilt), Some(Reception::Sensed)]);
    }

    #[test]
    fn capture_of_ten_decibels_asks_for_a_distance_of_1_78_times_as_much() {
        let (intact, spoilt) = (Some(Reception::Intact), Some(Reception::Spoilt));
        assert_eq!(overlap(100.0, 179.0, Some(10.0)), [intact, spoilt]);
        assert_eq!(overlap(179.0, 100.0, Some(10.0)), [spoilt, intact]);
        assert_eq!(overlap(100.0, 177.0, Some(10.0)), [spoilt, spoilt]);
        assert_eq!(overlap(250.0, 250.0, Some(0.0)), [intact, spoilt], "the first");
    }

    #[test]
    fn a_station_that_sends_receives_nothing() {
        let mut arrivals = Arrivals::default();
        arrivals.begin(from(1, 100.0), true, Capture::new(None));
        assert_eq!(arrivals.end(1, false), Some(Reception::Spoilt));
        assert_eq!(arrivals.end(1, false), None);
    }
}
