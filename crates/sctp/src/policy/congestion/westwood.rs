//! A window rule for links that lose packets without congestion. It grows as Reno does while packets wait in a queue of the
//! path, and faster while none do. A loss while none do is chance, and cuts nothing; a loss while some do cuts the window to
//! what fills the path, and not to half. Where others share the queue, and where too much is lost, it is Reno
//! (docs/mechanisms.md, M-WW-1 to -4).
//!
//! The parts are published: the window after a loss is the measured rate times the least round trip (TCP Westwood,
//! Mascolo and others, MobiCom 2001; here with the delivery rate over whole round trips); losses are classified by the
//! backlog in the queue (TCP Veno, Fu and Liew, JSAC 2003), and those of the link cut nothing (TCP Westwood with Bulk
//! Repeat, Yang and others, 2002); growth after a smaller cut is slower (RFC 9438 §4.3).

mod competition;
mod delays;
mod growth;
mod losses;

use anabranch_base::{ByteCount, Time};

use competition::Competition;
use delays::Delays;
use growth::Growth;
use losses::ChanceLosses;

use super::reno::{Reno, RenoRules};
use super::{Acked, CutCause, CutWindow, LossDifferentiation, LostData, SentData, WindowRule};
use crate::policy::{PathId, PathSample, View};

/// The rule, and its state for each path.
#[derive(Debug)]
pub struct Westwood {
    rules: RenoRules,
    reno: Reno,
    paths: Vec<Course>,
}

/// The state of one path.
#[derive(Clone, Debug, Default)]
struct Course {
    growth: Growth,
    delays: Delays,
    competition: Competition,
    losses: ChanceLosses,
}

impl Course {
    /// Returns true if the flight exceeds what fills the path, so that packets wait in a queue, even in one too short
    /// to be measured (Little's law). With jitter, and while slow start measures the rate, what fills the path is
    /// uncertain.
    fn is_over(&self, sample: &PathSample) -> bool {
        let is_known = !sample.is_below_threshold() && !self.delays.have_jitter(sample);
        is_known && filling(sample, &self.delays).is_some_and(|filling| sample.flight > filling + filling / 6)
    }

    /// Losses on `sample`'s path leave a window of `left`, where it may be no less than `least`. The delays that follow
    /// show whether others share its queue.
    fn on_cut(&mut self, sample: &PathSample, left: ByteCount, least: ByteCount, now: Time) {
        let part = left.get() as f64 / sample.cwnd.get().max(1) as f64;
        self.growth.on_cut(if left > least { part } else { 0.5 }, now);
        self.competition.on_cut(sample.cwnd);
        if sample.is_below_threshold() {
            self.losses.on_slow_start_cut(sample, now);
        }
        let Some((one_way, delivery)) = sample.one_way.zip(sample.delivery) else { return };
        let (delay, empty) = (self.delays.recent(one_way), self.delays.empty_delay(sample));
        let round_trip = left.get() as f64 * 8.0 / delivery.rate.bits_per_second().max(1) as f64;
        let predicted = (round_trip - one_way.back.as_secs_f64()).max(empty);
        let scatter = self.delays.scatter();
        if delay - predicted > (scatter + LEAST_FALL).max((delay - empty) / 4.0) {
            self.competition.await_fall(delay, predicted, scatter, one_way.back, now);
        } else if !sample.is_below_threshold()
            && self.losses.share() > MOST_CHANCE
            && !self.delays.are_queueing(sample)
        {
            self.competition.on_unseen_congestion(now);
        }
    }
}

impl Westwood {
    /// The rule with the floors, the idle decay and the window after a mark of `rules`.
    pub fn new(rules: RenoRules) -> Westwood {
        Westwood { rules, reno: Reno::new(rules), paths: Vec::new() }
    }
}

/// The volume that fills the path; `None` before a rate was measured.
fn filling(sample: &PathSample, delays: &Delays) -> Option<ByteCount> {
    let bits = u128::from(sample.delivery?.rate.bits_per_second());
    let bytes = bits * u128::from(delays.empty_round_trip(sample)?.as_nanos()) / 8_000_000_000;
    Some(ByteCount::new(u64::try_from(bytes).unwrap_or(u64::MAX)))
}

