//! JSON documents: their common head, the place of an error, and every setting of a scenario as used.

use anabranch_scenario::Scenario;
use anabranch_scenario::resolved::{ResolvedTable, ResolvedValue as Setting};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::PROGRAM;

/// The keys of a document, without the common head.
#[derive(Clone, Debug, Default)]
pub struct Body {
    scenario_sha256: Option<String>,
    keys: Map<String, Value>,
}

impl Body {
    /// The keys of `document` in its order; none if it is not an object.
    pub fn of(document: &impl Serialize) -> Body {
        let keys = match serde_json::to_value(document) {
            Ok(Value::Object(keys)) => keys,
            _ => Map::new(),
        };
        Body { scenario_sha256: None, keys }
    }

    /// Adds the hash of the scenario file.
    pub fn about(self, scenario_sha256: String) -> Body {
        Body { scenario_sha256: Some(scenario_sha256), ..self }
    }

    /// Adds a key before the last, which is `resolved` in the document of a whole result.
    pub fn with(mut self, key: &str, value: Value) -> Body {
        let place = self.keys.len().saturating_sub(1);
        self.keys.shift_insert(place, key.to_owned(), value);
        self
    }

    /// The whole document: `schema`, `program`, `scenario_sha256` and `error` where present, then the keys.
    pub fn value(&self, error: Option<Value>) -> Value {
        let mut whole =
            Map::from_iter([("schema".to_owned(), json!(1)), ("program".to_owned(), json!(PROGRAM))]);
        if let Some(hash) = &self.scenario_sha256 {
            whole.insert("scenario_sha256".to_owned(), json!(hash));
        }
        if let Some(error) = error {
            whole.insert("error".to_owned(), error);
        }
        whole.extend(self.keys.clone());
        Value::Object(whole)
    }
}

/// Every setting of a scenario as used, with the scenario file's own keys.
pub fn resolved(scenario: &Scenario) -> Value {
    settings(&scenario.resolved())
}

/// A table of settings.
pub fn settings(table: &ResolvedTable) -> Value {
    Value::Object(table.entries().map(|(key, value)| (key.to_owned(), json_of(value))).collect())
}

fn json_of(value: &Setting) -> Value {
    match value {
        Setting::Text(text) => Value::from(text.as_str()),
        Setting::Whole(number) => Value::from(*number),
        Setting::Number(number) => Value::from(*number),
        Setting::Boolean(is_so) => Value::from(*is_so),
        Setting::List(values) => Value::Array(values.iter().map(json_of).collect()),
        Setting::Table(inner) => settings(inner),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_comes_first_and_an_error_before_the_results() {
        let body = Body::of(&json!({ "title": "x" })).about("00ff".to_owned());
        let whole = body.value(Some(json!({ "kind": "interrupted" })));
        let keys: Vec<&str> = whole.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, ["schema", "program", "scenario_sha256", "error", "title"]);
        assert_eq!(whole["program"], PROGRAM);
    }

    #[test]
    fn a_key_is_added_before_the_last() {
        let keys = |body: Body| body.keys.keys().cloned().collect::<Vec<_>>();
        assert_eq!(
            keys(Body::of(&json!({ "bytes": 1, "resolved": {} })).with("n", json!(2))),
            ["bytes", "n", "resolved"]
        );
        assert_eq!(keys(Body::default().with("n", json!(2))), ["n"]);
    }

    #[test]
    fn what_is_not_an_object_has_no_keys() {
        let whole = Body::of(&7).value(None);
        assert_eq!(whole.as_object().map(Map::len), Some(2));
    }

    #[test]
    fn settings_stand_under_the_keys_of_a_scenario_file() {
        let resolved = resolved(&crate::testing::scenario());
        assert_eq!(resolved["link"][1]["name"], "lte");
        assert!(resolved["run"].is_object());
    }
}
