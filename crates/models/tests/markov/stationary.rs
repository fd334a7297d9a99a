//! The stationary law against the chain state by state and against the pass.

use std::collections::BTreeMap;

use anabranch_models::markov::Stationary;
use anabranch_models::markov::dense::{Chain, ChainState};
use anabranch_models::{Markov, ModelError, TimeoutBounds};

use crate::{MODELS, error, path};

const LOSSES: [f64; 7] = [1e-6, 1e-4, 1e-2, 0.1, 0.3, 0.6, 0.9];

/// Both ways add only positive terms.
const TOLERANCE: f64 = 1e-12;

/// A window with a smaller share may be left out, and is not compared.
const NEVER: f64 = 1e-16;

#[test]
fn windows_and_backoff_states_are_as_frequent_as_in_the_chain_state_by_state() -> Result<(), ModelError> {
    let mut compared = 0;
    for markov in MODELS {
        for loss in LOSSES {
            for limit in [1, 2, 3, 4, 5, 8, 13, 16, 31, 40, 64] {
                compared += compare(&markov, loss, limit)?;
            }
        }
    }
    assert!(compared > 5_000, "{compared}");
    Ok(())
}

fn compare(markov: &Markov, loss: f64, limit: u32) -> Result<u32, ModelError> {
    let path = path(loss);
    let chain = Chain::new(markov, &path, limit)?;
    let ours = markov.stationary(&path, limit)?;
    let (mut windows, mut backoff) = (BTreeMap::new(), vec![0.0; ours.backoff.len()]);
    for (state, probability) in chain.states().iter().zip(chain.stationary()) {
        *windows.entry(state.window()).or_insert(0.0) += probability;
        match state {
            ChainState::FirstBackoff { .. } => backoff[0] += probability,
            ChainState::Backoff { timeouts } => backoff[*timeouts as usize - 1] += probability,
            _ => {}
        }
    }
    let mut compared = 0;
    let mut check = |ours: f64, theirs: f64, what: &str| {
        assert!(error(ours, theirs) < TOLERANCE, "{markov:?} {loss} {limit} {what}: {ours:e} for {theirs:e}");
        compared += 1;
    };
    for (window, share) in &ours.windows {
        let theirs = windows.remove(window).unwrap_or(0.0);
        if theirs > NEVER {
            check(share.probability, theirs, &format!("window {window}"));
        }
    }
    assert!(windows.values().all(|left_out| *left_out < NEVER), "{windows:?}");
    for (k, (ours, theirs)) in ours.backoff.iter().zip(&backoff).enumerate() {
        check(ours.probability, *theirs, &format!("back-off {}", k + 1));
    }
    Ok(compared)
}

/// Shares of rounds, of time, and the mean window over time.
fn sums(law: &Stationary) -> [f64; 3] {
    law.windows.iter().fold([0.0; 3], |[rounds, time, window], (size, share)| {
        [rounds + share.probability, time + share.time, window + f64::from(*size) * share.time]
    })
}

#[test]
fn the_law_sums_to_one_and_gives_the_rates_of_the_pass() -> Result<(), ModelError> {
    for markov in MODELS {
        for loss in [0.0, 1e-6, 1e-5, 1e-3, 0.03, 0.2, 0.5, 0.9, 0.999_999, 1.0] {
            for limit in [1, 2, 7, 64, 300, 1000, 5000] {
                let mut path = path(loss);
                path.timeout = TimeoutBounds { min: 0.1, max: 7.0 };
                let (law, rates) = (markov.stationary(&path, limit)?, markov.rates(&path, limit)?);
                let [rounds, time, window] = sums(&law);
                assert!(
                    (rounds - 1.0).abs() < 1e-12 && (time - 1.0).abs() < 1e-12,
                    "{markov:?} {loss} {limit}"
                );
                let eta = law.delivered / law.seconds;
                assert!(error(eta, rates.delivered) < 1e-10, "{markov:?} {loss} {limit}: {eta}, {rates:?}");
                assert!(
                    error(window, rates.window) < 1e-10,
                    "{markov:?} {loss} {limit}: {window}, {rates:?}"
                );
            }
        }
    }
    Ok(())
}

#[test]
fn a_law_of_too_many_windows_is_refused() -> Result<(), ModelError> {
    let refused = MODELS[0].stationary(&path(1e-8), 100_000).expect_err("there are too many windows");
    assert_eq!(refused, ModelError::TooLarge { limit: 100_000, largest: 16_384 });
    assert!(MODELS[0].stationary(&path(1e-4), u32::MAX)?.windows.len() < 1100);
    Ok(())
}
