//! The messages that have no TSNs yet, by their streams, and the choice of the stream that is next (RFC 8260 §3).

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use anabranch_base::ByteCount;

use super::fragmentation::Outgoing;
use super::turn::Turn;
use crate::config::StreamScheduler;
use crate::wire::{StreamId, StreamSet};

/// The messages of all streams, of which a scheduler picks the next one, or the next fragment.
#[derive(Debug)]
pub(super) struct StreamQueues {
    scheduler: StreamScheduler,
    /// True if a message may be interrupted by those of other streams.
    interleaves: bool,
    /// The streams with messages.
    queues: BTreeMap<StreamId, StreamQueue>,
    /// The same streams in the order of their turns.
    order: BTreeSet<(Rank, StreamId)>,
    /// The values that the application gave to streams: a priority or a weight.
    values: BTreeMap<StreamId, u16>,
    /// The stream of each message that may be given up.
    homes: BTreeMap<u64, StreamId>,
    /// The work that ended the last turn of streams without messages, where it exceeds that of the current turn.
    ahead: BTreeMap<StreamId, u64>,
    /// The number of turns, or the work, at the beginning of the current turn.
    clock: u64,
    /// The number of the next message.
    next: u64,
    /// The user data and the number of messages.
    bytes: ByteCount,
    count: usize,
    /// The stream of the current packet, and the user data that fits it still.
    packet: Option<(StreamId, usize)>,
}

/// The place of a stream in the order of turns: its priority, then its time.
type Rank = (u16, u64);

#[derive(Debug)]
struct StreamQueue {
    rank: Rank,
    messages: VecDeque<QueuedMessage>,
}

#[derive(Debug)]
struct QueuedMessage {
    number: u64,
    /// The rest of it, if fragments were taken.
    rest: Outgoing,
    /// The number of fragments that were taken.
    fragments: u32,
}

impl StreamQueues {
    /// No messages.
    pub(super) fn new(scheduler: StreamScheduler, interleaves: bool) -> StreamQueues {
        StreamQueues {
            scheduler,
            interleaves,
            queues: BTreeMap::new(),
            order: BTreeSet::new(),
            values: BTreeMap::new(),
            homes: BTreeMap::new(),
            ahead: BTreeMap::new(),
            clock: 0,
            next: 0,
            bytes: ByteCount::ZERO,
            count: 0,
            packet: None,
        }
    }

    /// Sets the priority or the weight of a stream.
    pub(super) fn set_value(&mut self, stream: StreamId, value: u16) {
        self.values.insert(stream, value);
        if self.scheduler.is_by_priority()
            && let Some(queue) = self.queues.get_mut(&stream)
        {
            self.order.remove(&(queue.rank, stream));
            queue.rank.0 = value;
            self.order.insert((queue.rank, stream));
        }
    }

    /// Sets the FSN of the next fragment of the message of which `stream` has sent some.
    pub(super) fn renumber(&mut self, stream: StreamId, fsn: u32) {
        let first = self.queues.get_mut(&stream).and_then(|queue| queue.messages.front_mut());
        if let Some(message) = first.filter(|message| message.fragments > 0) {
            message.fragments = fsn;
        }
    }

    /// Queues `message` on its stream. Returns its number.
    pub(super) fn push(&mut self, rest: Outgoing) -> u64 {
        let (stream, number) = (rest.stream, self.next);
        self.next += 1;
        self.bytes += rest.length();
        self.count += 1;
        if rest.reliability.is_partial() {
            self.homes.insert(number, stream);
        }
        let message = QueuedMessage { number, rest, fragments: 0 };
        let rank = self.first_rank(stream);
        match self.queues.entry(stream) {
            Entry::Occupied(queue) => queue.into_mut().messages.push_back(message),
            Entry::Vacant(place) => {
                place.insert(StreamQueue { rank, messages: VecDeque::from([message]) });
                self.order.insert((rank, stream));
            }
        }
        number
    }

