//! Sending: plans which chunks go on which path, packs them, and records what left (RFC 9260 §6.1, §6.10; M-SCTP-3).

use anabranch_base::{ByteCount, Time};

use super::datagram::{Ecn, Transmit};
use super::open_packet::OpenPacket;
use super::packet_auth::PacketAuth;
use super::retransmit::{Again, Why};
use super::session::{SendPhase, Session, look, look_at_queue};
use super::timers::Timer;
use crate::path::PacketChunks;
use crate::policy::acknowledge::Arrived;
use crate::policy::congestion::{CutCause, SentData};
use crate::policy::loss_detection::DepartedChunk;
use crate::policy::ns2::Ns2Rule;
use crate::policy::schedule::Index;
use crate::policy::{PathId, View};
use crate::send::Sent;
use crate::seq::Tsn;
use crate::wire::{CommonHeader, Data, EncodeChunk, Full, PacketBuilder, Sack};

/// What a packet will carry.
#[derive(Clone, Copy, Debug, Default)]
struct Packed {
    len: usize,
    weight: ByteCount,
    has_data: bool,
    chunks: Option<PacketChunks>,
    /// Whether its first chunk leaves for the first time.
    is_new: bool,
    is_retransmission: bool,
    /// It is larger than the path's packet limit, because of a chunk that fits into no packet within it.
    is_stretched: bool,
}

/// How large a packet may be.
#[derive(Clone, Copy, Debug)]
enum PacketRoom {
    /// The size of the first of several packets that leave together.
    Segment(usize),
    /// The size that the path carries; a packet may exceed it only for a single chunk that cannot be cut.
    Packet(usize),
}

impl Session {
    /// Appends up to `max_segments` packets for one path to `buf`. All have the same length; only the last may be
    /// shorter.
    pub fn poll_transmit(&mut self, now: Time, buf: &mut Vec<u8>, max_segments: usize) -> Option<Transmit> {
        if self.sending == SendPhase::Begins {
            self.sending = SendPhase::GoesOn;
            self.paths.bound_windows(self.settings.config.max_burst);
            self.begin_pacing(now);
            self.policies.scheduler.on_opportunity();
        }
        if let Some(probe) = self.transmit_mtu_probe(buf) {
            return Some(probe);
        }
        if self.sending == SendPhase::Drained && !self.is_sack_due && self.outbox.is_empty() {
            self.end_sending(now);
            return None;
        }
        let mut transmit: Option<Transmit> = None;
        for _ in 0..max_segments.max(1) {
            let Some(path) = self.plan(now) else {
                if transmit.is_some() && self.sending == SendPhase::GoesOn {
                    self.sending = SendPhase::Drained;
                }
                break;
            };
            let room = match transmit {
                Some(earlier) if earlier.path != path => break,
                // Only packets with data are ECN-capable, so that control chunks leave in packets of their own.
                Some(earlier) if earlier.ecn.is_capable() && !self.outbox.is_empty() => break,
                Some(earlier) => PacketRoom::Segment(earlier.segment_size),
                None => PacketRoom::Packet(self.paths.sample(path).packet_limit.as_len()),
            };
            let Some(packed) = self.pack(path, room, buf, now) else { break };
            let ecn = match packed.chunks {
                Some(chunks) if transmit.is_none() => self.codepoint(path, chunks, packed.is_new),
                _ => Ecn::NotEct,
            };
            let sum = transmit.get_or_insert(Transmit {
                ecn,
                len: 0,
                round: self.paths.round(path),
                ..Transmit::single(path, packed.len)
            });
            sum.len += packed.len;
            sum.retransmission |= packed.is_retransmission;
            sum.may_fragment |= packed.is_stretched;
            // What this end marks itself leaves alone, and so does a packet that others may not have the codepoint of.
            let has_own_ecn = !packed.has_data || !self.settings.config.ect_retransmissions;
            let is_alone = sum.ecn.is_marked() || self.agreement.ecn && has_own_ecn;
            if packed.len < sum.segment_size || packed.is_stretched || is_alone {
                break;
            }
        }
        if transmit.is_none() && self.sending != SendPhase::Done {
            self.end_sending(now);
        }
        transmit
    }

