//! Where a lost chunk goes if new data is scheduled for arrival in order.

use anabranch_base::ByteCount;

use super::alternate::another;
use super::{Destination, LostChunk, RetransmissionPolicy};
use crate::policy::schedule::arrival::{PathForecast, bytes, forecasts};
use crate::policy::{PathId, View};

/// The path that lost the chunk, unless the chunk keeps others waiting: then the path on which it arrives first.
///
/// A chunk keeps others waiting if the peer's window is nearly used up, or if the application has little more to send.
#[derive(Debug, Default)]
pub struct InOrderArrival;

impl RetransmissionPolicy for InOrderArrival {
    fn destination(&mut self, lost: &LostChunk, view: &View<'_>) -> Destination {
        let before = view.path(lost.path);
        if !before.state.carries_data() {
            return Destination::Now(quickest(lost.path, view).unwrap_or_else(|| another(lost.path, view)));
        }
        match is_awaited(&PathForecast::of(before), view) {
            true => Destination::Now(quickest(lost.path, view).unwrap_or(lost.path)),
            false => Destination::Now(lost.path),
        }
    }
}

/// Whether the sender would have to stop before a repair by the path that lost the chunk.
fn is_awaited(before: &PathForecast, view: &View<'_>) -> bool {
    let sent_until_repaired: f64 =
        forecasts(view).map(|path| path.peak.unwrap_or(0.0) * 2.0 * before.base()).sum();
    view.queued < LITTLE || bytes(view.peer_window) < sent_until_repaired
}

/// The path on which the chunk arrives first, of those with room and the one that lost it.
fn quickest(lost: PathId, view: &View<'_>) -> Option<PathId> {
    let arrival = |path: &PathForecast| {
        let waits = !view.path(path.id).has_window();
        path.by_flow(path.unit) + if waits { path.base() / 2.0 } else { 0.0 }
    };
    let able = forecasts(view).filter(|path| path.id == lost || view.path(path.id).has_window());
    able.min_by(|one, other| arrival(one).total_cmp(&arrival(other))).map(|path| path.id)
}

/// If less waits, the application decides how much is sent.
const LITTLE: ByteCount = ByteCount::from_kib(64);
