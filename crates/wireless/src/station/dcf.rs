//! When a station may send (M-MAC-2): the contention window, the back-off, and what it waits for. Slots cost no
//! events: the end of a back-off is a time, and a busy medium freezes it by arithmetic.

use anabranch_base::{Seed, Time};
use anabranch_link::Random;

use super::nav::Nav;
use crate::frame::AirTimes;

/// The access of one station to the medium.
#[derive(Debug)]
pub(crate) struct Dcf {
    air: AirTimes,
    cw_min: u32,
    cw_max: u32,
    cw: u32,
    /// The slots that remain of a back-off.
    slots: Option<u32>,
    /// The back-off counts since then, or will from then on; `None` while the medium is busy.
    counts_from: Option<Time>,
    busy_since: Option<Time>,
    /// The medium has been idle for long enough from this time on, if it is idle.
    ready_from: Time,
    /// The last frame that ended was not understood.
    after_error: bool,
    /// The reservation of other stations.
    pub(crate) nav: Nav,
    random: Random,
}

impl Dcf {
    pub(crate) fn new(air: AirTimes, cw_min: u32, cw_max: u32, seed: &Seed) -> Dcf {
        Dcf {
            air,
            cw_min,
            cw_max: cw_max.max(cw_min),
            cw: cw_min,
            slots: None,
            counts_from: None,
            busy_since: None,
            ready_from: Time::ZERO,
            after_error: false,
            nav: Nav::default(),
            random: Random::new(seed),
        }
    }

    /// A frame waits to be sent: at once where the medium has been idle for long enough and no back-off runs (rule 1).
    pub(crate) fn ask(&mut self, now: Time) {
        let is_over = self.access().is_some_and(|at| at <= now);
        if is_over || (self.slots.is_none() && self.was_idle_until(now) && self.ready_from <= now) {
            self.slots = Some(0);
            self.counts_from = Some(now);
        } else if self.slots.is_none() {
            self.back_off(now);
        }
    }

    /// When the back-off ends, if the medium stays idle.
    pub(crate) fn access(&self) -> Option<Time> {
        Some(self.counts_from? + self.air.slot * u64::from(self.slots?))
    }

    /// An exchange succeeded, or its frame is given up: the next back-off is a short one (rules 3 and 4).
    pub(crate) fn finish(&mut self, now: Time) {
        self.cw = self.cw_min;
        self.back_off(now);
    }

    /// An attempt failed: the next back-off is longer (rule 4).
    pub(crate) fn retry(&mut self, now: Time) {
        self.cw = self.cw.saturating_mul(2).saturating_add(1).min(self.cw_max);
        self.back_off(now);
    }

    /// The station itself begins to send; with `ends_back_off` because its back-off is over.
    pub(crate) fn on_send(&mut self, now: Time, ends_back_off: bool) {
        if ends_back_off {
            self.slots = None;
            self.counts_from = None;
        }
        self.after_error = false;
        self.on_busy(now, false);
        // What is on air from now on is its own; a later frame has nothing to do with an instant ago.
        self.busy_since = Some(Time::ZERO);
    }

    /// A transmission begins. A back-off that ends at this very moment is not stopped: the station `wants` to send
    /// and cannot know yet (rule 6: both collide).
    pub(crate) fn on_busy(&mut self, now: Time, wants: bool) {
        self.nav.on_busy(now);
        if self.busy_since.is_none() {
            self.busy_since = Some(now);
        }
        self.freeze(now, wants);
    }

    /// A frame ended here. EIFS follows one that could not be decoded.
    pub(crate) fn on_frame(&mut self, is_intact: bool) {
        self.after_error = !is_intact;
    }

    /// Nothing is on air here any more.
    pub(crate) fn on_idle(&mut self, now: Time) {
        self.busy_since = None;
        let space = if self.after_error { self.air.eifs } else { self.air.difs };
        self.ready_from = (now + space).max(self.nav.end() + self.air.difs);
        if self.slots.is_some() {
            self.counts_from = Some(self.ready_from);
        }
    }

    /// Returns true if the medium is idle now, physically and by reservation, so that an RTS may be answered.
    pub(crate) fn may_answer(&self, now: Time) -> bool {
        self.was_idle_until(now) && !self.nav.is_set(now)
    }

    /// The station is switched off: only its window and its random numbers remain.
    pub(crate) fn reset(&mut self, now: Time) {
        self.cw = self.cw_min;
        self.slots = None;
        self.counts_from = None;
        self.busy_since = None;
        self.after_error = false;
        self.nav = Nav::default();
        self.ready_from = now + self.air.difs;
    }

    fn back_off(&mut self, now: Time) {
        self.slots = Some(self.draw());
        if self.was_idle_until(now) {
            self.counts_from = Some(self.ready_from.max(now));
        }
        if self.busy_since.is_some() {
            self.freeze(now, true);
        }
    }

    fn freeze(&mut self, now: Time, wants: bool) {
        let (Some(slots), Some(from), Some(access)) = (self.slots, self.counts_from, self.access()) else {
            return;
        };
        if access > now {
            let passed = now.since(from).as_nanos() / self.air.slot.as_nanos().max(1);
            self.slots = Some(slots - u32::try_from(passed).unwrap_or(slots).min(slots));
            self.counts_from = None;
        } else if !wants {
            self.slots = None;
            self.counts_from = None;
        }
    }

