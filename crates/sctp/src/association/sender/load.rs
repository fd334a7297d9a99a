//! Judges whether the ordinary paths are full: only then do secondary paths carry new data.

use anabranch_base::{ByteCount, Duration, Time};

use super::Sender;
use crate::association::ground::Ground;
use crate::path::{FullPaths, Load};
use crate::policy::{OneWay, PathSample};

impl Sender {
    /// Records the load of the ordinary paths, when no more can be sent. Secondary paths rest as soon as no data waits.
    pub(super) fn judge_load(&self, ground: &mut Ground, now: Time) {
        let load = self.load(ground);
        ground.paths.on_load(load, now);
    }

    fn load(&self, ground: &Ground) -> Load {
        let ordinary = || ground.paths.ordinary();
        let has_room = || ordinary().any(|path| !path.is_filled_by(ByteCount::ZERO));
        let Some(oldest) = self.buffer.oldest_waiting() else {
            return if has_room() { Load::Light } else { Load::Unclear };
        };
        if self.buffer.rwnd_weight(oldest) <= self.peer_window.open() {
            let may_send = ordinary().any(PathSample::may_send);
            return if may_send { Load::Unclear } else { full(ordinary()) };
        }
        // Windows that the peer's buffer keeps from growing may fill their links.
        if ordinary().all(is_queueing) {
            full(ordinary())
        } else if has_room() {
            Load::PeerLimited
        } else {
            Load::Unclear
        }
    }
}

fn full<'a>(paths: impl Iterator<Item = &'a PathSample>) -> Load {
    let mut full = FullPaths { starting: ByteCount::ZERO, round_trip: Duration::ZERO };
    for path in paths {
        if path.is_below_threshold() {
            full.starting += path.cwnd;
        }
        full.round_trip = full.round_trip.max(path.srtt.unwrap_or_default());
    }
    Load::Full(full)
}

/// Returns true if packets wait in a queue of `path`.
fn is_queueing(path: &PathSample) -> bool {
    path.one_way.map_or(path.is_queueing(), OneWay::is_queueing)
}