    /// The number of a message that is cut at once.
    pub(super) fn pass(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    /// Returns true if a message of `stream` waits, or the rest of one.
    pub(super) fn has(&self, stream: StreamId) -> bool {
        self.queues.contains_key(&stream)
    }

    /// Takes the next message, or its next fragment of at most `largest` bytes.
    pub(super) fn take_next(&mut self, largest: usize) -> Option<Turn> {
        let stream = self.stream_of_turn(largest)?;
        let queue = self.queues.get_mut(&stream)?;
        let message = queue.messages.front_mut()?;
        let (number, fsn) = (message.number, message.fragments);
        let length = message.rest.payload.len();
        let taken = if self.interleaves { length.min(largest.max(1)) } else { length };
        let payload = message.rest.payload.split_to(taken);
        let turn = Turn {
            number,
            fsn,
            begins: fsn == 0,
            ends: taken == length,
            part: Outgoing { payload, ..message.rest },
        };
        message.fragments += 1;
        self.bytes -= ByteCount::of_len(taken);
        if turn.ends {
            queue.messages.pop_front();
            self.count -= 1;
            self.homes.remove(&number);
        }
        self.end_turn(stream, taken, largest);
        Some(turn)
    }

    /// Takes the message `number`, or its rest, if it is one of these. The second value is true if fragments of it were
    /// taken.
    pub(super) fn give_up(&mut self, number: u64) -> Option<(Outgoing, bool)> {
        let stream = self.homes.remove(&number)?;
        let queue = self.queues.get_mut(&stream)?;
        let at = queue.messages.binary_search_by_key(&number, |message| message.number).ok()?;
        let message = queue.messages.remove(at)?;
        self.bytes -= message.rest.length();
        self.count -= 1;
        if queue.messages.is_empty() {
            self.leave(stream, 0);
        }
        Some((message.rest, message.fragments > 0))
    }

    /// True if the message `number`, which may be given up, is one of these, whole or in part.
    pub(super) fn holds(&self, number: u64) -> bool {
        self.homes.contains_key(&number)
    }

    /// Returns true if one of `streams` has a message.
    pub(super) fn has_any(&self, streams: &StreamSet) -> bool {
        self.queues.keys().any(|stream| streams.contains(*stream))
    }

    /// The number of messages.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Their user data.
    pub(super) fn bytes(&self) -> ByteCount {
        self.bytes
    }

    /// The rank of a stream that gets its first message.
    fn first_rank(&mut self, stream: StreamId) -> Rank {
        if self.scheduler.is_by_work() {
            let ahead = self.ahead.remove(&stream).unwrap_or(0);
            return (0, self.clock.max(ahead));
        }
        let priority = if self.scheduler.is_by_priority() { self.value(stream) } else { 0 };
        (priority, self.tick())
    }

    /// The stream whose turn it is.
    fn stream_of_turn(&mut self, largest: usize) -> Option<StreamId> {
        if self.scheduler.fills_packets()
            && let Some((stream, room)) = self.packet
            && let Some(queue) = self.queues.get(&stream)
            && let Some(message) = queue.messages.front()
            && message.rest.payload.len().min(largest) <= room
        {
            return Some(stream);
        }
        self.order.first().map(|(_, stream)| *stream)
    }

    /// Ends a turn in which `stream` took `taken` bytes.
    fn end_turn(&mut self, stream: StreamId, taken: usize, largest: usize) {
        let work = self.work(stream, taken);
        if self.queues.get(&stream).is_some_and(|queue| queue.messages.is_empty()) {
            self.leave(stream, work);
        } else {
            self.move_on(stream, work);
        }
        if self.scheduler.fills_packets() {
            let room = self.packet.filter(|(other, _)| *other == stream).map_or(largest, |(_, room)| room);
            self.packet = Some((stream, room.saturating_sub(taken + CHUNK_HEADER)));
        }
    }

    /// Moves a stream that took a turn behind the others, by its `work`.
    fn move_on(&mut self, stream: StreamId, work: u64) {
        let (turn, is_by_work) = (self.tick(), self.scheduler.is_by_work());
        let Some(queue) = self.queues.get_mut(&stream) else { return };
        self.order.remove(&(queue.rank, stream));
        if is_by_work {
            self.clock = self.clock.max(queue.rank.1);
            queue.rank.1 += work;
        } else {
            queue.rank.1 = turn;
        }
        self.order.insert((queue.rank, stream));
    }

    /// Removes a stream without messages. The end of its work is remembered until the others exceed it.
    fn leave(&mut self, stream: StreamId, work: u64) {
        let Some(queue) = self.queues.remove(&stream) else { return };
        self.order.remove(&(queue.rank, stream));
        if !self.scheduler.is_by_work() {
            return;
        }
        if work > 0 {
            self.clock = self.clock.max(queue.rank.1);
        }
        if self.queues.is_empty() {
            self.ahead.clear();
            return;
        }
        self.ahead.insert(stream, queue.rank.1 + work);
        if self.ahead.len() > 2 * self.queues.len() + FEW {
            let clock = self.clock;
            self.ahead.retain(|_, end| *end > clock);
        }
    }

    fn tick(&mut self) -> u64 {
        if !self.scheduler.is_by_work() {
            self.clock += 1;
        }
        self.clock
    }

    /// The work of a stream that takes `bytes`: less, the greater its weight.
    fn work(&self, stream: StreamId, bytes: usize) -> u64 {
        let weight = if self.scheduler.is_weighted() { self.value(stream).max(1) } else { 1 };
        (bytes as u64 * SCALE).div_ceil(u64::from(weight))
    }

    fn value(&self, stream: StreamId) -> u16 {
        self.values.get(&stream).copied().unwrap_or(u16::from(self.scheduler.is_weighted()))
    }
}

/// The header of I-DATA, which is longer than that of DATA.
const CHUNK_HEADER: usize = 20;
/// Work is counted in this fraction of a byte: the largest weight still counts single bytes.
const SCALE: u64 = 1 << 16;
/// The streams without messages that are remembered in any case.
const FEW: usize = 16;

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::send::Reliability;
    use crate::wire::Ppid;

