//! Every chunk from the time it gets its TSN until it is cumulatively acknowledged: the chunks that wait, those in
//! flight and their paths, and those marked to be sent again.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

use anabranch_base::{ByteCount, Time};

use super::chunk::{MessageHead, OutboundChunk, State};
use super::copies::Copies;
use super::credit::Credit;
use super::departures::DepartureLog;
use super::fragmentation::{Fragments, Outgoing};
use super::held::{Held, HeldByPath};
use super::on_path::PathLowest;
use super::waiting::Waiting;
use crate::config::Charge;
use crate::policy::PathId;
use crate::policy::ns2::Ns2Rules;
use crate::policy::retransmission::{LostBy, LostChunk};
use crate::policy::schedule::{ChunkInFlight, ChunksInFlight, Index, WaitingChunk, WaitingChunks};
use crate::seq::{Ssn, Tsn};
use crate::wire::{CommonHeader, Data};

/// The send buffer of an association.
///
/// Internally, a chunk is identified by its position, which is its TSN without the wrap: its number among all chunks
/// of the association, counted from 1.
#[derive(Debug)]
pub struct SendBuffer {
    pub(super) charge: Charge,
    pub(super) rwnd_charge: Charge,
    /// The TSN and the position of the first chunk in `chunks`: the one after the cumulative ack point.
    pub(super) first_tsn: Tsn,
    pub(super) first: u64,
    pub(super) chunks: VecDeque<OutboundChunk>,
    pub(super) waiting: Waiting,
    pub(super) waiting_bytes: ByteCount,
    /// One past the highest position ever sent.
    pub(super) sent_end: u64,
    /// User data that is not cumulatively acknowledged.
    pub(super) held_bytes: ByteCount,
    /// The part of `held_bytes` that was last sent on each path.
    pub(super) held_by_path: HeldByPath,
    /// The flight on all paths, weighed against the peer's receive window.
    pub(super) rwnd_flight: ByteCount,
    /// The marked chunks, weighed in the same way.
    pub(super) rwnd_marked: ByteCount,
    /// The positions that the last SACK's gap blocks acknowledged.
    pub(super) gap_acked: Vec<Range<u64>>,
    pub(super) reported: Vec<Range<u64>>,
    pub(super) marked: BTreeSet<u64>,
    /// Chunks in flight on several paths, and copies that are to leave.
    pub(super) copies: Copies,
    /// Chunks in flight whose gap acknowledgement was taken back.
    pub(super) revoked: BTreeSet<u64>,
    pub(super) paths: Vec<PathLowest>,
    /// The packets that left, and the order in which chunks left on the paths.
    pub(super) log: DepartureLog,
    /// The rules of ns-2's module that replace ours.
    pub(super) ns2: Ns2Rules,
    /// Each path's two lowest outstanding chunks when a SACK arrived.
    pub(super) lowest_before: Vec<(Option<u64>, Option<u64>)>,
    /// Chunks that the current SACK no longer reports.
    pub(super) taken_back: Vec<u64>,
    /// How many such chunks are still accepted.
    pub(super) credit: Credit,
    pub(super) next_ssn: Vec<Ssn>,
    /// Messages that wait whole, behind all chunks, and their user data.
    pub(super) uncut: VecDeque<Outgoing>,
    pub(super) uncut_bytes: ByteCount,
}

/// A chunk that left on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Its weight against the window.
    pub weight: ByteCount,
    /// Its weight against the peer's receive window.
    pub rwnd_weight: ByteCount,
    /// Its user data.
    pub payload: ByteCount,
    /// The path on which it was sent before, if it was.
    pub previous: Option<PathId>,
    /// The number of its packet, and of the packet in which it was sent before.
    pub departures: (u64, u64),
    /// Whether it was sent before and is now the lowest outstanding chunk of its path.
    pub is_lowest_again: bool,
}

/// A chunk that left a path's flight without an acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Left {
    /// The path.
    pub path: PathId,
    /// Its weight against the window.
    pub weight: ByteCount,
    /// Its weight against the peer's receive window.
    pub rwnd_weight: ByteCount,
    /// The number of the packet in which it left, and when that was.
    pub departure: u64,
    pub sent_at: Time,
}