impl WindowRule for Westwood {
    fn add_path(&mut self, path: PathId) {
        self.reno.add_path(path);
        self.paths.resize_with(self.paths.len().max(path.index() + 1), Course::default);
    }

    fn remove_path(&mut self, path: PathId) {
        self.reno.remove_path(path);
        self.paths[path.index()] = Course::default();
    }

    fn on_sent(&mut self, path: PathId, sent: &SentData, view: &View<'_>) {
        self.reno.on_sent(path, sent, view);
    }

    fn on_acked(&mut self, path: PathId, acked: &Acked, view: &View<'_>) {
        let sample = view.path(path);
        let course = &mut self.paths[path.index()];
        course.losses.on_acked(acked.bytes, sample);
        if let Some((delay, one_way)) = acked.delay.zip(sample.one_way) {
            course.delays.on_delay(delay, sample.srtt.unwrap_or(sample.rto), acked.at);
            course.competition.on_delay(course.delays.recent(one_way), acked.at);
        }
    }

    fn on_lost(&mut self, path: PathId, lost: &LostData, view: &View<'_>) {
        let (sample, course) = (view.path(path), &mut self.paths[path.index()]);
        if !course.delays.are_queueing(sample) && !course.is_over(sample) {
            course.losses.on_lost(lost.bytes, sample, lost.at);
        }
    }

    fn increase(&mut self, path: PathId, acked: &Acked, view: &View<'_>) -> ByteCount {
        let sample = view.path(path);
        let Course { growth, delays, competition, .. } = &mut self.paths[path.index()];
        let may_grow = acked.may_grow && acked.is_fully_used;
        let waits = delays.are_queueing(sample);
        if !waits {
            competition.on_grown(sample.cwnd);
        }
        if competition.has_competitors() || waits {
            growth.slow_down(acked.at);
        } else if filling(sample, delays).is_some_and(|filling| sample.cwnd > filling + filling / 4) {
            // More than that is in flight and nothing waits: the rest is dropped, as by a policer.
            return ByteCount::ZERO;
        } else if may_grow {
            growth.speed_up(sample, sample.srtt.unwrap_or(sample.rto), acked.at);
        }
        if may_grow { growth.take(sample, acked) } else { ByteCount::ZERO }
    }

    fn decrease(&mut self, path: PathId, cause: CutCause, view: &View<'_>) -> CutWindow {
        let sample = view.path(path);
        let standard = self.reno.decrease(path, cause, view);
        let course = &mut self.paths[path.index()];
        let Some(filling) = filling(sample, &course.delays) else { return standard };
        match cause {
            CutCause::Missing | CutCause::EcnEcho => {
                let kept = if course.competition.has_competitors() { ByteCount::ZERO } else { filling };
                let most = sample.cwnd - sample.cwnd / LEAST_CUT;
                let left = kept.max(standard.ssthresh).min(most);
                let least = sample.unit * self.rules.window_floor;
                course.on_cut(sample, left, least, view.now);
                let cut = self.reno.cut_to(left.max(least), sample.cwnd);
                CutWindow { ssthresh: cut.ssthresh.max((filling / 2).min(sample.ssthresh)), ..cut }
            }
            CutCause::Timeout | CutCause::TimeoutAgain => {
                course.growth.on_cut(0.5, view.now);
                CutWindow { ssthresh: standard.ssthresh.max(filling.min(sample.ssthresh)), ..standard }
            }
            CutCause::TimeoutAfterEcn | CutCause::Idle => standard,
        }
    }

    fn on_undone(&mut self, path: PathId, _before: CutWindow, _view: &View<'_>) {
        self.paths[path.index()].competition.cancel();
    }

    fn loss_differentiation(&self) -> Option<&dyn LossDifferentiation> {
        Some(self)
    }
}

impl LossDifferentiation for Westwood {
    fn is_chance(&self, path: PathId, view: &View<'_>) -> bool {
        let (sample, course) = (view.path(path), &self.paths[path.index()]);
        let is_own = course.delays.are_queueing(sample) || course.is_over(sample);
        !is_own && !course.competition.has_competitors() && course.losses.share() < MOST_CHANCE
    }
}

