//! A window rule for links that lose packets without congestion. It grows as Reno does while packets wait in a queue of the
//! path, and faster while none do. A loss while none do is chance, and cuts nothing; a loss while some do cuts the window to
//! what fills the path, and not to half (docs/mechanisms.md, M-WW-1 to -3).
//!
//! The parts are known: the window after a loss is the measured rate times the least round trip (TCP Westwood, Mascolo and
//! others, MobiCom 2001; here with the delivery rate over whole round trips); losses are told apart by the backlog in the
//! queue (TCP Veno, Fu and Liew, JSAC 2003), and those of the link cut nothing (TCP Westwood with Bulk Repeat, Yang and others,
//! 2002).

mod delays;

use anabranch_base::{ByteCount, Duration, Time};

use delays::Delays;

use super::reno::{Reno, RenoRules};
use super::{Acked, CongestionControl, CutCause, CutWindow, SentData};
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
}

/// How fast the window of one path grows.
#[derive(Clone, Copy, Debug)]
struct Growth {
    /// By how many units in the present round trip.
    units: f64,
    /// When that began.
    since: Time,
    /// Growth of less than a byte.
    part: f64,
}

impl Default for Growth {
    fn default() -> Growth {
        Growth { units: 1.0, since: Time::ZERO, part: 0.0 }
    }
}

impl Growth {
    /// Doubles the growth after each round trip in which nothing waited, up to an eighth of the window.
    fn hasten(&mut self, sample: &PathSample, round_trip: Duration, now: Time) {
        if now.since(self.since) >= round_trip {
            let most = sample.cwnd.get() as f64 / sample.unit.get().max(1) as f64 * FASTEST;
            self.units = (self.units * 2.0).min(most).max(1.0);
            self.since = now;
        }
    }
}

impl Westwood {
    /// The rule with the floors, the idle decay and the window after a mark of `rules`.
    pub fn new(rules: RenoRules) -> Westwood {
        Westwood { rules, reno: Reno::new(rules), paths: Vec::new() }
    }
}

/// What fills the path, with a few packets that keep its line busy; `None` before a rate was measured.
fn filling(sample: &PathSample, delays: &Delays) -> Option<ByteCount> {
    let bits = u128::from(sample.delivery?.peak.bits_per_second());
    let bytes = bits * u128::from(delays.empty_round_trip(sample)?.as_nanos()) / 8_000_000_000;
    Some(ByteCount::new(u64::try_from(bytes).unwrap_or(u64::MAX)) + sample.unit * SPARE_UNITS)
}

impl CongestionControl for Westwood {
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
        if let Some(way) = acked.way {
            let sample = view.path(path);
            self.paths[path.index()].delays.on_way(way, sample.srtt.unwrap_or(sample.rto), acked.at);
        }
    }

    fn is_chance(&self, path: PathId, view: &View<'_>) -> bool {
        let (sample, delays) = (view.path(path), &self.paths[path.index()].delays);
        // What is in flight beyond what fills the path waits in a queue, even in one too short to be seen (Little's law). With
        // jitter, and while slow start measures the rate, what fills it is not known so well.
        let is_known = !sample.is_below_threshold() && !delays.have_jitter(sample);
        let is_over =
            is_known && filling(sample, delays).is_some_and(|filling| sample.cwnd > filling + filling / 6);
        !delays.are_queueing(sample) && !is_over && sample.loss_rate < MOST_CHANCE
    }

    fn increase(&mut self, path: PathId, acked: &Acked, view: &View<'_>) -> ByteCount {
        let sample = view.path(path);
        let Course { growth, delays } = &mut self.paths[path.index()];
        let round_trip = sample.srtt.unwrap_or(sample.rto);
        if delays.are_queueing(sample) {
            *growth = Growth { since: acked.at, ..Growth::default() };
            return self.reno.increase(path, acked, view);
        }
        // More than that is in flight and nothing waits: the rest is lost on its way, as by a policer.
        let is_enough = filling(sample, delays).is_some_and(|filling| sample.cwnd > filling + filling / 4);
        if !acked.may_grow || !acked.is_fully_used || is_enough {
            return ByteCount::ZERO;
        }
        growth.hasten(sample, round_trip, acked.at);
        let unit = sample.unit.get() as f64;
        let grown =
            growth.units * unit * acked.bytes.get() as f64 / sample.cwnd.get().max(1) as f64 + growth.part;
        growth.part = grown.fract();
        ByteCount::new(grown as u64)
    }

    fn decrease(&mut self, path: PathId, cause: CutCause, view: &View<'_>) -> CutWindow {
        let sample = view.path(path);
        let standard = self.reno.decrease(path, cause, view);
        if cause != CutCause::Idle {
            self.paths[path.index()].growth = Growth { since: view.now, ..Growth::default() };
        }
        let Some(filling) = filling(sample, &self.paths[path.index()].delays) else { return standard };
        match cause {
            CutCause::Missing | CutCause::EcnEcho => {
                let left = filling.min(sample.cwnd).max(standard.ssthresh);
                let most = sample.cwnd - sample.cwnd / LEAST_CUT;
                let cut =
                    self.reno.cut_to(left.min(most).max(sample.unit * self.rules.window_floor), sample.cwnd);
                CutWindow { ssthresh: cut.ssthresh.max((filling / 2).min(sample.ssthresh)), ..cut }
            }
            CutCause::Timeout | CutCause::TimeoutAgain => {
                CutWindow { ssthresh: standard.ssthresh.max(filling.min(sample.ssthresh)), ..standard }
            }
            CutCause::TimeoutAfterEcn | CutCause::Idle => standard,
        }
    }
}

