//! A congestion controller whose windows never change, for measurements with a fixed amount in flight.

use anabranch_base::ByteCount;
use anabranch_sctp::policy::congestion::{Acked, CutCause, CutWindow, WindowRule};
use anabranch_sctp::policy::{PathId, View};

/// Keeps the initial window.
#[derive(Debug)]
pub(crate) struct Constant;

impl WindowRule for Constant {
    fn add_path(&mut self, _path: PathId) {}

    fn remove_path(&mut self, _path: PathId) {}

    fn is_in_slow_start(&self, _path: PathId, _view: &View<'_>) -> bool {
        false
    }

    fn increase(&mut self, _path: PathId, _acked: &Acked, _view: &View<'_>) -> ByteCount {
        ByteCount::ZERO
    }

    fn decrease(&mut self, path: PathId, _cause: CutCause, view: &View<'_>) -> CutWindow {
        let sample = view.path(path);
        CutWindow { cwnd: sample.cwnd, ssthresh: sample.ssthresh }
    }
}
