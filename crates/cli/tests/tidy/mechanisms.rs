//! Checks docs/mechanisms.md: each `M-…` tag in the workspace has an entry there, and each entry names code and tests that
//! exist.

use crate::evidence::{has_test, is_test, names};
use crate::workspace::{File, Workspace};

/// The document with an entry for each tag.
pub(crate) const DOCUMENT: &str = "docs/mechanisms.md";

/// The text under one heading of the document.
#[derive(Debug, PartialEq)]
struct Entry<'a> {
    /// The line of the heading, from 1.
    line: usize,
    /// The tag, which is all of the heading.
    tag: &'a str,
    /// The text below it, up to the next heading.
    text: String,
}

/// Complaints about tags that have no entry in the document.
pub(crate) fn tags_without_entry(workspace: &Workspace) -> Vec<String> {
    let entries = entries(workspace.text(DOCUMENT));
    let has_entry = |tag: &String| entries.iter().any(|entry| entry.tag == tag);
    let of_file = |file: &File| -> Vec<String> {
        let lines = (1..).zip(file.text.lines());
        let missing = lines.flat_map(|(line, text)| tags(text).into_iter().map(move |tag| (line, tag)));
        missing
            .filter(|(_, tag)| !has_entry(tag))
            .map(|(line, tag)| file.complain(line, &format!("`{tag}` has no entry in {DOCUMENT}")))
            .collect()
    };
    workspace.files().iter().flat_map(of_file).collect()
}

/// Complaints about entries that name no code or no test, or name what does not exist.
pub(crate) fn broken_entries(workspace: &Workspace) -> Vec<String> {
    let file = workspace.files().iter().find(|file| file.path == DOCUMENT);
    let file = file.unwrap_or_else(|| panic!("there is no {DOCUMENT}"));
    let of_entry = |entry: &Entry<'_>| -> Vec<String> {
        let faults = faults_of_code(workspace, &entry.text).into_iter();
        let faults = faults.chain(faults_of_tests(workspace, &entry.text));
        faults.map(|fault| file.complain(entry.line, &format!("{}: {fault}", entry.tag))).collect()
    };
    let mut complaints: Vec<String> = entries(&file.text).iter().flat_map(of_entry).collect();
    for (line, text) in (1..).zip(file.text.lines()) {
        let unknown = names(text).filter(|name| !is_test(workspace, name));
        complaints.extend(unknown.map(|name| file.complain(line, &format!("there is no test `{name}`"))));
    }
    complaints
}

fn faults_of_code(workspace: &Workspace, text: &str) -> Vec<String> {
    let paths: Vec<&str> = quoted(item(text, "- Code:")).collect();
    if paths.is_empty() {
        return vec!["it names no code".to_owned()];
    }
    let missing = paths.iter().filter(|path| !is_there(workspace, path));
    missing.map(|path| format!("there is no crates/{path}")).collect()
}

/// A list of tests is: a file, then tests in it, then perhaps another file.
fn faults_of_tests(workspace: &Workspace, text: &str) -> Vec<String> {
    let (mut place, mut count, mut faults) = (None, 0, Vec::new());
    for word in quoted(item(text, "- Tests:")) {
        if word.contains('/') {
            place = workspace.files().iter().find(|file| below_crates(&file.path) == Some(word));
            if place.is_none() {
                faults.push(format!("there is no crates/{word}"));
            }
        } else if let Some(file) = place {
            count += 1;
            if !has_test(&file.text, word) {
                faults.push(format!("{} has no test `{word}`", file.path));
            }
        }
    }
    if count == 0 {
        faults.push("it names no test".to_owned());
    }
    faults
}

/// Returns true if `path` below `crates/` is a file, or a folder if it ends in `/`.
fn is_there(workspace: &Workspace, path: &str) -> bool {
    let mut paths = workspace.files().iter().filter_map(|file| below_crates(&file.path));
    paths.any(|there| there == path || (path.ends_with('/') && there.starts_with(path)))
}

fn below_crates(path: &str) -> Option<&str> {
    path.strip_prefix("crates/")
}

