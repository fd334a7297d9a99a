//! Selects the next chunk to send again and its path: first chunks that are marked as lost, then copies of chunks in
//! flight, as the retransmission policy and the scheduler decide.

use anabranch_base::Time;

use super::open_packet::OpenPacket;
use super::{Sender, view};
use crate::association::ground::Ground;
use crate::config::MtuDiscovery;
use crate::policy::retransmission::{Destination, LostBy, LostChunk};
use crate::policy::{PathId, PathSample, PathState, View};
use crate::seq::Tsn;

/// A chunk to be sent again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resend {
    pub tsn: Tsn,
    pub path: PathId,
    /// The path on which a copy is sent too.
    pub also: Option<PathId>,
    pub reason: Reason,
}

/// The reason for sending a chunk that the scheduler did not pick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// It was lost.
    Lost,
    /// It is in flight: a copy of it is sent.
    Copy,
    /// It was never sent, and the peer waits for it while later chunks are sent again.
    Awaited,
}

impl Sender {
    /// The next chunk to be sent again: the lowest lost chunk whose destination has room, or, with a packet `open`,
    /// the lowest for that packet's path; then the copies that the retransmission policy wants.
    #[inline]
    pub(super) fn next_lost(
        &mut self,
        ground: &mut Ground,
        open: Option<OpenPacket>,
        now: Time,
    ) -> Option<Resend> {
        if self.awaits_verification {
            return None;
        }
        self.take_back_one(ground);
        if !self.buffer.has_retransmissions() {
            return None;
        }
        let view = view(now, &ground.paths, &self.peer_window, &self.buffer);
        let may_pass = match open {
            Some(open) => open.is_exempt || open.has_data,
            None => !self.exemptions.is_none(),
        };
        if !may_pass && !view.paths.iter().any(PathSample::has_window) {
            return None;
        }
        let (exemptions, paths) = (&self.exemptions, &ground.paths);
        let may_pass_window = |path| exemptions.covers(path) && !paths.after_loss(path).holds_data();
        let may_pass_on = |path| match open {
            Some(open) => may_pass && open.path == path,
            None => may_pass_window(path),
        };
        let fits = |path| match open {
            Some(open) => open.path == path && open.has_window(&view),
            None => may_pass_window(path) || view.path(path).has_window(),
        };
        for lost in self.buffer.marked() {
            if !paths.after_loss(lost.path).may_resend(now) {
                continue;
            }
            let policy = match lost.by {
                LostBy::MissingReports | LostBy::SmallWindow => &mut self.rules.after_missing,
                LostBy::Timeout | LostBy::Probe => &mut self.rules.after_timeout,
            };
            let goes = match lost.by {
                LostBy::Probe if view.path(lost.path).state.is_in_use() => Destination::Now(lost.path),
                _ => policy.destination(&lost, &view),
            };
            let (path, also) = match goes {
                Destination::Now(path) => (path, None),
                Destination::Both(one, other) if fits(other) && !fits(one) => (other, Some(one)),
                Destination::Both(one, other) => (one, Some(other)),
                // An exemption allows one packet to exceed the window of a path with losses: this counts as room on the
                // path, also while that packet is being filled (M-CMT-6).
                Destination::Wait if may_pass_on(lost.path) && view.path(lost.path).state.carries_data() => {
                    (lost.path, None)
                }
                Destination::Wait => continue,
            };
            let (tsn, also, reason) = match self.awaited_before(&lost) {
                Some(tsn) => (tsn, None, Reason::Awaited),
                None => (lost.tsn, also, Reason::Lost),
            };
            let path = self.wide_enough(ground, path, &LostChunk { tsn, ..lost }, &view);
            if fits(path) {
                return Some(Resend { tsn, path, also, reason });
            }
        }
        let mut due = self.buffer.due_copies();
        let (tsn, path) = due.find(|&(tsn, path)| self.has_room_for_copy(tsn, path, open, &view))?;
        Some(Resend { tsn, path, also: None, reason: Reason::Copy })
    }

    /// The chunk that the peer waits for, if it was never sent and precedes `lost`, which timed out.
    ///
    /// The number of gap blocks in a SACK is limited. If a scheduler sent more chunks ahead than one SACK can report,
    /// those above look lost although the peer has them: they would be sent again forever, and leave no window for the
    /// chunk that is missing.
    fn awaited_before(&self, lost: &LostChunk) -> Option<Tsn> {
        let oldest = self.buffer.oldest_waiting().filter(|oldest| oldest.is_before(lost.tsn))?;
        let room = self.peer_window.open_for_lost(self.buffer.rwnd_weight(lost.tsn));
        let has_room = self.peer_window.may_probe() || self.buffer.rwnd_weight(oldest) <= room;
        (lost.by == LostBy::Timeout && has_room).then_some(oldest)
    }

    /// The next copy that the scheduler wants: for the packet `open`, or for a new packet.
    #[inline]
    pub(super) fn next_copy(
        &mut self,
        ground: &Ground,
        open: Option<OpenPacket>,
        now: Time,
    ) -> Option<Resend> {
        if self.awaits_verification || !self.buffer.has_outstanding() {
            return None;
        }
        let view = view(now, &ground.paths, &self.peer_window, &self.buffer);
        let planned = self.planned_copy.take();
        let (tsn, path) = planned.or_else(|| self.rules.scheduler.copy(&self.buffer, &view))?;
        let is_for_another = open.is_some_and(|open| open.path != path);
        if !self.has_room_for_copy(tsn, path, open.filter(|_| !is_for_another), &view) {
            return None;
        }
        if open.is_none() || is_for_another {
            self.planned_copy = Some((tsn, path));
        }
        (!is_for_another).then_some(Resend { tsn, path, also: None, reason: Reason::Copy })
    }

    /// Returns true if a copy of the chunk `tsn` may be sent on `path` now, in the packet `open` or in a new one.
    #[inline]
    fn has_room_for_copy(&self, tsn: Tsn, path: PathId, open: Option<OpenPacket>, view: &View<'_>) -> bool {
        let sample = view.path(path);
        let has_window = match open {
            Some(open) => open.path == path && OpenPacket { is_exempt: false, ..open }.has_window(view),
            None => sample.has_window(),
        };
        let carries = sample.state.carries_data() && has_window;
        carries && self.buffer.may_copy(tsn, path) && self.buffer.packet_with(tsn) <= sample.packet_limit
    }

    /// The destination of a lost chunk that is meant for `path`: `path` if the chunk fits there, else the path that
    /// carried it before, else another path with large enough packets, else `path`.
    fn wide_enough(&self, ground: &Ground, path: PathId, lost: &LostChunk, view: &View<'_>) -> PathId {
        let size = self.buffer.packet_with(lost.tsn);
        let fits = |sample: &&PathSample| size <= sample.packet_limit;
        if fits(&view.path(path)) {
            return path;
        }
        let before =
            Some(view.path(lost.path)).filter(|sample| fits(sample) && sample.state != PathState::Removed);
        let is_given = ground.settings.config.mtu_discovery == MtuDiscovery::Off;
        if before.is_some_and(|sample| is_given || sample.state.carries_data()) {
            return lost.path;
        }
        let with_room = view.active().filter(fits).find(|sample| sample.has_window());
        with_room.or_else(|| view.active().find(fits)).map_or(path, |sample| sample.id)
    }
}