    /// Ends sending for this event: nothing more is to be sent.
    fn end_sending(&mut self, now: Time) {
        self.sending = SendPhase::Done;
        self.note_limits(now);
        self.end_pacing();
        if self.policies.gives_windows {
            self.tell_withheld(now);
        }
        self.paths.end_event();
        self.exemptions.clear();
    }

    /// The path that the next packet takes, if anything is to be sent.
    fn plan(&mut self, now: Time) -> Option<PathId> {
        if let Some(control) = self.outbox.front() {
            let path = control.path;
            return Some(if control.is_probe { path } else { self.usable_path(path) });
        }
        if self.is_sack_due {
            return Some(self.sack_route());
        }
        if let Some(again) = self.next_lost(None, now) {
            return Some(again.path);
        }
        if let Some((_, path)) = self.next_waiting(None, now) {
            self.queue_cwr(path);
            return Some(path);
        }
        self.next_copy(None, now).map(|again| again.path)
    }

    /// Builds one packet for `path` that fits into `room`: control chunks first, then the SACK, then lost chunks,
    /// then new data (RFC 9260 §6.10). `None` if nothing fits.
    fn pack(&mut self, path: PathId, room: PacketRoom, buf: &mut Vec<u8>, now: Time) -> Option<Packed> {
        let (PacketRoom::Segment(limit) | PacketRoom::Packet(limit)) = room;
        self.send.begin_packet(now);
        let mut builder = PacketBuilder::new(buf, self.header(), limit);
        let mut packed = Packed::default();
        let mut auth = PacketAuth::default();
        packed.is_stretched = self.pack_control(path, room, &mut builder, &mut auth);
        self.pack_sack(path, &mut builder, &mut auth);
        let mut open = OpenPacket { path, has_data: false, is_exempt: self.may_pass_window(path) };
        let mut last_lost = None;
        while let Some(again) = self.next_lost(Some(open), now) {
            if self.pack_data(self.send.data(again.tsn), room, &mut builder, &mut auth, &mut packed).is_err()
            {
                break;
            }
            self.commit_again(again, now, &mut packed);
            open.has_data = true;
            last_lost = Some(again.tsn);
        }
        if let Some(last) = last_lost {
            // The exemption is for one packet, with as many chunks as fit.
            self.exemptions.spend(path);
            self.search_after_packet(path, last);
        }
        let mut has_room = true;
        while has_room && let Some((tsn, _)) = self.next_waiting(Some(open), now) {
            has_room = self.pack_data(self.new_data(tsn), room, &mut builder, &mut auth, &mut packed).is_ok();
            if has_room {
                self.picked = None;
                self.commit(tsn, path, now, &mut packed);
                open.has_data = true;
                has_room = builder.remaining() >= SMALLEST_CHUNK;
            }
        }
        while has_room && let Some(again) = self.next_copy(Some(open), now) {
            if self.pack_data(self.send.data(again.tsn), room, &mut builder, &mut auth, &mut packed).is_err()
            {
                break;
            }
            self.commit_again(again, now, &mut packed);
            open.has_data = true;
        }
        auth.sign(self.keys.as_ref(), &mut builder);
        packed.len = builder.finish(self.settings.config.checksum);
        if packed.len == 0 {
            return None;
        }
        self.on_packet_sent(path, &packed, now);
        Some(packed)
    }

    /// Appends a chunk. A chunk that is larger than the path's packets goes alone in a packet that the network may
    /// fragment: its TSN was already sent, so it cannot be cut into smaller chunks here (RFC 9260 §6.9).
    fn pack_data(
        &self,
        data: Data<'_>,
        room: PacketRoom,
        builder: &mut PacketBuilder<'_>,
        auth: &mut PacketAuth,
        packed: &mut Packed,
    ) -> Result<(), Full> {
        let keys = self.keys.as_ref();
        let pushed = auth.push(keys, builder, &data);
        if pushed.is_ok() || !builder.is_empty() || matches!(room, PacketRoom::Segment(_)) {
            return pushed;
        }
        builder.stretch(CommonHeader::LEN + PacketAuth::cost(keys, &data) + data.encoded_len());
        packed.is_stretched = true;
        // The window often holds only one such packet (RFC 9260 §3.3.1: the I bit asks for a SACK without delay).
        auth.push(keys, builder, &Data { immediate: true, ..data })
    }

