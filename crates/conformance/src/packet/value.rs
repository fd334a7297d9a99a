//! Numbers, bytes and addresses in the values of a script.

use super::form::Family;
use crate::script::{Item, Node, Value};

/// The number that `value` writes; `letters` are those of flags.
pub(super) fn number(value: &Value, letters: &[(char, u8)]) -> Option<i64> {
    match value {
        Value::Number(number) => Some(*number),
        Value::Name(name) => flags(name, letters).or_else(|| symbol(name)),
        Value::Or(parts) => parts.iter().try_fold(0, |sum, part| Some(sum | number(part, letters)?)),
        _ => None,
    }
}

/// The flags that `name` writes in letters.
fn flags(name: &str, letters: &[(char, u8)]) -> Option<i64> {
    name.chars().try_fold(0, |sum, letter| {
        let (_, bit) = letters.iter().find(|(known, _)| *known == letter)?;
        Some(sum | i64::from(*bit))
    })
}

/// The letters of `flags`, or their number if a bit has none.
pub(super) fn flags_value(flags: u8, letters: &[(char, u8)]) -> Value {
    let known = letters.iter().fold(0, |sum, (_, bit)| sum | bit);
    if flags == 0 || flags & !known != 0 {
        return Value::Number(flags.into());
    }
    Value::Name(letters.iter().filter(|(_, bit)| flags & bit != 0).map(|(letter, _)| *letter).collect())
}

/// The number of a symbol: an address type, a chunk, a parameter or an error detection method.
fn symbol(name: &str) -> Option<i64> {
    match name {
        "IPv4" => Some(5),
        "IPv6" => Some(6),
        "HOSTNAME" => Some(11),
        "SCTP_OVER_DTLS" => Some(1),
        _ => [Family::Chunk, Family::Parameter]
            .iter()
            .find_map(|family| family.named(name).filter(|form| form.name != family.generic().name))
            .map(|form| form.kind.into()),
    }
}

/// The bytes of a list of numbers or of a text.
pub(super) fn bytes(value: &Value) -> Option<Vec<u8>> {
    match value {
        Value::Text(text) => Some(text.as_bytes().to_vec()),
        Value::List(values) => values.iter().map(|value| u8::try_from(number(value, &[])?).ok()).collect(),
        _ => None,
    }
}

/// Bytes as a list of numbers.
pub(super) fn bytes_value(bytes: &[u8]) -> Value {
    Value::List(bytes.iter().map(|byte| Value::Number((*byte).into())).collect())
}

/// An address of a script.
pub(super) fn address<T: std::str::FromStr>(value: &Value) -> Option<T> {
    match value {
        Value::Text(text) | Value::Name(text) => text.parse().ok(),
        _ => None,
    }
}

/// `...`, or `[...]`, or nothing.
pub(super) fn is_any(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Any) => true,
        Some(Value::List(values)) => values == &[Value::Any],
        Some(_) => false,
    }
}

/// The values of a list.
pub(super) fn list(value: Option<&Value>) -> Option<&[Value]> {
    match value {
        Some(Value::List(values)) if !is_any(value) => Some(values),
        _ => None,
    }
}

/// A named item.
pub(super) fn item(name: &str, value: Value) -> Item {
    Item { name: Some(name.to_owned()), value }
}

/// The nodes without a name in `node`.
pub(super) fn nested(node: &Node) -> impl Iterator<Item = &Node> {
    node.items.iter().filter_map(|item| match (&item.name, &item.value) {
        (None, Value::Node(node)) => Some(node),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LETTERS: &[(char, u8)] = &[('U', 4), ('B', 2), ('E', 1)];

    #[test]
    fn flags_are_letters_or_numbers() {
        assert_eq!(number(&Value::Name("EB".to_owned()), LETTERS), Some(3));
        let parts = vec![Value::Name("U".to_owned()), Value::Number(1)];
        assert_eq!(number(&Value::Or(parts), LETTERS), Some(5));
        assert_eq!(number(&Value::Name("X".to_owned()), LETTERS), None);
        assert_eq!(flags_value(3, LETTERS).to_string(), "BE");
        assert_eq!(flags_value(8, LETTERS), Value::Number(8));
        assert_eq!(flags_value(0, LETTERS), Value::Number(0));
    }

    #[test]
    fn types_have_names() {
        for (name, kind) in [("IPv4", 5), ("NR_SACK", 16), ("STATE_COOKIE", 7), ("SCTP_OVER_DTLS", 1)] {
            assert_eq!(number(&Value::Name(name.to_owned()), &[]), Some(kind), "{name}");
        }
        assert_eq!(number(&Value::Name("CHUNK".to_owned()), &[]), None);
    }

    #[test]
    fn bytes_above_255_are_refused() {
        assert_eq!(bytes(&Value::List(vec![Value::Number(256)])), None);
        assert_eq!(bytes(&bytes_value(&[0, 255])), Some(vec![0, 255]));
    }
}
