//! The fate of the packets of a round, for the stationary law: both kinds of loss.

use crate::RoundLoss;
use crate::markov::binomial;
use crate::markov::geometric::Geometric;

/// The loss rule within a round.
#[derive(Debug)]
pub(crate) enum Rounds {
    /// Each independently, up to `most` (WS (6)).
    Independent { loss: f64, most: usize, probabilities: Vec<Vec<f64>> },
    /// The after the first lost one, too (WS (7)).
    Correlated(Geometric),
}

/// The outcomes of the rounds after a loss.
#[derive(Debug)]
pub(crate) struct LossRounds {
    pub fast_retransmits: f64,
    pub timeouts: f64,
    /// Fast retransmits with a loss: visits to L(h, h − g), at g − 1.
    pub again: Vec<f64>,
}

impl Rounds {
    pub(crate) fn new(kind: RoundLoss, loss: f64, largest: usize) -> Rounds {
        match kind {
            RoundLoss::Independent => {
                let most = binomial::most_losses(loss, largest);
                Rounds::Independent { loss, most, probabilities: binomial::columns(loss, most, largest) }
            }
            RoundLoss::Correlated => Rounds::Correlated(Geometric::new(loss, largest)),
        }
    }

    /// P(g|x).
    pub(crate) fn probability(&self, lost: usize, packets: usize) -> f64 {
        match self {
            Rounds::Independent { probabilities, .. } => {
                probabilities.get(lost).map_or(0.0, |column| column[packets])
            }
            Rounds::Correlated(powers) if lost == 0 => powers.all[packets],
            Rounds::Correlated(powers) => powers.loss * powers.all[packets - lost],
        }
    }

    /// 1 − P(0|x).
    pub(crate) fn any_lost(&self, packets: usize) -> f64 {
        match self {
            Rounds::Independent { loss, .. } => -libm::expm1(packets as f64 * libm::log1p(-loss)),
            Rounds::Correlated(powers) => powers.not_all[packets],
        }
    }

    /// 1 − P(x|x).
    pub(crate) fn not_all(&self, packets: usize) -> f64 {
        match self {
            Rounds::Independent { loss, .. } => binomial::not_all(*loss, packets),
            Rounds::Correlated(powers) => powers.through,
        }
    }

    /// The largest number of losses that is considered.
    pub(crate) fn most(&self, packets: usize) -> usize {
        match self {
            Rounds::Independent { most, .. } => packets.min(*most),
            Rounds::Correlated(_) => packets,
        }
    }

    /// The number of x packets get through on average.
    pub(crate) fn delivered(&self, packets: usize) -> f64 {
        match self {
            Rounds::Independent { loss, .. } => packets as f64 * (1.0 - loss),
            Rounds::Correlated(powers) => powers.delivered[packets],
        }
    }

    /// Returns the outcomes of the rounds of L(w, w − g), with `visits` visits at g − 1 (WS (13), (14); a lost
    /// retransmission leads to a time-out).
    pub(crate) fn after_loss(&self, window: usize, half: usize, visits: &[f64]) -> LossRounds {
        match self {
            Rounds::Independent { most, .. } => self.one_by_one(window, half, visits, *most),
            Rounds::Correlated(powers) => by_sums(powers, window, half, visits),
        }
    }

    fn one_by_one(&self, window: usize, half: usize, visits: &[f64], most: usize) -> LossRounds {
        let mut again = vec![0.0; most.min(half.saturating_sub(1))];
        let (mut fast_retransmits, mut timeouts) = (0.0, 0.0);
        for (visits, packets) in visits.iter().zip((1..window).rev()) {
            for lost in 0..=most.min(packets) {
                let flow = visits * self.probability(lost, packets);
                if packets - lost < 4 || lost >= half {
                    timeouts += flow;
                    continue;
                }
                fast_retransmits += flow;
                if lost > 0 {
                    again[lost - 1] += flow;
                }
            }
        }
        LossRounds { fast_retransmits, timeouts, again }
    }
}

/// With A(g) = Σ L(w, x) qˣ⁻ᵍ over x ≥ g + 4, by A(g) = q A(g + 1) + q⁴ L(w, g + 4): a fast retransmit with g losses has p A(g),
/// one without A(0).
fn by_sums(powers: &Geometric, window: usize, half: usize, visits: &[f64]) -> LossRounds {
    let mut again = vec![0.0; half.saturating_sub(1)];
    let (mut sum, mut fast_retransmits, mut timeouts) = (0.0, 0.0, 0.0);
    for (visits, packets) in visits.iter().zip((1..window).rev()) {
        let Some(lost) = packets.checked_sub(4) else {
            timeouts += visits;
            continue;
        };
        let repaired = lost.min(half - 1);
        timeouts += visits * powers.not_all[packets - repaired];
        sum = sum * powers.through + visits * powers.all[4];
        if lost == 0 {
            fast_retransmits += sum;
        } else if lost < half {
            again[lost - 1] = powers.loss * sum;
            fast_retransmits += powers.loss * sum;
        }
    }
    LossRounds { fast_retransmits, timeouts, again }
}
