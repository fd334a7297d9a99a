//! The interface of models of paths, which give a window and a rate as a whole. Losses and marks are samples to a model
//! like acknowledgements: it has neither slow start nor growth by steps.

use std::fmt::Debug;

use anabranch_base::{BitRate, ByteCount};

use super::{Acked, CutCause, LostData, SentData};
use crate::policy::{PathId, View};

/// The window that a model gives a path. It grows as far as the window management allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenWindow {
    /// The congestion window.
    pub cwnd: ByteCount,
    /// True until the path was filled for the first time: its window counts as one in slow start.
    pub is_starting: bool,
}

/// A model of each path, which gives its window and its rate.
pub trait PathModel: Debug + Send {
    /// `path` was added.
    fn add_path(&mut self, path: PathId);

    /// `path` was removed.
    fn remove_path(&mut self, path: PathId);

    /// A packet with data left on `path`. Returns the window of `path` from now on, if it is a new one.
    fn on_sent(&mut self, _path: PathId, _sent: &SentData, _view: &View<'_>) -> Option<GivenWindow> {
        None
    }

    /// A SACK newly acknowledged data of `path`. Returns the window of `path` from now on, if it is a new one.
    fn on_acked(&mut self, path: PathId, acked: &Acked, view: &View<'_>) -> Option<GivenWindow>;

    /// A chunk that left on `path` was declared lost. Called for each chunk, after [`on_cut`](PathModel::on_cut) for
    /// the loss.
    fn on_lost(&mut self, _path: PathId, _lost: &LostData, _view: &View<'_>) {}

    /// Sending ended although the window and the pacer of `path` allowed more: nothing waits, or a scheduler or the peer's
    /// window kept it from this one of several paths.
    fn on_withheld(&mut self, _path: PathId, _view: &View<'_>) {}

    /// Cuts the window of `path` for `cause`. Returns its cwnd from now on, which may be unchanged.
    fn on_cut(&mut self, path: PathId, cause: CutCause, view: &View<'_>) -> ByteCount;

    /// A cut of the window of `path` proved spurious. Returns the window of `path` from now on, if it is a new one.
    fn on_undone(&mut self, _path: PathId, _view: &View<'_>) -> Option<GivenWindow> {
        None
    }

    /// From now on `path` takes the part `share` of one flow's share of a bottleneck, because paths of the association
    /// share it.
    fn take_share(&mut self, _path: PathId, _share: f64) {}

    /// The first other path that was found to have the bottleneck of `path`, if the model looks for such paths.
    fn shares_with(&self, _path: PathId) -> Option<PathId> {
        None
    }

    /// The pacing rate of `path`; `None` for as fast as the window allows.
    fn pacing_rate(&self, path: PathId, view: &View<'_>) -> Option<BitRate>;
}