    fn queues(scheduler: StreamScheduler, interleaves: bool, messages: &[(u16, usize)]) -> StreamQueues {
        let mut queues = StreamQueues::new(scheduler, interleaves);
        messages.iter().for_each(|(stream, length)| _ = push(&mut queues, *stream, *length));
        queues
    }

    fn push(queues: &mut StreamQueues, stream: u16, length: usize) -> u64 {
        let (stream, ppid, reliability) = (StreamId::new(stream), Ppid::new(0), Reliability::Priority(1));
        let payload = Bytes::from(vec![7; length]);
        queues.push(Outgoing { stream, ppid, unordered: false, immediate: false, reliability, payload })
    }

    /// The next `count` turns: the stream and the bytes of each.
    fn taken(queues: &mut StreamQueues, count: usize) -> Vec<(u16, usize)> {
        let next = || queues.take_next(100);
        let all = std::iter::repeat_with(next).take(count).flatten();
        all.map(|turn| (turn.part.stream.get(), turn.part.payload.len())).collect()
    }

    #[test]
    fn streams_take_turns_by_message_and_by_chunk() {
        let messages = [(1, 250), (1, 50), (2, 120)];
        let mut whole = queues(StreamScheduler::RoundRobin, false, &messages);
        assert_eq!(taken(&mut whole, 9), [(1, 250), (2, 120), (1, 50)]);
        let mut cut = queues(StreamScheduler::RoundRobin, true, &messages);
        assert_eq!(taken(&mut cut, 9), [(1, 100), (2, 100), (1, 100), (2, 20), (1, 50), (1, 50)]);
        assert_eq!((cut.count(), cut.bytes()), (0, ByteCount::ZERO));
    }

    #[test]
    fn a_packet_has_chunks_of_one_stream() {
        let messages: Vec<(u16, usize)> = (0..4).flat_map(|_| [(1, 20), (2, 20)]).collect();
        let mut queues = queues(StreamScheduler::RoundRobinPacket, true, &messages);
        let streams: Vec<u16> = taken(&mut queues, 9).into_iter().map(|turn| turn.0).collect();
        assert_eq!(
            streams,
            [1, 1, 1, 2, 2, 2, 1, 2],
            "three chunks of 20 bytes and two headers fit 100 bytes"
        );
    }

