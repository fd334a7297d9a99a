//! Checks that the tests which a document names as its evidence exist. The content of a test is not checked.

use crate::workspace::{File, Workspace};

/// Complaints about tests that `document` names and that do not exist, and about rows of its tables that name none and
/// do not say why.
pub(crate) fn missing(workspace: &Workspace, document: &str) -> Vec<String> {
    let file = workspace.files().iter().find(|file| file.path == document);
    let file = file.unwrap_or_else(|| panic!("there is no {document}"));
    let mut complaints = Vec::new();
    for (line, text) in (1..).zip(file.text.lines()) {
        for name in names(text) {
            if !is_test(workspace, name) {
                complaints.push(file.complain(line, &format!("there is no test `{name}`")));
            }
        }
        if is_row(text) && names(text).next().is_none() && !text.contains(NO_DEFENCE) {
            complaints.push(file.complain(line, "a line without a test"));
        }
    }
    complaints
}

/// The names between backquotes that are sentences without blanks.
pub(crate) fn names(text: &str) -> impl Iterator<Item = &str> {
    let quoted = text.split('`').skip(1).step_by(2);
    quoted.filter(|quoted| {
        let is_path =
            quoted.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "_:".contains(c));
        is_path && quoted.matches('_').count() >= 3
    })
}

fn is_row(text: &str) -> bool {
    text.starts_with("| ") && text.ends_with('|') && !HEADS.iter().any(|head| text.starts_with(head))
}

/// Returns true if there is a test with the last part of `name`, in a file or folder with its first part.
pub(crate) fn is_test(workspace: &Workspace, name: &str) -> bool {
    let (place, function) = name.rsplit_once("::").unwrap_or(("", name));
    let place = place.split("::").next().unwrap_or_default();
    let is_there = |file: &&File| file.path.ends_with(".rs") && file.path.contains(place);
    workspace.files().iter().filter(is_there).any(|file| has_test(&file.text, function))
}

/// Returns true if `source` has a test function of that name.
pub(crate) fn has_test(source: &str, function: &str) -> bool {
    let head = format!("fn {function}(");
    if !source.contains(&head) {
        return false;
    }
    let lines: Vec<&str> = source.lines().collect();
    let at = lines.iter().position(|line| line.contains(&head));
    at.is_some_and(|at| lines[at.saturating_sub(3)..at].iter().any(|line| line.contains("test")))
}

const HEADS: &[&str] = &["| attack |", "| a peer that |"];
/// The text of a row on an attack without a defence.
const NO_DEFENCE: &str = "| nothing hinders it |";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sentences_and_not_settings() {
        let text = "| x | `data.rs`: `a_test_of_it`, `seal::tests::one_of_these_is_it`, `max_associations` |";
        assert_eq!(names(text).collect::<Vec<_>>(), ["a_test_of_it", "seal::tests::one_of_these_is_it"]);
        assert!(is_row(text) && !is_row("| attack | test |") && !is_row("|---|---|"));
    }

    #[test]
    fn a_function_is_a_test_if_it_says_so() {
        let source = "#[test]\nfn a_b_c_d() {}\n\n\nfn e_f_g_h() {}";
        assert!(has_test(source, "a_b_c_d") && !has_test(source, "e_f_g_h") && !has_test(source, "a_b"));
    }
}
