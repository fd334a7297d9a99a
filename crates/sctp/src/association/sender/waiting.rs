//! Selects the next new chunk and its path, as the scheduler picks and the peer's window allows.

use anabranch_base::Time;

use super::{OpenPacket, Sender, queue_view, view};
use crate::association::ground::{Ground, Timer};
use crate::policy::schedule::Index;
use crate::policy::schedule::arrival::quickest;
use crate::policy::{PathId, View};
use crate::seq::Tsn;

impl Sender {
    /// The next new chunk and its path, as the scheduler picks: for the packet `open`, or for a new packet.
    #[inline]
    pub(super) fn next_waiting(
        &mut self,
        ground: &mut Ground,
        open: Option<OpenPacket>,
        now: Time,
    ) -> Option<(Tsn, PathId)> {
        self.share_buffers(ground, now);
        self.cut_ahead(ground);
        if self.awaits_verification {
            return None;
        }
        let oldest = self.buffer.oldest_waiting()?;
        if !self.may_be_outstanding(oldest) || !self.may_open_window_for(ground, oldest, now) {
            return None;
        }
        if self.buffer.may_have_prompt()
            && let Some(prompt) = self.next_prompt(ground, open, oldest, now)
        {
            return Some(prompt);
        }
        let (path, index) = match (self.picked, self.in_run(ground, open, oldest)) {
            (Some(picked), _) if ground.paths.sample(picked.0).may_send() => picked,
            (None, Some(path)) => (path, Index::OLDEST),
            (earlier, _) => {
                let queue = queue_view(&self.buffer, oldest, &ground.paths);
                let view = view(now, &ground.paths, &self.peer_window, &self.buffer);
                let scheduler = &mut self.rules.scheduler;
                match open {
                    // The chunk is picked for this packet alone: if it does not fit, the scheduler picks again for the
                    // next packet.
                    Some(open) if earlier.is_none() && open.may_send(&view) => {
                        let index = scheduler.pick_more(open.path, &queue, &view)?;
                        return Some((self.chosen(oldest, index)?, open.path));
                    }
                    _ if view.active().next().is_none() => pick_last_resort(&view)?,
                    _ => match scheduler.pick(&queue, &view) {
                        Some((path, index)) => {
                            let holds = index == Index::OLDEST && scheduler.holds(path, &view);
                            self.run = holds.then_some(path);
                            (path, index)
                        }
                        None => self.pick_awaited(oldest, &view)?,
                    },
                }
            }
        };
        let tsn = self.chosen(oldest, index);
        self.picked = tsn.map(|_| (path, index));
        if open.is_some_and(|open| open.path != path) {
            return None;
        }
        tsn.map(|tsn| (tsn, path))
    }

    /// The next chunk that leaves before all that wait, if the path on which it arrives first has room now.
    #[inline(never)]
    fn next_prompt(
        &mut self,
        ground: &Ground,
        open: Option<OpenPacket>,
        oldest: Tsn,
        now: Time,
    ) -> Option<(Tsn, PathId)> {
        let (tsn, index) = self.buffer.first_prompt()?;
        let packet = self.buffer.packet_with(tsn);
        let path = quickest(packet, &view(now, &ground.paths, &self.peer_window, &self.buffer))?;
        let is_open = open.is_none_or(|open| open.path == path);
        let may_leave = index == Index::OLDEST || self.may_overtake(tsn, oldest);
        (is_open && may_leave).then_some((tsn, path))
    }

    /// The path of the scheduler's last answer, if that holds for the chunk `oldest`, which begins a packet.
    #[inline]
    fn in_run(&self, ground: &Ground, open: Option<OpenPacket>, oldest: Tsn) -> Option<PathId> {
        let path = self.run.filter(|_| open.is_none() && self.picked.is_none())?;
        let sample = ground.paths.sample(path);
        let is_able = sample.may_send() && self.buffer.packet_with(oldest) <= sample.packet_limit;
        is_able.then_some(path)
    }

