//! Losses that take the rest of a round (M-NET-4; WS (7)).

use std::collections::BTreeMap;
use std::ops::Range;

use anabranch_base::Time;

use super::{LossModel, PacketInfo};
use crate::random::Random;

/// After a round's first loss, all later packets of the round are lost. A packet without a round is lost
/// independently.
#[derive(Debug)]
pub(super) struct Correlated {
    probability: f64,
    lossy_rounds: BTreeMap<u64, u64>,
    random: Random,
}

impl Correlated {
    /// First losses with this `probability`.
    pub(super) fn new(probability: f64, random: Random) -> Correlated {
        Correlated { probability, lossy_rounds: BTreeMap::new(), random }
    }
}

impl LossModel for Correlated {
    fn loses(&mut self, _: Range<Time>, packet: &PacketInfo<'_>) -> bool {
        let Some(round) = packet.load.round() else { return self.random.happens(self.probability) };
        if self.lossy_rounds.get(&round.window) == Some(&round.number) {
            return true;
        }
        let begins = self.random.happens(self.probability);
        if begins {
            self.lossy_rounds.insert(round.window, round.number);
        }
        begins
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{InRound, info, random};
    use super::*;

    #[test]
    fn the_first_loss_of_a_round_takes_its_rest_and_no_other_round() {
        let mut rule = Correlated::new(0.05, random());
        let mut rounds_with_loss = 0;
        for round in 0..1_000 {
            let lost: Vec<bool> =
                (0..20).map(|_| rule.loses(Time::ZERO..Time::ZERO, &info(&InRound(round)))).collect();
            let first = lost.iter().position(|lost| *lost).unwrap_or(lost.len());
            assert!(lost[first..].iter().all(|lost| *lost), "{lost:?}");
            rounds_with_loss += usize::from(first < lost.len());
        }
        // 1 − 0.95²⁰ = 0.6415; five standard deviations of 1,000 rounds are 76.
        assert!((566..=717).contains(&rounds_with_loss), "{rounds_with_loss}");
    }
}
