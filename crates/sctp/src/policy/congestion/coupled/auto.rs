//! Coupling only where paths share a bottleneck: each path follows the chosen control by itself, and those that are found to
//! share one grow as one (`as_one.rs`), so that together they take one share of it. Slow start and cuts stay those of each path.

use anabranch_base::{BitRate, ByteCount, Duration, Time};

use super::as_one::AsOne;
use super::bottleneck::Bottlenecks;
use crate::policy::congestion::{
    Acked, CongestionControl, CutCause, CutWindow, GivenWindow, LostData, SentData,
};
use crate::policy::{PathId, PathSample, View};

/// The congestion control.
#[derive(Debug)]
pub struct Auto {
    alone: Box<dyn CongestionControl>,
    as_one: AsOne,
    bottlenecks: Bottlenecks,
    /// The last window that each path was given by [`CongestionControl::take_window`].
    given: Vec<ByteCount>,
}

impl Auto {
    /// Paths follow `alone` where they share no bottleneck.
    pub fn new(alone: Box<dyn CongestionControl>) -> Auto {
        Auto { alone, as_one: AsOne::default(), bottlenecks: Bottlenecks::default(), given: Vec::new() }
    }

    fn is_linked(&self, path: PathId) -> bool {
        self.bottlenecks.shares_with(path).is_some()
    }

    fn on_cut(&mut self, path: PathId, view: &View<'_>) {
        self.bottlenecks.on_cut(path, longest_round_trip(view), view.now);
    }

    fn on_group_cut(&mut self, path: PathId, cut: &CutWindow, view: &View<'_>) {
        let before = view.path(path).cwnd;
        let fall = before.saturating_sub(cut.cwnd.max(cut.ssthresh));
        // Where the floor keeps a window from falling, growth is as after a halving.
        let fall = if fall.is_zero() { before / 2 } else { fall };
        let taken = fall.get() as f64 / self.together(path, view).get().max(1) as f64;
        for sample in members(&self.bottlenecks, path, view) {
            self.as_one.on_cut(sample.id, taken, longest_round_trip(view), view.now);
        }
    }

    /// The windows of the paths that share the bottleneck of `path`.
    fn together(&self, path: PathId, view: &View<'_>) -> ByteCount {
        members(&self.bottlenecks, path, view).map(|sample| sample.cwnd).sum()
    }
}

impl CongestionControl for Auto {
    fn add_path(&mut self, path: PathId) {
        self.alone.add_path(path);
        self.as_one.forget(path);
        self.bottlenecks.add_path(path);
        self.given.resize(self.given.len().max(path.index() + 1), ByteCount::ZERO);
    }

    fn remove_path(&mut self, path: PathId) {
        self.alone.remove_path(path);
        self.as_one.forget(path);
        self.bottlenecks.remove_path(path);
        self.given[path.index()] = ByteCount::ZERO;
    }

    fn tells_losses_apart(&self) -> bool {
        self.alone.tells_losses_apart()
    }

    fn on_sent(&mut self, path: PathId, sent: &SentData, view: &View<'_>) {
        self.alone.on_sent(path, sent, view);
    }

    fn on_acked(&mut self, path: PathId, acked: &Acked, view: &View<'_>) {
        self.alone.on_acked(path, acked, view);
        if view.paths.len() < 2 {
            return;
        }
        let Some((way, measured)) = acked.way.zip(view.path(path).one_way) else { return };
        let arrived = Time::from_nanos(acked.at.as_nanos().saturating_sub(measured.back.as_nanos()));
        let is_judged = self.bottlenecks.on_way(path, arrived, way, measured.least, acked.at);
        if is_judged && self.alone.gives_windows() {
            for path in view.paths.iter().map(|sample| sample.id) {
                self.alone.take_share(path, 1.0 / self.bottlenecks.sharers(path) as f64);
            }
        }
    }

    fn on_lost(&mut self, path: PathId, lost: &LostData, view: &View<'_>) {
        self.alone.on_lost(path, lost, view);
    }

    fn gives_windows(&self) -> bool {
        self.alone.gives_windows()
    }

