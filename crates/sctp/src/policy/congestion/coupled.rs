//! Rules by which the windows of several paths grow together: paths that share a bottleneck then take one share of it.
//!
//! A rule gives the growth of a window in congestion avoidance for each packet that is acknowledged on it. SCTP applies
//! it once for each acknowledged window, Multipath TCP for each segment. Slow start remains each path's own.

mod as_one;
pub mod auto;
pub mod bottleneck;
mod cut_effects;
pub mod lia;
mod progress;
mod queue_trace;

use std::fmt::Debug;

use anabranch_base::ByteCount;

pub use self::progress::Progress;

use super::reno::{Reno, RenoRules};
use super::{Acked, CutCause, CutWindow, SentData, WindowCoupling, WindowRule};
use crate::policy::{PathId, PathSample, View};

/// One of the paths that grow together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Member {
    /// The congestion window, in packets.
    pub window: f64,
    /// The smoothed round-trip time, in seconds.
    pub srtt: f64,
    /// ℓ of OLIA: [`Progress::longest`], in packets.
    pub progress: f64,
    /// BWE of BERP, in bit/s, once measured.
    pub bandwidth: Option<f64>,
}

/// A rule for windows that grow together.
pub trait CoupledRule: Debug + Send {
    /// The growth of the window of `members[of]` in congestion avoidance, in packets, for each packet acknowledged there.
    /// It may be negative.
    fn growth(&self, members: &[Member], of: usize) -> f64;

    /// The slow-start threshold of `members[of]` after a loss, in packets, where it may be no less than `least`; `None` for
    /// the standard one, half of the window.
    fn after_loss(&self, _members: &[Member], _of: usize, _least: f64) -> Option<f64> {
        None
    }
}

/// The congestion control that follows a [`CoupledRule`].
#[derive(Debug)]
pub struct Coupled<R> {
    rule: R,
    reno: Reno,
    floor: u64,
    paths: Vec<PathMemory>,
    /// The members at the current event, kept for their memory.
    members: Vec<Member>,
}

#[derive(Clone, Copy, Debug, Default)]
struct PathMemory {
    progress: Progress,
    /// Negative growth that is still to be taken from the window, in bytes.
    owed: f64,
}

impl<R: CoupledRule> Coupled<R> {
    /// The control that grows windows by `rule`, and otherwise is the standard one with `reno`.
    pub fn new(rule: R, reno: RenoRules) -> Coupled<R> {
        let floor = reno.window_floor;
        Coupled { rule, reno: Reno::new(reno), floor, paths: Vec::new(), members: Vec::new() }
    }

    /// Collects the paths that carry data, and `path`. Returns the index of `path` among them.
    fn collect(&mut self, path: PathId, view: &View<'_>) -> usize {
        let Coupled { members, paths, .. } = self;
        let of_path = |sample: &PathSample| sample.id == path;
        let joins = |sample: &PathSample| sample.state.carries_data();
        let joined = view.paths.iter().filter(|sample| of_path(sample) || joins(sample));
        let before = joined.clone().take_while(|sample| !of_path(sample)).count();
        members.clear();
        members.extend(joined.map(|sample| member(sample, &paths[sample.id.index()].progress)));
        before
    }
}

/// A path as the rules see it. One without a round-trip time has a third of its RTO, which starts at three times the
/// first sample.
fn member(sample: &PathSample, progress: &Progress) -> Member {
    Member {
        window: packets(sample.cwnd, sample),
        srtt: sample.srtt.unwrap_or(sample.rto / 3).as_secs_f64(),
        progress: progress.longest() / sample.unit.get() as f64,
        bandwidth: sample.bandwidth.map(|rate| rate.bits_per_second() as f64),
    }
}

fn packets(bytes: ByteCount, sample: &PathSample) -> f64 {
    bytes.get() as f64 / sample.unit.get() as f64
}

impl<R: CoupledRule> WindowRule for Coupled<R> {
    fn add_path(&mut self, path: PathId) {
        self.reno.add_path(path);
        self.paths.resize(self.paths.len().max(path.index() + 1), PathMemory::default());
    }

    fn remove_path(&mut self, path: PathId) {
        self.reno.remove_path(path);
        self.paths[path.index()] = PathMemory::default();
    }

    fn on_sent(&mut self, path: PathId, sent: &SentData, view: &View<'_>) {
        self.reno.on_sent(path, sent, view);
    }

