//! Compares chunks, parameters and causes.

use super::Difference;
use crate::packet::decode::{as_generic, form_of, shortened};
use crate::packet::encode::encode_node;
use crate::packet::form::{Family, Form, Tail};
use crate::packet::value::{address, bytes, is_any, nested, number};
use crate::script::{Node, Value};

/// The differences between chunks.
pub(super) fn chunks(expected: &[Node], live: &[Node]) -> Vec<Difference> {
    in_order(Family::Chunk, &expected.iter().collect::<Vec<_>>(), &live.iter().collect::<Vec<_>>(), false, "")
}

/// The differences between lists of nodes in the same order. `is_open` accepts more nodes after the last.
fn in_order(
    family: Family,
    expected: &[&Node],
    live: &[&Node],
    is_open: bool,
    place: &str,
) -> Vec<Difference> {
    let mut out = Vec::new();
    for (at, node) in expected.iter().enumerate() {
        match live.get(at) {
            Some(found) => out.extend(node_differences(family, node, found, place)),
            None => out.push(missing(node, place)),
        }
    }
    if !is_open {
        out.extend(live.iter().skip(expected.len()).map(|node| surplus(node, place)));
    }
    out
}

/// The differences between lists of nodes in any order.
fn in_any_order(
    family: Family,
    expected: &[&Node],
    live: &[&Node],
    is_open: bool,
    place: &str,
) -> Vec<Difference> {
    let mut left = live.to_vec();
    let mut out = Vec::new();
    let mut unmatched = Vec::new();
    for node in expected {
        match left.iter().position(|found| node_differences(family, node, found, place).is_empty()) {
            Some(at) => {
                left.remove(at);
            }
            None => unmatched.push(*node),
        }
    }
    for node in unmatched {
        match left.iter().position(|found| found.name == node.name) {
            Some(at) => out.extend(node_differences(family, node, left.remove(at), place)),
            None => out.push(missing(node, place)),
        }
    }
    if !is_open {
        out.extend(left.iter().map(|node| surplus(node, place)));
    }
    out
}

fn missing(node: &Node, place: &str) -> Difference {
    Difference { place: join(place, &node.name), expected: node.to_string(), got: "nothing".to_owned() }
}

fn surplus(node: &Node, place: &str) -> Difference {
    let got = shortened(node).to_string();
    Difference { place: join(place, &node.name), expected: "nothing".to_owned(), got }
}

fn join(place: &str, name: &str) -> String {
    if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") }
}

/// The differences between two nodes.
fn node_differences(family: Family, expected: &Node, live: &Node, place: &str) -> Vec<Difference> {
    if expected.name == live.name {
        return item_differences(family, expected, live, &join(place, &expected.name));
    }
    // The script may write a node that has a name by its type.
    if expected.name == family.generic().name
        && let Some(live) = as_generic(family, live)
    {
        return item_differences(family, expected, &live, &join(place, &expected.name));
    }
    let got = shortened(live).to_string();
    vec![Difference { place: join(place, &expected.name), expected: expected.to_string(), got }]
}

/// The differences between two nodes of one form.
fn item_differences(family: Family, expected: &Node, live: &Node, place: &str) -> Vec<Difference> {
    let Some(form) = form_of(family, expected) else {
        return vec![Difference {
            place: place.to_owned(),
            expected: format!("a known name instead of {}", expected.name),
            got: shortened(live).to_string(),
        }];
    };
    let mut out = Vec::new();
    for item in &expected.items {
        let Some(name) = &item.name else { continue };
        if is_any(Some(&item.value)) {
            continue;
        }
        out.extend(field_differences((family, form), name, &item.value, live, place));
    }
    if let Tail::Nodes(inner) = form.tail {
        let is_open = expected.items.iter().any(|item| item.name.is_none() && item.value == Value::Any);
        let [wanted, found] = [expected, live].map(|node| nested(node).collect::<Vec<_>>());
        let compare = if expected.name.starts_with("INIT") { in_any_order } else { in_order };
        out.extend(compare(inner, &wanted, &found, is_open, place));
    }
    out
}

/// The differences between the field `name` of `live` and `expected`.
fn field_differences(
    (family, form): (Family, &Form),
    name: &str,
    expected: &Value,
    live: &Node,
    place: &str,
) -> Vec<Difference> {
    let place = join(place, name);
    let length = length_of(family, form, name, live);
    let Some(found) = live.field(name).or(length.as_ref()) else {
        return vec![Difference { place, expected: expected.to_string(), got: "nothing".to_owned() }];
    };
    match (form.tail, expected, found) {
        (Tail::NodeList(own, family), Value::List(wanted), Value::List(found)) if own == name => {
            let is_open = wanted.contains(&Value::Any);
            return in_order(family, &inner_nodes(wanted), &inner_nodes(found), is_open, &place);
        }
        (Tail::OneNode(own, family), Value::Node(wanted), Value::Node(found)) if own == name => {
            return node_differences(family, wanted, found, &place);
        }
        _ => {}
    }
    let letters = if name == "flgs" { form.letters } else { &[] };
    let is_set = form.name.starts_with("SUPPORTED_") && name == "types";
    if is_same(expected, found, letters) || is_set && is_same_set(expected, found) {
        return Vec::new();
    }
    vec![Difference { place, expected: expected.to_string(), got: found.to_string() }]
}

/// The length of a node in whose form scripts do not name it.
fn length_of(family: Family, form: &Form, name: &str, live: &Node) -> Option<Value> {
    if name != "len" || form.shows_length() {
        return None;
    }
    encode_node(family, live).ok().map(|bytes| Value::Number(bytes.len() as i64))
}

fn inner_nodes(values: &[Value]) -> Vec<&Node> {
    let nodes = values.iter().map(|value| match value {
        Value::Node(node) => Some(node),
        _ => None,
    });
    nodes.flatten().collect()
}

/// Compares two values, in whichever way they are written.
fn is_same(expected: &Value, live: &Value, letters: &[(char, u8)]) -> bool {
    if let (Some(wanted), Some(found)) = (number(expected, letters), number(live, letters)) {
        return wanted == found;
    }
    match (expected, live) {
        (Value::Any, _) => true,
        (Value::List(wanted), Value::List(found)) => {
            wanted.len() == found.len()
                && wanted.iter().zip(found).all(|(one, other)| is_same(one, other, &[]))
        }
        (Value::Struct(wanted), Value::Struct(found)) => {
            let mut pairs = wanted.iter().zip(found);
            wanted.len() == found.len()
                && pairs.all(|(one, other)| is_same(&one.value, &other.value, &[('U', 1)]))
        }
        (Value::Text(_) | Value::Name(_), Value::Text(_)) => {
            let addresses = [expected, live].map(address::<std::net::IpAddr>);
            bytes(expected) == bytes(live) && bytes(expected).is_some()
                || addresses[0].is_some() && addresses[0] == addresses[1]
        }
        (Value::Text(_) | Value::List(_), Value::Text(_) | Value::List(_)) => bytes(expected) == bytes(live),
        _ => expected == live,
    }
}

/// Compares the numbers of two lists, in any order.
fn is_same_set(expected: &Value, live: &Value) -> bool {
    let sorted = |value: &Value| {
        let Value::List(values) = value else { return None };
        let mut numbers = values.iter().map(|value| number(value, &[])).collect::<Option<Vec<_>>>()?;
        numbers.sort_unstable();
        Some(numbers)
    };
    sorted(expected).is_some_and(|wanted| Some(wanted) == sorted(live))
}
