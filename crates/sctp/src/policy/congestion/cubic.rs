//! CUBIC (RFC 9438) for each path by itself: after a cut the window returns quickly to where the loss was, stays there, and
//! then probes faster and faster.

use anabranch_base::{ByteCount, Duration, Time};

use super::reno::{EcnWindow, Reno, RenoRules};
use super::{Acked, CutCause, CutWindow, SentData, WindowRule};
use crate::policy::{PathId, View};

/// C, in packets/s³.
const SCALE: f64 = 0.4;
/// β_cubic: the part of the window that a cut leaves.
pub const BETA: f64 = 0.7;
/// The growth at which a sender whose cuts leave [`BETA`] takes as much as Reno (§4.3).
const RENO_FRIENDLY: f64 = 3.0 * (1.0 - BETA) / (1.0 + BETA);
/// The target is at most this much of the window (§4.2).
const LARGEST_TARGET: f64 = 1.5;

/// The window of one sender over time, in packets.
#[derive(Clone, Copy, Debug, Default)]
pub struct CubicCurve {
    /// W_max: the window before the last cut, or less where the path seems to have become narrower.
    most: f64,
    /// The window before the last cut.
    before: f64,
    /// True if the last cut was a time-out, or there was none: the curve begins with its plateau (§4.8, §4.10).
    begins_flat: bool,
    epoch: Option<Epoch>,
}

/// A stage of congestion avoidance.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    begun: Time,
    /// K: the time in which the curve reaches W_max, in seconds.
    rise: f64,
    /// W_est: the window that Reno would have.
    reno: f64,
}

impl CubicCurve {
    /// The curve of a sender without cuts.
    pub fn new() -> CubicCurve {
        CubicCurve { begins_flat: true, before: f64::INFINITY, ..CubicCurve::default() }
    }

    /// A loss, or a mark, cut a window of `window` packets. Returns the new window (§4.6, §4.7).
    pub fn on_cut(&mut self, window: f64) -> f64 {
        // Fast convergence: a flow that reaches less than before makes room for others.
        self.most = if window < self.most { window * (1.0 + BETA) / 2.0 } else { window };
        self.before = window;
        self.begins_flat = false;
        self.epoch = None;
        window * BETA
    }

    /// A time-out cut the window (§4.8). Returns the new threshold.
    pub fn on_timeout(&mut self, window: f64) -> f64 {
        let left = self.on_cut(window);
        self.begins_flat = true;
        left
    }

    /// The growth of `window` in congestion avoidance when `acked` packets of it were acknowledged at `now` (§4.2 to §4.5).
    pub fn growth(&mut self, now: Time, srtt: Duration, window: f64, acked: f64) -> f64 {
        if self.epoch.is_none() && self.begins_flat {
            self.most = window;
        }
        let most = self.most;
        let epoch = self.epoch.get_or_insert_with(|| {
            let missing = ((most - window) / SCALE).max(0.0);
            Epoch { begun: now, rise: libm::cbrt(missing), reno: window }
        });
        let alpha = if epoch.reno < self.before { RENO_FRIENDLY } else { 1.0 };
        epoch.reno += alpha * acked / window;
        let curve = |after: f64| SCALE * (after - epoch.rise).powi(3) + most;
        let elapsed = now.since(epoch.begun).as_secs_f64();
        if curve(elapsed) < epoch.reno {
            return (epoch.reno - window).clamp(0.0, acked);
        }
        let target = curve(elapsed + srtt.as_secs_f64()).clamp(window, LARGEST_TARGET * window);
        (target - window) / window * acked
    }

    /// Takes `span` off the curve's time, because the window did not limit the sender (§5.8).
    pub fn pause(&mut self, span: Duration) {
        if let Some(epoch) = &mut self.epoch {
            epoch.begun += span;
        }
    }
}

/// CUBIC, and its state for each path.
#[derive(Debug)]
pub struct Cubic {
    rules: RenoRules,
    reno: Reno,
    paths: Vec<PathMemory>,
}