    /// The chunk `tsn`, which leaves for the first time. If the peer has no room for two more, it asks for a SACK without
    /// delay: the sender waits for it (RFC 9260 §6.1, RFC 7053 §5.1).
    fn new_data(&self, tsn: Tsn) -> Data<'_> {
        let closes = self.peer_window.open < self.send.rwnd_weight(tsn) * 3;
        let immediate = closes && self.settings.config.sack_immediately;
        Data { immediate, ..self.send.data(tsn) }
    }

    /// Appends the control chunks for `path`. Returns whether the packet is larger than the path's packets: one chunk alone may
    /// be, the answer to a HEARTBEAT.
    fn pack_control(
        &mut self,
        path: PathId,
        room: PacketRoom,
        builder: &mut PacketBuilder<'_>,
        auth: &mut PacketAuth,
    ) -> bool {
        let (limit, most) = (self.paths.sample(path).packet_limit.as_len(), self.largest_packet(path));
        let mut is_stretched = false;
        while let Some(control) = self.outbox.front() {
            let auth_len = PacketAuth::cost(self.keys.as_ref(), control.chunk.as_ref());
            let needed = CommonHeader::LEN + auth_len + control.chunk.encoded_len();
            if needed > most {
                // An ERROR that quotes more than a packet holds would block all later control chunks.
                self.outbox.pop_front();
                continue;
            }
            let goes_here =
                control.path == path || (!control.is_probe && self.usable_path(control.path) == path);
            if needed > limit && builder.is_empty() && matches!(room, PacketRoom::Packet(_)) && goes_here {
                builder.stretch(needed);
                is_stretched = true;
            }
            if !goes_here || auth.push(self.keys.as_ref(), builder, control.chunk.as_ref()).is_err() {
                break;
            }
            self.outbox.pop_front();
        }
        is_stretched
    }

    /// The largest SCTP packet that is ever sent on `path`, whether the path is known to carry it or not.
    pub(super) fn largest_packet(&self, path: PathId) -> usize {
        let config = &self.settings.config;
        (config.mtu - config.overhead(self.paths.addresses(path).ip_version())).as_len()
    }

    /// A SACK goes to the path on which the last DATA arrived. A SACK that is not due yet is bundled with data for
    /// that path (RFC 9260 §6.1: "SHOULD attempt to [...] bundle an acknowledgement").
    fn pack_sack(&mut self, path: PathId, builder: &mut PacketBuilder<'_>, auth: &mut PacketAuth) {
        let may_ride = self.timers.is_running(Timer::Sack) && self.send.waiting_chunks() > 0;
        if !(self.is_sack_due || may_ride) || self.sack_route() != path {
            return;
        }
        if !self.pack_echoes(LEAST_SACK, builder, auth) {
            return;
        }
        let mut gaps = self.arrivals.gap_blocks();
        let arrived = Arrived {
            cumulative: self.arrivals.cumulative(),
            gaps: &mut gaps,
            duplicates: self.arrivals.duplicates(),
        };
        // SACKs stay small: if a path's MTU shrank, nothing would detect that they are too large for it. Large ones between
        // small ones would not help: what one reports and the next does not counts as taken back (RFC 9260 §6.2.1).
        let used = builder.len();
        let safe = self.paths.safe_limit(path, &self.settings.config).as_len().saturating_sub(used);
        let room = ByteCount::of_len(builder.remaining().min(safe));
        self.policies.content.fill(arrived, room, &mut self.listed);
        drop(gaps);
        let a_rwnd = self.policies.flow.advertise(&self.buffer_sample());
        let sack = Sack {
            cumulative_tsn_ack: self.arrivals.cumulative(),
            a_rwnd: u32::try_from(a_rwnd.get()).unwrap_or(u32::MAX),
            flags: self.policies.timing.flags() | self.policies.content.flags(),
            gap_blocks: self.listed.gaps.as_slice().into(),
            duplicates: self.listed.duplicates.as_slice().into(),
        };
        if auth.push(self.keys.as_ref(), builder, &sack).is_err() {
            return;
        }
        self.buffer.on_advertised(a_rwnd);
        self.arrivals.clear_duplicates();
        self.policies.timing.on_sack_sent();
        self.paths.sacks_mut().sent += 1;
        self.timers.stop(Timer::Sack);
        self.is_sack_due = false;
    }

    /// The next new chunk and its path, as the scheduler picks: for the packet `open`, or for a new packet.
    fn next_waiting(&mut self, open: Option<OpenPacket>, now: Time) -> Option<(Tsn, PathId)> {
        self.share_buffers(now);
        self.cut_ahead();
        if self.awaits_verification {
            return None;
        }
        let oldest = self.send.oldest_waiting()?;
        if !self.may_be_outstanding(oldest) || !self.may_open_window_for(oldest, now) {
            return None;
        }
        let (path, index) = match self.picked {
            Some(picked) if self.paths.sample(picked.0).may_send() => picked,
            earlier => {
                let queue = look_at_queue(&self.send, oldest, &self.paths);
                let view = look(now, &self.paths, &self.peer_window, &self.send);
                let scheduler = &mut self.policies.scheduler;
                match open {
                    // The chunk is picked for this packet alone: if it does not fit, the scheduler is asked again for
                    // the next packet.
                    Some(open) if earlier.is_none() && open.may_send(&view) => {
                        let index = scheduler.pick_more(open.path, &queue, &view)?;
                        return Some((self.chosen(oldest, index)?, open.path));
                    }
                    _ if view.active().next().is_none() => self.pick_last_resort(&view)?,
                    _ => match scheduler.pick(&queue, &view) {
                        Some(picked) => picked,
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

    /// The waiting chunk at `index`, if it may leave before the chunk `oldest`, which may leave: it leaves room for that
    /// one, because all that the peer holds waits for it. If it may not, `oldest` leaves in its place as a window probe,
    /// and when nothing is in flight that would make room.
    fn chosen(&self, oldest: Tsn, index: Index) -> Option<Tsn> {
        if index == Index::OLDEST {
            return Some(oldest);
        }
        let needed = self.send.rwnd_weight(oldest);
        let has_room = |tsn: &Tsn| self.send.rwnd_weight(*tsn) + needed <= self.peer_window.open;
        let wanted = self.send.waiting(index).filter(|tsn| self.may_be_outstanding(*tsn) && has_room(tsn));
        let is_probe = needed > self.peer_window.open;
        wanted.or_else(|| (is_probe || self.send.rwnd_flight().is_zero()).then_some(oldest))
    }

    fn may_be_outstanding(&self, tsn: Tsn) -> bool {
        tsn.distance_from(self.send.ack_point()) <= MOST_OUTSTANDING
    }

    /// A path for the chunk `oldest` if all that the peer holds waits for it, nothing is in flight, and only the shares of the
    /// buffer keep it back: what was sent ahead has spent them.
    fn pick_awaited(&self, oldest: Tsn, view: &View<'_>) -> Option<(PathId, Index)> {
        let is_awaited = oldest == self.send.ack_point().next();
        let is_idle = self.send.rwnd_flight().is_zero() && !self.send.has_marked();
        let mut spent = view.active().filter(|path| path.has_spent_share && path.has_window());
        (is_awaited && is_idle).then(|| spent.next()).flatten().map(|path| (path.id, Index::OLDEST))
    }

    /// The destination of new data when no path is active: the last resort, until the error count closes the
    /// association.
    fn pick_last_resort(&self, view: &View<'_>) -> Option<(PathId, Index)> {
        view.path(view.last_resort).has_window().then_some((view.last_resort, Index::OLDEST))
    }

    /// Whether the peer has room for the chunk (RFC 9260 §6.1 A). If not, and nothing is in flight, starts the timer
    /// of a window probe: one RTO for the first probe, twice the time before for each later one.
    fn may_open_window_for(&mut self, tsn: Tsn, now: Time) -> bool {
        if self.send.rwnd_weight(tsn) <= self.peer_window.open {
            self.timers.stop(Timer::WindowProbe);
            return true;
        }
        if self.peer_window.may_probe {
            return true;
        }
        let is_idle = self.send.rwnd_flight().is_zero() && !self.send.has_marked();
        // All that is in flight waits for it at the peer: no acknowledgement will open the window.
        let is_awaited = tsn == self.send.ack_point().next();
        if (is_idle || is_awaited) && !self.timers.is_running(Timer::WindowProbe) {
            let rto = self.paths.sample(self.usable_path(self.paths.primary())).rto;
            let wait = rto * (1 << self.peer_window.probes.min(10));
            self.timers.set(Timer::WindowProbe, now + wait.min(self.settings.config.rto.max));
        }
        false
    }

    /// Records that a chunk is in a packet that leaves on `path`.
    fn commit(&mut self, tsn: Tsn, path: PathId, now: Time, packed: &mut Packed) {
        let sent = self.send.on_sent(tsn, path, self.paths.round(path));
        packed.has_data = true;
        packed.is_new |= packed.chunks.is_none() && sent.previous.is_none();
        packed.chunks = Some(PacketChunks::with(packed.chunks, tsn));
        packed.weight += sent.weight;
        self.paths.on_chunk_sent(path, sent.weight, now);
        let counters = self.paths.counters_mut(path);
        counters.sent_bytes += sent.payload;
        counters.retransmitted_chunks += u64::from(sent.previous.is_some());
        if let Some(from) = sent.previous {
            self.pace_resends(from, now);
        }
        match sent.previous {
            None => self.paths.on_first_sent(path, tsn, now),
            Some(from) if from != path => self.on_moved(tsn, from, path, now),
            Some(_) => {}
        }
        self.policies.detection.on_sent(&departed(tsn, path, &sent));
        let has_kept_room = self.peer_window.keeps_room && sent.previous.is_some();
        let taken = if has_kept_room { ByteCount::ZERO } else { sent.rwnd_weight };
        if std::mem::take(&mut self.peer_window.may_probe) && taken > self.peer_window.open {
            self.peer_window.probe = Some(tsn);
            self.peer_window.probes += 1;
            self.peer_window.has_answered = false;
        }
        self.peer_window.open = self.peer_window.open.saturating_sub(taken);
        // RFC 9260 §6.3.2 R1, and R4 for a retransmission of the lowest outstanding chunk.
        if self.is_first_again(tsn, path, &sent) || !self.timers.is_running(Timer::Retransmission(path)) {
            self.restart_retransmission_timer(path, now);
        }
        if self.policies.counts_time {
            self.arm_tail_probe(path, now);
        }
    }

    /// Whether the chunk was sent before, and is the first in flight on `path` now.
    fn is_first_again(&self, tsn: Tsn, path: PathId, sent: &Sent) -> bool {
        let by_its_order = || self.policies.detection.is_first_outstanding(path, tsn);
        sent.previous.is_some() && by_its_order().unwrap_or(sent.is_lowest_again)
    }

    /// Records that a chunk that is not the scheduler's choice is in a packet that leaves.
    fn commit_again(&mut self, again: Again, now: Time, packed: &mut Packed) {
        packed.is_retransmission |= again.why != Why::Awaited;
        if again.why == Why::Awaited {
            // What the scheduler picked has another place in the queue now.
            self.picked = None;
        }
        if again.why == Why::Copy {
            return self.commit_copy(again.tsn, again.path, now, packed);
        }
        self.commit(again.tsn, again.path, now, packed);
        if let Some(other) = again.also.filter(|&other| self.send.may_copy(again.tsn, other)) {
            self.send.want_copy(again.tsn, other);
        }
    }

    /// Records that a copy of a chunk in flight is in a packet that leaves on `path`.
    fn commit_copy(&mut self, tsn: Tsn, path: PathId, now: Time, packed: &mut Packed) {
        let sent = self.send.on_copied(tsn, path, self.paths.round(path));
        packed.has_data = true;
        packed.chunks = Some(PacketChunks::with(packed.chunks, tsn));
        packed.weight += sent.weight;
        self.paths.on_chunk_sent(path, sent.weight, now);
        let counters = self.paths.counters_mut(path);
        counters.sent_bytes += sent.payload;
        counters.retransmitted_chunks += 1;
        counters.copied_chunks += 1;
        if let Some(first) = sent.previous {
            self.paths.on_copied(first, tsn);
        }
        self.policies.detection.on_sent(&departed(tsn, path, &sent));
        if !self.timers.is_running(Timer::Retransmission(path)) {
            self.restart_retransmission_timer(path, now);
        }
    }

    /// A chunk that was sent on `from` is sent again on `to`. If the timer of `from` ran for this chunk, it runs for
    /// the next one now (M-SCTP-16).
    fn on_moved(&mut self, tsn: Tsn, from: PathId, to: PathId, now: Time) {
        let was_first = self.policies.detection.on_moved(tsn, from, to);
        let is_below = || self.send.lowest_on(from).is_some_and(|lowest| tsn.is_before(lowest));
        if was_first.unwrap_or_else(is_below) {
            self.restart_retransmission_timer(from, now);
        }
    }

    /// A chunk that was lost on `path` left again. If retransmissions are spread over round trips, the next one
    /// waits.
    fn pace_resends(&mut self, path: PathId, now: Time) {
        let sample = self.paths.sample(path);
        let round_trip = sample.srtt.unwrap_or(sample.rto);
        if let Some(at) = self.paths.change_after_loss(path, |state| state.on_resent(round_trip, now)) {
            self.timers.set(Timer::Resend(path), at);
        }
    }

    /// Whether one packet of retransmissions may pass the window of `path`. It may not while the path holds data.
    fn may_pass_window(&self, path: PathId) -> bool {
        self.exemptions.covers(path) && !self.paths.after_loss(path).holds_data
    }

    /// A packet is complete and leaves on `path`.
    fn on_packet_sent(&mut self, path: PathId, packed: &Packed, now: Time) {
        self.paths.counters_mut(path).sent_packets += 1;
        if !packed.has_data {
            return;
        }
        self.paths.on_burst(path, packed.weight, now);
        let sent = SentData {
            at: now,
            departure: self.send.departure(),
            bytes: packed.weight,
            retransmission: packed.is_retransmission,
        };
        let view = look(now, &self.paths, &self.peer_window, &self.send);
        self.policies.congestion.on_sent(path, &sent, &view);
        if self.policies.gives_windows {
            self.follow_given_window(path, now);
        }
    }

    /// Decays the windows of paths that carried no data for a while, once for each RTO, when data waits for them (RFC
    /// 9260 §7.2.1; M-SCTP-17).
    pub(super) fn decay_idle_windows(&mut self, now: Time) {
        let decays_in_flight = self.settings.config.cmt.ns2.has(Ns2Rule::DecayInFlight);
        let spares_silent = self.settings.config.failover.quick;
        for path in self.paths.ids() {
            // Its window is that after a time-out, and its threshold is what it had before.
            if spares_silent && self.paths.has_timed_out(path) {
                continue;
            }
            let times = match decays_in_flight {
                true => self.paths.take_rtos_since_data(path, now),
                false => self.paths.take_idle_rtos(path, now),
            };
            for _ in 0..times.min(MAX_DECAYS) {
                self.cut(path, CutCause::Idle, now);
            }
        }
    }
}

/// The chunk `tsn`, which left on `path`, as the loss detection sees it.
fn departed(tsn: Tsn, path: PathId, sent: &Sent) -> DepartedChunk {
    let (departure, before) = sent.departures;
    DepartedChunk { tsn, path, departure, before: sent.previous.map(|from| (from, before)) }
}

/// RFC 9260 §6.1: "For each stream, the data sender MUST NOT have more than 2^16 - 1 ordered user messages in the
/// current send window." This is half as many: most receivers compare SSNs by serial number arithmetic (RFC 1982),
/// and take an SSN that is further ahead for one that has passed.
const MOST_OUTSTANDING: u32 = u16::MAX as u32 / 2;

/// A SACK without gap blocks, and the authentication of its packet.
const LEAST_SACK: usize = 64;

/// A packet with less room takes no more data.
const SMALLEST_CHUNK: usize = Data::padded_len(1);

/// After this number of halvings every window is at its floor.
const MAX_DECAYS: u64 = 32;
