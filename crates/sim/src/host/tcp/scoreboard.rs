//! The segments that left on a subflow and are not yet acknowledged, and what is known of each: whether it arrived,
//! whether it is taken for lost, whether it is in flight (RFC 6675 §3, §4).

use std::collections::VecDeque;

use anabranch_base::{ByteCount, Time};

use super::position::Position;
use super::segment::{Blocks, DataSegment};

/// The outstanding segments of a subflow.
#[derive(Clone, Debug, Default)]
pub(super) struct Scoreboard {
    /// In order, without gaps.
    segments: VecDeque<SentSegment>,
    unacknowledged: Position,
    next: Position,
    /// The bytes in flight: RFC 6675's pipe.
    in_flight: ByteCount,
    /// Segments that are lost and not in flight again.
    waiting: usize,
    /// Below it none waits.
    waiting_from: Position,
    /// The starts of the three highest segments that arrived, the highest first.
    highest: [Option<Position>; MISSING_REPORTS],
    /// Below it all that has not arrived is marked as lost.
    examined: Position,
}

/// A segment that left.
#[derive(Clone, Copy, Debug)]
struct SentSegment {
    segment: DataSegment,
    /// When it left last.
    sent: Time,
    fate: Fate,
    /// True if it left more than once.
    is_repeated: bool,
}

/// The state of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    InFlight,
    /// A block has it.
    Arrived,
    /// It is taken for lost, and waits.
    Lost,
    /// It was taken for lost and left again.
    Repaired,
}

/// The news of an acknowledgement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct News {
    /// Data below the cumulative acknowledgement that were not before.
    pub acknowledged: ByteCount,
    /// Data that a block reports for the first time.
    pub reported: ByteCount,
    /// When a segment left that can time the round trip.
    pub timed: Option<Time>,
}

impl Scoreboard {
    /// New data leave.
    pub(super) fn push(&mut self, now: Time, data: Position, size: ByteCount, given: Time) -> DataSegment {
        let segment = DataSegment { start: self.next, data, size, given };
        self.segments.push_back(SentSegment { segment, sent: now, fate: Fate::InFlight, is_repeated: false });
        self.next = self.next + size;
        self.in_flight += size;
        segment
    }

    /// An acknowledgement arrived.
    pub(crate) fn on_acknowledgement(&mut self, next: Position, blocks: &Blocks) -> News {
        let mut news = News::default();
        self.acknowledge(next.min(self.next), &mut news);
        for range in blocks.ranges() {
            self.report(range.start.max(self.unacknowledged), range.end, &mut news);
        }
        news
    }

    /// Marks as lost what has not arrived although three segments beyond it did (RFC 6675 §4, `IsLost`), and says how
    /// many segments that are.
    pub(crate) fn mark_missing(&mut self) -> u64 {
        let Some(third) = self.highest[MISSING_REPORTS - 1] else { return 0 };
        if third <= self.examined {
            return 0;
        }
        let (from, to) = (self.index(self.examined), self.index(third));
        self.examined = third;
        (from..to).map(|index| u64::from(self.mark(index))).sum()
    }

    /// Marks the first segment as lost, even if it left again already.
    pub(crate) fn mark_first(&mut self) -> bool {
        !self.segments.is_empty() && self.mark(0)
    }

    /// Marks all that has not arrived as lost.
    pub(crate) fn mark_all(&mut self) {
        for index in 0..self.segments.len() {
            self.mark(index);
        }
        self.examined = self.next;
    }

    /// Sends the first lost segment again.
    pub(super) fn repair(&mut self, now: Time) -> Option<DataSegment> {
        if self.waiting == 0 {
            return None;
        }
        let from = self.index(self.waiting_from);
        let lost = (from..self.segments.len()).find(|index| self.segments[*index].fate == Fate::Lost)?;
        Some(self.send_again(now, lost))
    }

    /// Sends the first segment again that has not arrived although one beyond it did, and that is not in repair (RFC
    /// 6675 §4, `NextSeg` rule 3).
    pub(crate) fn repair_early(&mut self, now: Time) -> Option<DataSegment> {
        let highest = self.highest[0].filter(|highest| *highest > self.unacknowledged)?;
        let to = self.index(highest);
        let open = (0..to).find(|index| self.segments[*index].fate == Fate::InFlight)?;
        self.in_flight -= self.segments[open].segment.size;
        self.waiting += 1;
        Some(self.send_again(now, open))
    }

    /// Returns true if a lost segment waits to be sent again.
    pub(super) fn waits(&self) -> bool {
        self.waiting > 0
    }

    /// The first segment that is not acknowledged.
    pub(super) fn first(&self) -> Option<DataSegment> {
        self.segments.front().map(|sent| sent.segment)
    }

    /// Returns true if everything is acknowledged.
    pub(super) fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// The bytes in flight.
    pub(super) fn in_flight(&self) -> ByteCount {
        self.in_flight
    }

    /// The unacknowledged bytes.
    pub(super) fn outstanding(&self) -> ByteCount {
        self.next.since(self.unacknowledged)
    }

    /// The first byte that is not acknowledged.
    pub(super) fn unacknowledged(&self) -> Position {
        self.unacknowledged
    }

    /// The first byte that has not left.
    pub(super) fn next(&self) -> Position {
        self.next
    }

    /// Takes out what is acknowledged. A segment times the round trip if all that is acknowledged with it left once and
    /// was not reported before (RFC 6298 §3): the first, so that the delay of the acknowledgement counts.
    fn acknowledge(&mut self, next: Position, news: &mut News) {
        if next <= self.unacknowledged {
            return;
        }
        let mut is_timed = true;
        while let Some(sent) = self.segments.pop_front_if(|sent| sent.segment.start < next) {
            news.acknowledged += sent.segment.size;
            match sent.fate {
                Fate::InFlight | Fate::Repaired => self.in_flight -= sent.segment.size,
                Fate::Lost => self.waiting -= 1,
                Fate::Arrived => {}
            }
            is_timed &= !sent.is_repeated && sent.fate != Fate::Arrived;
            news.timed.get_or_insert(sent.sent);
        }
        news.timed = news.timed.filter(|_| is_timed);
        self.unacknowledged = next;
    }