    fn on_withheld(&mut self, path: PathId, view: &View<'_>) {
        self.alone.on_withheld(path, view);
    }

    /// A window that becomes much smaller empties its queue, as a cut does.
    fn take_window(&mut self, path: PathId, view: &View<'_>) -> Option<GivenWindow> {
        let given = self.alone.take_window(path, view)?;
        let before = std::mem::replace(&mut self.given[path.index()], given.cwnd);
        if given.cwnd < before - before / LEAST_FALL {
            self.on_cut(path, view);
        }
        Some(given)
    }

    fn is_in_slow_start(&self, path: PathId, view: &View<'_>) -> bool {
        self.alone.is_in_slow_start(path, view)
    }

    fn increase(&mut self, path: PathId, acked: &Acked, view: &View<'_>) -> ByteCount {
        if !self.is_linked(path) {
            return self.alone.increase(path, acked, view);
        }
        // For CUBIC, time stands still.
        self.alone.increase(path, &Acked { may_grow: false, ..*acked }, view);
        if !(acked.may_grow && acked.is_fully_used) {
            return ByteCount::ZERO;
        }
        self.as_one.growth(view.path(path), acked.bytes, self.together(path, view), acked.at)
    }

    /// Losses in a queue that others of this end's paths fill are theirs, too.
    fn is_chance(&self, path: PathId, view: &View<'_>) -> bool {
        !self.is_linked(path) && self.alone.is_chance(path, view)
    }

    fn yields_window(&self) -> bool {
        self.alone.yields_window()
    }

    fn take_yielded(&mut self, path: PathId, view: &View<'_>) -> ByteCount {
        if self.is_linked(path) { ByteCount::ZERO } else { self.alone.take_yielded(path, view) }
    }

    fn on_refused(&mut self, path: PathId, acked: &Acked, view: &View<'_>) {
        if !self.is_linked(path) {
            self.alone.on_refused(path, acked, view);
        }
    }

    fn decrease(&mut self, path: PathId, cause: CutCause, view: &View<'_>) -> CutWindow {
        if matches!(cause, CutCause::Missing | CutCause::EcnEcho) && !self.gives_windows() {
            self.on_cut(path, view);
        }
        let cut = self.alone.decrease(path, cause, view);
        if cause != CutCause::Idle && self.is_linked(path) {
            self.on_group_cut(path, &cut, view);
        }
        cut
    }

    fn on_undone(&mut self, path: PathId, before: CutWindow, view: &View<'_>) {
        self.alone.on_undone(path, before, view);
    }

    fn shares_with(&self, path: PathId) -> Option<PathId> {
        self.bottlenecks.shares_with(path)
    }

    fn pacing_rate(&self, path: PathId, view: &View<'_>) -> Option<BitRate> {
        self.alone.pacing_rate(path, view)
    }
}

/// The paths that share the bottleneck of `path` and carry data, and `path`.
fn members<'v>(
    bottlenecks: &'v Bottlenecks,
    path: PathId,
    view: &'v View<'_>,
) -> impl Iterator<Item = &'v PathSample> {
    let joins = move |sample: &&PathSample| {
        sample.id == path || sample.state.carries_data() && bottlenecks.are_together(path, sample.id)
    };
    view.paths.iter().filter(joins)
}

fn longest_round_trip(view: &View<'_>) -> Duration {
    view.active().map(|sample| sample.srtt.unwrap_or(sample.rto)).max().unwrap_or_default()
}

