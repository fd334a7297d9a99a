//! The standard rule: congestion avoidance with partial_bytes_acked, and halving (RFC 9260 §7.2.2, §7.2.3; M-SCTP-4,
//! -5, -17), for each path alone.

use anabranch_base::{BitRate, ByteCount, Duration};

use super::{Acked, CutCause, CutWindow, SentData, WindowRule};
use crate::policy::ns2::Ns2;
use crate::policy::{PathId, PathSample, View};

/// The differences between the RFCs (M-SCTP-18).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenoRules {
    /// The least ssthresh after a loss, in units.
    pub window_floor: u64,
    /// The window at which idle decay stops, in units.
    pub idle_floor: u64,
    /// partial_bytes_acked is cut to cwnd when the window was not fully used (RFC 9260 §7.2.2).
    pub clamp_partial_bytes: bool,
    /// The rule for ssthresh at the first idle decay.
    pub idle_ssthresh: IdleThreshold,
    /// True if a cut sets the window to ssthresh even if the window was smaller, as the RFCs literally say (M-SCTP-7
    /// rule 1).
    pub cut_may_raise: bool,
    /// True if idle decay sets windows above the floor to at least 4 units, as in ns-2's module.
    pub decay_lifts: bool,
    /// The window after the report of a mark.
    pub ecn_window: EcnWindow,
}

/// The rule for ssthresh at the first idle decay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdleThreshold {
    /// It stays (RFC 4960).
    Stays,
    /// It takes the window's value (RFC 9260 §7.2.1), even if it was larger: a slow start that data did not fill is over.
    TakesWindow,
    /// It takes the window's value unless it is larger, as in RFC 2861 §3.2: a slow start that data did not fill goes on.
    AtLeastWindow,
}

/// The congestion window after the report of a mark, at least two units (M-ECN-6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EcnWindow {
    /// The window before, divided by this number.
    Divided(u64),
    /// This number of bytes.
    Bytes(ByteCount),
    /// One packet more than the bandwidth-delay product that the scenario gives for the path (YE (1)). On a path without
    /// these values, half the window before.
    Bdp,
}

impl EcnWindow {
    /// RFC 3168 §6.1.2.
    pub const HALF: EcnWindow = EcnWindow::Divided(2);
}

/// The standard rule, and its state for each path.
#[derive(Debug)]
pub struct Reno {
    rules: RenoRules,
    paths: Vec<PathMemory>,
}

#[derive(Clone, Copy, Debug, Default)]
struct PathMemory {
    partial_bytes_acked: ByteCount,
    is_decaying: bool,
}

impl Reno {
    /// The rule with the values of `rules`.
    pub fn new(rules: RenoRules) -> Reno {
        Reno { rules, paths: Vec::new() }
    }

    /// If a whole window was acknowledged since the window of `path` last grew, and it may grow, returns
    /// partial_bytes_acked, of which that window is taken (RFC 9260 §7.2.2).
    #[inline]
    pub(super) fn acked_window(&mut self, path: PathId, acked: &Acked, view: &View<'_>) -> Option<ByteCount> {
        let cwnd = view.path(path).cwnd;
        let partial = &mut self.paths[path.index()].partial_bytes_acked;
        let mut acked_window = None;
        if acked.may_grow {
            *partial += acked.bytes;
            if *partial >= cwnd && acked.is_fully_used {
                acked_window = Some(*partial);
                *partial -= cwnd;
            } else if self.rules.clamp_partial_bytes && !acked.is_fully_used {
                *partial = (*partial).min(cwnd);
            }
        }
        // What the pacer keeps back is on its way all the same: otherwise a window whose trains are acknowledged one by one
        // would never grow.
        if acked.emptied && !view.path(path).is_paced {
            *partial = ByteCount::ZERO;
        }
        acked_window
    }

    /// The window after a cut from `before` to `wanted`.
    pub(super) fn cut_to(&self, wanted: ByteCount, before: ByteCount) -> CutWindow {
        self.rules.cut_to(wanted, before)
    }
}

impl WindowRule for Reno {
    fn add_path(&mut self, path: PathId) {
        self.paths.resize(self.paths.len().max(path.index() + 1), PathMemory::default());
    }