    /// A block reports what arrived from `start` to `end`.
    fn report(&mut self, start: Position, end: Position, news: &mut News) {
        if start >= end {
            return;
        }
        for index in self.index(start)..self.segments.len() {
            let SentSegment { segment, sent, fate, is_repeated } = self.segments[index];
            if segment.start >= end {
                break;
            }
            match fate {
                Fate::Arrived => continue,
                Fate::InFlight | Fate::Repaired => self.in_flight -= segment.size,
                Fate::Lost => self.waiting -= 1,
            }
            self.segments[index].fate = Fate::Arrived;
            news.reported += segment.size;
            if !is_repeated {
                news.timed = Some(sent);
            }
            self.rank(segment.start);
        }
    }

    /// Keeps the three highest segments that arrived.
    fn rank(&mut self, start: Position) {
        let mut start = Some(start);
        for place in &mut self.highest {
            if start > *place {
                std::mem::swap(&mut start, place);
            }
        }
    }

    fn mark(&mut self, index: usize) -> bool {
        let sent = &mut self.segments[index];
        if !matches!(sent.fate, Fate::InFlight | Fate::Repaired) {
            return false;
        }
        sent.fate = Fate::Lost;
        self.in_flight -= sent.segment.size;
        self.waiting_from = match self.waiting {
            0 => sent.segment.start,
            _ => self.waiting_from.min(sent.segment.start),
        };
        self.waiting += 1;
        true
    }

    fn send_again(&mut self, now: Time, index: usize) -> DataSegment {
        let sent = &mut self.segments[index];
        (sent.fate, sent.sent, sent.is_repeated) = (Fate::Repaired, now, true);
        self.waiting -= 1;
        self.waiting_from = self.waiting_from.max(sent.segment.start);
        self.in_flight += sent.segment.size;
        sent.segment
    }

    /// The index of the first segment that begins at `position` or later.
    fn index(&self, position: Position) -> usize {
        self.segments.partition_point(|sent| sent.segment.start < position)
    }
}

/// The number of segments beyond a lost one have to arrive before it that is taken for lost.
pub(super) const MISSING_REPORTS: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch_base::Duration;

    /// Segments of 10 bytes, each a millisecond after the one before.
    fn board(count: u64) -> Scoreboard {
        let mut board = Scoreboard::default();
        for number in 0..count {
            board.push(at(number), Position::after(10 * number), ByteCount::new(10), at(number));
        }
        board
    }

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    fn acknowledge(board: &mut Scoreboard, next: u64, blocks: &[(u64, u64)]) -> News {
        let position = |number: &u64| Position::after(10 * number);
        let ranges: Vec<_> = blocks.iter().map(|(from, to)| position(from)..position(to)).collect();
        board.on_acknowledgement(position(&next), &Blocks::of(&ranges))
    }

    fn number(segment: DataSegment) -> u64 {
        segment.start.get() / 10
    }

    #[test]
    fn a_segment_is_lost_when_three_beyond_it_arrived() {
        let mut board = board(8);
        acknowledge(&mut board, 1, &[(3, 4)]);
        acknowledge(&mut board, 1, &[(3, 5)]);
        assert_eq!(board.mark_missing(), 0);
        acknowledge(&mut board, 1, &[(3, 6)]);
        assert_eq!(board.mark_missing(), 2);
        assert_eq!(board.in_flight().get(), 20);
        assert_eq!(
            [board.repair(at(9)), board.repair(at(9))].map(|sent| sent.map(number)),
            [Some(1), Some(2)]
        );
        assert_eq!((board.repair(at(9)), board.in_flight().get()), (None, 40));
        assert_eq!(board.mark_missing(), 0, "a repaired segment is not marked again");
    }

    #[test]
    fn the_round_trip_is_not_timed_by_what_left_twice_or_was_reported_before() {
        let mut board = board(8);
        assert_eq!(acknowledge(&mut board, 2, &[]).timed, Some(at(0)));
        assert_eq!(acknowledge(&mut board, 2, &[(3, 6)]).timed, Some(at(5)));
        board.mark_missing();
        board.repair(at(20));
        assert_eq!(acknowledge(&mut board, 6, &[]).timed, None);
        assert_eq!(acknowledge(&mut board, 8, &[]).timed, Some(at(6)));
        assert!(board.is_empty() && board.in_flight().is_zero());
    }

    #[test]
    fn after_a_time_out_all_that_has_not_arrived_waits_in_order() {
        let mut board = board(5);
        acknowledge(&mut board, 0, &[(2, 3)]);
        board.mark_all();
        assert_eq!(board.in_flight(), ByteCount::ZERO);
        let again: Vec<u64> = std::iter::from_fn(|| board.repair(at(9)).map(number)).collect();
        assert_eq!(again, [0, 1, 3, 4]);
        let news = acknowledge(&mut board, 9, &[]);
        assert_eq!((news.acknowledged.get(), board.outstanding().get()), (50, 0), "no more than left");
    }

    #[test]
    fn a_hole_below_what_arrived_may_be_repaired_early_once() {
        let mut board = board(5);
        acknowledge(&mut board, 1, &[(3, 4)]);
        let again: Vec<u64> = std::iter::from_fn(|| board.repair_early(at(9)).map(number)).collect();
        assert_eq!((again, board.in_flight().get()), (vec![1, 2], 30));
    }
}
