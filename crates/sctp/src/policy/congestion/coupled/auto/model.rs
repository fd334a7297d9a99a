//! Models of paths of which some share a bottleneck: each gets its share of what one flow takes there.

use anabranch_base::{BitRate, ByteCount};

use super::{judge, longest_round_trip};
use crate::policy::congestion::coupled::bottleneck::Bottlenecks;
use crate::policy::congestion::{Acked, CutCause, GivenWindow, LostData, PathModel, SentData};
use crate::policy::{PathId, View};

/// The models of all paths, with the shares of those whose bottleneck is the same.
#[derive(Debug)]
pub(super) struct AutoModel {
    alone: Box<dyn PathModel>,
    bottlenecks: Bottlenecks,
    /// The last window that the model gave each path.
    given: Vec<ByteCount>,
}

impl AutoModel {
    /// Models each path by `alone`.
    pub(super) fn new(alone: Box<dyn PathModel>) -> AutoModel {
        AutoModel { alone, bottlenecks: Bottlenecks::default(), given: Vec::new() }
    }

    /// Notes a window that `alone` gives `path`. One that is much smaller empties the path's queue, as a cut does.
    fn note_window(
        &mut self,
        path: PathId,
        given: Option<GivenWindow>,
        view: &View<'_>,
    ) -> Option<GivenWindow> {
        let given = given?;
        let before = std::mem::replace(&mut self.given[path.index()], given.cwnd);
        if given.cwnd < before - before / LEAST_FALL {
            self.bottlenecks.on_cut(path, longest_round_trip(view), view.now);
        }
        Some(given)
    }
}

impl PathModel for AutoModel {
    fn add_path(&mut self, path: PathId) {
        self.alone.add_path(path);
        self.bottlenecks.add_path(path);
        self.given.resize(self.given.len().max(path.index() + 1), ByteCount::ZERO);
    }

    fn remove_path(&mut self, path: PathId) {
        self.alone.remove_path(path);
        self.bottlenecks.remove_path(path);
        self.given[path.index()] = ByteCount::ZERO;
    }

    fn on_sent(&mut self, path: PathId, sent: &SentData, view: &View<'_>) -> Option<GivenWindow> {
        let given = self.alone.on_sent(path, sent, view);
        self.note_window(path, given, view)
    }

    fn on_acked(&mut self, path: PathId, acked: &Acked, view: &View<'_>) -> Option<GivenWindow> {
        let given = self.alone.on_acked(path, acked, view);
        if judge(&mut self.bottlenecks, path, acked, view) {
            for path in view.paths.iter().map(|sample| sample.id) {
                self.alone.take_share(path, 1.0 / self.bottlenecks.sharing_paths(path) as f64);
            }
        }
        self.note_window(path, given, view)
    }

    fn on_lost(&mut self, path: PathId, lost: &LostData, view: &View<'_>) {
        self.alone.on_lost(path, lost, view);
    }

    fn on_withheld(&mut self, path: PathId, view: &View<'_>) {
        self.alone.on_withheld(path, view);
    }

    fn on_cut(&mut self, path: PathId, cause: CutCause, view: &View<'_>) -> ByteCount {
        self.alone.on_cut(path, cause, view)
    }

    fn on_undone(&mut self, path: PathId, view: &View<'_>) -> Option<GivenWindow> {
        let given = self.alone.on_undone(path, view);
        self.note_window(path, given, view)
    }

    fn shares_with(&self, path: PathId) -> Option<PathId> {
        self.bottlenecks.shares_with(path)
    }

    fn pacing_rate(&self, path: PathId, view: &View<'_>) -> Option<BitRate> {
        self.alone.pacing_rate(path, view)
    }
}

/// A window given smaller by one part of this many is a cut.
const LEAST_FALL: u64 = 4;

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use anabranch_base::Time;

    use super::super::tests::{ms, paths};
    use super::*;
    use crate::policy::testing::acked_bytes as acked;
    use crate::policy::testing::view;

    /// A model of each path that records its shares.
    #[derive(Debug, Default)]
    struct Recorder(Arc<Mutex<Vec<(usize, f64)>>>);

    impl PathModel for Recorder {
        fn add_path(&mut self, _path: PathId) {}

        fn remove_path(&mut self, _path: PathId) {}

        /// A window that falls by half each second empties the queue of the first path.
        fn on_acked(&mut self, path: PathId, _acked: &Acked, view: &View<'_>) -> Option<GivenWindow> {
            let is_cut = path == PathId::FIRST && view.now.as_nanos().is_multiple_of(1_000_000_000);
            let cwnd = view.path(path).cwnd / if is_cut { 2 } else { 1 };
            Some(GivenWindow { cwnd, is_starting: false })
        }

        fn on_cut(&mut self, path: PathId, _cause: CutCause, view: &View<'_>) -> ByteCount {
            view.path(path).cwnd
        }

        fn take_share(&mut self, path: PathId, share: f64) {
            self.0.lock().unwrap().push((path.index(), share));
        }

        fn pacing_rate(&self, _path: PathId, _view: &View<'_>) -> Option<BitRate> {
            None
        }
    }

    /// Windows that the model shrinks are the cuts here.
    #[test]
    fn a_model_of_a_path_gets_its_share_of_a_bottleneck() {
        let (shares, paths) = (Arc::default(), paths());
        let mut auto = AutoModel::new(Box::new(Recorder(Arc::clone(&shares))));
        paths.iter().for_each(|path| auto.add_path(path.id));
        for step in 0..1_000_u64 {
            let view = View { now: Time::ZERO + ms(1_000 + 10 * step), ..view(&paths) };
            for path in &paths {
                let news = Acked { at: view.now, delay: Some(ms(20 + (step * step) % 37)), ..acked(1_500) };
                auto.on_acked(path.id, &news, &view);
            }
        }
        let shares = shares.lock().unwrap();
        assert_eq!((shares[0], shares[1]), ((0, 1.0), (1, 1.0)));
        assert_eq!(shares[shares.len() - 2..], [(0, 0.5), (1, 0.5)]);
    }
}
