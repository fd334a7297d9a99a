//! Refuses `pub` where nothing outside the crate names the item: it is `pub(crate)`, or private.
//!
//! A use is the name in the code of another crate, in a program or a test of the same crate, or in an example of its
//! documentation. The fields of a struct stand together, because it is one value. A public signature may need a type that
//! nothing names, so the compiler judges types (`unreachable_pub`).

use std::collections::{BTreeMap, BTreeSet};

use crate::code::{Token, only_code, tokens};
use crate::workspace::File;

/// A source of Rust, and the library that it is a part of.
struct Source<'a> {
    file: &'a File,
    library: Option<&'a str>,
    code: String,
    /// The examples of its documentation, which are programs of their own.
    examples: String,
}

/// A public function, constant, module or field.
#[derive(Clone, Copy)]
struct Item<'a> {
    line: usize,
    name: &'a str,
    /// The struct of a field, by the place of its declaration.
    of: Option<usize>,
}

/// Complaints about public functions, constants, modules and fields that nothing outside their library names.
pub(crate) fn unused(files: &[File]) -> Vec<String> {
    let sources: Vec<Source<'_>> =
        files.iter().filter(|file| file.is_one_of(&["rs"])).map(|file| Source::of(file, files)).collect();
    let mut users: BTreeMap<&str, BTreeSet<Option<&str>>> = BTreeMap::new();
    for source in &sources {
        for token in tokens(&source.code) {
            users.entry(token.text).or_default().insert(source.library);
        }
        for token in tokens(&source.examples) {
            users.entry(token.text).or_default().insert(None);
        }
    }
    let is_used = |name: &str, library: &str| users[name].iter().any(|user| *user != Some(library));
    let complaints = sources.iter().filter_map(|source| Some((source, source.library?)));
    let complaints = complaints.flat_map(|(source, library)| {
        let items = items(&tokens(&source.code));
        let (used, unused): (Vec<Item<'_>>, Vec<Item<'_>>) =
            items.into_iter().partition(|item| is_used(item.name, library));
        let alone = unused
            .into_iter()
            .filter(|item| item.of.is_none_or(|of| !used.iter().any(|other| other.of == Some(of))));
        let complain = |item: Item<'_>| {
            let what = format!("`{}` is public, and nothing outside the crate names it", item.name);
            source.file.complain(item.line, &what)
        };
        alone.map(complain).collect::<Vec<_>>()
    });
    complaints.collect()
}

impl<'a> Source<'a> {
    fn of(file: &'a File, files: &[File]) -> Source<'a> {
        let inside = file.path.strip_prefix("crates/").and_then(|rest| rest.split_once("/src/"));
        let library = inside.filter(|(name, path)| !is_of_program(name, path, files)).map(|(name, _)| name);
        Source { file, library, code: only_code(&file.text), examples: only_code(&examples(&file.text)) }
    }
}

/// True if the file `path` in the sources of a crate is its program, or a module of it.
fn is_of_program(name: &str, path: &str, files: &[File]) -> bool {
    let main = files.iter().find(|file| file.path == format!("crates/{name}/src/main.rs"));
    let has_module =
        |main: &File, module: &str| main.text.lines().any(|line| line == format!("mod {module};"));
    let module = path.split(['/', '.']).next().unwrap_or_default();
    path == "main.rs" || main.is_some_and(|main| has_module(main, module))
}

/// The public items of a file, without types, imports, and the fields of tuples.
fn items<'a>(tokens: &[Token<'a>]) -> Vec<Item<'a>> {
    let mut latest_struct = None;
    let mut items = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token.text {
            "struct" => latest_struct = Some(at),
            "pub" => items.extend(item(&tokens[at + 1..], latest_struct)),
            _ => {}
        }
    }
    items
}

/// The item whose declaration goes on with these tokens.
fn item<'a>(tokens: &[Token<'a>], latest_struct: Option<usize>) -> Option<Item<'a>> {
    const QUALIFIERS: [&str; 3] = ["async", "const", "unsafe"];
    let words: Vec<Token<'a>> = tokens.iter().take(6).copied().collect();
    let named = |token: Token<'a>| Some(Item { line: token.line, name: token.text, of: None });
    let [first, second, ..] = words[..] else { return None };
    match first.text {
        "fn" | "mod" | "static" => named(second),
        "struct" | "enum" | "trait" | "type" | "use" | "extern" | "(" => None,
        qualifier if QUALIFIERS.contains(&qualifier) => {
            let function = words.iter().position(|token| token.text == "fn");
            named(function.map_or(Some(second), |at| words.get(at + 1).copied())?)
        }
        _ if second.text == ":" => Some(Item { line: first.line, name: first.text, of: latest_struct }),
        _ => None,
    }
}

/// The lines of fenced examples in documentation.
fn examples(text: &str) -> String {
    let mut is_example = false;
    let mut lines = String::new();
    for line in text.lines() {
        let comment = line.trim_start().strip_prefix("///").or_else(|| line.trim_start().strip_prefix("//!"));
        let Some(comment) = comment else { continue };
        if comment.trim_start().starts_with("```") {
            is_example = !is_example;
        } else if is_example {
            lines.push_str(comment);
            lines.push('\n');
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(texts: &[(&str, &str)]) -> Vec<String> {
        let file = |(path, text): &(&str, &str)| File { path: (*path).to_owned(), text: (*text).to_owned() };
        unused(&texts.iter().map(file).collect::<Vec<_>>())
    }

    #[test]
    fn an_item_that_only_its_crate_names_is_found() {
        let library = "pub fn a() -> F { b() }\npub const fn b() {}\npub const C: u8 = 1;
            pub struct D { pub e: u8 }\npub struct F { pub g: u8, pub h: u8 }";
        let found =
            complaints(&[("crates/x/src/lib.rs", library), ("crates/y/src/lib.rs", "fn f() { x::a().g }")]);
        let names: Vec<&str> = found.iter().filter_map(|one| one.split('`').nth(1)).collect();
        assert_eq!(names, ["b", "C", "e"]);
    }

    #[test]
    fn programs_tests_and_examples_are_users() {
        let found = complaints(&[
            (
                "crates/x/src/lib.rs",
                "pub fn a() {}\npub fn b() {}\n/// ```\n/// x::c();\n/// ```\npub fn c() {}",
            ),
            ("crates/x/src/main.rs", "mod run;"),
            ("crates/x/src/run/a.rs", "pub fn run() { x::a() }"),
            ("crates/x/tests/b.rs", "fn f() { x::b() }"),
        ]);
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn what_is_visible_in_the_crate_is_left_alone() {
        let found =
            complaints(&[("crates/x/src/lib.rs", "pub(crate) fn a() {}\npub use b::C;\nstruct T(pub u8);")]);
        assert!(found.is_empty(), "{found:?}");
    }
}
