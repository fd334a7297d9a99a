//! Keeps the pages that everybody reads short.

use crate::workspace::Workspace;

const README_LINES: usize = 120;
const MAP_ROWS: usize = 12;
const UNRELEASED_LINES: usize = 60;

/// Complaints about a README, its map, or a list of unreleased changes that is too long.
pub(crate) fn too_long(workspace: &Workspace) -> Vec<String> {
    let readme = workspace.text("README.md");
    let unreleased = section(workspace.text("CHANGELOG.md"), "## [Unreleased]");
    let rows = section(readme, "## The map").lines().filter(|line| line.starts_with('|')).count();
    let counts = [
        ("README.md", "lines", readme.lines().count(), README_LINES),
        ("README.md", "rows of its map", rows.saturating_sub(2), MAP_ROWS),
        ("CHANGELOG.md", "unreleased lines", unreleased.trim().lines().count(), UNRELEASED_LINES),
    ];
    let long = counts.into_iter().filter(|(_, _, count, most)| count > most);
    long.map(|(path, what, count, most)| format!("{path}:1: {count} {what}; at most {most}")).collect()
}

/// The text below a heading, up to the next one of its level.
fn section<'t>(text: &'t str, heading: &str) -> &'t str {
    let rest = text.split_once(heading).map_or("", |(_, rest)| rest);
    rest.split("\n## ").next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_ends_where_the_next_one_of_its_level_begins() {
        assert_eq!(section("# A\n## B\nb\n### C\nc\n## D\nd\n", "## B"), "\nb\n### C\nc");
        assert_eq!(section("# A\n", "## B"), "");
    }
}
