//! Sends SACKs: their path and their content (RFC 9260 §6.2, §6.4).

use anabranch_base::ByteCount;

use super::Receiver;
use crate::association::ground::{Ground, Timer};
use crate::association::packing::Packing;
use crate::policy::PathId;
use crate::policy::acknowledge::Arrived;
use crate::wire::{MessageKey, NrSack, Sack};

impl Receiver {
    /// Handles the end of a SACK's delay.
    pub(crate) fn on_sack_delay_over(&mut self, ground: &mut Ground) {
        let is_new = !std::mem::replace(&mut self.is_sack_due, true);
        ground.paths.sacks_mut().sent_by_timer += u64::from(is_new);
    }

    /// A SHUTDOWN acknowledges all that arrived: no SACK goes with it, unless there are gaps or duplicates, which it cannot
    /// report (RFC 9260 §9.2), or little room, which it does not advertise.
    pub(crate) fn acknowledge_by_shutdown(&mut self, ground: &mut Ground) {
        let is_full = self.arrivals.has_gap() || !self.arrivals.duplicates().is_empty();
        if !is_full && self.held() <= self.capacity() / 2 {
            ground.timers.stop(Timer::Sack);
            self.is_sack_due = false;
        }
    }

    /// The path of SACKs: the one on which the last DATA arrived, or another that is active. If no path is active, the
    /// path of the last DATA is the best guess at one that works again (RFC 9260 §6.4).
    #[inline]
    pub(crate) fn sack_route(&self, ground: &Ground) -> PathId {
        let usable = ground.paths.usable(self.sack_path);
        let has_failed = |id| ground.paths.sample(id).state.has_failed();
        if ground.settings.config.failover.quick && has_failed(usable) && has_failed(self.sack_path) {
            self.sack_path
        } else {
            usable
        }
    }

    /// Appends a SACK, on the path on which the last DATA arrived. A SACK that is not due yet is bundled with data for
    /// that path (RFC 9260 §6.1: "SHOULD attempt to [...] bundle an acknowledgement").
    #[inline]
    pub(crate) fn pack_sack(&mut self, ground: &mut Ground, goes_with_data: bool, packing: &mut Packing<'_>) {
        let may_ride = ground.timers.is_running(Timer::Sack) && goes_with_data;
        if !(self.is_sack_due || may_ride) || self.sack_route(ground) != packing.path {
            return;
        }
        let safe = ground.paths.safe_limit(packing.path, &ground.settings.config).as_len();
        if !self.has_room(packing, safe) || !self.pack_echoes(ground, LEAST_SACK, packing) {
            return;
        }
        let mut gaps = self.arrivals.gap_blocks();
        let arrived = Arrived {
            cumulative: self.arrivals.cumulative(),
            gaps: &mut gaps,
            duplicates: self.arrivals.duplicates(),
        };
        // SACKs stay small: if a path's MTU shrank, nothing would detect that they are too large for it. Large ones
        // between small ones would not help: a TSN that one reports and the next does not counts as reneged (RFC 9260
        // §6.2.1).
        let room = self.room(packing, safe);
        self.rules.content.fill(arrived, ByteCount::of_len(room), &mut self.listed);
        drop(gaps);
        let renegable = self.divide_gaps(room);
        let a_rwnd = self.rules.flow.advertise(&self.buffer_sample(ground));
        let sack = Sack {
            cumulative_tsn_ack: self.arrivals.cumulative(),
            a_rwnd: u32::try_from(a_rwnd.get()).unwrap_or(u32::MAX),
            flags: self.rules.timing.flags() | self.rules.content.flags(),
            gap_blocks: self.listed.gaps.as_slice().into(),
            duplicates: self.listed.duplicates.as_slice().into(),
        };
        let nr_sack = || NrSack { renegable, ..NrSack::all_firm(sack) };
        let pushed = if self.is_firm { packing.push(&nr_sack()) } else { packing.push(&sack) };
        if pushed.is_err() {
            return;
        }
        self.buffer.on_advertised(a_rwnd);
        self.arrivals.clear_duplicates();
        self.rules.timing.on_sack_sent();
        ground.paths.sacks_mut().sent += 1;
        ground.timers.stop(Timer::Sack);
        self.is_sack_due = false;
    }

    /// Divides the listed gap blocks into R and NR blocks, within `room` bytes, and returns the number of R blocks. Nothing
    /// that arrived is dropped before the application reads it, so that all are NR blocks unless the configuration
    /// tells them apart.
    #[inline]
    fn divide_gaps(&mut self, room: usize) -> u16 {
        let Some(unreadable) = &mut self.unreadable else { return 0 };
        let most = room.saturating_sub(Sack::HEADER_LEN) / Sack::ENTRY_LEN;
        let most = most.saturating_sub(self.listed.duplicates.len());
        let (delivery, assembly) = (&self.delivery, &self.assembly);
        let is_readable = |key: MessageKey, tsn| {
            if key.unordered { !assembly.holds(key, tsn) } else { delivery.is_behind(key.stream, key.mid) }
        };
        unreadable.divide(self.arrivals.cumulative(), &mut self.listed.gaps, most, is_readable)
    }

    /// Returns true if a SACK may be appended: all gap blocks fit, or no packet would hold more of them. One that is shorter
    /// than the last because of other chunks beside it would seem to take acknowledgements back.
    #[inline]
    fn has_room(&self, packing: &Packing<'_>, safe: usize) -> bool {
        let gaps = self.arrivals.gap_blocks().len();
        let needed = Sack::HEADER_LEN + gaps * Sack::ENTRY_LEN;
        packing.may_stretch() || needed <= self.room(packing, safe)
    }

    /// The bytes that a SACK may fill in a packet for a path that certainly carries packets of `safe` bytes.
    #[inline]
    fn room(&self, packing: &Packing<'_>, safe: usize) -> usize {
        let longer = if self.is_firm { NrSack::HEADER_LEN - Sack::HEADER_LEN } else { 0 };
        packing.remaining().min(safe.saturating_sub(packing.len())).saturating_sub(longer)
    }
}

/// The size of a SACK without gap blocks, and of the authentication of its packet.
const LEAST_SACK: usize = 64;
