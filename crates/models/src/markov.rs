//! The Markov model of one path under a window limit (WS §4.3), solved exactly for every limit by one upward pass. This
//! file has the questions that may be asked of the chain; the modules answer them.
//!
//! | module | content |
//! |---|---|
//! | [`dense`] | the chain state by state: slow, obvious, the reference of tests |
//! | `pass` | all limits in one sweep, without a linear system |
//! | `stationary` | the law of windows and back-off states, downward |
//! | `tally`, `account` | what is counted, and what each move counts |
//! | `binomial` | independent losses of a round |
//! | `geometric` | powers of q, for correlated ones |
//! | `extremes` | a limit of one packet, no loss, nothing but loss |

mod account;
mod binomial;
pub mod dense;
mod extremes;
mod geometric;
mod pass;
mod stationary;
mod tally;

use crate::{Halving, LimitedPath, ModelError, PathParameters, RoundLoss, ThroughputModel, WindowModel};
pub use stationary::{Stationary, WindowShare};
use tally::ChainSums;

/// The Markov model of WS §4.3, with corrections W-1 to W-9 and W-18, W-19.
///
/// Throughput stays within the path's rate if Tmax is at least a round, R(c); shorter time-outs would end rounds before their
/// packets have left, which the model does not see.
///
/// # Examples
/// ```
/// use anabranch_models::{Markov, PathParameters, TimeoutBounds, WindowModel};
///
/// let path = PathParameters { rate: 1000.0, delay: 0.01, loss: 0.01, timeout: TimeoutBounds::WALLACE_SHAMI };
/// let curve = Markov::default().curve(&path, 16)?;
/// assert!((curve[15] - 854.3763).abs() < 1e-4);
/// # Ok::<(), anabranch_models::ModelError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Markov {
    /// Which packets of a round get lost.
    pub loss: RoundLoss,
    /// The window after a fast retransmit, if half of it is not a whole number (W-4).
    pub halving: Halving,
}

/// The long-run rates of a path, per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// η: packets that get through, each counted once (WS (28)).
    pub delivered: f64,
    /// Packets sent, those that get lost included.
    pub sent: f64,
    /// First time-outs: how often back-off is entered.
    pub timeouts: f64,
    /// Fast retransmits.
    pub fast_retransmits: f64,
    /// The mean over time of the window in packets, which is 1 during back-off and that of the round during the wait
    /// for a first time-out. No rate, but it comes from the same pass.
    pub window: f64,
}

impl Markov {
    /// The rates of `path` with its window limited to `limit` packets.
    ///
    /// # Errors
    /// A parameter outside its domain, or a pass that would need more than 2²⁶ stored numbers
    /// ([`ModelError::TooLarge`]): with correlated loss that is a loss probability below about 10⁻⁶ at a limit beyond
    /// about 18,000 packets.
    pub fn rates(&self, path: &PathParameters, limit: u32) -> Result<Rates, ModelError> {
        LimitedPath { path: *path, limit }.check()?;
        if let Some(rates) = extremes::rates(path, limit) {
            return rates;
        }
        let steps = pass::steps::<{ tally::ALL }>(self, path, limit)?;
        steps.last().map_or(Err(ModelError::NoWindow), ChainSums::rates)
    }

    /// The rates for the limits 1, 2, … `up_to`, from one sweep: those for limit `c` at `c − 1`.
    ///
    /// # Errors
    /// As [`Self::rates`], and more than 2²⁶ limits.
    pub fn rates_curve(&self, path: &PathParameters, up_to: u32) -> Result<Vec<Rates>, ModelError> {
        self.fill(path, up_to, |rates| rates, ChainSums::<{ tally::ALL }>::rates)
    }

    /// Computes the frequency and the mean time of each window and of each back-off state.
    ///
    /// # Errors
    /// A parameter outside its domain, and windows beyond 16,384 packets.
    pub fn stationary(&self, path: &PathParameters, limit: u32) -> Result<Stationary, ModelError> {
        LimitedPath { path: *path, limit }.check()?;
        match extremes::law(path, limit) {
            Some(law) => law.checked(),
            None => stationary::law(self, path, limit)?.checked(),
        }
    }

    /// Computes the throughput of the path with its window limited to `limit`: two of the five columns, in a third of the
    /// time.
    fn delivered(&self, path: &PathParameters, limit: u32) -> Result<f64, ModelError> {
        LimitedPath { path: *path, limit }.check()?;
        if let Some(rates) = extremes::rates(path, limit) {
            return Ok(rates?.delivered);
        }
        let steps = pass::steps::<2>(self, path, limit)?;
        steps.last().map_or(Err(ModelError::NoWindow), ChainSums::delivered_rate)
    }

    /// One value for each limit: of the extremes, of the sweep, and the last one again once windows no longer get there.
    fn fill<const N: usize, V: Copy>(
        &self,
        path: &PathParameters,
        up_to: u32,
        extreme: impl Fn(Rates) -> V,
        value: impl Fn(&ChainSums<N>) -> Result<V, ModelError>,
    ) -> Result<Vec<V>, ModelError> {
        LimitedPath { path: *path, limit: up_to }.check()?;
        if up_to > LONGEST_CURVE {
            return Err(ModelError::TooLarge { limit: up_to, largest: LONGEST_CURVE });
        }
        let mut values = (1..=up_to)
            .map_while(|limit| Some(extremes::rates(path, limit)?.map(&extreme)))
            .collect::<Result<Vec<V>, _>>()?;
        if values.len() < up_to as usize {
            values.reserve_exact(up_to as usize - values.len());
            for step in &pass::steps::<N>(self, path, up_to)? {
                values.push(value(step)?);
            }
            if let Some(&last) = values.last() {
                values.resize(up_to as usize, last);
            }
        }
        Ok(values)
    }
}

impl ThroughputModel for Markov {
    fn name(&self) -> &'static str {
        NAME
    }

    fn throughput(&self, paths: &[LimitedPath]) -> Result<Vec<f64>, ModelError> {
        if paths.is_empty() {
            return Err(ModelError::NoPath);
        }
        paths.iter().map(|limited| self.delivered(&limited.path, limited.limit)).collect()
    }
}

impl WindowModel for Markov {
    fn curve(&self, path: &PathParameters, up_to: u32) -> Result<Vec<f64>, ModelError> {
        self.fill(path, up_to, |rates| rates.delivered, ChainSums::<2>::delivered_rate)
    }
}

const NAME: &str = "markov";

/// Values of a curve: half a gigabyte of them.
const LONGEST_CURVE: u32 = 1 << 26;

/// Numbers that any table of the model may hold: half a gigabyte.
const LARGEST_TABLE: u64 = 1 << 26;