/// The fastest growth in a round trip, as a part of the window.
const FASTEST: f64 = 1.0 / 8.0;
/// Packets that wait on average, so that the line never idles.
const SPARE_UNITS: u64 = 3;
/// A cut takes at least this part of the window: who shares the queue finds room.
const LEAST_CUT: u64 = 8;
/// More losses than that are no chance, whatever the queue: a policer has none.
const MOST_CHANCE: f64 = 0.05;

#[cfg(test)]
mod tests {
    use anabranch_base::BitRate;

    use super::*;
    use crate::policy::congestion::reno::tests::RULES;
    use crate::policy::congestion::tests::acked;
    use crate::policy::view::tests::{sample, view};
    use crate::policy::{Delivery, OneWay};

    /// A path of 20 Mbit/s and 40 ms, which 100,000 bytes fill, with a window of `cwnd` and packets that wait for `waits` ms.
    fn path(cwnd: u64, waits: u64) -> PathSample {
        let ms = Duration::from_millis;
        let rate = BitRate::from_mbps(20);
        PathSample {
            cwnd: ByteCount::new(cwnd),
            ssthresh: ByteCount::new(cwnd),
            srtt: Some(ms(40 + waits)),
            rttvar: Duration::ZERO,
            one_way: Some(OneWay { way: ms(20 + waits), least: ms(20), back: ms(20) }),
            delivery: Some(Delivery { rate, peak: rate }),
            ..sample(0)
        }
    }

    fn westwood() -> Westwood {
        let mut westwood = Westwood::new(RULES);
        westwood.add_path(PathId::FIRST);
        westwood
    }

    fn left(cwnd: u64, waits: u64, cause: CutCause) -> (u64, u64) {
        let paths = [path(cwnd, waits)];
        let window = westwood().decrease(PathId::FIRST, cause, &view(&paths));
        (window.cwnd.get(), window.ssthresh.get())
    }

    #[test]
    fn a_loss_is_chance_while_nothing_waits_and_few_are_lost() {
        let is_chance = |waits, loss_rate| {
            let paths = [PathSample { loss_rate, ..path(100_000, waits) }];
            westwood().is_chance(PathId::FIRST, &view(&paths))
        };
        assert_eq!([is_chance(0, 0.03), is_chance(6, 0.03), is_chance(7, 0.03)], [true, true, false]);
        assert!(!is_chance(0, 0.06), "a policer has no queue");
    }

    /// 104,500 bytes fill the path, and what exceeds them by a sixth waits somewhere.
    #[test]
    fn a_loss_of_a_window_that_does_not_fit_the_path_is_none_of_chance() {
        let is_chance = |cwnd, ssthresh| {
            let paths = [PathSample { ssthresh: ByteCount::new(ssthresh), ..path(cwnd, 0) }];
            westwood().is_chance(PathId::FIRST, &view(&paths))
        };
        assert!(is_chance(121_000, 100_000) && !is_chance(122_000, 100_000));
        assert!(is_chance(122_000, 200_000), "slow start does not know yet what fills it");
    }

    /// The delays saw up and down by 16 ms within each round trip.
    #[test]
    fn jitter_is_no_queue() {
        let mut westwood = westwood();
        let paths = [path(100_000, 15)];
        assert!(!westwood.is_chance(PathId::FIRST, &view(&paths)));
        for number in 0..400 {
            let at = Time::ZERO + Duration::from_millis(number * 2);
            let way = Some(Duration::from_millis(36 - number % 8 * 2));
            westwood.on_acked(PathId::FIRST, &Acked { at, way, ..acked(1_500) }, &view(&paths));
        }
        assert!(westwood.is_chance(PathId::FIRST, &view(&paths)));
        let window = westwood.decrease(PathId::FIRST, CutCause::Missing, &view(&[path(150_000, 15)]));
        let filling = window.cwnd.get();
        assert!((110_000..=132_000).contains(&filling), "the mean delay of a busy link counts: {filling}");
    }

    /// The scatter of a queue that grows is none.
    #[test]
    fn a_queue_that_grows_is_no_jitter() {
        let mut westwood = westwood();
        for number in 0..100 {
            let paths = [path(100_000, number / 4)];
            let at = Time::ZERO + Duration::from_millis(number * 2);
            let way = Some(Duration::from_micros(20_000 + number * 250));
            westwood.on_acked(PathId::FIRST, &Acked { at, way, ..acked(1_500) }, &view(&paths));
        }
        assert!(!westwood.is_chance(PathId::FIRST, &view(&[path(100_000, 25)])));
    }

    /// Three packets more than what fills the path, and an eighth less than before at most.
    #[test]
    fn a_cut_leaves_what_fills_the_path() {
        assert_eq!(left(150_000, 20, CutCause::Missing), (104_500, 104_500));
        assert_eq!(left(112_000, 8, CutCause::Missing), (98_000, 98_000));
        assert_eq!(left(400_000, 120, CutCause::Missing), (200_000, 200_000), "half, if that is more");
        assert_eq!(left(150_000, 20, CutCause::Timeout), (1_500, 104_500));
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
        assert_eq!(grown(6, &empty), 3_000);
    }
}
