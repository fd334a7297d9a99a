//! Throughput curves of the Markov model, for both kinds of loss.

use std::hint::black_box;

use anabranch_models::{Halving, Markov, PathParameters, RoundLoss, TimeoutBounds, WindowModel};

use crate::count;

const LOSSES: [f64; 3] = [1e-4, 1e-3, 1e-2];
const LIMITS: [u32; 3] = [87, 1_000, 5_000];

/// Computes the curve up to each limit at each loss probability.
pub(crate) fn curves() {
    let mut points = 0;
    count(&mut || {
        for loss in [RoundLoss::Independent, RoundLoss::Correlated] {
            let markov = Markov { loss, halving: Halving::Ceil };
            for (probability, limit) in LOSSES.into_iter().flat_map(|loss| LIMITS.map(|limit| (loss, limit)))
            {
                let curve = markov.curve(black_box(&path(probability)), limit).expect("a sound path");
                points += black_box(curve).len();
            }
        }
    });
    assert!(points > 0, "the curves have points");
}

/// 21 Mbit/s and 40 ms.
fn path(loss: f64) -> PathParameters {
    PathParameters { rate: 1750.0, delay: 0.04, loss, timeout: TimeoutBounds::WALLACE_SHAMI }
}
