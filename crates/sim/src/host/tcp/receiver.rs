//! The receiving half of a subflow: what has arrived, and when to acknowledge it (RFC 9293 §3.8.6.3, RFC 5681 §4.2,
//! RFC 2018).

use std::ops::Range;

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_scenario::model::TcpRecovery;

use super::position::Position;
use super::segment::Blocks;

/// The receiver of a subflow.
#[derive(Clone, Debug)]
pub(super) struct SubflowReceiver {
    next: Position,
    /// The ranges beyond `next`, the latest first.
    beyond: Vec<Range<Position>>,
    every: u64,
    /// True if acknowledgements tell what arrived beyond a gap.
    has_blocks: bool,
    /// Segments that arrived in order since the last acknowledgement.
    unacknowledged: u64,
    /// Until when an acknowledgement may wait.
    due: Option<Time>,
    is_owed: bool,
}

impl SubflowReceiver {
    /// A receiver that acknowledges every `every`-th segment, by selective acknowledgements or without.
    pub(super) fn new(every: u64, recovery: TcpRecovery) -> SubflowReceiver {
        SubflowReceiver {
            next: Position::START,
            beyond: Vec::new(),
            every,
            has_blocks: recovery == TcpRecovery::Sack,
            unacknowledged: 0,
            due: None,
            is_owed: false,
        }
    }

    /// A segment arrived. Data out of order, or data that fills a gap, is acknowledged at once (RFC 5681 §4.2).
    pub(crate) fn handle_data(&mut self, now: Time, start: Position, size: ByteCount) {
        let range = start..start + size;
        if range.start > self.next || range.end <= self.next {
            self.is_owed = true;
            if range.start > self.next {
                self.hold(range);
            }
            return;
        }
        self.next = range.end;
        self.is_owed |= !self.beyond.is_empty();
        self.advance();
        self.unacknowledged += 1;
        if self.unacknowledged >= self.every {
            self.is_owed = true;
        } else if self.due.is_none() {
            self.due = Some(now + LONGEST_DELAY);
        }
    }

    /// An acknowledgement has waited long enough.
    pub(super) fn handle_timeout(&mut self, now: Time) {
        self.is_owed |= self.due.is_some_and(|due| due <= now);
    }

    /// The acknowledgement to send now: what is expected next, and what arrived beyond.
    pub(crate) fn take_acknowledgement(&mut self) -> Option<(Position, Blocks)> {
        if !self.is_owed {
            return None;
        }
        (self.is_owed, self.due, self.unacknowledged) = (false, None, 0);
        let beyond = if self.has_blocks { &self.beyond[..] } else { &[] };
        Some((self.next, Blocks::of(beyond)))
    }

    /// When the acknowledgement that waits is to be sent.
    pub(super) fn due(&self) -> Option<Time> {
        self.due
    }

    /// The next expected position.
    pub(super) fn next(&self) -> Position {
        self.next
    }

    /// Joins `range` with those that it touches, and puts it in front.
    fn hold(&mut self, mut range: Range<Position>) {
        self.beyond.retain(|other| {
            let touches = other.start <= range.end && range.start <= other.end;
            if touches {
                range = range.start.min(other.start)..range.end.max(other.end);
            }
            !touches
        });
        self.beyond.insert(0, range);
    }

    /// Moves on over what arrived earlier.
    fn advance(&mut self) {
        while let Some(at) = self.beyond.iter().position(|range| range.start <= self.next) {
            self.next = self.next.max(self.beyond.remove(at).end);
        }
    }
}

/// The time an acknowledgement waits at most.
const LONGEST_DELAY: Duration = Duration::from_millis(200);

#[cfg(test)]
mod tests {
    use super::*;

    fn position(segment: u64) -> Position {
        Position::after(segment * 100)
    }

    /// The next expected segment, and the blocks, by the numbers of segments.
    type Acknowledged = (u64, Vec<(u64, u64)>);

    /// The acknowledgement after each of these segments of 100 bytes.
    fn after(every: u64, segments: &[u64]) -> Vec<Option<Acknowledged>> {
        let mut receiver = SubflowReceiver::new(every, TcpRecovery::Sack);
        let number = |position: Position| position.get() / 100;
        let of = |blocks: &Blocks| -> Vec<(u64, u64)> {
            blocks.ranges().iter().map(|range| (number(range.start), number(range.end))).collect()
        };
        segments
            .iter()
            .map(|segment| {
                receiver.handle_data(Time::ZERO, position(*segment), ByteCount::new(100));
                receiver.take_acknowledgement().map(|(next, blocks)| (number(next), of(&blocks)))
            })
            .collect()
    }

    #[test]
    fn every_second_segment_in_order_is_acknowledged() {
        assert_eq!(after(2, &[0, 1, 2, 3]), [None, Some((2, vec![])), None, Some((4, vec![]))]);
    }

    #[test]
    fn segments_out_of_order_are_acknowledged_at_once_the_newest_block_first() {
        let acknowledged = after(2, &[0, 2, 4, 6, 8, 3, 1]);
        assert_eq!(acknowledged[1], Some((1, vec![(2, 3)])));
        assert_eq!(acknowledged[3], Some((1, vec![(6, 7), (4, 5), (2, 3)])));
        assert_eq!(acknowledged[4], Some((1, vec![(8, 9), (6, 7), (4, 5)])));
        assert_eq!(acknowledged[5], Some((1, vec![(2, 5), (8, 9), (6, 7)])));
        assert_eq!(acknowledged[6], Some((5, vec![(8, 9), (6, 7)])), "it fills a gap");
    }

    #[test]
    fn a_segment_that_arrives_again_is_acknowledged_again() {
        assert_eq!(after(2, &[0, 1, 0])[2], Some((2, vec![])));
    }

    #[test]
    fn a_single_segment_waits_200_ms() {
        let mut receiver = SubflowReceiver::new(2, TcpRecovery::Sack);
        receiver.handle_data(Time::ZERO, Position::START, ByteCount::new(100));
        assert_eq!(receiver.due(), Some(Time::ZERO + LONGEST_DELAY));
        receiver.handle_timeout(Time::ZERO + LONGEST_DELAY - Duration::from_nanos(1));
        assert_eq!(receiver.take_acknowledgement(), None);
        receiver.handle_timeout(Time::ZERO + LONGEST_DELAY);
        assert!(receiver.take_acknowledgement().is_some() && receiver.due().is_none());
    }
}
