//! The time until the new rate is found, after an event of the links.
//!
//! The rate is found at the end of the first half second that lies wholly after the event and in which at least nine tenths
//! of the new physical bound were delivered. An event whose rate is not found before the next one, or before the end, counts
//! with the time in between.

use super::bound::bound;
use super::course::Course;

/// The deliveries, by hundredths of a second.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Deliveries(Vec<f64>);

/// The events of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Found {
    /// The mean time, in seconds; not a number without events.
    pub mean_s: f64,
    /// The number of rates that were not found.
    pub missed: u32,
}

impl Deliveries {
    /// User data was delivered at this time, in seconds.
    pub fn add(&mut self, at_s: f64, bytes: f64) {
        let bin = (at_s / BIN_S) as usize;
        if self.0.len() <= bin {
            self.0.resize(bin + 1, 0.0);
        }
        self.0[bin] += bytes;
    }

    /// The time it took until the new rates of `course` were found.
    pub fn found(&self, course: &Course) -> Found {
        let events = course.pieces.iter().skip(1);
        let events = events.filter(|piece| piece.until_s - piece.from_s >= WINDOW_BINS as f64 * BIN_S);
        let (mut times, mut missed) = (Vec::new(), 0);
        for piece in events {
            let wanted = SHARE * bound(&piece.paths, course.buffer_bytes);
            match self.first_window(piece.from_s, piece.until_s, wanted) {
                Some(at) => times.push(at - piece.from_s),
                None => {
                    missed += 1;
                    times.push(piece.until_s - piece.from_s);
                }
            }
        }
        Found { mean_s: times.iter().sum::<f64>() / times.len() as f64, missed }
    }

    /// The end of the first window between two times in which as many Mbit/s were delivered.
    fn first_window(&self, from_s: f64, until_s: f64, wanted_mbps: f64) -> Option<f64> {
        // A time at the border of two bins must not lose a bin to rounding.
        let (first, last) = ((from_s / BIN_S - 1e-6).ceil() as usize, (until_s / BIN_S + 1e-6) as usize);
        let delivered = |end: usize| (end - WINDOW_BINS..end).filter_map(|bin| self.0.get(bin)).sum::<f64>();
        let wanted = wanted_mbps * 1e6 / 8.0 * WINDOW_BINS as f64 * BIN_S;
        (first + WINDOW_BINS..=last).find(|end| delivered(*end) >= wanted).map(|end| end as f64 * BIN_S)
    }
}

/// The length of a bin in seconds.
const BIN_S: f64 = 0.01;
/// The length of the window: half a second.
const WINDOW_BINS: usize = 50;
/// The share of the new bound that counts as found.
const SHARE: f64 = 0.9;

#[cfg(test)]
mod tests {
    use super::super::bound::BufferedPath;
    use super::super::course::Piece;
    use super::*;

    /// 9.68 Mbit/s until 4 s, half of it until 10 s, and 9.68 Mbit/s until 20 s.
    fn course() -> Course {
        let piece =
            |from_s, until_s, rate| Piece { from_s, until_s, paths: vec![BufferedPath::new(rate, 10.0)] };
        Course {
            pieces: vec![piece(0.0, 4.0, 10.0), piece(4.0, 10.0, 5.0), piece(10.0, 20.0, 10.0)],
            warmup_s: 0.0,
            transfer_bytes: None,
            buffer_bytes: 1e6,
        }
    }

    /// Delivers evenly: from when, and how many Mbit/s.
    fn deliveries(rates: &[(f64, f64)]) -> Deliveries {
        let mut deliveries = Deliveries::default();
        for bin in 0..2_000 {
            let at = (f64::from(bin) + 0.5) * 0.01;
            let rate = rates.iter().rev().find(|(from, _)| *from <= at).map_or(0.0, |(_, rate)| *rate);
            deliveries.add(at, rate * 1e6 / 8.0 * 0.01);
        }
        deliveries
    }

    #[test]
    fn a_sender_that_follows_at_once_needs_the_window() {
        let found = deliveries(&[(0.0, 9.68), (4.0, 4.84), (10.0, 9.68)]).found(&course());
        assert!((found.mean_s - 0.5).abs() < 1e-9 && found.missed == 0, "{found:?}");
    }

    #[test]
    fn silence_and_slow_growth_count_from_the_event() {
        // Silent for 2 s after the first event, and 3 s at half of the rate after the second: windows of the new rate end 2.5
        // and 3.5 s later, of which a tenth, and a fifth of the half that is missing, may lie before.
        let rates = [(0.0, 9.68), (4.0, 0.0), (6.0, 4.84), (10.0, 4.84), (13.0, 9.68)];
        let found = deliveries(&rates).found(&course());
        assert!((found.mean_s - (2.45 + 3.40) / 2.0).abs() < 1e-9 && found.missed == 0, "{found:?}");
    }

    #[test]
    fn what_is_never_found_counts_with_the_time_there_was() {
        let found = deliveries(&[(0.0, 9.68), (4.0, 4.84), (10.0, 8.0)]).found(&course());
        assert!((found.mean_s - (0.5 + 10.0) / 2.0).abs() < 1e-9 && found.missed == 1, "{found:?}");
    }

    #[test]
    fn without_events_there_is_no_time() {
        let course = Course { pieces: course().pieces[..1].to_vec(), ..course() };
        assert!(deliveries(&[(0.0, 9.68)]).found(&course).mean_s.is_nan());
    }
}