#[derive(Clone, Copy, Debug)]
struct PathMemory {
    curve: CubicCurve,
    /// The curve before the last cut for a loss.
    before_cut: CubicCurve,
    /// Growth of less than a byte.
    part: f64,
    last_acked: Option<Time>,
}

impl PathMemory {
    const NEW: fn() -> PathMemory = || PathMemory {
        curve: CubicCurve::new(),
        before_cut: CubicCurve::new(),
        part: 0.0,
        last_acked: None,
    };
}

impl Cubic {
    /// CUBIC with the floors, the idle decay and the window after a mark of `rules`.
    pub fn new(rules: RenoRules) -> Cubic {
        Cubic { rules, reno: Reno::new(rules), paths: Vec::new() }
    }
}

impl WindowRule for Cubic {
    fn add_path(&mut self, path: PathId) {
        self.reno.add_path(path);
        self.paths.resize_with(self.paths.len().max(path.index() + 1), PathMemory::NEW);
    }

    fn remove_path(&mut self, path: PathId) {
        self.reno.remove_path(path);
        self.paths[path.index()] = PathMemory::NEW();
    }

    fn on_sent(&mut self, path: PathId, sent: &SentData, view: &View<'_>) {
        self.reno.on_sent(path, sent, view);
    }

    fn increase(&mut self, path: PathId, acked: &Acked, view: &View<'_>) -> ByteCount {
        let sample = view.path(path);
        let memory = &mut self.paths[path.index()];
        let last = memory.last_acked.replace(acked.at).unwrap_or(acked.at);
        if !acked.may_grow || !acked.is_fully_used {
            memory.curve.pause(acked.at.since(last));
            return ByteCount::ZERO;
        }
        let unit = sample.unit.get() as f64;
        let (window, news) = (sample.cwnd.get() as f64 / unit, acked.bytes.get() as f64 / unit);
        let srtt = sample.srtt.unwrap_or(sample.rto / 3);
        let growth = memory.curve.growth(acked.at, srtt, window, news) * unit + memory.part;
        memory.part = growth.fract();
        ByteCount::new(growth as u64)
    }

    fn decrease(&mut self, path: PathId, cause: CutCause, view: &View<'_>) -> CutWindow {
        let sample = view.path(path);
        let standard = self.reno.decrease(path, cause, view);
        let memory = &mut self.paths[path.index()];
        let unit = sample.unit.get() as f64;
        let window = sample.cwnd.get() as f64 / unit;
        let least = sample.unit * self.rules.window_floor;
        if matches!(cause, CutCause::Missing | CutCause::Timeout) {
            memory.before_cut = memory.curve;
        }
        let threshold = |left: f64| ByteCount::new((left * unit) as u64).max(least);
        match cause {
            CutCause::Missing => self.reno.cut_to(threshold(memory.curve.on_cut(window)), sample.cwnd),
            CutCause::EcnEcho => {
                let left = threshold(memory.curve.on_cut(window));
                let is_usual = self.rules.ecn_window == EcnWindow::HALF;
                if is_usual { self.reno.cut_to(left, sample.cwnd) } else { standard }
            }
            CutCause::Timeout | CutCause::TimeoutAgain => {
                CutWindow { ssthresh: threshold(memory.curve.on_timeout(window)), ..standard }
            }
            CutCause::TimeoutAfterEcn | CutCause::Idle => {
                memory.curve = CubicCurve::new();
                standard
            }
        }
    }