/// The smallest part of the window that a cut takes, so that the flows that share the queue find room.
const LEAST_CUT: u64 = 8;
/// A larger share of losses is not chance, whatever the queue: a policer has none.
const MOST_CHANCE: f64 = 0.05;
/// A smaller fall of the delay proves nothing, in seconds.
const LEAST_FALL: f64 = 0.001;

#[cfg(test)]
mod tests {
    use anabranch_base::{BitRate, Duration};

    use super::*;
    use crate::policy::congestion::reno::tests::RULES;
    use crate::policy::testing::acked_bytes as acked;
    use crate::policy::testing::{sample, view};
    use crate::policy::{Delivery, OneWay};

    /// A path of 20 Mbit/s and 40 ms, which 100,000 bytes fill, with a window of `cwnd` and a queue of `waits` ms.
    fn path(cwnd: u64, waits: u64) -> PathSample {
        let ms = Duration::from_millis;
        let rate = BitRate::from_mbps(20);
        PathSample {
            cwnd: ByteCount::new(cwnd),
            ssthresh: ByteCount::new(cwnd),
            srtt: Some(ms(40 + waits)),
            rttvar: Duration::ZERO,
            one_way: Some(OneWay { delay: ms(20 + waits), least: ms(20), back: ms(20) }),
            delivery: Some(Delivery { rate, peak: rate }),
            ..sample(0)
        }
    }

    fn westwood() -> Westwood {
        let mut westwood = Westwood::new(RULES);
        westwood.add_path(PathId::FIRST);
        westwood
    }

    fn lost(bytes: u64) -> LostData {
        LostData { at: Time::ZERO, departure: 0, bytes: ByteCount::new(bytes) }
    }

    fn left(cwnd: u64, waits: u64, cause: CutCause) -> (u64, u64) {
        let paths = [path(cwnd, waits)];
        let window = westwood().decrease(PathId::FIRST, cause, &view(&paths));
        (window.cwnd.get(), window.ssthresh.get())
    }

    #[test]
    fn a_loss_is_chance_while_nothing_waits_and_few_are_lost() {
        let is_chance = |waits, losses: usize| {
            let (mut westwood, paths) = (westwood(), [path(100_000, waits)]);
            for _ in 0..losses {
                westwood.on_lost(PathId::FIRST, &lost(1_500), &view(&paths));
            }
            westwood.is_chance(PathId::FIRST, &view(&paths))
        };
        assert_eq!([is_chance(0, 0), is_chance(6, 0), is_chance(7, 0)], [true, true, false]);
        assert_eq!([is_chance(0, 20), is_chance(0, 40)], [true, false], "a policer has no queue");
    }

    /// 100,000 bytes fill the path, and a sixth more waits somewhere.
    #[test]
    fn a_loss_of_a_flight_that_does_not_fit_the_path_is_none_of_chance() {
        let is_chance = |flight, ssthresh| {
            let (flight, ssthresh) = (ByteCount::new(flight), ByteCount::new(ssthresh));
            let paths = [PathSample { flight, ssthresh, ..path(200_000, 0) }];
            westwood().is_chance(PathId::FIRST, &view(&paths))
        };
        assert!(is_chance(116_000, 100_000) && !is_chance(117_000, 100_000));
        assert!(is_chance(117_000, 200_000), "slow start does not know yet what fills it");
    }

    /// If a queue stays although the window shrank, others keep it full: then every loss is congestion, and halves the
    /// window.
    #[test]
    fn with_others_at_the_queue_it_is_reno() {
        let mut westwood = westwood();
        let mut at = Time::ZERO;
        for _ in 0..8 {
            let paths = [path(150_000, 20)];
            westwood.decrease(PathId::FIRST, CutCause::Missing, &View { now: at, ..view(&paths) });
            for _ in 0..100 {
                at += Duration::from_millis(2);
                let acked = Acked { at, delay: Some(Duration::from_millis(39)), ..acked(1_500) };
                westwood.on_acked(PathId::FIRST, &acked, &view(&paths));
            }
        }
        let paths = [path(150_000, 0)];
        assert!(!westwood.is_chance(PathId::FIRST, &view(&paths)));
        let window = westwood.decrease(PathId::FIRST, CutCause::Missing, &view(&paths));
        assert_eq!((window.cwnd.get(), window.ssthresh.get()), (75_000, 75_000));
        assert_eq!(westwood.increase(PathId::FIRST, &acked(150_000), &view(&paths)).get(), 1_500);
    }

