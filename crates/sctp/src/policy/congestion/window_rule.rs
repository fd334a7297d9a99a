//! The interface of rules for congestion windows, which give the amounts of growth and of cuts. The windows stay those
//! of the paths.

use std::fmt::Debug;

use anabranch_base::{BitRate, ByteCount};

use super::{Acked, CutCause, CutWindow, LostData, SentData, pacing};
use crate::policy::{PathId, View};

/// A rule for the growth and the cuts of congestion windows.
pub trait WindowRule: Debug + Send {
    /// `path` was added.
    fn add_path(&mut self, path: PathId);

    /// `path` was removed.
    fn remove_path(&mut self, path: PathId);

    /// A packet with data left on `path`.
    fn on_sent(&mut self, _path: PathId, _sent: &SentData, _view: &View<'_>) {}

    /// A SACK newly acknowledged data of `path`. Called for every such SACK, in slow start and in fast recovery too,
    /// before [`increase`](WindowRule::increase).
    fn on_acked(&mut self, _path: PathId, _acked: &Acked, _view: &View<'_>) {}

    /// A chunk that left on `path` was declared lost. Called for each chunk, after [`decrease`](WindowRule::decrease)
    /// for the loss.
    fn on_lost(&mut self, _path: PathId, _lost: &LostData, _view: &View<'_>) {}

    /// Returns true if the window of `path` grows by the chosen [slow start](crate::policy::slow_start). A rule without slow start
    /// always returns `false`, and then [`increase`](WindowRule::increase) returns all growth.
    fn is_in_slow_start(&self, path: PathId, view: &View<'_>) -> bool {
        view.path(path).is_below_threshold()
    }

    /// The wanted growth of the path's cwnd in congestion avoidance. It is not called in slow start or in fast
    /// recovery.
    fn increase(&mut self, path: PathId, acked: &Acked, view: &View<'_>) -> ByteCount;

    /// The growth that [`increase`](WindowRule::increase) wanted was refused: the window may grow by it later, when there
    /// is room (M-CWM-2).
    fn on_refused(&mut self, _path: PathId, _acked: &Acked, _view: &View<'_>) {}

    /// The window of `path` after a cut for `cause`. The cwnd is normally not larger than before. If it is larger,
    /// the window grows to it, as far as the window management allows.
    fn decrease(&mut self, path: PathId, cause: CutCause, view: &View<'_>) -> CutWindow;

    /// A cut of the window of `path` proved spurious. The window, `before` the cut, is given back as far as the window
    /// management allows.
    fn on_undone(&mut self, _path: PathId, _before: CutWindow, _view: &View<'_>) {}

    /// The pacing rate of `path` outside slow start; `None` for as fast as the window allows.
    fn pacing_rate(&self, path: PathId, view: &View<'_>) -> Option<BitRate> {
        pacing::window_rate(view.path(path), pacing::AVOIDANCE)
    }

    /// The first other path that was found to have the bottleneck of `path`, if the rule looks for such paths.
    fn shares_with(&self, _path: PathId) -> Option<PathId> {
        None
    }

    /// The part that distinguishes chance losses from congestion, if the rule has one.
    fn loss_differentiation(&self) -> Option<&dyn LossDifferentiation> {
        None
    }

    /// The part that makes the windows of all paths depend on one another, wherever their bottlenecks are, if the rule has
    /// one.
    fn coupling(&mut self) -> Option<&mut dyn WindowCoupling> {
        None
    }
}

/// The part of a rule that attributes some losses to chance, and not to congestion.
pub trait LossDifferentiation {
    /// Returns true if a loss on `path` is chance. Then its window is not cut, and no recovery begins.
    fn is_chance(&self, path: PathId, view: &View<'_>) -> bool;
}

/// The part of a rule by which the windows of all paths grow together.
pub trait WindowCoupling {
    /// The amount by which the window of `path` shrinks without a loss, in favour of other paths. It is called after
    /// [`increase`](WindowRule::increase) returned no growth.
    fn take_yielded(&mut self, path: PathId, view: &View<'_>) -> ByteCount;
}
