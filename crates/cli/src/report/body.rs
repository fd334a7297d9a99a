//! What every JSON document has in common: how it begins, and where an error stands. It knows no command.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::failure::Failure;

/// What a command has to say to scripts, without the head that all documents share.
#[derive(Clone, Debug, Default)]
pub struct Body {
    scenario_sha256: Option<String>,
    keys: Map<String, Value>,
}

impl Body {
    /// The keys of `document` in its order; nothing where it is no object.
    pub fn of(document: &impl Serialize) -> Body {
        let keys = match serde_json::to_value(document) {
            Ok(Value::Object(keys)) => keys,
            _ => Map::new(),
        };
        Body { scenario_sha256: None, keys }
    }

    /// The same, about the scenario with this hash.
    pub fn about(self, scenario_sha256: String) -> Body {
        Body { scenario_sha256: Some(scenario_sha256), ..self }
    }

    /// The whole document, and what went wrong if something did.
    pub fn value(&self, failure: Option<&Failure>) -> Value {
        let program = concat!("anabranch ", env!("CARGO_PKG_VERSION"));
        let mut whole =
            Map::from_iter([("schema".to_owned(), json!(1)), ("program".to_owned(), json!(program))]);
        if let Some(hash) = &self.scenario_sha256 {
            whole.insert("scenario_sha256".to_owned(), json!(hash));
        }
        if let Some(failure) = failure {
            whole.insert("error".to_owned(), failure.document());
        }
        whole.extend(self.keys.clone());
        Value::Object(whole)
    }
}