impl SendBuffer {
    /// An empty buffer whose first chunk will have TSN `initial`.
    pub fn new(initial: Tsn, charge: Charge, rwnd_charge: Charge) -> SendBuffer {
        SendBuffer {
            charge,
            rwnd_charge,
            first_tsn: initial,
            first: 1,
            chunks: VecDeque::new(),
            waiting: Waiting::new(1),
            waiting_bytes: ByteCount::ZERO,
            sent_end: 1,
            held_bytes: ByteCount::ZERO,
            held_by_path: HeldByPath::new(rwnd_charge),
            rwnd_flight: ByteCount::ZERO,
            rwnd_marked: ByteCount::ZERO,
            gap_acked: Vec::new(),
            reported: Vec::new(),
            marked: BTreeSet::new(),
            copies: Copies::default(),
            revoked: BTreeSet::new(),
            paths: Vec::new(),
            log: DepartureLog::default(),
            ns2: Ns2Rules::NONE,
            lowest_before: Vec::new(),
            taken_back: Vec::new(),
            credit: Credit::new(),
            next_ssn: Vec::new(),
            uncut: VecDeque::new(),
            uncut_bytes: ByteCount::ZERO,
        }
    }

    /// This buffer with rules of ns-2's module.
    pub fn with_ns2(self, ns2: Ns2Rules) -> SendBuffer {
        SendBuffer { ns2, ..self }
    }

    /// Makes room for a new path.
    pub fn add_path(&mut self, path: PathId) {
        self.paths.resize_with(self.paths.len().max(path.index() + 1), PathLowest::default);
        self.held_by_path.add_path(path);
        self.add_departures();
    }

    /// Queues `message` as chunks of at most `largest` bytes of user data. Its fragments get consecutive TSNs.
    pub fn push(&mut self, message: Outgoing, largest: ByteCount) {
        self.count(&message);
        self.cut(message, largest);
    }

    /// Counts a message as held and waiting. Returns its length.
    pub(super) fn count(&mut self, message: &Outgoing) -> ByteCount {
        let length = ByteCount::of_len(message.payload.len());
        self.held_bytes += length;
        self.waiting_bytes += length;
        length
    }

    /// Cuts a message that is already counted.
    pub(super) fn cut(&mut self, message: Outgoing, largest: ByteCount) {
        let ssn = self.take_ssn(&message);
        let Outgoing { stream, ppid, unordered, payload } = message;
        let head = MessageHead { stream, ssn, ppid, unordered };
        for fragment in Fragments::new(payload, largest.as_len()) {
            self.chunks.push_back(OutboundChunk::new(head, fragment));
        }
    }

    /// The chunk `tsn` left on `path`, in the round `round` of the path's window.
    pub fn on_sent(&mut self, tsn: Tsn, path: PathId, round: u64) -> Sent {
        let position = self.position(tsn);
        let (charge, rwnd_charge) = (self.charge, self.rwnd_charge);
        let (departure, sent_at) = (self.log.packet, self.log.packet_at);
        let (is_by_departure, was_earliest) =
            (self.is_by_departure(), self.is_before_all_departures(position));
        let chunk = self.chunk_mut(position);
        let previous = (chunk.state != State::Waiting).then_some(chunk.path);
        let departures = (departure, chunk.departure);
        chunk.state = State::InFlight;
        (chunk.departure, chunk.sent_at) = (departure, sent_at);
        if is_by_departure {
            chunk.missing_reports = 0;
        }
        chunk.path = path;
        chunk.round = round;
        chunk.was_sent_again = previous.is_some();
        let (length, was_acked) = (chunk.payload.len(), chunk.was_acked);
        let payload = ByteCount::of_len(length);
        let rwnd_weight = rwnd_charge.weigh(length);
        self.rwnd_flight += rwnd_weight;
        self.held_by_path.on_sent(path, previous, length);
        if let Some(from) = previous.filter(|&from| from != path) {
            self.search_lowest_anew(from);
        }
        if was_acked {
            self.revoked.insert(position);
        }
        if previous.is_some() {
            if self.marked.remove(&position) {
                self.rwnd_marked -= rwnd_weight;
            }
            self.paths[path.index()].again.insert(position);
        } else {
            self.waiting.take(position);
            self.waiting_bytes -= payload;
            self.sent_end = self.sent_end.max(position + 1);
            self.paths[path.index()].once.insert(position);
        }
        let is_lowest_again = match is_by_departure {
            true => previous == Some(path) && was_earliest,
            false => previous.is_some() && self.lowest_on(path) == Some(tsn),
        };
        self.on_departed(position, path, departure);
        Sent { weight: charge.weigh(length), rwnd_weight, payload, previous, departures, is_lowest_again }
    }

