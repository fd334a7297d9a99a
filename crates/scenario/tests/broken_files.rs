//! The errors for the invalid files of `broken/`, each with its whole message as a snapshot beside it.

use std::fs;
use std::path::{Path, PathBuf};

use anabranch_scenario::{Scenario, ScenarioError, Source, Style, registry};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken")
}

/// The line's number beside the mark of an error, and how many columns of the terminal are before the mark.
fn place_of_mark(error: &ScenarioError) -> (usize, usize) {
    let drawn = error.show_within(Style::Plain, 10_000);
    let mut lines = drawn.lines();
    let (number, _) = lines.nth(2).and_then(|line| line.split_once(" |")).expect("a numbered line");
    let mark = lines.next().and_then(|line| line.find('^')).expect("a mark");
    (number.trim().parse().expect("a number"), mark - number.len() - " | ".len())
}

/// The same, for a line and a column (in characters, from 1) of a text.
fn shown_place(text: &str, line: usize, column: usize) -> Option<(usize, usize)> {
    let text = if text.is_empty() { "\n" } else { text };
    let shown = text.lines().chain([""]).nth(line - 1)?;
    // As terminals have it: a tab is drawn as four blanks, East Asian letters are two columns wide.
    let width = |c: char| if c == '\t' { 4 } else { 1 + usize::from(c >= '\u{1100}') };
    Some((line, shown.chars().take(column - 1).map(width).sum()))
}

#[test]
fn every_broken_file_is_explained() {
    let mut files: Vec<_> = fs::read_dir(folder())
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    files.sort();
    assert!(files.len() >= 45, "{} files", files.len());
    let read =
        |name: &str| fs::read_to_string(folder().join(name)).map_err(|_| "there is no such file".to_owned());
    for path in files {
        let name = path.file_name().and_then(|name| name.to_str()).expect("a plain name");
        let source = Source::new(name, fs::read_to_string(&path).expect("a text"));
        let error = Scenario::parse(&source, &read, &[], &registry()).expect_err(name);
        let first = error.to_string().lines().next().expect("a line").to_owned();
        let (line, column) = (error.line().expect("a line"), error.column().expect("a column"));
        let file = error.file().expect("a file");
        assert_eq!(first, format!("{file}:{line}:{column}: {}", error.message()));
        let text = fs::read_to_string(folder().join(file)).expect("a text");
        assert_eq!(Some(place_of_mark(&error)), shown_place(&text, line, column), "{error}");
        let mut settings = insta::Settings::clone_current();
        settings.set_prepend_module_to_snapshot(false);
        settings.set_snapshot_path("broken");
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(name.trim_end_matches(".toml"), error));
    }
}
