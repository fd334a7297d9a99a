//! Refuses words and names that the sources may not have.

use crate::code::{only_code, tokens};
use crate::workspace::File;

/// Crates that are told what time it is, so that the same input gives the same run.
const WITHOUT_CLOCK: &[&str] =
    &["base", "sctp", "link", "scenario", "traces", "sim", "models", "planner", "observe", "lab"];
const CLOCKS: &[&str] = &["Instant::now", "SystemTime"];
/// Other stacks want virtual time as `std::time::Instant`, and only a clock gives the first one.
const EPOCH: &str = "crates/sctp/tests/stacks/epoch.rs";

const UNDONE: &[&str] = &["todo!", "unimplemented!", "dbg!", "#[ignore"];

/// Prefixes of function names; the verbs that have a meaning are in CONTRIBUTING.md.
const EMPTY_VERBS: &[&str] = &["get_", "do_", "process_"];
/// Names of files and directories that would hold anything.
const EMPTY_NOUNS: &[&str] = &["util", "common", "helper", "manager"];

/// The continuations of an absolute path of a developer's machine after its first `/`.
const MACHINE_PATHS: &[&str] = &["work/", "home/", "tmp/target"];

const WIDEST: usize = 200;

/// Phrases that stop a reader, written in parts so that this file does not contain them.
const HABITS: &[&str] = &[
    concat!("It ", "knows"),
    concat!(" of a ", "sudden"),
    concat!("des", "pair"),
    concat!("So ", "much left"),
    concat!("hoe", "ver"),
    concat!("alled it ", "off"),
    concat!("ll that ", "goes"),
    concat!("hatever the ", "system says"),
    concat!(" came ", "to "),
    concat!("is none ", "of"),
    concat!("are none ", "of"),
    concat!("in the ", "mean "),
    concat!("in the ", "mean."),
    concat!("in the ", "mean,"),
    concat!(" no", "body "),
    concat!("It is no ", "part"),
    concat!("it is no ", "part"),
    concat!("costs ", "no "),
    concat!("What ", "came of"),
    concat!(" so", "on."),
    concat!("it is ", "told"),
    concat!("knows ", "no"),
    concat!("ome to its ", "end"),
    concat!("fn ", "who_"),
    concat!("_no", "body_"),
    concat!(" is no ", "number"),
];

/// Complaints about clocks in crates that have none.
pub(crate) fn clocks(file: &File) -> Vec<String> {
    let has_clock =
        file.path == EPOCH || !file.crate_name().is_some_and(|name| WITHOUT_CLOCK.contains(&name));
    if has_clock {
        return Vec::new();
    }
    in_code(file, CLOCKS, "no clock here: time is passed in as `now`, only net, bench and emulate read one")
}

/// Complaints about what was left unfinished.
pub(crate) fn left_undone(file: &File) -> Vec<String> {
    in_code(file, UNDONE, "finish it, or write an issue")
}

/// Complaints about functions and files whose names say nothing.
pub(crate) fn empty_names(file: &File) -> Vec<String> {
    if !file.is_one_of(&["rs", "py"]) {
        return Vec::new();
    }
    let parts = file.path.split(['/', '_', '-', '.']).map(|part| part.strip_suffix('s').unwrap_or(part));
    let nouns = parts.filter(|part| EMPTY_NOUNS.contains(part));
    let nouns = nouns
        .map(|noun| file.complain(1, &format!("`{noun}` could hold anything: name it for what it does")));
    nouns.chain(empty_verbs(file)).collect()
}

fn empty_verbs(file: &File) -> Vec<String> {
    let code = only_code(&file.text);
    let tokens = tokens(&code);
    let names = tokens.windows(2).filter(|pair| ["fn", "def"].contains(&pair[0].text)).map(|pair| pair[1]);
    let empty = names.filter(|name| EMPTY_VERBS.iter().any(|verb| name.text.starts_with(verb)));
    empty
        .map(|name| {
            let what = format!("`{}`: the verb says nothing; see the verbs in CONTRIBUTING.md", name.text);
            file.complain(name.line, &what)
        })
        .collect()
}

/// Complaints about sources that do not begin with a sentence on what they do.
pub(crate) fn missing_head(file: &File) -> Vec<String> {
    let is_source = file.crate_name().is_some() && file.path.contains("/src/") && file.is_one_of(&["rs"]);
    if !is_source || file.text.starts_with("//! ") {
        return Vec::new();
    }
    vec![file.complain(1, "begin with `//!`: a sentence on what this file does")]
}

/// Complaints about paths that exist on one machine only, in any text.
pub(crate) fn machine_paths(file: &File) -> Vec<String> {
    let lines = file.text.lines().enumerate().filter(|(_, line)| has_machine_path(line));
    lines
        .map(|(index, _)| {
            file.complain(index + 1, "path of one machine: write it from the root of the workspace")
        })
        .collect()
}