/// A given window that is smaller by such a part is a cut.
const LEAST_FALL: u64 = 4;

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::policy::OneWay;
    use crate::policy::congestion::reno::Reno;
    use crate::policy::congestion::reno::tests::RULES;
    use crate::policy::congestion::tests::acked;
    use crate::policy::view::tests::{sample, view};

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    /// Two paths in congestion avoidance with windows of four packets.
    fn paths() -> [PathSample; 2] {
        [0, 1].map(|index| {
            let one_way = Some(OneWay { way: ms(20), least: ms(20), back: ms(20) });
            PathSample { one_way, srtt: Some(ms(100)), ssthresh: ByteCount::new(1_500), ..sample(index) }
        })
    }

    /// For ten seconds, one queue waits before both paths.
    fn see_one_queue(auto: &mut Auto, paths: &[PathSample; 2]) {
        for step in 0..1_000_u64 {
            let waits = ms((step * step) % 37);
            if step % 100 == 0 {
                let view = View { now: Time::ZERO + ms(1_000 + 10 * step), ..view(paths) };
                auto.decrease(paths[0].id, CutCause::Missing, &view);
            }
            for path in paths {
                let at = Time::ZERO + ms(1_000 + 10 * step);
                let news = Acked { at, way: Some(ms(20) + waits), ..acked(1_500) };
                auto.on_acked(path.id, &news, &view(paths));
            }
        }
    }

    #[test]
    fn paths_grow_by_themselves_until_a_bottleneck_is_found_and_then_together() {
        let (mut auto, paths) = (Auto::new(Box::new(Reno::new(RULES))), paths());
        paths.iter().for_each(|path| auto.add_path(path.id));
        let window = acked(6_000);
        assert_eq!(auto.increase(paths[0].id, &window, &view(&paths)).get(), 1_500);
        see_one_queue(&mut auto, &paths);
        assert_eq!(auto.shares_with(paths[0].id), Some(paths[1].id));
        // Of a group of two, cut one at a time: 3 (1 − ¾) / (1 + ¾) packets for both.
        assert_eq!(auto.increase(paths[0].id, &window, &view(&paths)).get(), 321);
        let mut reno = Reno::new(RULES);
        reno.add_path(paths[0].id);
        let cuts = [&mut auto as &mut dyn CongestionControl, &mut reno]
            .map(|control| control.decrease(paths[0].id, CutCause::Missing, &view(&paths)));
        assert_eq!(cuts[0], cuts[1]);
    }

    /// A model of each path that records its shares.
    #[derive(Debug, Default)]
    struct Model(Arc<Mutex<Vec<(usize, f64)>>>);

    impl CongestionControl for Model {
        fn add_path(&mut self, _path: PathId) {}

        fn remove_path(&mut self, _path: PathId) {}

        fn gives_windows(&self) -> bool {
            true
        }

        fn take_share(&mut self, path: PathId, share: f64) {
            self.0.lock().unwrap().push((path.index(), share));
        }

        fn take_window(&mut self, path: PathId, view: &View<'_>) -> Option<GivenWindow> {
            // A window that falls by half each second empties the queue.
            let is_cut = view.now.as_nanos().is_multiple_of(1_000_000_000);
            let cwnd = view.path(path).cwnd / if is_cut { 2 } else { 1 };
            Some(GivenWindow { cwnd, is_starting: false })
        }

        fn increase(&mut self, _path: PathId, _acked: &Acked, _view: &View<'_>) -> ByteCount {
            ByteCount::ZERO
        }

        fn decrease(&mut self, path: PathId, _cause: CutCause, view: &View<'_>) -> CutWindow {
            let sample = view.path(path);
            CutWindow { cwnd: sample.cwnd, ssthresh: sample.ssthresh }
        }
    }

    /// Windows that the model shrinks are the cuts here.
    #[test]
    fn a_model_of_a_path_gets_its_share_of_a_bottleneck() {
        let (shares, paths) = (Arc::default(), paths());
        let mut auto = Auto::new(Box::new(Model(Arc::clone(&shares))));
        paths.iter().for_each(|path| auto.add_path(path.id));
        for step in 0..1_000_u64 {
            let view = View { now: Time::ZERO + ms(1_000 + 10 * step), ..view(&paths) };
            auto.take_window(paths[0].id, &view);
            for path in &paths {
                let news = Acked { at: view.now, way: Some(ms(20 + (step * step) % 37)), ..acked(1_500) };
                auto.on_acked(path.id, &news, &view);
            }
        }
        let shares = shares.lock().unwrap();
        assert_eq!((shares[0], shares[1]), ((0, 1.0), (1, 1.0)));
        assert_eq!(shares[shares.len() - 2..], [(0, 0.5), (1, 0.5)]);
    }
}
