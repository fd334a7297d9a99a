//! Follows every link of a document, and refuses references that lead nowhere for a reader of this repository.

use crate::workspace::{File, Workspace};

/// The document with a row for each correction of a paper.
const CORRECTIONS: &str = "docs/corrections.md";

/// Documents that never were part of the repository, as sources once cited them, in parts so that this file does not.
const ELSEWHERE: &[&str] = &[concat!("the at", "las"), concat!("(at", "las"), concat!("comp", "letions ")];

/// Complaints about relative links to files or headings that do not exist.
pub(crate) fn broken_links(workspace: &Workspace) -> Vec<String> {
    let documents = workspace.files().iter().filter(|file| file.is_one_of(&["md"]));
    documents.flat_map(|file| broken_links_of(workspace, file)).collect()
}

fn broken_links_of(workspace: &Workspace, file: &File) -> Vec<String> {
    let mut complaints = Vec::new();
    for (line, target) in links(&file.text) {
        let (path, heading) =
            target.split_once('#').map_or((target, None), |(path, heading)| (path, Some(heading)));
        let path = if path.is_empty() { Some(file.path.clone()) } else { beside(&file.path, path) };
        let Some(path) = path.filter(|path| workspace.has(path)) else {
            complaints.push(file.complain(line, &format!("`{target}` leads nowhere")));
            continue;
        };
        let Some(heading) = heading else { continue };
        let there = workspace.files().iter().find(|other| other.path == path);
        if !there.is_some_and(|there| anchors(&there.text).any(|anchor| anchor == heading)) {
            complaints.push(file.complain(line, &format!("{path} has no heading `#{heading}`")));
        }
    }
    complaints
}

/// Complaints about references to documents that a reader does not have, and to corrections that have no row.
pub(crate) fn dead(workspace: &Workspace) -> Vec<String> {
    let rows = corrections(workspace.text(CORRECTIONS));
    workspace.files().iter().flat_map(|file| dead_of(file, &rows)).collect()
}

fn dead_of(file: &File, rows: &[String]) -> Vec<String> {
    let mut complaints = Vec::new();
    for (line, text) in (1..).zip(file.text.lines()) {
        if ELSEWHERE.iter().any(|name| cites(text, name)) {
            let what = "a reference that leads nowhere: cite the paper, or a tag of docs/mechanisms.md";
            complaints.push(file.complain(line, what));
        }
        let unknown = corrections(text).into_iter().filter(|tag| !rows.contains(tag));
        complaints
            .extend(unknown.map(|tag| file.complain(line, &format!("`{tag}` has no row in {CORRECTIONS}"))));
    }
    complaints
}

/// True if `text` has `name`; a name that ends in a blank needs a digit behind it.
fn cites(text: &str, name: &str) -> bool {
    let mut places = text.match_indices(name);
    let has_number = |at: usize| text[at + name.len()..].starts_with(|c: char| c.is_ascii_digit());
    places.any(|(at, _)| !name.ends_with(' ') || has_number(at))
}

/// The tags of corrections in a text: W or L alone, a hyphen and digits.
fn corrections(text: &str) -> Vec<String> {
    let mut tags = Vec::new();
    for (at, family) in text.match_indices(['W', 'L']) {
        let is_alone = !text[..at].ends_with(|c: char| c.is_alphanumeric() || "-/_".contains(c));
        let Some(rest) = text[at + 1..].strip_prefix('-').filter(|_| is_alone) else { continue };
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        let ends = !rest[digits.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '-');
        if !digits.is_empty() && ends {
            tags.push(format!("{family}-{digits}"));
        }
    }
    tags
}

/// The targets of relative links, with their lines, outside code.
fn links(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut in_code = false;
    for (line, text) in (1..).zip(text.lines()) {
        in_code ^= text.trim_start().starts_with("```");
        for (_, rest) in text.match_indices("](").map(|(at, _)| text.split_at(at + 2)).filter(|_| !in_code) {
            let target = rest.split(')').next().unwrap_or_default();
            let is_elsewhere = target.contains("://") || target.starts_with("mailto:");
            if !target.is_empty() && !target.contains([' ', '`']) && !is_elsewhere {
                found.push((line, target));
            }
        }
    }
    found
}

/// The path of `target` as the document at `path` links to it; `None` above the root.
fn beside(path: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            ".." => drop(parts.pop()?),
            "." | "" => {}
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// The anchors of the headings of a document, as the repository's site and ours make them.
fn anchors(text: &str) -> impl Iterator<Item = String> {
    let mut in_code = false;
    let headings = text.lines().filter(move |line| {
        in_code ^= line.trim_start().starts_with("```");
        !in_code && line.starts_with('#')
    });
    let plain = |c: char| match c {
        ' ' => Some('-'),
        c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
        _ => None,
    };
    headings.map(move |line| {
        line.trim_start_matches('#').trim().to_lowercase().chars().filter_map(plain).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_followed_from_where_they_stand() {
        assert_eq!(beside("docs/a.md", "../README.md").as_deref(), Some("README.md"));
        assert_eq!(beside("docs/a.md", "figures/b.md").as_deref(), Some("docs/figures/b.md"));
        assert_eq!(beside("a.md", "../b.md"), None);
        let text = "see [a](b.md#c) and ![d](e.svg), [f](https://g.h)\n```\n[i](j.md)\n```\n";
        assert_eq!(links(text), [(1, "b.md#c"), (1, "e.svg")]);
    }

    #[test]
    fn a_link_to_a_file_or_a_heading_that_is_not_there_is_found() {
        let workspace = Workspace::read();
        let broken = |text: &str| {
            broken_links_of(&workspace, &File { path: "docs/figures.md".to_owned(), text: text.to_owned() })
                .len()
        };
        assert_eq!(broken("[a](#every-panel) [b](../README.md#the-map)"), 0);
        assert_eq!(broken("[a](#one) [b](nowhere.md) [c](../README.md#nowhere)"), 3);
        assert_eq!(anchors("# One `two`, three\n").collect::<Vec<_>>(), ["one-two-three"]);
    }

    #[test]
    fn a_reference_to_a_document_that_is_not_here_is_found() {
        let rows = corrections("| W-1 | L-9 |");
        assert_eq!(rows, ["W-1", "L-9"]);
        let lines =
            |text: &str| dead_of(&File { path: "a.rs".to_owned(), text: text.to_owned() }, &rows).len();
        for cited in
            [concat!("as the at", "las has it"), concat!("comp", "letions 7.2"), concat!("see W", "-12")]
        {
            assert_eq!(lines(cited), 1, "{cited}");
        }
        assert_eq!(lines("shell completions of bash; W-1; M-CMT-2; WW-12; a W-shaped curve"), 0);
    }
}