    /// A chunk in flight on `path` is lost there. It leaves the flight of `path` at once, and is marked for
    /// retransmission unless a copy of it is in flight on another path. `None` if the chunk is not, or no longer, in
    /// flight on `path`.
    pub fn mark(&mut self, tsn: Tsn, path: PathId, by: LostBy) -> Option<Left> {
        let position = self.position_if_held(tsn)?;
        if let Some(left) = self.lose_one_of_several(position, path) {
            return Some(left);
        }
        if self.chunk(position).path != path {
            return None;
        }
        let (charge, rwnd_charge) = (self.charge, self.rwnd_charge);
        let chunk = self.chunk_mut(position);
        if chunk.state != State::InFlight || by == LostBy::SmallWindow && chunk.losses.had(by) {
            return None;
        }
        chunk.state = State::Marked;
        chunk.lost_by = by;
        chunk.losses.add(by);
        if by == LostBy::Timeout {
            chunk.missing_reports = 0;
        }
        let length = chunk.payload.len();
        let rwnd_weight = rwnd_charge.weigh(length);
        let (path, departure, sent_at) = (chunk.path, chunk.departure, chunk.sent_at);
        let left = Left { path, weight: charge.weigh(length), rwnd_weight, departure, sent_at };
        self.rwnd_flight -= rwnd_weight;
        self.rwnd_marked += rwnd_weight;
        self.marked.insert(position);
        self.copies.call_off(position);
        self.revoked.remove(&position);
        if by == LostBy::Timeout {
            self.credit.earn();
        }
        Some(left)
    }

