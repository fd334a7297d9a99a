//! The JSON document of predictions.

use anabranch_models::RoundLoss;
use anabranch_scenario::Scenario;
use anabranch_sim::predict::{Basis, Forecast, ModelFlow, Prediction, Windows};
use serde_json::{Map, Value, json};

use crate::document::{Body, resolved};

/// The document of the models' predictions: for the first flow they apply to, and, with several flows, for each in
/// `flows`.
pub fn predictions(scenario: &Scenario, loss: RoundLoss, forecasts: &[Forecast]) -> Body {
    let mut keys = Map::new();
    keys.insert("title".to_owned(), json!(scenario.title));
    keys.insert("loss_model".to_owned(), json!(loss.name()));
    if let Some(first) = forecasts.get(ModelFlow::first_index(scenario)) {
        keys.extend(flow(first));
    }
    if forecasts.len() > 1 {
        keys.insert("flows".to_owned(), forecasts.iter().map(|one| Value::Object(flow(one))).collect());
    }
    keys.insert("resolved".to_owned(), resolved(scenario));
    Body::of(&keys)
}

fn flow(forecast: &Forecast) -> Map<String, Value> {
    let basis = forecast.basis.as_ref();
    let paths: &[String] = basis.map_or(&[], |basis: &Basis| &basis.paths);
    let mut models = Map::new();
    let mut skipped = Map::new();
    for (model, found) in &forecast.models {
        match found {
            Ok(found) => models.insert(model.name().to_owned(), prediction(paths, found)),
            Err(why) => skipped.insert(model.name().to_owned(), json!(why)),
        };
    }
    let mut keys = Map::new();
    keys.insert("flow".to_owned(), json!(forecast.flow));
    keys.insert("receive_buffer_packets".to_owned(), json!(basis.map(|basis| basis.receive_buffer)));
    keys.insert("limits_packets".to_owned(), json!(basis.and_then(|basis| basis.limits.as_ref())));
    keys.insert("limits_planned".to_owned(), json!(basis.map(|basis| basis.windows == Windows::Planned)));
    keys.insert("models".to_owned(), Value::Object(models));
    keys.insert("skipped".to_owned(), Value::Object(skipped));
    keys.insert("notes".to_owned(), json!(forecast.notes));
    keys
}

fn prediction(paths: &[String], found: &Prediction) -> Value {
    let rates = found.throughput_bps.iter().zip(&found.goodput_bps);
    let path = |(name, (throughput, goodput)): (&String, (&f64, &f64))| json!({ "name": name, "throughput_bps": throughput, "goodput_bps": goodput });
    json!({
        "total_bps": found.total_bps(),
        "goodput_bps": found.total_goodput_bps(),
        "paths": paths.iter().zip(rates).map(path).collect::<Vec<_>>(),
    })
}