fn has_machine_path(line: &str) -> bool {
    line.match_indices('/').any(|(at, _)| {
        let is_absolute = !line[..at].ends_with(|c: char| c.is_alphanumeric() || "._-/}~)".contains(c));
        is_absolute && MACHINE_PATHS.iter().any(|path| line[at + 1..].starts_with(path))
    })
}

/// Complaints about lines that do not fit a wide screen.
pub(crate) fn long_lines(file: &File) -> Vec<String> {
    if !file.is_one_of(&["rs", "py", "toml"]) {
        return Vec::new();
    }
    let lines = file.text.lines().enumerate().map(|(index, line)| (index + 1, line.chars().count()));
    let long = lines.filter(|(_, width)| *width > WIDEST);
    long.map(|(line, width)| file.complain(line, &format!("{width} characters; at most {WIDEST}"))).collect()
}

/// Complaints about phrases of an idiom of our own, in comments, strings and documents.
pub(crate) fn habits(file: &File) -> Vec<String> {
    if !file.is_one_of(&["rs", "py", "md", "mjs"]) {
        return Vec::new();
    }
    let lines = (1..).zip(file.text.lines());
    let found = lines.flat_map(|(line, text)| {
        HABITS.iter().filter(move |habit| text.contains(**habit)).map(move |habit| (line, habit))
    });
    found
        .map(|(line, habit)| file.complain(line, &format!("`{habit}`: say what it does, in plain English")))
        .collect()
}

/// Complaints, with this advice, about words in the code of a Rust file; comments and strings may have them.
fn in_code(file: &File, words: &[&str], advice: &str) -> Vec<String> {
    if !file.is_one_of(&["rs"]) {
        return Vec::new();
    }
    let code = only_code(&file.text);
    let lines = code.lines().enumerate();
    lines
        .flat_map(|(index, line)| {
            let found = words.iter().filter(move |word| has_word(line, word));
            found.map(move |word| file.complain(index + 1, &format!("`{word}`: {advice}")))
        })
        .collect()
}

/// Returns true if `line` has `word`, and not as the end of a longer one.
fn has_word(line: &str, word: &str) -> bool {
    let mut found = line.match_indices(word);
    found.any(|(at, _)| !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> File {
        File { path: path.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn a_clock_is_found_where_time_is_passed_in() {
        let source = "let a = std::time::Instant::now();\n// SystemTime\n";
        let complaints = clocks(&file("crates/sctp/src/a.rs", source));
        assert!(
            complaints.len() == 1 && complaints[0].starts_with("crates/sctp/src/a.rs:1: "),
            "{complaints:?}"
        );
        assert!(clocks(&file("crates/net/src/a.rs", source)).is_empty());
        assert!(clocks(&file(EPOCH, source)).is_empty());
    }

    #[test]
    fn what_is_undone_is_found_in_code_only() {
        assert_eq!(left_undone(&file("a.rs", "#[ignore]\nfn f() { todo!() }")).len(), 2);
        assert!(left_undone(&file("a.rs", "// todo!()\n\"dbg!\" not_todo!()")).is_empty());
    }

    #[test]
    fn names_that_say_nothing_are_found() {
        assert_eq!(empty_names(&file("crates/a/src/utils.rs", "")).len(), 1);
        assert_eq!(empty_names(&file("crates/a/tests/common/mod.rs", "")).len(), 1);
        assert_eq!(
            empty_names(&file("crates/a/src/path_manager.rs", "fn get_it() {}\nfn get() {}")).len(),
            2
        );
        assert!(empty_names(&file("crates/a/src/path.rs", "fn forget_it() { get_it() }")).is_empty());
    }

    #[test]
    fn a_source_without_a_head_is_found() {
        assert_eq!(missing_head(&file("crates/a/src/b.rs", "use std::fmt;\n//! late")).len(), 1);
        assert!(missing_head(&file("crates/a/src/b.rs", "//! Decodes b.\n")).is_empty());
    }

    #[test]
    fn a_phrase_that_stops_a_reader_is_found() {
        for habit in HABITS {
            assert_eq!(habits(&file("a.rs", &format!("//! Reads a file.{habit} more."))).len(), 1, "{habit}");
            assert!(habits(&file("a.toml", habit)).is_empty());
        }
        assert!(habits(&file("a.md", "It reads what it is given.")).is_empty());
    }

    #[test]
    fn a_path_of_one_machine_is_found() {
        for name in MACHINE_PATHS {
            assert_eq!(machine_paths(&file("a.md", &format!("one\nsee /{name}x"))).len(), 1, "{name}");
            assert!(
                machine_paths(&file("a.md", &format!("see https://example.org/{name}x or a/{name}x")))
                    .is_empty()
            );
        }
    }

    #[test]
    fn a_line_too_wide_is_found() {
        assert_eq!(long_lines(&file("a.rs", &"x".repeat(201))).len(), 1);
        assert!(long_lines(&file("a.rs", &"→".repeat(200))).is_empty());
        assert!(long_lines(&file("a.md", &"x".repeat(201))).is_empty());
    }
}
