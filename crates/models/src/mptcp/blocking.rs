//! The probability that a subflow may send although packets of the others wait in the shared receive buffer (LIU §5).

use super::window::SubflowWindow;
use super::{Subflow, all_but};

/// Which reading of LIU's equations (35) and (37) is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Blocking {
    /// A subflow sends while none of the others blocks it, each independently (L-7), and the buffer fills with the
    /// other flows' own windows (L-6).
    #[default]
    Adopted,
    /// (37) as printed: a subflow is blocked if exactly one other blocks it, so that two that certainly do leave it
    /// free.
    PrintedCombination,
    /// And (35) as printed: the buffer fills as if every flow had the blocked one's window.
    PrintedCombinationAndShare,
}

/// The values of a connection that decide on blocking.
pub(super) struct BlockingInputs<'a> {
    pub(super) subflows: &'a [Subflow],
    pub(super) windows: &'a [SubflowWindow],
    /// k of each: how long another takes to repair its time-out, in seconds.
    pub(super) repairs: &'a [f64],
    /// The receive buffer, in packets.
    pub(super) buffer: f64,
}

impl BlockingInputs<'_> {
    /// P(j, ∗) of each subflow: the probability that nothing blocks it.
    pub(super) fn unblocked(&self, rule: Blocking) -> Vec<f64> {
        let (count, loads) = (self.subflows.len(), self.loads());
        let unblocked = |blocked| {
            let rounds = self.rounds(rule, blocked, &loads);
            let others = (0..count).filter(|other| *other != blocked);
            let by_each: Vec<f64> = others.map(|by| self.unblocked_by(blocked, by, rounds[by])).collect();
            combine(rule, &by_each)
        };
        (0..count).map(unblocked).collect()
    }

    /// For each subflow, how many packets per second all others send together.
    fn loads(&self) -> Vec<f64> {
        let rates = self.subflows.iter().zip(self.windows);
        let rates: Vec<f64> = rates.map(|(subflow, window)| window.mean / subflow.round_trip).collect();
        all_but::sums(&rates)
    }

    /// r for each subflow that stops: in how many round trips of `blocked` all the rest fill the buffer (LIU (35)).
    fn rounds(&self, rule: Blocking, blocked: usize, loads: &[f64]) -> Vec<f64> {
        let round_trip = self.subflows[blocked].round_trip;
        match rule {
            Blocking::Adopted | Blocking::PrintedCombination => {
                loads.iter().map(|load| self.buffer / (round_trip * load)).collect()
            }
            Blocking::PrintedCombinationAndShare => {
                let inverse: Vec<f64> =
                    self.subflows.iter().map(|subflow| 1.0 / subflow.round_trip).collect();
                let window = self.windows[blocked].mean;
                let load = all_but::sums(&inverse).into_iter().map(|inverse| window * inverse);
                load.map(|load| self.buffer / (round_trip * load)).collect()
            }
        }
    }

    /// P(j, i): the probability that subflow `by`, which loses a packet or not, does not stop subflow `blocked`, when all
    /// but `by` fill the buffer in `rounds` of that one's round trips.
    fn unblocked_by(&self, blocked: usize, by: usize, rounds: f64) -> f64 {
        let Subflow { loss, round_trip: slow, timeout } = self.subflows[by];
        let round_trip = self.subflows[blocked].round_trip;
        let timeouts = self.windows[by].timeout_probability();
        let ratio = slow / round_trip;

        let without_loss = (2.0 * rounds / ratio).min(1.0);
        let after_fast_retransmit = (2.0 * rounds / (3.0 * ratio)).min(1.0);
        let after_timeout = (rounds * round_trip / (timeout + self.repairs[by])).min(1.0);
        (1.0 - loss) * without_loss
            + loss * (1.0 - timeouts) * after_fast_retransmit
            + loss * timeouts * after_timeout
    }
}

/// The probability that no other subflow blocks, from the probability for each.
fn combine(rule: Blocking, by_each: &[f64]) -> f64 {
    match rule {
        Blocking::Adopted => by_each.iter().product(),
        Blocking::PrintedCombination | Blocking::PrintedCombinationAndShare => {
            let only = by_each.iter().zip(all_but::products(by_each));
            let exactly_one: f64 = only.map(|(by, by_others)| (1.0 - by) * by_others).sum();
            (1.0 - exactly_one).max(0.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_that_certainly_block_leave_nothing_but_as_printed() {
        assert_eq!(combine(Blocking::Adopted, &[0.0, 0.0]), 0.0);
        assert_eq!(combine(Blocking::PrintedCombination, &[0.0, 0.0]), 1.0);
    }

    #[test]
    fn one_other_is_read_alike_by_both() {
        for by in [0.0, 0.25, 1.0] {
            assert_eq!(combine(Blocking::Adopted, &[by]), combine(Blocking::PrintedCombination, &[by]));
        }
    }
}