    /// RFC 9438 §4.9: the curve goes on as if there had been no cut.
    fn on_undone(&mut self, path: PathId, _before: CutWindow, _view: &View<'_>) {
        let memory = &mut self.paths[path.index()];
        memory.curve = memory.before_cut;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::congestion::reno::tests::RULES;
    use crate::policy::testing::acked_bytes as acked;
    use crate::policy::testing::{sample, view};

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    /// The window over time, where a window is acknowledged in each round trip.
    fn windows(curve: &mut CubicCurve, mut window: f64, srtt: u64, rounds: u64) -> Vec<f64> {
        let mut seen = vec![window];
        for round in 0..rounds {
            for packet in 0..10 {
                let now = at(round * srtt + packet * srtt / 10);
                window += curve.growth(now, Duration::from_millis(srtt), window, window / 10.0);
            }
            seen.push(window);
        }
        seen
    }

    /// K = ∛(W_max (1 − β) / C): after K seconds the window is back where it was.
    #[test]
    fn the_curve_returns_to_the_window_of_the_loss_and_passes_it() {
        let mut curve = CubicCurve::new();
        let left = curve.on_cut(1_000.0);
        assert_eq!(left, 700.0);
        let rise = libm::cbrt(300.0 / SCALE);
        let seen = windows(&mut curve, left, 100, (rise * 10.0) as u64 + 60);
        let back = seen[(rise * 10.0) as usize];
        assert!((995.0..1_001.0).contains(&back), "{back}");
        let early = seen[(rise * 5.0) as usize];
        assert!(early > 950.0, "concave: {early}");
        assert!(*seen.last().unwrap() > 1_050.0, "convex: {seen:?}");
    }

    /// Over short round trips it takes what Reno takes (§4.3).
    #[test]
    fn over_short_round_trips_it_grows_as_reno_with_its_cuts() {
        let mut curve = CubicCurve::new();
        let left = curve.on_cut(20.0);
        let seen = windows(&mut curve, left, 2, 10);
        let grown = (seen[10] - seen[0]) / 10.0;
        assert!((grown - RENO_FRIENDLY).abs() < 0.05, "{grown} packets each round trip");
    }

    #[test]
    fn a_smaller_window_at_the_next_loss_makes_room() {
        let mut curve = CubicCurve::new();
        curve.on_cut(100.0);
        curve.on_cut(80.0);
        assert_eq!((curve.most, curve.before), (80.0 * 0.85, 80.0));
    }

    #[test]
    fn after_a_time_out_the_curve_begins_with_its_plateau() {
        let mut curve = CubicCurve::new();
        assert_eq!(curve.on_timeout(100.0), 70.0);
        curve.growth(at(0), Duration::from_millis(50), 70.0, 1.0);
        let epoch = curve.epoch.unwrap();
        assert_eq!((curve.most, epoch.rise), (70.0, 0.0));
    }

    #[test]
    fn idle_time_does_not_count() {
        let mut curve = CubicCurve::new();
        curve.on_cut(100.0);
        curve.growth(at(0), Duration::from_millis(50), 70.0, 1.0);
        let mut idle = curve;
        idle.pause(Duration::from_millis(10_000));
        let [busy, idle] = [(curve, 100), (idle, 10_100)]
            .map(|(mut curve, now)| curve.growth(at(now), Duration::from_millis(50), 70.0, 1.0));
        assert!((busy - idle).abs() < 1e-9, "{busy} {idle}");
    }

    #[test]
    fn a_loss_leaves_seven_tenths_and_a_time_out_one_packet() {
        let mut cubic = Cubic::new(RULES);
        let mut path = sample(0);
        (path.cwnd, path.ssthresh) = (ByteCount::new(30_000), ByteCount::new(15_000));
        cubic.add_path(path.id);
        let paths = [path.clone()];
        let cut = |cubic: &mut Cubic, cause| {
            let window = cubic.decrease(path.id, cause, &view(&paths));
            (window.cwnd.get(), window.ssthresh.get())
        };
        assert_eq!(cut(&mut cubic, CutCause::Missing), (21_000, 21_000));
        assert_eq!(cut(&mut cubic, CutCause::EcnEcho), (21_000, 21_000));
        assert_eq!(cut(&mut cubic, CutCause::Timeout), (1_500, 21_000));
        assert!(cubic.increase(path.id, &acked(1_500), &view(&paths)).get() < 100, "the plateau");
    }
}
