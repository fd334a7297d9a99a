//! The chain state by state, with its matrix and a dense solver: slow and obvious, the reference for the upward pass.
//! It follows every rule of WS §4.3 literally.

mod elimination;
mod moves;
mod state;

use std::collections::BTreeMap;

use super::account::{Account, flight, time_at};
use super::tally::{ALL, ChainSums};
use super::{Markov, NAME, Rates, binomial};
use crate::{LimitedPath, ModelError, PathParameters, RoundLoss};
pub use moves::{Move, MoveOutcome};
pub use state::ChainState;

/// The chain of one path with one limit.
///
/// # Examples
/// ```
/// use anabranch_models::markov::dense::Chain;
/// use anabranch_models::{Markov, PathParameters, TimeoutBounds};
///
/// let path = PathParameters { rate: 1000.0, delay: 0.01, loss: 0.01, timeout: TimeoutBounds::WALLACE_SHAMI };
/// let chain = Chain::new(&Markov::default(), &path, 16)?;
/// assert!((chain.rates()?.delivered - 854.3763).abs() < 1e-4);
/// # Ok::<(), anabranch_models::ModelError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Chain {
    markov: Markov,
    path: PathParameters,
    limit: u32,
    states: Vec<ChainState>,
    /// The index of each state.
    positions: BTreeMap<ChainState, usize>,
    /// P(g|x) at x, then g.
    losses: Vec<Vec<f64>>,
}

impl Chain {
    /// The largest limit: 8,268 states and more, whose matrix takes half a gigabyte.
    pub const LARGEST: u32 = 128;

    /// The chain of `path` with its window limited to `limit` packets.
    ///
    /// # Errors
    /// A parameter outside its domain, a limit above [`Self::LARGEST`], and a loss probability of 0 or 1, where the chain
    /// never leaves one state.
    pub fn new(markov: &Markov, path: &PathParameters, limit: u32) -> Result<Chain, ModelError> {
        LimitedPath { path: *path, limit }.check()?;
        if limit > Self::LARGEST {
            return Err(ModelError::TooLarge { limit, largest: Self::LARGEST });
        }
        if path.loss == 0.0 || path.loss == 1.0 {
            let why = format!("with a loss probability of {} the chain stays in one state", path.loss);
            return Err(ModelError::Domain { model: NAME, why });
        }
        let losses = (0..=limit as usize).map(|packets| losses(markov.loss, path.loss, packets)).collect();
        let states = state::list(path, limit);
        let positions = states.iter().copied().zip(0..).collect();
        Ok(Chain { markov: *markov, path: *path, limit, states, positions, losses })
    }

    /// The states as models of WS §4.3.1 list them: windows, slow start, back-off.
    pub fn states(&self) -> &[ChainState] {
        &self.states
    }

    /// The stationary probability of each state, in the order of [`Self::states`].
    pub fn stationary(&self) -> Vec<f64> {
        let size = self.states.len();
        let mut matrix = vec![0.0; size * size];
        for (from, state) in self.states.iter().enumerate() {
            for step in self.moves(*state) {
                matrix[from * size + self.positions[&step.to]] += step.probability;
            }
        }
        elimination::stationary(matrix, size)
    }

    /// The rates: sums over all states and moves, weighted by their probabilities.
    ///
    /// # Errors
    /// Sums beyond what a double holds.
    pub fn rates(&self) -> Result<Rates, ModelError> {
        let law = self.stationary();
        let sum = self
            .states
            .iter()
            .zip(law)
            .fold(ChainSums::ZERO, |sum, (state, probability)| sum + self.counted(*state) * probability);
        sum.rates()
    }

    /// The mean cost of a visit to `state`.
    fn counted(&self, state: ChainState) -> ChainSums<ALL> {
        let packets = state.packets() as usize;
        let delivered: f64 =
            self.losses[packets].iter().enumerate().map(|(lost, p)| p * (packets - lost) as f64).sum();
        self.moves(state).iter().fold(flight(packets, delivered), |sum, step| {
            sum + self.counted_by(state, step.outcome) * step.probability
        })
    }

    fn counted_by(&self, state: ChainState, outcome: MoveOutcome) -> ChainSums<ALL> {
        let (account, window) = (Account::new(&self.path), state.window() as usize);
        match outcome {
            MoveOutcome::Round => account.round(window),
            MoveOutcome::FastRetransmit => account.fast_retransmit(window),
            MoveOutcome::Timeout => account.timeout(window),
            MoveOutcome::Wait(k) => time_at(account.backoff_seconds(k), 1),
        }
    }
}

/// P(g|x) for g = 0 … x (WS (6), (7)).
fn losses(kind: RoundLoss, loss: f64, packets: usize) -> Vec<f64> {
    match kind {
        RoundLoss::Independent => binomial::row(loss, packets),
        RoundLoss::Correlated => {
            let through = |packets: usize| libm::exp(packets as f64 * libm::log1p(-loss));
            let some = (1..=packets).map(|lost| loss * through(packets - lost));
            std::iter::once(through(packets)).chain(some).collect()
        }
    }
}
