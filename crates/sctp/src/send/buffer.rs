//! Every chunk from the moment it gets its TSN until it is cumulatively acknowledged: what waits, what is in
//! flight and where, what is marked to be sent again. It knows what a SACK acknowledges, and nothing of what
//! follows for windows and timers.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

use anabranch_base::ByteCount;
use bytes::Bytes;

use super::fragmentation::{Fragments, Outgoing};
use super::gap_diff::added;
use super::lowest::Lowest;
use crate::config::Charge;
use crate::policy::PathId;
use crate::policy::order::{AckedChunk, Hole, PathNews, SackNews};
use crate::policy::place::{LostBy, LostChunk};
use crate::policy::schedule::Index;
use crate::seq::{Ssn, Tsn};
use crate::wire::{Data, GapBlock, Ppid, StreamId};

/// The send buffer of an association.
///
/// Inside, a chunk is known by its position, which is its TSN without the wrap: its number among all chunks
/// since the association began, from 1.
#[derive(Debug)]
pub struct SendBuffer {
    charge: Charge,
    rwnd_charge: Charge,
    /// The TSN and the position of the first chunk in `chunks`: the one after the cumulative ack point.
    first_tsn: Tsn,
    first: u64,
    chunks: VecDeque<OutboundChunk>,
    /// No chunk below this position waits to be sent for the first time.
    waiting_from: u64,
    waiting_chunks: usize,
    waiting_bytes: ByteCount,
    /// One past the highest position ever sent.
    sent_end: u64,
    /// User data that is not cumulatively acknowledged.
    held_bytes: ByteCount,
    /// What is in flight on all paths, weighed against the peer's receive window.
    rwnd_flight: ByteCount,
    /// What the last SACK's gap blocks acknowledged.
    gap_acked: Vec<Range<u64>>,
    reported: Vec<Range<u64>>,
    marked: BTreeSet<u64>,
    /// Chunks in flight whose gap acknowledgement was taken back.
    revoked: BTreeSet<u64>,
    paths: Vec<PathLowest>,
    /// Each path's two lowest outstanding chunks when a SACK arrived.
    lowest_before: Vec<(Option<u64>, Option<u64>)>,
    /// What a SACK no longer reports.
    taken_back: Vec<u64>,
    next_ssn: Vec<Ssn>,
}

/// One DATA chunk to be, and what became of it so far.
#[derive(Clone, Debug)]
pub struct OutboundChunk {
    stream: StreamId,
    ssn: Ssn,
    ppid: Ppid,
    unordered: bool,
    beginning: bool,
    ending: bool,
    payload: Bytes,
    state: State,
    /// Where it was sent last.
    path: PathId,
    was_sent_again: bool,
    missing_reports: u8,
    /// It was fast-retransmitted, or marked to be.
    is_spent: bool,
    /// It counted as newly acknowledged once (M-SCTP-12: once in its life).
    was_acked: bool,
    lost_by: LostBy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Never sent.
    Waiting,
    /// Sent, and not known to have arrived or to be lost.
    InFlight,
    /// Lost, and to be sent again.
    Marked,
    /// Acknowledged by a gap block.
    Acked,
}

#[derive(Debug, Default)]
struct PathLowest {
    once: Lowest,
    again: Lowest,
}

/// What left for a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Its weight against the window.
    pub weight: ByteCount,
    /// Its weight against the peer's receive window.
    pub rwnd_weight: ByteCount,
    /// Its user data.
    pub payload: ByteCount,
    /// Where it had been sent before, if it had.
    pub previous: Option<PathId>,
    /// Whether it is now the lowest outstanding chunk of its path.
    pub is_lowest: bool,
}

/// What left a path's flight without being acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Left {
    /// The path.
    pub path: PathId,
    /// Its weight against the window.
    pub weight: ByteCount,
    /// Its weight against the peer's receive window.
    pub rwnd_weight: ByteCount,
}

