//! The JSON document of a sweep.

use anabranch_lab::sweep::Axis;
use anabranch_observe::{Body, resolved};
use serde_json::{Map, Value, json};

use super::Swept;
use crate::arguments::Timing;

/// The document of a sweep, with the place of its table. The settings are those of the first point.
pub(super) fn swept(swept: &Swept, timing: Timing) -> Body {
    let files: Vec<String> = swept.written.files.iter().map(|file| file.display().to_string()).collect();
    let document = json!({
        "title": swept.scenario.title,
        "seed": swept.seed,
        "axes": swept.axes.iter().map(axis).collect::<Vec<_>>(),
        "points": swept.points,
        "runs": swept.written.rows,
        "expected_runs": swept.progress.expected,
        "reused_runs": swept.progress.reused,
        "files": files,
        "warnings": swept.warnings(),
    });
    let wall = timing.timing.then(|| ("wall_s", json!(swept.wall.as_secs_f64())));
    Body::of(&with(document, wall.into_iter().chain([("resolved", resolved(&swept.scenario))])))
}

/// An axis with its values as they were given.
pub(super) fn axis(axis: &Axis) -> Value {
    json!({ "key": axis.key(), "values": axis.values() })
}

/// A document with more keys behind its own.
pub(super) fn with<'k>(document: Value, more: impl IntoIterator<Item = (&'k str, Value)>) -> Value {
    let mut keys = match document {
        Value::Object(keys) => keys,
        _ => Map::new(),
    };
    keys.extend(more.into_iter().map(|(key, value)| (key.to_owned(), value)));
    Value::Object(keys)
}
