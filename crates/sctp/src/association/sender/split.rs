//! Keeps new data off paths that have used up their share of a split buffer.

use anabranch_base::{ByteCount, Time};

use super::{Sender, view};
use crate::association::ground::Ground;
use crate::config::BufferSplit;
use crate::path::Shares;
use crate::policy::PathState;

impl Sender {
    /// Marks the paths that have room in the split buffers, for the scheduler. Paths that the scheduler never uses have
    /// no share: if it uses one path at a time, nothing is split.
    ///
    /// The limit of a path without room is the scheduler: both windows have room, and the sender is not blocked
    /// (M-CMT-9).
    #[inline]
    pub(super) fn share_buffers(&self, ground: &mut Ground, now: Time) {
        let (split, send_buffer) = (ground.settings.config.buffer_split, ground.settings.config.send_buffer);
        if split == BufferSplit::None {
            return;
        }
        if split.counts_flight() {
            return self.share_flights(ground, split);
        }
        let view = view(now, &ground.paths, &self.peer_window, &self.buffer);
        let used = view.active().filter(|sample| self.rules.scheduler.may_use(sample.id, &view)).count();
        let shares = Shares { split, send_buffer, peer_buffer: view.receive_buffer, paths: used as u64 };
        for id in ground.paths.ids() {
            let held = self.buffer.held_on(id);
            ground.paths.show_share(id, &shares, held.user, held.rwnd);
        }
    }

    /// Like [`share_buffers`](Sender::share_buffers), with the flights of the paths. Every path has a share, even if
    /// it carries no new data.
    fn share_flights(&self, ground: &mut Ground, split: BufferSplit) {
        let samples = ground.paths.samples();
        let paths = samples.iter().filter(|sample| sample.state != PathState::Removed).count() as u64;
        let in_flight: ByteCount = samples.iter().map(|sample| sample.flight).sum();
        let peer_buffer = self.peer_window.open() + in_flight;
        let send_buffer = ground.settings.config.send_buffer;
        let shares = Shares { split, send_buffer, peer_buffer, paths };
        for id in ground.paths.ids() {
            let flight = ground.paths.sample(id).flight;
            ground.paths.show_share(id, &shares, flight, flight);
        }
    }
}
