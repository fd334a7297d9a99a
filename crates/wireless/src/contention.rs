//! The back-off of a station: how many idle slots it still waits, and since when it counts them (M-MAC-2). No slot is an
//! event: how many have passed follows from the times.

use anabranch_base::{Duration, Time};
use anabranch_link::Random;

use crate::config::RadioConfig;

/// The contention window and the back-off counter of a station.
#[derive(Clone, Debug)]
pub struct Contention {
    slot: Duration,
    smallest: u32,
    largest: u32,
    window: u32,
    /// The slots that are left; `None` without a back-off.
    slots: Option<u32>,
    /// Since when they are counted; `None` while the medium is busy.
    counting: Option<Time>,
}

impl Contention {
    /// A station that has not sent yet.
    pub fn new(config: &RadioConfig) -> Contention {
        Contention {
            slot: config.slot,
            smallest: config.cw_min,
            largest: config.cw_max,
            window: config.cw_min,
            slots: None,
            counting: None,
        }
    }

    /// Draws a new back-off: 0 to the contention window.
    pub fn draw(&mut self, random: &mut Random) {
        let most = f64::from(self.window) + 1.0;
        self.slots = Some((random.unit() * most) as u32);
        self.counting = None;
    }

    /// Whether there is a back-off at `now`. One that ended without a frame to send is over.
    pub fn is_pending(&mut self, now: Time) -> bool {
        if self.expiry().is_some_and(|expiry| expiry <= now) {
            self.slots = None;
            self.counting = None;
        }
        self.slots.is_some()
    }

    /// The medium is idle, and slots count from `start` on, which may be later than now.
    pub fn count_from(&mut self, start: Time) {
        self.counting = Some(start);
    }

    /// The medium becomes busy. A back-off that ends at this very moment has ended: its station sends too.
    pub fn freeze(&mut self, now: Time) {
        let (Some(slots), Some(start)) = (self.slots, self.counting) else {
            self.counting = None;
            return;
        };
        if start + self.slot * u64::from(slots) <= now {
            return;
        }
        if now > start {
            let passed = now.since(start).as_nanos() / self.slot.as_nanos().max(1);
            self.slots = Some(slots - u32::try_from(passed).unwrap_or(slots).min(slots));
        }
        self.counting = None;
    }

    /// When the back-off ends, while its slots are counted.
    pub fn expiry(&self) -> Option<Time> {
        Some(self.counting? + self.slot * u64::from(self.slots?))
    }

    /// The back-off has ended, and the station sends.
    pub fn end(&mut self) {
        self.slots = None;
        self.counting = None;
    }

    /// An attempt failed: the window doubles.
    pub fn widen(&mut self) {
        self.window = self.window.saturating_mul(2).saturating_add(1).min(self.largest);
    }

    /// A frame was sent or given up.
    pub fn reset(&mut self) {
        self.window = self.smallest;
    }
}

#[cfg(test)]
mod tests {
    use anabranch_base::Seed;

    use super::*;

    fn at(micros: u64) -> Time {
        Time::from_nanos(1_000 * micros)
    }

    fn with(slots: u32) -> Contention {
        Contention { slots: Some(slots), ..Contention::new(&RadioConfig::default()) }
    }

    #[test]
    fn slots_that_passed_before_the_medium_became_busy_are_not_waited_for_again() {
        let mut contention = with(10);
        contention.count_from(at(100));
        assert_eq!(contention.expiry(), Some(at(300)));
        contention.freeze(at(175));
        assert_eq!((contention.slots, contention.expiry()), (Some(7), None));
        contention.count_from(at(500));
        contention.freeze(at(450));
        assert_eq!(contention.slots, Some(7), "busy again before the first slot");
    }

    #[test]
    fn a_back_off_that_ends_as_another_station_begins_has_ended() {
        let mut contention = with(2);
        contention.count_from(at(100));
        contention.freeze(at(140));
        assert_eq!(contention.expiry(), Some(at(140)));
        contention.freeze(at(141));
        assert_eq!(contention.expiry(), Some(at(140)));
    }

    #[test]
    fn the_window_doubles_up_to_its_largest_and_draws_reach_both_ends() {
        let mut contention = Contention::new(&RadioConfig { cw_min: 1, cw_max: 7, ..RadioConfig::default() });
        let windows: Vec<u32> = (0..4)
            .map(|_| {
                contention.widen();
                contention.window
            })
            .collect();
        assert_eq!(windows, [3, 7, 7, 7]);
        contention.reset();
        let mut random = Random::new(&Seed::from_number(1));
        let mut drawn = [0; 2];
        for _ in 0..1_000 {
            contention.draw(&mut random);
            drawn[contention.slots.expect("a back-off") as usize] += 1;
        }
        assert!(drawn.iter().all(|count| (450..550).contains(count)), "{drawn:?}");
    }
}
