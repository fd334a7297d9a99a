//! Selects the data of the next packet and its path: lost chunks, then new data, then copies.

use anabranch_base::Time;

use super::{OpenPacket, SendPhase, Sender};
use crate::association::ground::Ground;
use crate::association::packing::Packing;
use crate::policy::PathId;
use crate::seq::Tsn;
use crate::wire::{Data, UserData};

impl Sender {
    /// Prepares for the first packet after an event.
    #[inline]
    pub(crate) fn begin_sending(&mut self, ground: &mut Ground, now: Time) {
        if self.phase == SendPhase::Start {
            self.phase = SendPhase::Sending;
            self.run = None;
            if self.buffer.may_give_up() {
                self.give_up_due(ground, now);
            }
            if ground.paths.has_secondaries() {
                ground.paths.open_secondaries(now);
            }
            ground.paths.bound_windows(ground.settings.config.max_burst);
            self.begin_pacing(ground, now);
            self.rules.scheduler.on_opportunity();
        }
    }

    /// Returns true if all data was sent that may be sent now.
    #[inline]
    pub(crate) fn is_drained(&self) -> bool {
        self.phase == SendPhase::Drained
    }

    /// Notes that no more data may be sent after the current packet.
    #[inline]
    pub(crate) fn on_drained(&mut self) {
        if self.phase == SendPhase::Sending {
            self.phase = SendPhase::Drained;
        }
    }

    /// Ends sending for this event: nothing more is to be sent.
    #[inline]
    pub(crate) fn end_sending(&mut self, ground: &mut Ground, now: Time) {
        if self.phase == SendPhase::Done {
            return;
        }
        self.phase = SendPhase::Done;
        self.note_limits(ground, now);
        self.end_pacing(ground);
        self.report_withheld(ground, now);
        if ground.paths.has_secondaries() {
            self.judge_load(ground, now);
        }
        ground.paths.end_event();
        self.exemptions.clear();
    }

    /// The path of the next packet with data, if there is one. A CWR due there is sent before new data.
    #[inline]
    pub(crate) fn plan(&mut self, ground: &mut Ground, now: Time) -> Option<PathId> {
        if let Some(again) = self.next_lost(ground, None, now) {
            return Some(again.path);
        }
        if let Some((_, path)) = self.next_waiting(ground, None, now) {
            self.queue_cwr(ground, path);
            return Some(path);
        }
        self.next_copy(ground, None, now).map(|again| again.path)
    }

    /// Appends data to a packet.
    #[inline]
    pub(crate) fn pack(&mut self, ground: &mut Ground, packing: &mut Packing<'_>, now: Time) {
        self.buffer.begin_packet(now);
        let path = packing.path;
        let is_exempt = self.may_pass_window(ground, path);
        let mut open = OpenPacket { path, has_data: false, is_exempt, stream: None };
        let mut last_lost = None;
        while let Some(again) = self.next_lost(ground, Some(open), now) {
            if packing.push_data(&self.any_data(ground, again.tsn, path)).is_err() {
                break;
            }
            self.commit_again(ground, again, now, &mut packing.packed);
            open.has_data = true;
            last_lost = Some(again.tsn);
        }
        if let Some(last) = last_lost {
            // The exemption is for one packet, with as many chunks as fit.
            self.exemptions.spend(path);
            self.search_after_packet(ground, path, last);
        }
        let mut has_room = true;
        while has_room && let Some((tsn, _)) = self.next_waiting(ground, Some(open), now) {
            if !self.may_share_packet(ground, &mut open, tsn) {
                break;
            }
            has_room = packing.push_data(&self.new_data(ground, tsn, path)).is_ok();
            if has_room {
                self.picked = None;
                self.commit(ground, tsn, path, now, &mut packing.packed);
                open.has_data = true;
                has_room = packing.remaining() >= SMALLEST_CHUNK;
            }
        }
        while has_room && let Some(again) = self.next_copy(ground, Some(open), now) {
            if packing.push_data(&self.buffer.data(again.tsn)).is_err() {
                break;
            }
            self.commit_again(ground, again, now, &mut packing.packed);
            open.has_data = true;
        }
    }

    /// Returns true if one packet of retransmissions may exceed the window of `path`. It may not while data on the path
    /// is suspended.
    #[inline]
    fn may_pass_window(&self, ground: &Ground, path: PathId) -> bool {
        self.exemptions.covers(path) && !ground.paths.after_loss(path).holds_data()
    }

    /// Returns true if the new chunk `tsn` may be in the packet: a stream scheduler may demand that it has new chunks of
    /// one stream only (RFC 8260 §3.3).
    #[inline]
    fn may_share_packet(&self, ground: &Ground, open: &mut OpenPacket, tsn: Tsn) -> bool {
        if !ground.settings.config.stream_scheduler.fills_packets() {
            return true;
        }
        let stream = self.buffer.data(tsn).stream;
        *open.stream.get_or_insert(stream) == stream
    }

    /// The chunk `tsn`, sent for the first time on `path`. If the peer has no room for two more, its I bit requests a SACK
    /// without delay, for which the sender waits (RFC 9260 §6.1, RFC 7053 §5.1).
    #[inline]
    fn new_data(&self, ground: &Ground, tsn: Tsn, path: PathId) -> UserData<'_> {
        let closes = self.peer_window.open() < self.buffer.rwnd_weight(tsn) * 3;
        let mut data = self.any_data(ground, tsn, path);
        data.immediate |= closes && ground.settings.config.sack_immediately;
        data
    }

    /// The chunk `tsn`, sent on `path` for the first time or again.
    #[inline]
    fn any_data(&self, ground: &Ground, tsn: Tsn, path: PathId) -> UserData<'_> {
        let mut data = self.buffer.data(tsn);
        data.immediate |= ground.settings.config.sack_before_waiting && self.waits_after(ground, tsn, path);
        data
    }

    /// Returns true if the sender waits after the chunk `tsn`, which is sent on `path`: it fills the window of the path or
    /// the peer's, or nothing is left to send. RFC 7053 §5.1: "the sender of a DATA chunk can benefit from the
    /// corresponding SACK chunk being sent back without delay".
    fn waits_after(&self, ground: &Ground, tsn: Tsn, path: PathId) -> bool {
        let buffer = &self.buffer;
        let left = buffer.waiting_chunks() + buffer.marked().take(2).count();
        left == 1 && !buffer.has_unfragmented()
            || ground.paths.sample(path).is_filled_by(buffer.weight(tsn))
            || self.peer_window.open() < buffer.rwnd_weight(tsn) * 2
    }
}

/// The size of the smallest chunk: a packet with less room takes no more data.
const SMALLEST_CHUNK: usize = Data::padded_len(1);
