//! Adds paths to the sender and removes them.

use std::cmp::Reverse;

use anabranch_base::{ByteCount, Time};

use super::{Sender, view};
use crate::association::ground::Ground;
use crate::policy::retransmission::LostBy;
use crate::policy::{PathId, PathState};

impl Sender {
    /// Marks chunks on removed paths as lost that are in flight again, because a SACK took their acknowledgement back.
    #[inline]
    pub(super) fn clear_removed_paths(&mut self, ground: &mut Ground) {
        for id in ground.paths.ids() {
            if ground.paths.is_removed(id) && !ground.paths.sample(id).flight.is_zero() {
                self.take_all_back(ground, id);
            }
        }
    }

    /// Adds the paths over which the association opens.
    pub(crate) fn add_first_paths(&mut self, ground: &mut Ground) {
        ground.paths.set_initial_ssthresh(ground.agreement.peer_window);
        ground.paths.ids().for_each(|id| self.join(id));
        self.fit_first_windows(ground, &ground.paths.ids().collect::<Vec<_>>());
    }

    /// Adds path `id` of the table.
    pub(crate) fn add_path(&mut self, ground: &mut Ground, id: PathId) {
        ground.paths.set_initial_ssthresh(self.peer_window.buffer());
        self.join(id);
        self.fit_first_windows(ground, &[id]);
    }

    /// Removes path `id` of the table.
    pub(crate) fn remove_path(&mut self, ground: &mut Ground, id: PathId) {
        self.take_all_back(ground, id);
        self.picked = self.picked.filter(|(path, _)| *path != id);
        self.planned_copy = self.planned_copy.filter(|(_, path)| *path != id);
        self.buffer.cancel_copies(id);
        self.exemptions.remove_path(id);
        self.unconfirmed.remove_path(id);
        self.cwr.remove_path(id);
        self.rules.detection.remove_path(id);
        self.rules.congestion.remove_path(id);
        self.rules.slow_start.remove_path(id);
    }

    /// Adds path `id` to the send buffer and the policies.
    fn join(&mut self, id: PathId) {
        self.buffer.add_path(id);
        self.rules.congestion.add_path(id);
        self.rules.slow_start.add_path(id);
    }

    /// Limits the first windows of new paths. M-CWM-1: "initial windows are scaled so the constraint holds". If the
    /// windows together exceed the room, the windows of the `fresh` paths are cut to equal parts of what the others
    /// leave. Each keeps a packet, for which the largest of the others make room.
    fn fit_first_windows(&self, ground: &mut Ground, fresh: &[PathId]) {
        let view = view(Time::ZERO, &ground.paths, &self.peer_window, &self.buffer);
        let room = self.rules.limit.room(&view);
        let together = |is_counted: &dyn Fn(PathId) -> bool| -> ByteCount {
            let sharing = view.paths.iter().filter(|path| path.state != PathState::Removed);
            sharing.filter(|path| is_counted(path.id)).map(|path| path.cwnd).sum()
        };
        if together(&|_| true) <= room {
            return;
        }
        let part = room.saturating_sub(together(&|id| !fresh.contains(&id))) / fresh.len() as u64;
        fresh.iter().for_each(|&id| ground.paths.fit_first_window(id, part));
        shrink_windows_to(ground, room);
    }

    /// Marks everything in flight on a removed path as lost.
    pub(crate) fn take_all_back(&mut self, ground: &mut Ground, id: PathId) {
        for tsn in self.buffer.in_flight_on(id) {
            _ = self.mark_lost(ground, tsn, id, LostBy::Timeout);
        }
        ground.paths.on_all_lost(id);
    }
}

/// Shrinks the largest windows packet by packet, down to one packet, until their sum does not exceed `room`.
fn shrink_windows_to(ground: &mut Ground, room: ByteCount) {
    loop {
        let sharing = ground.paths.samples().iter().filter(|path| path.state != PathState::Removed);
        let together: ByteCount = sharing.clone().map(|path| path.cwnd).sum();
        let excess = together.saturating_sub(room);
        let Some(largest) = sharing.max_by_key(|path| (path.cwnd, Reverse(path.id))) else { return };
        let cut = excess.min(largest.cwnd.saturating_sub(largest.unit)).min(largest.unit);
        if cut.is_zero() {
            return;
        }
        ground.paths.shrink(largest.id, cut);
    }
}