    fn on_acked(&mut self, path: PathId, acked: &Acked, _view: &View<'_>) {
        self.paths[path.index()].progress.on_acked(acked.bytes.get() as f64);
    }

    /// Grows once for each window that was acknowledged, by the packets of that window.
    fn increase(&mut self, path: PathId, acked: &Acked, view: &View<'_>) -> ByteCount {
        let Some(acked_window) = self.reno.acked_window(path, acked, view) else { return ByteCount::ZERO };
        let of = self.collect(path, view);
        let wanted = self.rule.growth(&self.members, of) * acked_window.get() as f64;
        let owed = &mut self.paths[path.index()].owed;
        let growth = wanted - std::mem::take(owed);
        *owed = (-growth).max(0.0);
        ByteCount::new(growth.max(0.0).round() as u64)
    }

    fn on_refused(&mut self, path: PathId, acked: &Acked, view: &View<'_>) {
        self.reno.on_refused(path, acked, view);
    }

    fn decrease(&mut self, path: PathId, cause: CutCause, view: &View<'_>) -> CutWindow {
        let standard = self.reno.decrease(path, cause, view);
        if !matches!(cause, CutCause::Missing | CutCause::Timeout | CutCause::TimeoutAgain) {
            return standard;
        }
        let of = self.collect(path, view);
        let memory = &mut self.paths[path.index()];
        memory.progress.on_loss();
        memory.owed = 0.0;
        let least = self.floor as f64;
        let Some(left) = self.rule.after_loss(&self.members, of, least) else { return standard };
        let sample = view.path(path);
        let ssthresh = ByteCount::new((left * sample.unit.get() as f64) as u64);
        match cause {
            CutCause::Missing => self.reno.cut_to(ssthresh, sample.cwnd),
            _ => CutWindow { ssthresh, ..standard },
        }
    }

    fn coupling(&mut self) -> Option<&mut dyn WindowCoupling> {
        Some(self)
    }
}

impl<R: CoupledRule> WindowCoupling for Coupled<R> {
    fn take_yielded(&mut self, path: PathId, view: &View<'_>) -> ByteCount {
        let sample = view.path(path);
        let owed = &mut self.paths[path.index()].owed;
        let most = sample.cwnd.saturating_sub(sample.unit);
        let yielded = ByteCount::new(*owed as u64).min(most);
        *owed = owed.fract();
        yielded
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::lia::Lia;
    use super::*;
    use crate::policy::testing::acked_bytes as acked;
    use crate::policy::testing::{members, sample, view};

    proptest! {
        /// One path alone grows as Reno does, by one packet for each window.
        #[test]
        fn one_path_alone_is_reno(window in 1.0..1e4_f64, srtt in 1e-4..10.0_f64) {
            let growth = Lia.growth(&members([window], [srtt]), 0);
            prop_assert!((growth * window - 1.0).abs() < 1e-9, "{growth}");
            prop_assert_eq!(Lia.after_loss(&members([window], [srtt]), 0, 4.0), None);
        }

        /// No path grows faster than it would alone.
        #[test]
        fn no_path_grows_faster_than_alone(
            windows in [1.0..1e3_f64, 1.0..1e3, 1.0..1e3],
            srtts in [1e-3..1.0_f64, 1e-3..1.0, 1e-3..1.0],
        ) {
            let paths = members(windows, srtts);
            for (path, window) in windows.iter().enumerate() {
                prop_assert!(Lia.growth(&paths, path) <= 1.0 / window * (1.0 + 1e-9));
            }
        }
    }

    #[test]
    fn growth_comes_once_for_each_window_and_is_a_fraction_of_a_packet() {
        let mut paths = [sample(0), sample(1)];
        for path in &mut paths {
            (path.cwnd, path.ssthresh) = (ByteCount::new(6_000), ByteCount::new(1_500));
            path.srtt = Some(anabranch_base::Duration::from_millis(100));
        }
        let mut coupled = Coupled::new(Lia, crate::policy::congestion::reno::tests::RULES);
        paths.iter().for_each(|path| coupled.add_path(path.id));
        let grown = [3_000, 3_000, 3_000, 3_000]
            .map(|bytes| coupled.increase(paths[0].id, &acked(bytes), &view(&paths)).get());
        // α = ½: a quarter of a packet.
        assert_eq!(grown, [0, 375, 0, 375]);
    }
}
