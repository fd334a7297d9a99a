//! Changes of a scenario's text: other settings of its association, and one link of several. They are changes of lines, so
//! that all else of a network stays as it was written.

/// The text with these keys of `[flow.sctp]` replaced or added; their values are strings.
pub(super) fn with_settings(text: &str, settings: &[(&str, &str)]) -> String {
    let is_replaced = |line: &str| settings.iter().any(|(key, _)| value_of(line, key).is_some());
    let mut changed = String::new();
    for table in tables(text) {
        if !table.starts_with("[flow.sctp]") {
            changed.push_str(table);
            continue;
        }
        table
            .lines()
            .filter(|line| !line.is_empty() && !is_replaced(line))
            .for_each(|line| changed.extend([line, "\n"]));
        settings.iter().for_each(|(key, value)| changed.push_str(&format!("{key} = \"{value}\"\n")));
    }
    changed
}

/// The text with this link and its events alone.
pub(crate) fn only_link(text: &str, name: &str) -> String {
    let is_of_it = |table: &str| {
        let key = if table.starts_with("[[link]]") { "name" } else { "link" };
        let is_of_a_link = table.starts_with("[[link]]") || table.starts_with("[[event]]");
        let value = format!("\"{name}\"");
        !is_of_a_link || table.lines().any(|line| value_of(line, key) == Some(&value))
    };
    tables(text).into_iter().filter(|table| is_of_it(table)).collect()
}

/// The text's tables, each from its head to the next.
fn tables(text: &str) -> Vec<&str> {
    let heads = text.match_indices('[').map(|(at, _)| at);
    let heads: Vec<usize> = heads.filter(|at| *at == 0 || text[..*at].ends_with('\n')).collect();
    let ends = heads.iter().skip(1).copied().chain([text.len()]);
    heads.iter().zip(ends).map(|(head, end)| &text[*head..end]).collect()
}

/// Returns the value that a line gives `key`; `None` for a line of another key.
fn value_of<'t>(line: &'t str, key: &str) -> Option<&'t str> {
    let (found, value) = line.split_once('=')?;
    (found.trim() == key).then(|| value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = "[run]\ntime = \"1 s\"\n[[link]]\nname = \"a\"\nrate = \"1 Mbit/s\"\n[[link]]\nname = \"b\"\n\
        [[event]]\nat = \"1 s\"\nlink = \"b\"\nstate = \"down\"\n[flow]\n[flow.sctp]\nprofile = \"tuned-1\"\n\
        receive_buffer = \"64 B\"\n";

    #[test]
    fn settings_are_replaced_or_added_and_nothing_else_changes() {
        let changed = with_settings(TWO, &[("profile", "tuned-2"), ("scheduler", "ecf")]);
        let kept = &TWO[..TWO.find("profile").expect("it has one")];
        let of_sctp = "receive_buffer = \"64 B\"\nprofile = \"tuned-2\"\nscheduler = \"ecf\"\n";
        assert_eq!(changed, format!("{kept}{of_sctp}"));
        assert_eq!(with_settings(TWO, &[]), TWO);
    }

    #[test]
    fn a_link_alone_keeps_its_own_events() {
        let (a, b) = (only_link(TWO, "a"), only_link(TWO, "b"));
        assert!(a.contains("1 Mbit/s") && !a.contains("\"b\"") && !a.contains("event"), "{a}");
        assert!(b.contains("event") && b.contains("down") && !b.contains("\"a\""), "{b}");
        assert!(a.contains("time = ") && a.ends_with("receive_buffer = \"64 B\"\n"), "{a}");
    }
}