    /// The chunk with this TSN, as it goes on the wire.
    pub fn data(&self, tsn: Tsn) -> Data<'_> {
        self.chunk(self.position(tsn)).data(tsn)
    }

    /// The size of an SCTP packet with only this chunk.
    pub fn packet_with(&self, tsn: Tsn) -> ByteCount {
        let chunk = self.chunk(self.position(tsn));
        ByteCount::of_len(CommonHeader::LEN + Data::padded_len(chunk.payload.len()))
    }

    /// The chunk at `index` among those that wait to be sent for the first time.
    pub fn waiting(&self, index: Index) -> Option<Tsn> {
        let position = self.waiting.position(index.0);
        (position < self.end()).then(|| self.tsn(position))
    }

    /// The oldest chunk that waits to be sent for the first time.
    pub fn oldest_waiting(&self) -> Option<Tsn> {
        let position = self.waiting.oldest();
        (position < self.end()).then(|| self.tsn(position))
    }

    /// How many chunks wait to be sent for the first time.
    pub fn waiting_chunks(&self) -> usize {
        self.waiting.count(self.end())
    }

    /// User data that waits to be sent for the first time.
    pub fn waiting_bytes(&self) -> ByteCount {
        self.waiting_bytes
    }

    /// User data that is not cumulatively acknowledged.
    pub fn held_bytes(&self) -> ByteCount {
        self.held_bytes
    }

    /// How much more user data may be queued if the buffer may hold `capacity`. Every chunk, and every message that
    /// is not fragmented yet, costs additional memory. With that memory the buffer may hold twice `capacity`, so that
    /// only chunks of less than a few hundred bytes reduce the room.
    pub fn room_in(&self, capacity: ByteCount) -> ByteCount {
        let memory = self.held_bytes + CHUNK_OVERHEAD * (self.chunks.len() + self.uncut.len()) as u64;
        capacity.saturating_sub(self.held_bytes).min((capacity * 2).saturating_sub(memory))
    }

    /// The user data last sent on `path` that is not cumulatively acknowledged.
    pub fn held_on(&self, path: PathId) -> Held {
        self.held_by_path.of(path)
    }

    /// The flight on all paths, weighed against the peer's receive window.
    pub fn rwnd_flight(&self) -> ByteCount {
        self.rwnd_flight
    }

    /// The chunks marked for retransmission, weighed against the peer's receive window.
    pub fn rwnd_marked(&self) -> ByteCount {
        self.rwnd_marked
    }

    /// Whether everything is cumulatively acknowledged.
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty() && self.uncut.is_empty()
    }

    /// Whether a chunk was sent that is not cumulatively acknowledged.
    pub fn has_outstanding(&self) -> bool {
        self.sent_end > self.first
    }

    /// Whether chunks are marked for retransmission, or copies of others are to leave.
    pub fn has_retransmissions(&self) -> bool {
        !self.marked.is_empty() || self.copies.has_due()
    }

    /// Whether chunks are marked for retransmission.
    pub fn has_marked(&self) -> bool {
        !self.marked.is_empty()
    }

    /// The chunks marked for retransmission, ascending.
    pub fn marked(&self) -> impl Iterator<Item = LostChunk> {
        self.marked.iter().map(|&position| {
            let chunk = self.chunk(position);
            LostChunk { tsn: self.tsn(position), path: chunk.path, by: chunk.lost_by }
        })
    }

    /// Whether the chunk is acknowledged, cumulatively or by a gap block.
    pub fn is_acked(&self, tsn: Tsn) -> bool {
        tsn.is_before(self.first_tsn) || self.chunk(self.position(tsn)).state == State::Acked
    }

    /// The weight of the chunk against the peer's receive window.
    pub fn rwnd_weight(&self, tsn: Tsn) -> ByteCount {
        self.rwnd_charge.weigh(self.chunk(self.position(tsn)).payload.len())
    }

    /// The path on which a chunk was last sent; `None` for a chunk that is not kept, or was never sent.
    pub fn path_of(&self, tsn: Tsn) -> Option<PathId> {
        let position = self.position_if_held(tsn)?;
        let chunk = self.chunk(position);
        (chunk.state != State::Waiting).then_some(chunk.path)
    }

    /// The number of the packet that leaves, or that left last.
    pub fn departure(&self) -> u64 {
        self.log.packet
    }

    /// The highest TSN that was ever sent.
    pub fn highest_sent(&self) -> Tsn {
        self.tsn(self.sent_end).previous()
    }

    /// The cumulative TSN ack point.
    pub fn ack_point(&self) -> Tsn {
        self.first_tsn.previous()
    }

    fn take_ssn(&mut self, message: &Outgoing) -> Ssn {
        if message.unordered {
            return Ssn::default();
        }
        let stream = usize::from(message.stream.get());
        if stream >= self.next_ssn.len() {
            self.next_ssn.resize(stream + 1, Ssn::default());
        }
        let ssn = self.next_ssn[stream];
        self.next_ssn[stream] = ssn.next();
        ssn
    }

    /// The lowest chunk in flight at position `from` or above.
    fn in_flight_from(&self, from: u64) -> Option<ChunkInFlight> {
        let mut positions = from..self.sent_end;
        let position = positions.find(|&position| self.chunk(position).state == State::InFlight)?;
        let (tsn, chunk) = (self.tsn(position), self.chunk(position));
        let packet = self.packet_with(tsn);
        let &OutboundChunk { path, sent_at, was_copied, .. } = chunk;
        Some(ChunkInFlight { tsn, path, sent_at, packet, was_copied })
    }

    pub(super) fn chunk(&self, position: u64) -> &OutboundChunk {
        &self.chunks[index(position - self.first)]
    }

    pub(super) fn chunk_mut(&mut self, position: u64) -> &mut OutboundChunk {
        &mut self.chunks[index(position - self.first)]
    }

    fn end(&self) -> u64 {
        self.first + self.chunks.len() as u64
    }

    pub(super) fn position(&self, tsn: Tsn) -> u64 {
        self.first + u64::from(tsn.distance_from(self.first_tsn))
    }

    pub(super) fn position_if_held(&self, tsn: Tsn) -> Option<u64> {
        let position = self.position(tsn);
        (position < self.end()).then_some(position)
    }

    /// The TSN at `position`, which is not below the first position held.
    pub(super) fn tsn(&self, position: u64) -> Tsn {
        // The distance is less than 2³²: TSNs of one window are unique.
        self.first_tsn.plus((position - self.first) as u32)
    }
}

impl ChunksInFlight for SendBuffer {
    fn lowest(&self) -> Option<ChunkInFlight> {
        self.in_flight_from(self.first)
    }

    fn next_above(&self, tsn: Tsn) -> Option<ChunkInFlight> {
        let is_below = tsn.is_before(self.first_tsn);
        self.in_flight_from(if is_below { self.first } else { self.position(tsn) + 1 })
    }
}

impl WaitingChunks for SendBuffer {
    fn chunk(&self, index: Index) -> Option<WaitingChunk> {
        let tsn = self.waiting(index)?;
        Some(WaitingChunk { tsn, packet: self.packet_with(tsn) })
    }

    fn index_of(&self, tsn: Tsn) -> Option<Index> {
        let position = self.position_if_held(tsn)?;
        self.waiting.index(position).map(Index)
    }
}

pub(super) fn index(offset: u64) -> usize {
    usize::try_from(offset).expect("a buffer in memory has fewer chunks than addresses")
}

