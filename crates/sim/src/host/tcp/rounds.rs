//! The rounds of a subflow (M-NET-4): a round begins with the first packet that leaves after a packet of the round
//! before was acknowledged.

use super::position::Position;
use super::segment::Acknowledgement;

/// The current round.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rounds {
    number: u64,
    /// The first new byte of the round.
    start: Position,
}

impl Rounds {
    /// Something was acknowledged, and `next` is the first byte that has not left.
    pub(crate) fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement, next: Position) {
        let blocks = acknowledgement.blocks.ranges().iter();
        let highest = blocks.map(|range| range.end).fold(acknowledgement.next, Position::max);
        if highest > self.start {
            self.number += 1;
            self.start = next;
        }
    }

    /// Takes everything outstanding for lost: later segments are of a new round, whose acknowledgements begin at
    /// `unacknowledged`. Otherwise a link that loses the rest of a round would never carry anything again.
    pub(super) fn on_timeout(&mut self, unacknowledged: Position) {
        self.number += 1;
        self.start = unacknowledged;
    }

    /// The number of the round.
    pub(super) fn number(&self) -> u64 {
        self.number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_ends_with_the_first_acknowledgement_of_one_of_its_packets() {
        let mut rounds = Rounds::default();
        let mut after = |acknowledged: u64, next: u64| {
            let next_expected = Position::after(acknowledged);
            let acknowledgement = Acknowledgement { next: next_expected, ..Acknowledgement::default() };
            rounds.on_acknowledgement(&acknowledgement, Position::after(next));
            rounds.number()
        };
        assert_eq!([after(1, 10), after(2, 12), after(10, 20), after(11, 21)], [1, 1, 1, 2]);
    }

    #[test]
    fn a_time_out_begins_a_round_that_the_first_acknowledgement_ends() {
        let mut rounds = Rounds::default();
        rounds.on_timeout(Position::START);
        assert_eq!(rounds.number(), 1);
        let acknowledgement = Acknowledgement { next: Position::after(1), ..Acknowledgement::default() };
        rounds.on_acknowledgement(&acknowledgement, Position::after(2));
        assert_eq!(rounds.number(), 2);
    }
}