    /// Returns true if the medium was idle up to `now`; it may become busy at that moment.
    fn was_idle_until(&self, now: Time) -> bool {
        self.busy_since.is_none_or(|since| since >= now)
    }

    /// Uniform in 0 to the window.
    fn draw(&mut self) -> u32 {
        let bits = self.random.bits() >> 32;
        ((bits * (u64::from(self.cw) + 1)) >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use anabranch_base::Duration;

    use super::*;
    use crate::config::RadioConfig;

    fn dcf() -> Dcf {
        let air = AirTimes::new(&RadioConfig::default());
        Dcf::new(air, 31, 1_023, &Seed::from_number(1))
    }

    fn us(micros: u64) -> Time {
        Time::ZERO + Duration::from_micros(micros)
    }

    #[test]
    fn a_frame_that_finds_a_long_idle_medium_is_sent_at_once() {
        let mut dcf = dcf();
        dcf.ask(us(70));
        assert_eq!(dcf.access(), Some(us(70)));
    }

    #[test]
    fn a_frame_that_finds_the_medium_idle_for_less_than_difs_backs_off_from_the_end_of_difs() {
        let mut dcf = dcf();
        dcf.on_busy(us(0), false);
        dcf.on_frame(true);
        dcf.on_idle(us(100));
        dcf.ask(us(120));
        let slots = dcf.slots.expect("a back-off");
        assert_eq!(dcf.access(), Some(us(150 + 20 * u64::from(slots))));
    }

    #[test]
    fn a_busy_medium_freezes_the_back_off_in_whole_slots() {
        let mut dcf = dcf();
        dcf.on_busy(us(0), false);
        dcf.on_idle(us(100));
        dcf.slots = Some(5);
        dcf.counts_from = Some(us(150));
        dcf.on_busy(us(209), true);
        assert_eq!((dcf.slots, dcf.access()), (Some(3), None), "two slots had passed");
        dcf.on_frame(true);
        dcf.on_idle(us(500));
        assert_eq!(dcf.access(), Some(us(550 + 60)));
        dcf.on_busy(us(520), true);
        dcf.on_idle(us(600));
        assert_eq!(dcf.access(), Some(us(650 + 60)), "no slot passes during DIFS");
    }

    #[test]
    fn a_frame_that_was_not_understood_is_followed_by_eifs() {
        let mut dcf = dcf();
        dcf.slots = Some(0);
        dcf.on_busy(us(0), true);
        dcf.slots = Some(0);
        dcf.on_frame(false);
        dcf.on_idle(us(1_000));
        assert_eq!(dcf.access(), Some(us(1_364)));
        dcf.on_busy(us(1_010), true);
        dcf.on_frame(true);
        dcf.on_idle(us(1_314));
        assert_eq!(dcf.access(), Some(us(1_364)), "an understood frame ends EIFS");
    }

    #[test]
    fn a_back_off_that_ends_as_another_station_begins_is_not_stopped() {
        let mut dcf = dcf();
        dcf.ask(us(70));
        dcf.on_busy(us(70), true);
        assert_eq!(dcf.access(), Some(us(70)));
        let mut later = self::dcf();
        later.on_busy(us(70), false);
        later.ask(us(70));
        assert_eq!(later.access(), Some(us(70)), "in either order");
    }

    #[test]
    fn a_back_off_without_a_frame_is_forgotten_when_it_is_over() {
        let mut dcf = dcf();
        dcf.finish(us(0));
        dcf.on_busy(us(10_000), false);
        assert_eq!(dcf.slots, None);
        dcf.on_frame(true);
        dcf.on_idle(us(11_000));
        dcf.ask(us(12_000));
        assert_eq!(dcf.access(), Some(us(12_000)));
    }

    #[test]
    fn the_window_doubles_to_its_end_and_returns() {
        let mut dcf = dcf();
        let windows: Vec<u32> = (0..7)
            .map(|_| {
                dcf.retry(us(0));
                dcf.cw
            })
            .collect();
        assert_eq!(windows, [63, 127, 255, 511, 1_023, 1_023, 1_023]);
        dcf.finish(us(0));
        assert_eq!(dcf.cw, 31);
    }

    #[test]
    fn back_offs_are_uniform() {
        let mut dcf = dcf();
        let mut counts = [0_u32; 32];
        for _ in 0..32_000 {
            counts[dcf.draw() as usize] += 1;
        }
        assert!(counts.iter().all(|count| (850..1_150).contains(count)), "{counts:?}");
    }

    #[test]
    fn a_reservation_delays_access_by_difs_after_its_end() {
        let mut dcf = dcf();
        dcf.slots = Some(2);
        dcf.on_busy(us(0), true);
        dcf.on_frame(true);
        dcf.nav.reserve(us(900));
        dcf.on_idle(us(300));
        assert!(!dcf.may_answer(us(899)));
        assert_eq!(dcf.access(), Some(us(950 + 40)));
    }
}
