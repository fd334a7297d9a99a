//! The reference in docs/scenarios.md must equal the tables of settings. `UPDATE_REFERENCE=1` writes it.

use std::fs;
use std::path::{Path, PathBuf};

use anabranch_scenario::{Registry, reference};
use anabranch_sctp::policy::registry::kind;
use anabranch_sctp::policy::window::none::Unlimited;

/// The shipped policies, and one that stands for the planner's, of which only the name is read.
fn registry() -> Registry {
    let mut registry = anabranch_scenario::registry();
    registry.window_limits.add("live", |_| Box::new(Unlimited));
    registry
}

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scenarios.md")
}

/// The text between the marks of a section, with the marks.
fn section<'t>(text: &'t str, name: &str) -> &'t str {
    let (begin, end) = (format!("<!-- generated: {name} -->\n"), format!("<!-- end of {name} -->"));
    let start = text.find(&begin).unwrap_or_else(|| panic!("no {begin}")) + begin.len();
    let length = text[start..].find(&end).unwrap_or_else(|| panic!("no {end}"));
    &text[start..start + length]
}

#[test]
fn the_reference_is_current() {
    let mut text = fs::read_to_string(file()).expect("the documentation");
    let written = text.clone();
    for (name, rows) in reference::sections(&registry()) {
        let old = section(&text, name);
        let at = old.as_ptr() as usize - text.as_ptr() as usize;
        text.replace_range(at..at + old.len(), &rows);
    }
    if std::env::var_os("UPDATE_REFERENCE").is_some() {
        fs::write(file(), &text).expect("the documentation can be written");
    } else {
        let rule = "UPDATE_REFERENCE=1 cargo test -p anabranch-scenario --test reference";
        assert!(text == written, "docs/scenarios.md is not what the tables say; write it by\n{rule}");
    }
}

/// The tables of policies' descriptions are written by hand: each policy has a row.
#[test]
fn every_policy_that_a_table_explains_has_its_row() {
    let text = fs::read_to_string(file()).expect("the documentation");
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| `")).collect();
    let first_cells: Vec<&str> = rows.iter().filter_map(|row| row[1..].split('|').next()).collect();
    let registry = registry();
    for kind in [kind::SCHEDULER, kind::RETRANSMISSION, kind::WINDOW_MANAGEMENT] {
        for name in registry.names(kind).expect("a kind that users choose").built {
            let has_row = first_cells.iter().any(|cell| cell.contains(&format!("`{name}`")));
            let is_beside = text.contains(&format!("(`{name}`: "));
            assert!(has_row || is_beside, "{kind} {name} has no row in docs/scenarios.md");
        }
    }
}
