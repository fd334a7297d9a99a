//! Writes values as TOML.

use std::fmt::Write;

use super::{ResolvedTable, ResolvedValue};

/// A whole document: tables and lists of tables under headers, their contents on one line each.
pub(super) fn document(root: &ResolvedTable) -> String {
    let mut text = String::new();
    for (key, value) in root.entries().filter(|(_, value)| !has_header(value)) {
        let _ = writeln!(text, "{key} = {}", inline(value));
    }
    for (key, value) in root.entries() {
        match value {
            ResolvedValue::Table(table) => under(&mut text, &format!("[{key}]"), key, table),
            ResolvedValue::List(tables) if has_header(value) => {
                let tables = tables.iter().filter_map(|value| match value {
                    ResolvedValue::Table(table) => Some(table),
                    _ => None,
                });
                tables.for_each(|table| under(&mut text, &format!("[[{key}]]"), key, table));
            }
            _ => {}
        }
    }
    text
}

/// A table under its header; a flow's `sctp` table gets its own header too.
fn under(text: &mut String, header: &str, key: &str, table: &ResolvedTable) {
    let is_section = |name: &str, value: &ResolvedValue| {
        key == "flow" && name == "sctp" && matches!(value, ResolvedValue::Table(_))
    };
    let _ = writeln!(text, "\n{header}");
    for (name, value) in table.entries().filter(|(name, value)| !is_section(name, value)) {
        let _ = writeln!(text, "{name} = {}", inline(value));
    }
    for (name, value) in table.entries().filter(|(name, value)| is_section(name, value)) {
        if let ResolvedValue::Table(inner) = value {
            under(text, &format!("[{key}.{name}]"), name, inner);
        }
    }
}

fn has_header(value: &ResolvedValue) -> bool {
    match value {
        ResolvedValue::Table(_) => true,
        ResolvedValue::List(values) => values.iter().all(|value| matches!(value, ResolvedValue::Table(_))),
        _ => false,
    }
}

pub(super) fn inline(value: &ResolvedValue) -> String {
    match value {
        ResolvedValue::Text(text) => quoted(text),
        ResolvedValue::Whole(number) => number.to_string(),
        // With a point or an exponent, which TOML requires of floats.
        ResolvedValue::Number(number) => format!("{number:?}"),
        ResolvedValue::Boolean(value) => value.to_string(),
        ResolvedValue::List(values) => {
            let values: Vec<_> = values.iter().map(inline).collect();
            format!("[{}]", values.join(", "))
        }
        ResolvedValue::Table(table) => {
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
        let inner = ResolvedTable::default().with("min", "1 s");
        let sctp = ResolvedTable::default().with("rto", inner).with("ordered", true);
        let flow = ResolvedTable::default().with("sctp", sctp).with("paths", vec!["a".into(), "b".into()]);
        let root = ResolvedTable::default()
            .with("title", "a \"b\"\n")
            .with("run", ResolvedTable::default().with("seed", 1_u64).with("p", 1e-9))
            .with("event", Vec::<ResolvedValue>::new())
            .with("flow", vec![flow.into()]);
        let expected = "title = \"a \\\"b\\\"\\u000A\"\n\n[run]\nseed = 1\np = 1e-9\n\n[[flow]]\n\
                        paths = [\"a\", \"b\"]\n\n[flow.sctp]\nrto = { min = \"1 s\" }\nordered = true\n";
        assert_eq!(root.to_toml(), expected);
    }
}