/// The memory for a chunk besides its payload: its record, twice if the queue has just grown, and the allocator's
/// overhead for the message's memory.
const CHUNK_OVERHEAD: ByteCount = ByteCount::new(192);
/// The number of chunks for which the buffer keeps memory when it is empty: megabytes in flight, in chunks of the
/// usual size.
pub(super) const KEPT_CHUNKS: usize = 4_096;

#[cfg(test)]
pub(super) mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::wire::{Ppid, StreamId};

    pub(in crate::send) const ONE: PathId = PathId::FIRST;

    pub(in crate::send) fn two() -> PathId {
        PathId::from_index(1)
    }

    /// A buffer with `count` chunks of 100 bytes, with TSNs from 4,294,967,290 on: the TSN wraps after the sixth.
    pub(in crate::send) fn buffer(count: usize) -> SendBuffer {
        let mut buffer = SendBuffer::new(tsn(0), Charge::User, Charge::User);
        buffer.add_path(ONE);
        buffer.add_path(two());
        for _ in 0..count {
            let payload = Bytes::from_static(&[7; 100]);
            let (stream, ppid) = (StreamId::new(3), Ppid::new(0));
            buffer.push(Outgoing { stream, ppid, unordered: false, payload }, ByteCount::new(100));
        }
        buffer
    }

    pub(in crate::send) fn tsn(offset: u32) -> Tsn {
        Tsn::new(u32::MAX - 5).plus(offset)
    }

    pub(in crate::send) fn sent(buffer: &mut SendBuffer, offsets: std::ops::Range<u32>, path: PathId) {
        for offset in offsets {
            buffer.on_sent(tsn(offset), path, 0);
        }
    }

    #[test]
    fn a_chunk_costs_no_more_than_is_counted() {
        let allocators = 32;
        assert!(2 * size_of::<OutboundChunk>() as u64 + allocators <= CHUNK_OVERHEAD.get());
    }

    #[test]
    fn a_marked_chunk_leaves_the_flight_and_comes_back_when_sent() {
        let mut buffer = buffer(3);
        sent(&mut buffer, 0..3, ONE);
        let left = buffer.mark(tsn(0), ONE, LostBy::MissingReports);
        assert_eq!(
            left,
            Some(Left {
                path: ONE,
                weight: ByteCount::new(100),
                rwnd_weight: ByteCount::new(100),
                departure: 0,
                sent_at: Time::ZERO,
            })
        );
        assert_eq!(buffer.mark(tsn(0), ONE, LostBy::Timeout), None, "it is not in flight");
        assert_eq!(buffer.marked().map(|lost| lost.tsn).collect::<Vec<_>>(), [tsn(0)]);
        let again = buffer.on_sent(tsn(0), two(), 0);
        assert_eq!((again.previous, again.is_lowest_again), (Some(ONE), true));
        assert_eq!(buffer.rwnd_flight().get(), 300);
        assert!(!buffer.has_marked());
        assert_eq!(buffer.in_flight_on(two()), [tsn(0)]);
        assert_eq!(buffer.lowest_on(ONE), Some(tsn(1)));
    }

    #[test]
    fn fragments_of_a_message_have_consecutive_tsns_and_one_ssn() {
        let mut buffer = buffer(1);
        let payload = Bytes::from_static(&[1; 250]);
        let (stream, ppid) = (StreamId::new(3), Ppid::new(9));
        buffer.push(Outgoing { stream, ppid, unordered: false, payload }, ByteCount::new(100));
        let flags = |offset| {
            let data = buffer.data(tsn(offset));
            (data.ssn.get(), data.beginning, data.ending, data.payload.len())
        };
        assert_eq!(flags(0), (0, true, true, 100));
        assert_eq!(
            [1, 2, 3].map(flags),
            [(1, true, false, 100), (1, false, false, 100), (1, false, true, 50)]
        );
    }

    #[test]
    fn chunks_may_leave_out_of_order() {
        let mut buffer = buffer(4);
        let third = buffer.waiting(Index(2)).expect("four wait");
        assert_eq!(third, tsn(2));
        buffer.on_sent(third, ONE, 0);
        assert_eq!(buffer.waiting(Index(2)), Some(tsn(3)));
        assert_eq!(buffer.oldest_waiting(), Some(tsn(0)));
        assert_eq!(buffer.index_of(tsn(3)), Some(Index(2)));
        assert_eq!(buffer.waiting_chunks(), 3);
    }
}
