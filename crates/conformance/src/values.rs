//! Compares what a script expects of a call with what the call gave.

use crate::script::{Item, Value};
use crate::sockets::number;

/// True if `got` is what `expected` describes. Fields that one of both leaves open match, and so do fields that the
/// script does not name. Items without names are compared by position.
pub(crate) fn matches(expected: &Value, got: &Value) -> bool {
    match (expected, got) {
        (Value::Any, _) | (_, Value::Any) => true,
        // `[...]`: any list.
        (Value::List(all), _) if all.as_slice() == [Value::Any] => true,
        (Value::List(wanted), Value::List(found)) => {
            wanted.len() == found.len()
                && wanted.iter().zip(found).all(|(wanted, found)| matches(wanted, found))
        }
        // A number behind a pointer: `[0]`.
        (Value::List(wanted), found) if wanted.len() == 1 => matches(&wanted[0], found),
        (Value::Struct(wanted), Value::Struct(found)) => {
            wanted.iter().enumerate().all(|(at, item)| has(found, at, item))
        }
        (Value::Text(wanted), Value::Text(found)) => wanted == found,
        (Value::Name(wanted), Value::Name(found)) if wanted == found => true,
        (Value::Apply(wanted, with), Value::Apply(found, other)) if wanted == found => {
            with.len() == other.len() && with.iter().zip(other).all(|(wanted, found)| matches(wanted, found))
        }
        _ => number(expected).is_some_and(|wanted| number(got) == Some(wanted)),
    }
}

/// True if `found` has what `wanted`, the item at position `at`, describes.
fn has(found: &[Item], at: usize, wanted: &Item) -> bool {
    let same = |item: &&Item| wanted.name.is_some() && item.name == wanted.name;
    let partner = found.iter().find(same).or_else(|| found.get(at).filter(|_| wanted.name.is_none()));
    partner
        .map_or(wanted.value == Value::Any || is_length(wanted), |item| matches(&wanted.value, &item.value))
}

/// Lengths of structures differ between systems.
fn is_length(item: &Item) -> bool {
    item.name
        .as_deref()
        .is_some_and(|name| name.ends_with("_len") || name == "msg_name" || name.ends_with("assoc_id"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::{Action, Script, Symbols};

    fn value(text: &str) -> Value {
        let script = Script::read(&format!("+0 call({text})"), &Symbols::default()).expect("a value");
        match &script.events[0].action {
            Action::Call(call) => call.arguments[0].clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_open_on_either_side_matches() {
        assert!(matches(&value("{a=1, b=...}"), &value("{a=1, b=2, c=3}")));
        assert!(!matches(&value("{a=1, b=3}"), &value("{a=1, b=2}")));
        assert!(!matches(&value("{missing=1}"), &value("{a=1}")));
        assert!(matches(&value("[...]"), &value("[1, 2]")));
        assert!(!matches(&value("[1]"), &value("[1, 2]")));
    }

    #[test]
    fn symbols_match_their_numbers() {
        assert!(matches(&value("{flags=32}"), &value("{flags=SCTP_COMPLETE}")));
        assert!(matches(&value("[MSG_EOR|MSG_NOTIFICATION]"), &value("[MSG_NOTIFICATION|MSG_EOR]")));
        assert!(!matches(&value("[MSG_EOR]"), &value("[MSG_NOTIFICATION|MSG_EOR]")));
        assert!(!matches(&value("SCTP_UNKNOWN"), &value("1")));
    }
}
