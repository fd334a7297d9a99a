//! A rule whose windows grow as one (`as_one.rs`) where paths share a bottleneck. Slow start and cuts stay those of each path.

use anabranch_base::{BitRate, ByteCount};

use super::{judge, longest_round_trip};
use crate::policy::congestion::coupled::as_one::AsOne;
use crate::policy::congestion::coupled::bottleneck::Bottlenecks;
use crate::policy::congestion::{
    Acked, CutCause, CutWindow, LossDifferentiation, LostData, SentData, WindowRule,
};
use crate::policy::{PathId, PathSample, View};

/// The rule for all paths.
#[derive(Debug)]
pub(super) struct AutoRule {
    alone: Box<dyn WindowRule>,
    as_one: AsOne,
    bottlenecks: Bottlenecks,
}

impl AutoRule {
    /// Paths that share no bottleneck follow `alone`.
    pub(super) fn new(alone: Box<dyn WindowRule>) -> AutoRule {
        AutoRule { alone, as_one: AsOne::default(), bottlenecks: Bottlenecks::default() }
    }

    fn is_linked(&self, path: PathId) -> bool {
        self.bottlenecks.shares_with(path).is_some()
    }

    fn on_group_cut(&mut self, path: PathId, cut: &CutWindow, view: &View<'_>) {
        let before = view.path(path).cwnd;
        let fall = before.saturating_sub(cut.cwnd.max(cut.ssthresh));
        // Where the floor keeps a window from falling, growth is as after a halving.
        let fall = if fall.is_zero() { before / 2 } else { fall };
        let taken = fall.get() as f64 / self.group_window(path, view).get().max(1) as f64;
        for sample in members(&self.bottlenecks, path, view) {
            self.as_one.on_cut(sample.id, taken, longest_round_trip(view), view.now);
        }
    }

    /// The sum of the windows of the paths that share the bottleneck of `path`.
    fn group_window(&self, path: PathId, view: &View<'_>) -> ByteCount {
        members(&self.bottlenecks, path, view).map(|sample| sample.cwnd).sum()
    }
}

impl WindowRule for AutoRule {
    fn add_path(&mut self, path: PathId) {
        self.alone.add_path(path);
        self.as_one.reset(path);
        self.bottlenecks.add_path(path);
    }

    fn remove_path(&mut self, path: PathId) {
        self.alone.remove_path(path);
        self.as_one.reset(path);
        self.bottlenecks.remove_path(path);
    }

    fn on_sent(&mut self, path: PathId, sent: &SentData, view: &View<'_>) {
        self.alone.on_sent(path, sent, view);
    }

    fn on_acked(&mut self, path: PathId, acked: &Acked, view: &View<'_>) {
        self.alone.on_acked(path, acked, view);
        judge(&mut self.bottlenecks, path, acked, view);
    }

    fn on_lost(&mut self, path: PathId, lost: &LostData, view: &View<'_>) {
        self.alone.on_lost(path, lost, view);
    }

    fn is_in_slow_start(&self, path: PathId, view: &View<'_>) -> bool {
        self.alone.is_in_slow_start(path, view)
    }

    fn increase(&mut self, path: PathId, acked: &Acked, view: &View<'_>) -> ByteCount {
        if !self.is_linked(path) {
            return self.alone.increase(path, acked, view);
        }
        // Calls the rule without growth, so that CUBIC's curve pauses.
        self.alone.increase(path, &Acked { may_grow: false, ..*acked }, view);
        if !(acked.may_grow && acked.is_fully_used) {
            return ByteCount::ZERO;
        }
        self.as_one.growth(view.path(path), acked.bytes, self.group_window(path, view), acked.at)
    }

    fn on_refused(&mut self, path: PathId, acked: &Acked, view: &View<'_>) {
        if !self.is_linked(path) {
            self.alone.on_refused(path, acked, view);
        }
    }

    fn decrease(&mut self, path: PathId, cause: CutCause, view: &View<'_>) -> CutWindow {
        if matches!(cause, CutCause::Missing | CutCause::EcnEcho) {
            self.bottlenecks.on_cut(path, longest_round_trip(view), view.now);
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

    fn loss_differentiation(&self) -> Option<&dyn LossDifferentiation> {
        self.alone.loss_differentiation().map(|_| self as &dyn LossDifferentiation)
    }
}

impl LossDifferentiation for AutoRule {
    /// A path that shares its bottleneck never takes losses for chance: the queue that causes them may be that of the
    /// other paths.
    fn is_chance(&self, path: PathId, view: &View<'_>) -> bool {
        let alone = self.alone.loss_differentiation();
        !self.is_linked(path) && alone.is_some_and(|losses| losses.is_chance(path, view))
    }
}

/// The paths that share the bottleneck of `path` and carry data, and `path`.
fn members<'v>(
    bottlenecks: &'v Bottlenecks,
    path: PathId,
    view: &'v View<'_>,
) -> impl Iterator<Item = &'v PathSample> {
    let joins = move |sample: &&PathSample| {
        sample.id == path || sample.state.carries_data() && bottlenecks.share_bottleneck(path, sample.id)
    };
    view.paths.iter().filter(joins)
}

#[cfg(test)]
mod tests {
    use anabranch_base::Time;

    use super::super::tests::{ms, paths};
    use super::*;
    use crate::policy::congestion::reno::Reno;
    use crate::policy::congestion::reno::tests::RULES;
    use crate::policy::testing::acked_bytes as acked;
    use crate::policy::testing::view;

    /// One queue delays the packets of both paths for ten seconds.
    fn see_one_queue(auto: &mut AutoRule, paths: &[PathSample; 2]) {
        for step in 0..1_000_u64 {
            let waits = ms((step * step) % 37);
            if step % 100 == 0 {
                let view = View { now: Time::ZERO + ms(1_000 + 10 * step), ..view(paths) };
                auto.decrease(paths[0].id, CutCause::Missing, &view);
            }
            for path in paths {
                let at = Time::ZERO + ms(1_000 + 10 * step);
                let news = Acked { at, delay: Some(ms(20) + waits), ..acked(1_500) };
                auto.on_acked(path.id, &news, &view(paths));
            }
        }
    }

    #[test]
    fn paths_grow_by_themselves_until_a_bottleneck_is_found_and_then_together() {
        let (mut auto, paths) = (AutoRule::new(Box::new(Reno::new(RULES))), paths());
        paths.iter().for_each(|path| auto.add_path(path.id));
        let window = acked(6_000);
        assert_eq!(auto.increase(paths[0].id, &window, &view(&paths)).get(), 1_500);
        see_one_queue(&mut auto, &paths);
        assert_eq!(auto.shares_with(paths[0].id), Some(paths[1].id));
        // Of a group of two, cut one at a time: 3 (1 − ¾) / (1 + ¾) packets for both.
        assert_eq!(auto.increase(paths[0].id, &window, &view(&paths)).get(), 321);
        let mut reno = Reno::new(RULES);
        reno.add_path(paths[0].id);
        let cuts = [&mut auto as &mut dyn WindowRule, &mut reno]
            .map(|control| control.decrease(paths[0].id, CutCause::Missing, &view(&paths)));
        assert_eq!(cuts[0], cuts[1]);
    }
}
