//! The Markov model's pass against the chain state by state, and against what must hold of it.

mod dense;
mod laws;
mod stationary;

use anabranch_models::{Halving, Markov, PathParameters, RoundLoss, TimeoutBounds};

/// Every choice of losses and halving.
const MODELS: [Markov; 4] = [
    Markov { loss: RoundLoss::Independent, halving: Halving::Ceil },
    Markov { loss: RoundLoss::Independent, halving: Halving::Floor },
    Markov { loss: RoundLoss::Correlated, halving: Halving::Ceil },
    Markov { loss: RoundLoss::Correlated, halving: Halving::Floor },
];

/// 21 Mbit/s and 40 ms.
fn path(loss: f64) -> PathParameters {
    PathParameters { rate: 1750.0, delay: 0.04, loss, timeout: TimeoutBounds::WALLACE_SHAMI }
}

fn error(ours: f64, theirs: f64) -> f64 {
    if ours == theirs { 0.0 } else { (ours - theirs).abs() / theirs.abs() }
}