    /// The waiting chunk at `index`, if it may be sent before the chunk `oldest`: the peer's window must keep room for
    /// `oldest`, because everything that the peer holds waits for it. If not, `oldest` is sent in its place as a window
    /// probe, or if nothing is in flight that would make room.
    #[inline]
    fn chosen(&self, oldest: Tsn, index: Index) -> Option<Tsn> {
        if index == Index::OLDEST {
            return Some(oldest);
        }
        let wanted = self.buffer.ordinary(index).filter(|tsn| self.may_overtake(*tsn, oldest));
        let is_probe = self.buffer.rwnd_weight(oldest) > self.peer_window.open();
        wanted.or_else(|| (is_probe || self.buffer.rwnd_flight().is_zero()).then_some(oldest))
    }

    /// Returns true if the chunk `tsn` may be sent before the chunk `oldest`, for which the peer's window keeps room.
    #[inline]
    fn may_overtake(&self, tsn: Tsn, oldest: Tsn) -> bool {
        let needed = self.buffer.rwnd_weight(tsn) + self.buffer.rwnd_weight(oldest);
        self.may_be_outstanding(tsn) && needed <= self.peer_window.open()
    }

    #[inline]
    fn may_be_outstanding(&self, tsn: Tsn) -> bool {
        tsn.distance_from(self.buffer.ack_point()) <= MOST_OUTSTANDING
    }

    /// A path for the chunk `oldest` if everything that the peer holds waits for it, nothing is in flight, and only the
    /// shares of a split buffer block it: chunks sent ahead have used them up.
    fn pick_awaited(&self, oldest: Tsn, view: &View<'_>) -> Option<(PathId, Index)> {
        let is_awaited = oldest == self.buffer.ack_point().next();
        let is_idle = self.buffer.rwnd_flight().is_zero() && !self.buffer.has_marked();
        let mut exhausted = view.active().filter(|path| path.has_used_share && path.has_window());
        (is_awaited && is_idle).then(|| exhausted.next()).flatten().map(|path| (path.id, Index::OLDEST))
    }

    /// Returns true if the peer has room for the chunk (RFC 9260 §6.1 A). If not, and nothing is in flight, starts the
    /// timer of a window probe: one RTO for the first probe, doubled for each later one.
    #[inline]
    fn may_open_window_for(&self, ground: &mut Ground, tsn: Tsn, now: Time) -> bool {
        if self.buffer.rwnd_weight(tsn) <= self.peer_window.open() {
            ground.timers.stop(Timer::WindowProbe);
            return true;
        }
        if self.peer_window.may_probe() {
            return true;
        }
        let is_idle = self.buffer.rwnd_flight().is_zero() && !self.buffer.has_marked();
        // Everything in flight waits for it at the peer: no acknowledgement will open the window.
        let is_awaited = tsn == self.buffer.ack_point().next();
        if (is_idle || is_awaited) && !ground.timers.is_running(Timer::WindowProbe) {
            let rto = ground.paths.sample(ground.paths.usable(ground.paths.primary())).rto;
            let wait = self.peer_window.probe_wait(rto);
            ground.timers.set(Timer::WindowProbe, now + wait.min(ground.settings.config.rto.max));
        }
        false
    }
}

/// The destination of new data when no path is active: the last resort, until the error count closes the
/// association.
fn pick_last_resort(view: &View<'_>) -> Option<(PathId, Index)> {
    view.path(view.last_resort).has_window().then_some((view.last_resort, Index::OLDEST))
}

/// RFC 9260 §6.1: "For each stream, the data sender MUST NOT have more than 2^16 - 1 ordered user messages in the
/// current send window." This is half as many: most receivers compare SSNs by serial number arithmetic (RFC 1982),
/// and take an SSN that is further ahead for one that has passed.
const MOST_OUTSTANDING: u32 = u16::MAX as u32 / 2;