    fn remove_path(&mut self, path: PathId) {
        self.paths[path.index()] = PathMemory::default();
    }

    fn on_sent(&mut self, path: PathId, _sent: &SentData, _view: &View<'_>) {
        self.paths[path.index()].is_decaying = false;
    }

    /// RFC 9260 §7.2.2.
    fn increase(&mut self, path: PathId, acked: &Acked, view: &View<'_>) -> ByteCount {
        self.acked_window(path, acked, view).map_or(ByteCount::ZERO, |_| view.path(path).unit)
    }

    fn on_refused(&mut self, path: PathId, acked: &Acked, view: &View<'_>) {
        if !acked.emptied {
            self.paths[path.index()].partial_bytes_acked = view.path(path).cwnd;
        }
    }

    fn decrease(&mut self, path: PathId, cause: CutCause, view: &View<'_>) -> CutWindow {
        let sample = view.path(path);
        let least = sample.unit * self.rules.window_floor;
        if cause == CutCause::Idle && self.rules.decay_lifts {
            return Ns2::decayed(sample, least);
        }
        let memory = &mut self.paths[path.index()];
        memory.partial_bytes_acked = ByteCount::ZERO;
        let halved = (sample.cwnd / 2).max(least);
        match cause {
            CutCause::Missing => self.rules.cut_to(halved, sample.cwnd),
            CutCause::EcnEcho => self.rules.cut_to(after_mark(self.rules.ecn_window, sample), sample.cwnd),
            CutCause::Timeout | CutCause::TimeoutAgain => {
                CutWindow { cwnd: sample.unit.min(sample.cwnd), ssthresh: halved }
            }
            CutCause::TimeoutAfterEcn => {
                CutWindow { cwnd: sample.unit.min(sample.cwnd), ssthresh: sample.ssthresh }
            }
            CutCause::Idle => {
                let is_first = !std::mem::replace(&mut memory.is_decaying, true);
                let kept = match self.rules.idle_ssthresh {
                    IdleThreshold::TakesWindow if is_first => sample.cwnd,
                    IdleThreshold::AtLeastWindow if is_first => sample.cwnd.max(sample.ssthresh),
                    _ => sample.ssthresh,
                };
                let floor = (sample.unit * self.rules.idle_floor).min(sample.cwnd);
                CutWindow { cwnd: (sample.cwnd / 2).max(floor), ssthresh: kept }
            }
        }
    }
}

impl RenoRules {
    /// The window after a cut from `before` to `wanted`.
    fn cut_to(&self, wanted: ByteCount, before: ByteCount) -> CutWindow {
        let cwnd = if self.cut_may_raise { wanted } else { wanted.min(before) };
        CutWindow { cwnd, ssthresh: wanted }
    }
}

/// The window after the report of a mark (M-ECN-4, -6).
fn after_mark(window: EcnWindow, sample: &PathSample) -> ByteCount {
    let wanted = match (window, sample.hints.rate, sample.hints.delay) {
        (EcnWindow::Divided(by), ..) => sample.cwnd / by.max(1),
        (EcnWindow::Bytes(bytes), ..) => bytes,
        (EcnWindow::Bdp, Some(rate), Some(delay)) => product(rate, delay * 2) + sample.mtu,
        (EcnWindow::Bdp, ..) => sample.cwnd / 2,
    };
    wanted.max(sample.unit * LEAST_AFTER_MARK)
}

/// The bandwidth-delay product.
fn product(rate: BitRate, round_trip: Duration) -> ByteCount {
    let bits = u128::from(rate.bits_per_second()) * u128::from(round_trip.as_nanos()) / 1_000_000_000;
    ByteCount::new(u64::try_from(bits / 8).unwrap_or(u64::MAX))
}