    #[test]
    fn a_more_important_message_interrupts_a_long_one() {
        let mut queues = queues(StreamScheduler::Priority, true, &[(1, 250), (2, 150)]);
        queues.set_value(StreamId::new(1), 5);
        assert_eq!(taken(&mut queues, 1), [(2, 100)]);
        queues.set_value(StreamId::new(2), 7);
        assert_eq!(taken(&mut queues, 1), [(1, 100)]);
        push(&mut queues, 3, 10);
        assert_eq!(taken(&mut queues, 9), [(3, 10), (1, 100), (1, 50), (2, 50)]);
    }

    #[test]
    fn the_fragments_of_a_message_are_numbered() {
        let mut queues = queues(StreamScheduler::FairBandwidth, true, &[(1, 250)]);
        let next = |queues: &mut StreamQueues| {
            queues.take_next(100).map(|turn| (turn.number, turn.fsn, turn.begins, turn.ends))
        };
        assert_eq!(next(&mut queues), Some((0, 0, true, false)));
        assert_eq!(next(&mut queues), Some((0, 1, false, false)));
        assert_eq!(next(&mut queues), Some((0, 2, false, true)));
        assert_eq!(next(&mut queues), None);
    }

    #[test]
    fn bandwidth_is_shared_by_weight_whatever_the_sizes_of_messages() {
        let share = |scheduler| {
            let mut queues = queues(scheduler, false, &[]);
            queues.set_value(StreamId::new(1), 3);
            for _ in 0..400 {
                push(&mut queues, 1, 90);
            }
            for _ in 0..4_000 {
                push(&mut queues, 2, 10);
            }
            let first = taken(&mut queues, 1_000);
            let of =
                |stream| -> usize { first.iter().filter(|turn| turn.0 == stream).map(|turn| turn.1).sum() };
            of(1) as f64 / of(2) as f64
        };
        let (fair, weighted) = (share(StreamScheduler::FairBandwidth), share(StreamScheduler::WeightedFair));
        assert!((fair - 1.0).abs() < 0.02 && (weighted - 3.0).abs() < 0.05, "{fair} {weighted}");
    }

    #[test]
    fn a_stream_gains_nothing_by_short_absences() {
        let mut queues = queues(StreamScheduler::FairBandwidth, false, &[]);
        (0..100).for_each(|_| _ = push(&mut queues, 1, 50));
        let mut counts = [0; 3];
        for _ in 0..100 {
            if !queues.queues.contains_key(&StreamId::new(2)) {
                push(&mut queues, 2, 50);
            }
            counts[usize::from(taken(&mut queues, 1)[0].0)] += 1;
        }
        assert!(counts[1] >= 49 && counts[2] >= 49, "{counts:?}");
    }

    #[test]
    fn streams_without_messages_are_forgotten() {
        for scheduler in
            [StreamScheduler::RoundRobin, StreamScheduler::Priority, StreamScheduler::WeightedFair]
        {
            let mut queues = queues(scheduler, true, &[(0, 1 << 20)]);
            for stream in 1..1_000 {
                push(&mut queues, stream, 10);
                taken(&mut queues, 3);
            }
            let kept = queues.ahead.len() + queues.queues.len() + queues.order.len() + queues.homes.len();
            assert!(kept < 60, "{scheduler:?}: {kept}");
        }
    }

    #[test]
    fn a_message_is_given_up_whole_or_in_the_middle() {
        let mut queues = queues(StreamScheduler::RoundRobin, true, &[(1, 250), (1, 30), (2, 40)]);
        let given_up = |queues: &mut StreamQueues, number| {
            queues.give_up(number).map(|(rest, was_begun)| (rest.payload.len(), was_begun))
        };
        assert_eq!(given_up(&mut queues, 1), Some((30, false)));
        assert_eq!(given_up(&mut queues, 1), None);
        assert_eq!(taken(&mut queues, 1), [(1, 100)]);
        assert_eq!(given_up(&mut queues, 0), Some((150, true)));
        assert_eq!((queues.count(), queues.bytes()), (1, ByteCount::new(40)));
        assert_eq!(taken(&mut queues, 9), [(2, 40)]);
        assert_eq!(given_up(&mut queues, 2), None, "it was taken");
    }
}
