//! The JSON document of a comparison.

use anabranch_base::Duration;
use anabranch_observe::Body;
use serde_json::{Value, json};

use super::real::Attempt;
use super::{AggregationGain, ComparisonRow, NOISE};
use crate::scenario::{Loaded, resolved};

/// The document of a comparison.
pub(super) fn comparison(loaded: &Loaded, rows: &[ComparisonRow]) -> Body {
    let predicted = AggregationGain::of(rows, ComparisonRow::predicted_bps);
    let simulated = AggregationGain::of(rows, |row| Some(row.simulated_bps()));
    let real = AggregationGain::of(rows, |row| row.real().map(|real| real.goodput_bps));
    let body = json!({
        "title": loaded.scenario.title,
        "rows": rows.iter().map(row).collect::<Vec<_>>(),
        "verdict": { "predicted": predicted.as_ref().map(gain_of), "sim": simulated.as_ref().map(gain_of), "real": real.as_ref().map(gain_of) },
        "resolved": resolved(loaded),
    });
    Body::of(&body).about(loaded.sha256.clone())
}

fn row(row: &ComparisonRow) -> Value {
    json!({
        "name": row.variant.name,
        "paths": row.variant.paths().collect::<Vec<_>>(),
        "predicted": {
            "model": "markov",
            "goodput_bps": row.predicted_bps(),
            "skipped": row.predicted.as_ref().err(),
        },
        "sim": {
            "goodput_bps": row.simulated_bps(),
            "n": row.simulated.goodput_bps.n,
            "sd": row.simulated.goodput_bps.sd,
            "by_chance": row.chance(),
            "noise_s": NOISE.as_secs_f64(),
            "completion_s": row.simulated.completion_s.map(|took| took.mean),
        },
        "real": row.real().map(attempt),
        "difference": row.difference(),
        "attempts": row.attempts.iter().map(attempt).collect::<Vec<_>>(),
    })
}

fn attempt(attempt: &Attempt) -> Value {
    let timing = attempt.timing();
    json!({
        "goodput_bps": attempt.goodput_bps,
        "completion_s": attempt.completion.map(Duration::as_secs_f64),
        "delivered_bytes": attempt.delivered.get(),
        "void": attempt.is_void(),
        "timing_error_s": {
            "p50": timing.p50.as_secs_f64(),
            "p99": timing.p99.as_secs_f64(),
            "max": timing.max.as_secs_f64(),
        },
    })
}

fn gain_of(gain: &AggregationGain) -> Value {
    json!({
        "best_alone_bps": gain.best_alone_bps,
        "sum_alone_bps": gain.sum_alone_bps,
        "share_of_sum": gain.share_of_sum(),
    })
}