/// The least window after the report of a mark, in units (M-ECN-4).
const LEAST_AFTER_MARK: u64 = 2;

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::policy::Hints;
    use crate::policy::testing::acked_bytes as acked;
    use crate::policy::testing::{sample, view};

    pub(in crate::policy::congestion) const RULES: RenoRules = RenoRules {
        window_floor: 4,
        idle_floor: 4,
        clamp_partial_bytes: false,
        idle_ssthresh: IdleThreshold::Stays,
        cut_may_raise: false,
        decay_lifts: false,
        ecn_window: EcnWindow::HALF,
    };

    fn reno(rules: RenoRules) -> Reno {
        let mut reno = Reno::new(rules);
        reno.add_path(PathId::FIRST);
        reno
    }

    #[test]
    fn congestion_avoidance_grows_one_unit_when_a_full_window_is_acked() {
        let mut path = sample(0);
        path.cwnd = ByteCount::new(6000);
        path.ssthresh = ByteCount::new(5999);
        let paths = [path.clone()];
        let mut reno = reno(RULES);
        let grown = [3000, 3000, 3000].map(|n| reno.increase(path.id, &acked(n), &view(&paths)).get());
        assert_eq!(grown, [0, 1500, 0]);
    }

    #[test]
    fn growth_that_was_refused_is_asked_for_again_at_the_next_ack() {
        let mut path = sample(0);
        path.cwnd = ByteCount::new(6000);
        path.ssthresh = ByteCount::new(1500);
        let paths = [path.clone()];
        let mut reno = reno(RULES);
        let grown = [4500, 1500, 1500].map(|n| {
            let acked = acked(n);
            let wanted = reno.increase(path.id, &acked, &view(&paths));
            reno.on_refused(path.id, &acked, &view(&paths));
            wanted.get()
        });
        assert_eq!(grown, [0, 1500, 1500]);
    }

    #[test]
    fn partial_bytes_are_clamped_when_the_window_was_not_used() {
        let mut path = sample(0);
        path.cwnd = ByteCount::new(6000);
        path.ssthresh = ByteCount::new(1500);
        let paths = [path.clone()];
        let mut reno = reno(RenoRules { clamp_partial_bytes: true, ..RULES });
        let unused = Acked { is_fully_used: false, ..acked(20_000) };
        assert!(reno.increase(path.id, &unused, &view(&paths)).is_zero());
        let grown = [1500, 1500].map(|n| reno.increase(path.id, &acked(n), &view(&paths)).get());
        assert_eq!(grown, [1500, 0], "only one window's worth was kept");
    }

    #[test]
    fn a_window_grows_although_each_train_is_acknowledged_before_the_next_leaves() {
        let mut path = sample(0);
        path.cwnd = ByteCount::new(7_500);
        path.ssthresh = ByteCount::new(1500);
        let train = Acked { emptied: true, ..acked(6_000) };
        let grown = [true, false].map(|is_paced| {
            let (paths, mut reno) = ([PathSample { is_paced, ..path.clone() }], reno(RULES));
            [(); 2].map(|()| reno.increase(path.id, &train, &view(&paths)).get())
        });
        assert_eq!(grown, [[0, 1500], [0, 0]], "with a pacer and without");
    }

    #[test]
    fn a_loss_halves_down_to_the_floor_and_a_time_out_leaves_one_unit() {
        let mut path = sample(0);
        path.cwnd = ByteCount::new(30_000);
        let paths = [path.clone()];
        let cut = reno(RULES).decrease(path.id, CutCause::Missing, &view(&paths));
        assert_eq!((cut.cwnd.get(), cut.ssthresh.get()), (15_000, 15_000));
        let cut = reno(RULES).decrease(path.id, CutCause::Timeout, &view(&paths));
        assert_eq!((cut.cwnd.get(), cut.ssthresh.get()), (1500, 15_000));

        let mut small = sample(0);
        small.cwnd = ByteCount::new(4500);
        let paths = [small];
        let cut = reno(RULES).decrease(PathId::FIRST, CutCause::Missing, &view(&paths));
        assert_eq!((cut.cwnd.get(), cut.ssthresh.get()), (4500, 6000), "a cut never raises cwnd");
        let by_letter = RenoRules { cut_may_raise: true, ..RULES };
        let cut = reno(by_letter).decrease(PathId::FIRST, CutCause::Missing, &view(&paths));
        assert_eq!((cut.cwnd.get(), cut.ssthresh.get()), (6000, 6000), "but by the RFCs' letter");
        let cut = reno(by_letter).decrease(PathId::FIRST, CutCause::Timeout, &view(&paths));
        assert_eq!(cut.cwnd.get(), 1500, "a time-out leaves one unit");
    }

    #[test]
    fn in_ns2_idle_decay_lifts_a_window_between_the_floor_and_4_units() {
        let rules = RenoRules { window_floor: 2, decay_lifts: true, ..RULES };
        let decayed = [3000, 4500, 9000, 30_000].map(|cwnd| {
            let mut path = sample(0);
            path.cwnd = ByteCount::new(cwnd);
            reno(rules).decrease(PathId::FIRST, CutCause::Idle, &view(&[path])).cwnd.get()
        });
        assert_eq!(decayed, [3000, 6000, 6000, 15_000]);
    }

    #[test]
    fn idle_decay_remembers_the_window_once_in_ssthresh() {
        let mut path = sample(0);
        path.cwnd = ByteCount::new(30_000);
        path.ssthresh = ByteCount::new(6000);
        let mut reno = reno(RenoRules { idle_ssthresh: IdleThreshold::TakesWindow, ..RULES });
        let first = reno.decrease(path.id, CutCause::Idle, &view(&[path.clone()]));
        assert_eq!((first.cwnd.get(), first.ssthresh.get()), (15_000, 30_000));
        path.cwnd = first.cwnd;
        path.ssthresh = first.ssthresh;
        let second = reno.decrease(path.id, CutCause::Idle, &view(&[path.clone()]));
        assert_eq!((second.cwnd.get(), second.ssthresh.get()), (7500, 30_000));
    }

    #[test]
    fn idle_decay_may_leave_an_unfinished_slow_start_its_threshold() {
        let mut path = sample(0);
        (path.cwnd, path.ssthresh) = (ByteCount::new(30_000), ByteCount::new(90_000));
        let mut reno = reno(RenoRules { idle_ssthresh: IdleThreshold::AtLeastWindow, ..RULES });
        let unfinished = reno.decrease(path.id, CutCause::Idle, &view(&[path.clone()]));
        assert_eq!((unfinished.cwnd.get(), unfinished.ssthresh.get()), (15_000, 90_000));
        let sent = SentData {
            at: anabranch_base::Time::ZERO,
            departure: 1,
            bytes: path.unit,
            retransmission: false,
        };
        reno.on_sent(path.id, &sent, &view(&[path.clone()]));
        path.ssthresh = ByteCount::new(20_000);
        let avoiding = reno.decrease(path.id, CutCause::Idle, &view(&[path.clone()]));
        assert_eq!((avoiding.cwnd.get(), avoiding.ssthresh.get()), (15_000, 30_000));
    }

    #[test]
    fn a_mark_cuts_to_what_the_setting_says() {
        let cut = |ecn_window, hints| {
            let paths = [PathSample { hints, cwnd: ByteCount::new(24_000), ..sample(0) }];
            let mut reno = reno(RenoRules { ecn_window, ..RULES });
            let window = reno.decrease(PathId::FIRST, CutCause::EcnEcho, &view(&paths));
            assert_eq!(window.cwnd, window.ssthresh.min(paths[0].cwnd));
            window.ssthresh.get()
        };
        let known = Hints {
            rate: Some(BitRate::from_mbps(2)),
            delay: Some(Duration::from_micros(39_800)),
            ..Hints::default()
        };
        let (least, mtu) = (2 * sample(0).unit.get(), sample(0).mtu.get());
        assert_eq!([2, 4].map(|by| cut(EcnWindow::Divided(by), known)), [12_000, 6_000]);
        assert_eq!(cut(EcnWindow::Divided(24), known), least);
        assert_eq!(cut(EcnWindow::Bytes(ByteCount::new(21_400)), known), 21_400);
        assert_eq!(cut(EcnWindow::Bdp, known), 19_900 + mtu, "YE (1): 79.6 ms and 2 Mbit/s");
        assert_eq!(cut(EcnWindow::Bdp, Hints::default()), 12_000);
    }
}