/// The text of the list item that begins with `head`, up to the next item.
fn item<'a>(text: &'a str, head: &str) -> &'a str {
    let rest = text.split_once(head).map_or("", |(_, rest)| rest);
    rest.split("\n- ").next().unwrap_or_default()
}

/// The texts between backquotes.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

fn entries(document: &str) -> Vec<Entry<'_>> {
    let mut entries: Vec<Entry<'_>> = Vec::new();
    let mut is_inside = false;
    for (line, text) in (1..).zip(document.lines()) {
        if text.starts_with('#') {
            let tag = text.strip_prefix("### ").filter(|heading| tags(heading) == [*heading]);
            is_inside = tag.is_some();
            entries.extend(tag.map(|tag| Entry { line, tag, text: String::new() }));
        } else if let Some(entry) = entries.last_mut().filter(|_| is_inside) {
            entry.text.push_str(text);
            entry.text.push('\n');
        }
    }
    entries
}

/// The tags in a line. In a list such as `tag-1, -2` or `tag-1 to -3` each number stands for a tag of the same family; of a
/// range only the first and the last are found.
fn tags(line: &str) -> Vec<String> {
    let mut tags = Vec::new();
    for (at, _) in line.match_indices("M-") {
        if line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '-') {
            continue;
        }
        let family = &line[at..];
        let letters = family[2..].find(|c: char| !c.is_ascii_uppercase()).unwrap_or(0);
        let (family, mut rest) = family.split_at(2 + letters);
        while let Some((number, after)) = numbered(rest).filter(|_| letters > 0) {
            tags.push(format!("{family}-{number}"));
            let next = [", ", " to ", " and ", " or "].iter().find_map(|link| after.strip_prefix(link));
            rest = next.unwrap_or_default();
        }
    }
    tags
}

/// A hyphen and the digits after it, and what follows them.
fn numbered(text: &str) -> Option<(&str, &str)> {
    let digits = text.strip_prefix('-')?;
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    (end > 0).then(|| digits.split_at(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tag that the workspace's own check does not see in this file.
    fn tag(number: u32) -> String {
        format!("M-{}-{number}", "AB")
    }

    #[test]
    fn tags_are_found_alone_and_in_lists() {
        assert_eq!(tags(&format!("(RFC 1 §2; {}, -3, -15). It", tag(2))), [tag(2), tag(3), tag(15)]);
        assert_eq!(tags(&format!("{} to -5: see {}'s", tag(1), tag(9))), [tag(1), tag(5), tag(9)]);
        assert!(tags("MMM-X M-x-1 M--1 M-AB AM-AB-1 M-AB-").is_empty());
    }

    #[test]
    fn an_entry_is_a_heading_that_is_a_tag_and_what_stands_below_it() {
        let document =
            format!("# M\n\n### {}\n\nA rule.\n- Code: `a`,\n  `b`\n- Tests: `c`\n\n## Other\nx", tag(1));
        let entries = entries(&document);
        assert_eq!((entries.len(), entries[0].line, entries[0].tag), (1, 3, tag(1).as_str()));
        assert_eq!(quoted(item(&entries[0].text, "- Code:")).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(quoted(item(&entries[0].text, "- Tests:")).collect::<Vec<_>>(), ["c"]);
    }

    #[test]
    fn code_and_tests_that_do_not_exist_are_found() {
        let workspace = Workspace::read();
        let faults =
            |text: &str| [faults_of_code(&workspace, text).len(), faults_of_tests(&workspace, text).len()];
        let good = "- Code: `cli/tests/tidy/`\n- Tests: `cli/tests/tidy/mechanisms.rs`: `tags_are_found_alone_and_in_lists`";
        assert_eq!(faults(good), [0, 0]);
        assert_eq!(faults("- Code: none\n- Tests: none"), [1, 1]);
        assert_eq!(
            faults("- Code: `cli/nowhere.rs`\n- Tests: `cli/tests/tidy/main.rs`: `no_such_test`"),
            [1, 1]
        );
    }
}