    /// The delays vary by 16 ms within each round trip.
    #[test]
    fn jitter_is_no_queue() {
        let mut westwood = westwood();
        let paths = [path(100_000, 15)];
        assert!(!westwood.is_chance(PathId::FIRST, &view(&paths)));
        for number in 0..400 {
            let at = Time::ZERO + Duration::from_millis(number * 2);
            let delay = Some(Duration::from_millis(36 - number % 8 * 2));
            westwood.on_acked(PathId::FIRST, &Acked { at, delay, ..acked(1_500) }, &view(&paths));
        }
        assert!(westwood.is_chance(PathId::FIRST, &view(&paths)));
        let window = westwood.decrease(PathId::FIRST, CutCause::Missing, &view(&[path(150_000, 15)]));
        let filling = window.cwnd.get();
        assert!((105_000..=128_000).contains(&filling), "the mean delay of a busy link counts: {filling}");
    }

    /// A growing queue has no scatter.
    #[test]
    fn a_queue_that_grows_is_no_jitter() {
        let mut westwood = westwood();
        for number in 0..100 {
            let paths = [path(100_000, number / 4)];
            let at = Time::ZERO + Duration::from_millis(number * 2);
            let delay = Some(Duration::from_micros(20_000 + number * 250));
            westwood.on_acked(PathId::FIRST, &Acked { at, delay, ..acked(1_500) }, &view(&paths));
        }
        assert!(!westwood.is_chance(PathId::FIRST, &view(&[path(100_000, 25)])));
    }

    /// At most an eighth less than before, and not less than half.
    #[test]
    fn a_cut_leaves_what_fills_the_path() {
        assert_eq!(left(150_000, 20, CutCause::Missing), (100_000, 100_000));
        assert_eq!(left(112_000, 8, CutCause::Missing), (98_000, 98_000));
        assert_eq!(left(400_000, 120, CutCause::Missing), (200_000, 200_000), "half, if that is more");
        assert_eq!(left(150_000, 20, CutCause::Timeout), (1_500, 100_000));
    }

    #[test]
    fn growth_doubles_each_round_trip_while_nothing_waits_up_to_an_eighth_of_the_window() {
        let mut westwood = westwood();
        let (empty, full) = ([path(60_000, 0)], [path(60_000, 20)]);
        let mut grown = |round: u64, paths: &[PathSample]| {
            let acked = Acked { at: Time::ZERO + Duration::from_millis(40 * round), ..acked(60_000) };
            westwood.increase(PathId::FIRST, &acked, &view(paths)).get()
        };
        let rounds: Vec<u64> = (1..=4).map(|round| grown(round, &empty)).collect();
        assert_eq!(rounds, [3_000, 6_000, 7_500, 7_500]);
        assert_eq!(grown(5, &full), 1_500, "as Reno");
        let rounds: Vec<u64> = (6..=23).map(|round| grown(round, &empty)).collect();
        assert_eq!(rounds[..16], [1_500; 16], "who shares the queue may fill it again");
        assert_eq!(rounds[16..], [3_000, 6_000]);
    }

    /// The least cut leaves less than the four packets of the floor: then growth is Reno's.
    #[test]
    fn after_a_cut_to_the_floor_the_window_grows_as_reno() {
        let mut westwood = westwood();
        westwood.decrease(PathId::FIRST, CutCause::Missing, &view(&[path(6_500, 1)]));
        assert_eq!(westwood.increase(PathId::FIRST, &acked(6_000), &view(&[path(6_000, 20)])).get(), 1_500);
    }

    /// 3 (1 − β) / (1 + β): with cuts to two thirds, three fifths of a packet.
    #[test]
    fn after_a_lesser_cut_the_window_grows_less() {
        let mut westwood = westwood();
        westwood.decrease(PathId::FIRST, CutCause::Missing, &view(&[path(150_000, 20)]));
        assert_eq!(westwood.increase(PathId::FIRST, &acked(100_000), &view(&[path(100_000, 20)])).get(), 900);
    }
}
