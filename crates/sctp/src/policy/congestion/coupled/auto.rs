//! Coupling only where paths share a bottleneck: each path follows the chosen control by itself, and those that are found to
//! share one grow by LIA, so that together they take one share of it. Slow start and cuts stay those of each path.

use anabranch_base::{BitRate, ByteCount, Time};

use super::Coupled;
use super::bottleneck::Bottlenecks;
use super::lia::Lia;
use crate::policy::congestion::reno::RenoRules;
use crate::policy::congestion::{Acked, CongestionControl, CutCause, CutWindow, LostData, SentData};
use crate::policy::{PathId, View};

/// The congestion control.
#[derive(Debug)]
pub struct Auto {
    alone: Box<dyn CongestionControl>,
    linked: Coupled<Lia>,
    bottlenecks: Bottlenecks,
}

impl Auto {
    /// Paths follow `alone` where they share no bottleneck.
    pub fn new(alone: Box<dyn CongestionControl>, reno: RenoRules) -> Auto {
        Auto { alone, linked: Coupled::new(Lia, reno), bottlenecks: Bottlenecks::default() }
    }

    fn is_linked(&self, path: PathId) -> bool {
        self.bottlenecks.shares_with(path).is_some()
    }
}

impl CongestionControl for Auto {
    fn add_path(&mut self, path: PathId) {
        self.alone.add_path(path);
        self.linked.add_path(path);
        self.bottlenecks.add_path(path);
    }

    fn remove_path(&mut self, path: PathId) {
        self.alone.remove_path(path);
        self.linked.remove_path(path);
        self.bottlenecks.remove_path(path);
    }

    fn tells_losses_apart(&self) -> bool {
        self.alone.tells_losses_apart()
    }

    fn on_sent(&mut self, path: PathId, sent: &SentData, view: &View<'_>) {
        self.alone.on_sent(path, sent, view);
    }

    fn on_acked(&mut self, path: PathId, acked: &Acked, view: &View<'_>) {
        self.alone.on_acked(path, acked, view);
        let Some((way, measured)) = acked.way.zip(view.path(path).one_way) else { return };
        let arrived = Time::from_nanos(acked.at.as_nanos().saturating_sub(measured.back.as_nanos()));
        self.bottlenecks.on_way(path, arrived, way, measured.least, acked.at);
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
        // For CUBIC, time stands still.
        self.alone.increase(path, &Acked { may_grow: false, ..*acked }, view);
        let bottlenecks = &self.bottlenecks;
        self.linked.increase_among(path, acked, view, |other| bottlenecks.are_together(path, other))
    }

    /// Losses in a queue that others of this end's paths fill are theirs, too.
    fn is_chance(&self, path: PathId, view: &View<'_>) -> bool {
        !self.is_linked(path) && self.alone.is_chance(path, view)
    }

    fn on_refused(&mut self, path: PathId, acked: &Acked, view: &View<'_>) {
        match self.is_linked(path) {
            true => self.linked.on_refused(path, acked, view),
            false => self.alone.on_refused(path, acked, view),
        }
    }

    fn decrease(&mut self, path: PathId, cause: CutCause, view: &View<'_>) -> CutWindow {
        if matches!(cause, CutCause::Missing | CutCause::EcnEcho) {
            let round_trips = view.active().map(|sample| sample.srtt.unwrap_or(sample.rto));
            self.bottlenecks.on_cut(path, round_trips.max().unwrap_or_default(), view.now);
        }
        // What LIA counts towards its next growth begins again; its window after the cut is not used.
        self.linked.decrease(path, cause, view);
        self.alone.decrease(path, cause, view)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::congestion::coupled::lia::alpha;
    use crate::policy::congestion::coupled::tests::members;
    use crate::policy::congestion::reno::Reno;
    use crate::policy::congestion::reno::tests::RULES;
    use crate::policy::congestion::tests::acked;
    use crate::policy::view::tests::{sample, view};
    use crate::policy::{OneWay, PathSample};
    use anabranch_base::Duration;

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
        let (mut auto, paths) = (Auto::new(Box::new(Reno::new(RULES)), RULES), paths());
        paths.iter().for_each(|path| auto.add_path(path.id));
        let window = acked(6_000);
        assert_eq!(auto.increase(paths[0].id, &window, &view(&paths)).get(), 1_500);
        see_one_queue(&mut auto, &paths);
        assert_eq!(auto.shares_with(paths[0].id), Some(paths[1].id));
        // LIA: α = ½, and half of a fourth of a packet for each packet of the window.
        let share = alpha(&members([4.0; 2], [0.1; 2])) / 2.0;
        assert_eq!(
            auto.increase(paths[0].id, &window, &view(&paths)).get(),
            (share * 1_500.0).round() as u64
        );
        let mut reno = Reno::new(RULES);
        reno.add_path(paths[0].id);
        let cuts = [&mut auto as &mut dyn CongestionControl, &mut reno]
            .map(|control| control.decrease(paths[0].id, CutCause::Missing, &view(&paths)));
        assert_eq!(cuts[0], cuts[1]);
    }
}
