//! The pass against the chain state by state.

use anabranch_models::markov::dense::{Chain, ChainState};
use anabranch_models::{ModelError, Rates, TimeoutBounds};

use crate::{MODELS, error, path};

const LOSSES: [f64; 9] = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.3, 0.6, 0.9];

/// Neither way subtracts, so that both keep about as many digits as their longest sums allow.
const TOLERANCE: f64 = 1e-12;

fn limits() -> impl Iterator<Item = u32> {
    (1..=16).chain([24, 32, 48, 64])
}

fn columns(rates: &Rates) -> [f64; 5] {
    [rates.delivered, rates.sent, rates.timeouts, rates.fast_retransmits, rates.window]
}

#[test]
fn one_pass_gives_the_rates_of_the_chain_solved_state_by_state() -> Result<(), ModelError> {
    let mut worst = [0.0_f64; 5];
    for markov in MODELS {
        for (number, loss) in LOSSES.into_iter().enumerate() {
            let mut path = path(loss);
            path.timeout =
                [TimeoutBounds::WALLACE_SHAMI, TimeoutBounds { min: 0.2, max: 0.15e2 }][number % 2];
            let curve = markov.rates_curve(&path, 64)?;
            for limit in limits() {
                let theirs = columns(&Chain::new(&markov, &path, limit)?.rates()?);
                let ours = columns(&curve[limit as usize - 1]);
                for column in 0..5 {
                    let error = error(ours[column], theirs[column]);
                    worst[column] = worst[column].max(error);
                    let [ours, theirs] = [ours[column], theirs[column]];
                    assert!(
                        error < TOLERANCE,
                        "{markov:?} {loss} {limit}, column {column}: {ours:e}, {theirs:e}"
                    );
                }
            }
        }
    }
    println!("the columns are off by at most {worst:?}");
    Ok(())
}

#[test]
fn the_ways_out_of_every_state_have_probabilities_that_sum_to_one() -> Result<(), ModelError> {
    for markov in MODELS {
        for loss in LOSSES {
            let chain = Chain::new(&markov, &path(loss), 64)?;
            for state in chain.states() {
                let sum: f64 = chain.moves(*state).iter().map(|step| step.probability).sum();
                assert!((sum - 1.0).abs() < 1e-14, "{markov:?} {loss} {state:?}: {sum}");
            }
        }
    }
    Ok(())
}

#[test]
fn a_limit_of_120_packets_has_7284_states() -> Result<(), ModelError> {
    let chain = Chain::new(&MODELS[0], &path(1e-3), 120)?;
    assert_eq!(chain.states().len(), 7284);
    let count = |wanted: fn(&ChainState) -> bool| chain.states().iter().filter(|state| wanted(state)).count();
    assert_eq!(
        count(|state| matches!(state, ChainState::Full { .. } | ChainState::AfterLoss { .. })),
        120 * 121 / 2 - 1
    );
    assert_eq!(count(|state| matches!(state, ChainState::SlowStart { .. })), 10);
    assert_eq!(count(|state| matches!(state, ChainState::FirstBackoff { .. })), 6);
    assert_eq!(count(|state| matches!(state, ChainState::Backoff { .. })), 9);
    Ok(())
}

#[test]
fn a_chain_too_large_for_a_matrix_is_refused() {
    let refused = Chain::new(&MODELS[0], &path(1e-3), 129).expect_err("it is too large");
    assert_eq!(refused, ModelError::TooLarge { limit: 129, largest: 128 });
    assert!(Chain::new(&MODELS[0], &path(0.0), 12).is_err());
    assert!(Chain::new(&MODELS[0], &path(1.0), 12).is_err());
}