/// A SACK that no honest receiver sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it acknowledges TSN {acked}, and the highest TSN ever sent is {highest_sent}")]
pub struct BadSack {
    /// The highest TSN it claims.
    pub acked: Tsn,
    /// The highest TSN that left.
    pub highest_sent: Tsn,
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
            waiting_from: 1,
            waiting_chunks: 0,
            waiting_bytes: ByteCount::ZERO,
            sent_end: 1,
            held_bytes: ByteCount::ZERO,
            rwnd_flight: ByteCount::ZERO,
            gap_acked: Vec::new(),
            reported: Vec::new(),
            marked: BTreeSet::new(),
            revoked: BTreeSet::new(),
            paths: Vec::new(),
            lowest_before: Vec::new(),
            taken_back: Vec::new(),
            next_ssn: Vec::new(),
        }
    }

    /// Room for a new path.
    pub fn add_path(&mut self, path: PathId) {
        self.paths.resize_with(self.paths.len().max(path.index() + 1), PathLowest::default);
    }

    /// Queues a message as chunks of at most `largest` bytes of user data. Its fragments get consecutive
    /// TSNs.
    pub fn push(&mut self, message: Outgoing, largest: ByteCount) {
        let ssn = self.take_ssn(&message);
        let length = ByteCount::of_len(message.payload.len());
        self.held_bytes += length;
        self.waiting_bytes += length;
        for fragment in Fragments::new(message.payload, largest.as_len()) {
            self.waiting_chunks += 1;
            self.chunks.push_back(OutboundChunk {
                stream: message.stream,
                ssn,
                ppid: message.ppid,
                unordered: message.unordered,
                beginning: fragment.beginning,
                ending: fragment.ending,
                payload: fragment.payload,
                state: State::Waiting,
                path: PathId::FIRST,
                was_sent_again: false,
                missing_reports: 0,
                is_spent: false,
                was_acked: false,
                lost_by: LostBy::Timeout,
            });
        }
    }

    /// The chunk left on `path`.
    pub fn on_sent(&mut self, tsn: Tsn, path: PathId) -> Sent {
        let position = self.position(tsn);
        let (charge, rwnd_charge) = (self.charge, self.rwnd_charge);
        let chunk = self.chunk_mut(position);
        let previous = (chunk.state != State::Waiting).then_some(chunk.path);
        chunk.state = State::InFlight;
        chunk.path = path;
        chunk.was_sent_again = previous.is_some();
        let length = chunk.payload.len();
        let payload = ByteCount::of_len(length);
        let rwnd_weight = rwnd_charge.weigh(length);
        self.rwnd_flight += rwnd_weight;
        if previous.is_some() {
            self.marked.remove(&position);
            self.paths[path.index()].again.insert(position);
        } else {
            self.waiting_chunks -= 1;
            self.waiting_bytes -= payload;
            self.sent_end = self.sent_end.max(position + 1);
            self.paths[path.index()].once.insert(position);
        }
        let is_lowest = self.lowest_on(path) == Some(tsn);
        Sent { weight: charge.weigh(length), rwnd_weight, payload, previous, is_lowest }
    }

    /// Marks a chunk in flight for retransmission: it leaves the flight at once. `None` if it is not in
    /// flight (any more).
    pub fn mark(&mut self, tsn: Tsn, by: LostBy) -> Option<Left> {
        let position = self.position_if_held(tsn)?;
        let (charge, rwnd_charge) = (self.charge, self.rwnd_charge);
        let chunk = self.chunk_mut(position);
        if chunk.state != State::InFlight {
            return None;
        }
        chunk.state = State::Marked;
        chunk.lost_by = by;
        match by {
            LostBy::MissingReports => chunk.is_spent = true,
            LostBy::Timeout => chunk.missing_reports = 0,
        }
        let length = chunk.payload.len();
        let rwnd_weight = rwnd_charge.weigh(length);
        let left = Left { path: chunk.path, weight: charge.weigh(length), rwnd_weight };
        self.rwnd_flight -= rwnd_weight;
        self.marked.insert(position);
        self.revoked.remove(&position);
        Some(left)
    }

    /// Reads a SACK and says in `news` what it means, chunk by chunk; answers `false`, with `news` as it
    /// was, for one that is older than what is known (RFC 9260 §6.2.1 i). Costs as much as there are blocks,
    /// newly acknowledged chunks and holes.
    ///
    /// # Errors
    /// It acknowledges what was never sent. Nothing has changed then.
    pub fn on_sack(
        &mut self,
        cumulative: Tsn,
        gaps: impl Iterator<Item = GapBlock>,
        news: &mut SackNews,
    ) -> Result<bool, BadSack> {
        let ack_point = self.first_tsn.previous();
        if cumulative.is_before(ack_point) {
            return Ok(false);
        }
        let new_first = self.first + u64::from(cumulative.distance_from(ack_point));
        self.read_blocks(new_first, gaps);
        let claimed = self.reported.last().map_or(new_first, |block| block.end);
        if claimed > self.sent_end {
            let highest_sent = self.tsn(self.sent_end).previous();
            return Err(BadSack { acked: self.tsn(claimed).previous(), highest_sent });
        }
        self.begin(news);
        news.has_advanced = new_first > self.first;
        news.cumulative = cumulative;
        self.ack_cumulatively(new_first, news);
        self.ack_gaps(news);
        self.take_back(news);
        std::mem::swap(&mut self.gap_acked, &mut self.reported);
        news.highest_reported = self.tsn(claimed).previous();
        self.find_holes(news);
        self.compare_lowest(news);
        Ok(true)
    }

    /// Remembers the missing reports that were counted in `holes`.
    pub fn on_counted(&mut self, holes: &[Hole]) {
        for hole in holes {
            let position = self.position(hole.tsn);
            self.chunk_mut(position).missing_reports = hole.missing_reports;
        }
    }

    /// Forgets everything: the association is over, or the peer restarted.
    pub fn clear_all(&mut self) {
        *self = SendBuffer::new(self.first_tsn, self.charge, self.rwnd_charge);
    }

    /// The chunk with this TSN, as it goes on the wire.
    pub fn data(&self, tsn: Tsn) -> Data<'_> {
        let chunk = self.chunk(self.position(tsn));
        Data {
            tsn,
            stream: chunk.stream,
            ssn: chunk.ssn,
            ppid: chunk.ppid,
            unordered: chunk.unordered,
            beginning: chunk.beginning,
            ending: chunk.ending,
            immediate: false,
            payload: &chunk.payload,
        }
    }

    /// The `index`-th chunk that waits to be sent for the first time.
    pub fn waiting(&mut self, index: Index) -> Option<Tsn> {
        while self.waiting_from < self.end() && self.chunk(self.waiting_from).state != State::Waiting {
            self.waiting_from += 1;
        }
        let is_waiting = |position: &u64| self.chunk(*position).state == State::Waiting;
        (self.waiting_from..self.end()).filter(is_waiting).nth(index.0).map(|position| self.tsn(position))
    }

    /// How many chunks wait to be sent for the first time.
    pub fn waiting_chunks(&self) -> usize {
        self.waiting_chunks
    }

    /// User data that waits to be sent for the first time.
    pub fn waiting_bytes(&self) -> ByteCount {
        self.waiting_bytes
    }

    /// User data that is not cumulatively acknowledged.
    pub fn held_bytes(&self) -> ByteCount {
        self.held_bytes
    }

    /// What is in flight on all paths, weighed against the peer's receive window.
    pub fn rwnd_flight(&self) -> ByteCount {
        self.rwnd_flight
    }

    /// Whether everything is cumulatively acknowledged.
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// Whether something was sent that is not cumulatively acknowledged.
    pub fn has_outstanding(&self) -> bool {
        self.sent_end > self.first
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

    /// The chunks in flight on `path`, ascending but for revoked ones, which come last.
    pub fn in_flight_on(&self, path: PathId) -> Vec<Tsn> {
        let lists = &self.paths[path.index()];
        let once = lists.once.iter().filter(|&position| self.is_on(position, path, false));
        let again = lists.again.iter().filter(|&position| self.is_on(position, path, true));
        let revoked = self.revoked.iter().copied().filter(|&position| self.chunk(position).path == path);
        let mut positions: Vec<u64> = once.chain(again).chain(revoked).collect();
        positions.sort_unstable();
        positions.into_iter().map(|position| self.tsn(position)).collect()
    }

    /// The lowest outstanding chunk of `path`.
    pub fn lowest_on(&mut self, path: PathId) -> Option<Tsn> {
        let (once, again) = self.lowest_positions(path);
        once.into_iter().chain(again).min().map(|position| self.tsn(position))
    }

    /// Whether the chunk is acknowledged, cumulatively or by a gap block.
    pub fn is_acked(&self, tsn: Tsn) -> bool {
        tsn.is_before(self.first_tsn) || self.chunk(self.position(tsn)).state == State::Acked
    }

    /// What the chunk weighs against the peer's receive window.
    pub fn rwnd_weight(&self, tsn: Tsn) -> ByteCount {
        self.rwnd_charge.weigh(self.chunk(self.position(tsn)).payload.len())
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

    /// Empties `news` and remembers each path's two lowest positions.
    fn begin(&mut self, news: &mut SackNews) {
        news.acked.clear();
        news.holes.clear();
        news.paths.clear();
        news.paths.resize(self.paths.len(), PathNews::default());
        self.taken_back.clear();
        self.lowest_before.clear();
        for index in 0..self.paths.len() {
            let lowest = self.lowest_positions(PathId::from_index(index));
            self.lowest_before.push(lowest);
        }
    }

    /// Takes the gap blocks as positions; those out of order or inside out are passed over.
    fn read_blocks(&mut self, new_first: u64, gaps: impl Iterator<Item = GapBlock>) {
        self.reported.clear();
        let mut from = new_first;
        for block in gaps {
            let (start, end) = (new_first - 1 + u64::from(block.start), new_first + u64::from(block.end));
            if start >= from && start < end {
                self.reported.push(start..end);
                from = end;
            }
        }
    }

    fn ack_cumulatively(&mut self, new_first: u64, news: &mut SackNews) {
        for position in self.first..new_first {
            self.ack(position, news);
            if let Some(chunk) = self.chunks.pop_front() {
                self.held_bytes -= ByteCount::of_len(chunk.payload.len());
            }
            self.first += 1;
            self.first_tsn = self.first_tsn.next();
        }
        self.waiting_from = self.waiting_from.max(new_first);
        self.gap_acked.retain_mut(|block| {
            block.start = block.start.max(new_first);
            block.start < block.end
        });
    }

    fn ack_gaps(&mut self, news: &mut SackNews) {
        let (old, new) = (std::mem::take(&mut self.gap_acked), std::mem::take(&mut self.reported));
        for position in added(&old, &new).flatten() {
            self.ack(position, news);
        }
        (self.gap_acked, self.reported) = (old, new);
    }

    /// RFC 9260 §6.2.1 iv: a TSN that was acknowledged by a gap block and is no longer is missing again.
    fn take_back(&mut self, news: &mut SackNews) {
        let (old, new) = (std::mem::take(&mut self.gap_acked), std::mem::take(&mut self.reported));
        for position in added(&new, &old).flatten() {
            let rwnd_charge = self.rwnd_charge;
            let charge = self.charge;
            let chunk = self.chunk_mut(position);
            chunk.state = State::InFlight;
            let length = chunk.payload.len();
            let path = chunk.path;
            self.rwnd_flight += rwnd_charge.weigh(length);
            news.paths[path.index()].returned += charge.weigh(length);
            self.revoked.insert(position);
            self.taken_back.push(position);
        }
        (self.gap_acked, self.reported) = (old, new);
    }

    /// The chunk at `position` is acknowledged, in whatever state it was.
    fn ack(&mut self, position: u64, news: &mut SackNews) {
        let (tsn, charge, rwnd_charge) = (self.tsn(position), self.charge, self.rwnd_charge);
        let chunk = self.chunk_mut(position);
        let before = std::mem::replace(&mut chunk.state, State::Acked);
        let is_first_time = before != State::Acked && !std::mem::replace(&mut chunk.was_acked, true);
        let (path, length, is_retransmitted) = (chunk.path, chunk.payload.len(), chunk.was_sent_again);
        let weight = charge.weigh(length);
        match before {
            State::InFlight => {
                self.rwnd_flight -= rwnd_charge.weigh(length);
                news.paths[path.index()].left += weight;
                self.revoked.remove(&position);
            }
            State::Marked => {
                self.marked.remove(&position);
            }
            State::Waiting => {
                self.waiting_chunks -= 1;
                self.waiting_bytes -= ByteCount::of_len(length);
            }
            State::Acked => {}
        }
        if is_first_time {
            let payload = ByteCount::of_len(length);
            news.acked.push(AckedChunk { tsn, path, weight, payload, is_retransmitted });
        }
    }

    /// The chunks in flight below the highest reported one, and those just taken back. Nothing is looked for
    /// when nothing can follow from it.
    fn find_holes(&self, news: &mut SackNews) {
        if news.acked.is_empty() && self.taken_back.is_empty() {
            return;
        }
        let mut from = self.first;
        for block in &self.gap_acked {
            news.holes.extend((from..block.start).filter_map(|position| self.hole(position)));
            from = block.end;
        }
        let beyond = self.taken_back.iter().filter(|&&position| position >= from);
        news.holes.extend(beyond.filter_map(|&position| self.hole(position)));
    }

    fn hole(&self, position: u64) -> Option<Hole> {
        let chunk = self.chunk(position);
        (chunk.state == State::InFlight).then(|| Hole {
            tsn: self.tsn(position),
            path: chunk.path,
            missing_reports: chunk.missing_reports,
            is_spent: chunk.is_spent,
            is_reneged: self.taken_back.binary_search(&position).is_ok(),
        })
    }

    fn compare_lowest(&self, news: &mut SackNews) {
        let is_acked = |position: u64| position < self.first || self.chunk(position).state == State::Acked;
        for (&(once, again), path) in self.lowest_before.iter().zip(&mut news.paths) {
            path.sent_once = once.is_some_and(is_acked);
            path.sent_again = again.is_some_and(is_acked);
            path.lowest = once.into_iter().chain(again).min().is_some_and(is_acked);
        }
    }

    fn lowest_positions(&mut self, path: PathId) -> (Option<u64>, Option<u64>) {
        let mut lists = std::mem::take(&mut self.paths[path.index()]);
        let once = lists.once.first(|position| self.is_on(position, path, false));
        let again = lists.again.first(|position| self.is_on(position, path, true));
        self.paths[path.index()] = lists;
        (once, again)
    }

    /// Whether the chunk is in flight on `path`, having been sent again or not, and never acknowledged.
    fn is_on(&self, position: u64, path: PathId, again: bool) -> bool {
        position >= self.first && {
            let chunk = self.chunk(position);
            let is_there = chunk.state == State::InFlight && chunk.path == path;
            is_there && chunk.was_sent_again == again && !chunk.was_acked
        }
    }

    fn chunk(&self, position: u64) -> &OutboundChunk {
        &self.chunks[index(position - self.first)]
    }

    fn chunk_mut(&mut self, position: u64) -> &mut OutboundChunk {
        &mut self.chunks[index(position - self.first)]
    }

    fn end(&self) -> u64 {
        self.first + self.chunks.len() as u64
    }

    fn position(&self, tsn: Tsn) -> u64 {
        self.first + u64::from(tsn.distance_from(self.first_tsn))
    }

    fn position_if_held(&self, tsn: Tsn) -> Option<u64> {
        let position = self.position(tsn);
        (position < self.end()).then_some(position)
    }

    /// The TSN at `position`, which is at or after the first one held.
    fn tsn(&self, position: u64) -> Tsn {
        // The distance is less than 2³²: TSNs of one window are unique.
        self.first_tsn.plus((position - self.first) as u32)
    }
}

fn index(offset: u64) -> usize {
    usize::try_from(offset).expect("a buffer in memory has fewer chunks than addresses")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: PathId = PathId::FIRST;

    fn two() -> PathId {
        PathId::from_index(1)
    }

    /// A buffer with `count` chunks of 100 bytes, TSNs from 4,294,967,290 on: the wrap comes after the sixth.
    fn buffer(count: usize) -> SendBuffer {
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

    fn tsn(offset: u32) -> Tsn {
        Tsn::new(u32::MAX - 5).plus(offset)
    }

    fn sent(buffer: &mut SendBuffer, offsets: std::ops::Range<u32>, path: PathId) {
        for offset in offsets {
            buffer.on_sent(tsn(offset), path);
        }
    }

    fn sack(buffer: &mut SendBuffer, acked: u32, gaps: &[(u16, u16)]) -> SackNews {
        let mut news = SackNews::default();
        let blocks = gaps.iter().map(|&(start, end)| GapBlock { start, end });
        assert_eq!(buffer.on_sack(tsn(acked).previous(), blocks, &mut news), Ok(true));
        news
    }

    fn acked(news: &SackNews) -> Vec<u32> {
        news.acked.iter().map(|chunk| chunk.tsn.distance_from(tsn(0))).collect()
    }

    fn holes(news: &SackNews) -> Vec<u32> {
        news.holes.iter().map(|hole| hole.tsn.distance_from(tsn(0))).collect()
    }

    #[test]
    fn a_sack_acks_cumulatively_and_by_gaps_each_chunk_once() {
        let mut buffer = buffer(10);
        sent(&mut buffer, 0..10, ONE);
        let news = sack(&mut buffer, 2, &[(3, 4)]);
        assert_eq!((acked(&news), holes(&news)), (vec![0, 1, 4, 5], vec![2, 3]));
        assert_eq!(news.paths[0].left.get(), 400);
        let news = sack(&mut buffer, 2, &[(3, 6)]);
        assert_eq!((acked(&news), holes(&news)), (vec![6, 7], vec![2, 3]));
        let news = sack(&mut buffer, 8, &[]);
        assert_eq!((acked(&news), holes(&news)), (vec![2, 3], vec![]));
        assert_eq!(buffer.held_bytes().get(), 200);
        assert_eq!(buffer.rwnd_flight().get(), 200);
    }

    #[test]
    fn an_old_sack_is_passed_over_and_an_impossible_one_refused() {
        let mut buffer = buffer(10);
        sent(&mut buffer, 0..5, ONE);
        sack(&mut buffer, 3, &[]);
        let mut news = SackNews::default();
        assert_eq!(buffer.on_sack(tsn(1), std::iter::empty(), &mut news), Ok(false));
        let bad = buffer.on_sack(tsn(5), std::iter::empty(), &mut news);
        assert_eq!(bad, Err(BadSack { acked: tsn(5), highest_sent: tsn(4) }));
        let gap = std::iter::once(GapBlock { start: 2, end: 60_000 });
        assert!(buffer.on_sack(tsn(2), gap, &mut news).is_err());
        assert_eq!(buffer.held_bytes().get(), 700);
    }

    #[test]
    fn a_gap_that_is_taken_back_is_in_flight_again_and_counts_as_acked_only_once() {
        let mut buffer = buffer(6);
        sent(&mut buffer, 0..6, ONE);
        sack(&mut buffer, 0, &[(3, 4)]);
        let news = sack(&mut buffer, 0, &[(3, 3)]);
        assert_eq!(news.paths[0].returned.get(), 100);
        let reneged: Vec<bool> = news.holes.iter().map(|hole| hole.is_reneged).collect();
        assert_eq!((holes(&news), reneged), (vec![0, 1, 3], vec![false, false, true]));
        assert_eq!(buffer.in_flight_on(ONE).len(), 5);
        let news = sack(&mut buffer, 0, &[(3, 4)]);
        assert_eq!((acked(&news), news.paths[0].left.get()), (vec![], 100));
    }

    #[test]
    fn a_sack_without_gaps_takes_all_gaps_back() {
        let mut buffer = buffer(4);
        sent(&mut buffer, 0..4, ONE);
        sack(&mut buffer, 0, &[(2, 4)]);
        let news = sack(&mut buffer, 0, &[]);
        assert_eq!((holes(&news), news.paths[0].returned.get()), (vec![1, 2, 3], 300));
    }

    #[test]
    fn a_marked_chunk_leaves_the_flight_and_comes_back_when_sent() {
        let mut buffer = buffer(3);
        sent(&mut buffer, 0..3, ONE);
        let left = buffer.mark(tsn(0), LostBy::MissingReports);
        assert_eq!(
            left,
            Some(Left { path: ONE, weight: ByteCount::new(100), rwnd_weight: ByteCount::new(100) })
        );
        assert_eq!(buffer.mark(tsn(0), LostBy::Timeout), None, "it is not in flight");
        assert_eq!(buffer.marked().map(|lost| lost.tsn).collect::<Vec<_>>(), [tsn(0)]);
        let again = buffer.on_sent(tsn(0), two());
        assert_eq!((again.previous, again.is_lowest), (Some(ONE), true));
        assert_eq!(buffer.rwnd_flight().get(), 300);
        assert!(!buffer.has_marked());
        assert_eq!(buffer.in_flight_on(two()), [tsn(0)]);
        assert_eq!(buffer.lowest_on(ONE), Some(tsn(1)));
    }

    /// G27: path 1 sent 1 and 3, path 2 sent 2 and 4. The SACK that acks 2 by a gap acks the lowest of path 2
    /// only; the one that then acks 1 and 2 cumulatively acks the lowest of path 1 only.
    #[test]
    fn g27_each_path_has_its_own_lowest_chunk() {
        let mut buffer = buffer(4);
        for (offset, path) in [(0, ONE), (1, two()), (2, ONE), (3, two())] {
            buffer.on_sent(tsn(offset), path);
        }
        let news = sack(&mut buffer, 0, &[(2, 2)]);
        assert_eq!((news.paths[0].lowest, news.paths[1].lowest), (false, true));
        let news = sack(&mut buffer, 2, &[]);
        assert_eq!((news.paths[0].lowest, news.paths[1].lowest), (true, false));
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
        buffer.on_sent(third, ONE);
        assert_eq!(buffer.waiting(Index(2)), Some(tsn(3)));
        assert_eq!(buffer.waiting(Index::OLDEST), Some(tsn(0)));
        assert_eq!(buffer.waiting_chunks(), 3);
    }
}
