//! Writes values as TOML.

use std::fmt::Write;

use super::{Table, Value};

/// A whole document: tables and lists of tables under headers, what is within them on one line.
pub fn document(root: &Table) -> String {
    let mut text = String::new();
    for (key, value) in root.entries().filter(|(_, value)| !has_header(value)) {
        let _ = writeln!(text, "{key} = {}", inline(value));
    }
    for (key, value) in root.entries() {
        match value {
            Value::Table(table) => under(&mut text, &format!("[{key}]"), key, table),
            Value::List(tables) if has_header(value) => {
                let tables = tables.iter().filter_map(|value| match value {
                    Value::Table(table) => Some(table),
                    _ => None,
                });
                tables.for_each(|table| under(&mut text, &format!("[[{key}]]"), key, table));
            }
            _ => {}
        }
    }
    text
}

/// A table under its header; those in it that are called like no value of a link get a header too.
fn under(text: &mut String, header: &str, key: &str, table: &Table) {
    let is_section =
        |name: &str, value: &Value| key == "flow" && name == "sctp" && matches!(value, Value::Table(_));
    let _ = writeln!(text, "\n{header}");
    for (name, value) in table.entries().filter(|(name, value)| !is_section(name, value)) {
        let _ = writeln!(text, "{name} = {}", inline(value));
    }
    for (name, value) in table.entries().filter(|(name, value)| is_section(name, value)) {
        if let Value::Table(inner) = value {
            under(text, &format!("[{key}.{name}]"), name, inner);
        }
    }
}

fn has_header(value: &Value) -> bool {
    match value {
        Value::Table(_) => true,
        Value::List(values) => values.iter().all(|value| matches!(value, Value::Table(_))),
        _ => false,
    }
}

pub fn inline(value: &Value) -> String {
    match value {
        Value::Text(text) => quoted(text),
        Value::Whole(number) => number.to_string(),
        // With a point or an exponent, as TOML wants it of floats.
        Value::Number(number) => format!("{number:?}"),
        Value::Boolean(value) => value.to_string(),
        Value::List(values) => {
            let values: Vec<_> = values.iter().map(inline).collect();
            format!("[{}]", values.join(", "))
        }
        Value::Table(table) => {
            let entries: Vec<_> =
                table.entries().map(|(key, value)| format!("{key} = {}", inline(value))).collect();
            format!("{{ {} }}", entries.join(", "))
        }
    }
}

/// A basic string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_has_its_tables_under_headers() {
        let inner = Table::default().with("min", "1 s");
        let sctp = Table::default().with("rto", inner).with("ordered", true);
        let flow = Table::default().with("sctp", sctp).with("paths", vec!["a".into(), "b".into()]);
        let root = Table::default()
            .with("title", "a \"b\"\n")
            .with("run", Table::default().with("seed", 1_u64).with("p", 1e-9))
            .with("event", Vec::<Value>::new())
            .with("flow", vec![flow.into()]);
        let expected = "title = \"a \\\"b\\\"\\u000A\"\n\n[run]\nseed = 1\np = 1e-9\n\n[[flow]]\n\
                        paths = [\"a\", \"b\"]\n\n[flow.sctp]\nrto = { min = \"1 s\" }\nordered = true\n";
        assert_eq!(root.to_toml(), expected);
    }
}
