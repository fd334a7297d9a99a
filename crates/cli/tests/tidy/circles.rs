//! Refuses circles of imports between the files of a crate, and imports between the folders of a crate that run up its
//! layers.
//!
//! A file and those below it are one unit: a parent composes its children, and they may use its types. A name that a parent
//! imports or exports from elsewhere counts as an import of the file it comes from.

use std::collections::{BTreeMap, BTreeSet};

use crate::code::{only_code, tokens};
use crate::imports::{Import, imports, module_of, test_modules};
use crate::workspace::File;

/// Folders whose entries have layers, the lowest first: an entry imports only from those before it.
const LAYERS: &[(&str, &[&str])] = &[
    (
        "crates/sim/src/",
        &[
            "observe",
            "traffic",
            "unfit",
            "application",
            "hints",
            "result",
            "senders",
            "measure",
            "predict",
            "enough",
            "host",
            "pairs",
            "load",
            "radio",
            "network",
            "run",
            "replicate",
            "tally",
            "mesh",
        ],
    ),
    (
        "crates/studies/src/figures/",
        &[
            "observed",
            "results",
            "verdict",
            "curve_statistics",
            "run_values",
            "claim",
            "figure",
            "beside_ns2",
            "measure",
            "reduced",
            "svg",
            "curve_table",
            "claim_table",
            "report",
            "sensitivity",
            "stated",
            "entry",
            "berp",
            "iy",
            "liu",
            "ye",
            "ws",
            "list",
            "catalogue",
            "selection",
            "batch",
            "document",
            "session",
            "running_times",
        ],
    ),
    (
        "crates/cli/src/",
        &[
            "answering",
            "arguments",
            "clock",
            "closing",
            "key_echo",
            "labels",
            "notice",
            "quoting",
            "remedies",
            "signals",
            "supervisor",
            "threads",
            "lookup",
            "failure",
            "absent",
            "addresses",
            "interrupt",
            "peer",
            "report",
            "key",
            "links",
            "manual",
            "meter",
            "policies",
            "completions",
            "endpoint",
            "figures",
            "scenario",
            "settings",
            "transfer",
            "compare",
            "dialing",
            "retry",
            "emulate",
            "listening",
            "plan",
            "predict",
            "recorded",
            "setting_list",
            "sim",
            "status",
            "bench",
            "demo",
            "doctor",
            "forward",
            "recv",
            "send",
            "sweep",
        ],
    ),
];

/// A file of a crate with the paths that it names outside tests.
struct Source<'a> {
    file: &'a File,
    module: Vec<&'a str>,
    imports: Vec<Import<'a>>,
}

/// The files of a crate by their modules, without those that only tests compile.
struct Crate<'a>(BTreeMap<Vec<&'a str>, Source<'a>>);

/// An import of a file by another.
struct Edge<'a> {
    line: usize,
    to: Vec<&'a str>,
}

/// Complaints about circles, one for each.
pub(crate) fn circles(files: &[File]) -> Vec<String> {
    let codes = Codes::of(files);
    codes.crates().flat_map(|sources| sources.circles()).collect()
}

/// Complaints about imports that run up the layers of a folder, and about entries of it that have no layer.
pub(crate) fn upward(files: &[File]) -> Vec<String> {
    let codes = Codes::of(files);
    let crates: Vec<Crate<'_>> = codes.crates().collect();
    let of_folder = |(folder, layers): &(&str, &[&str])| -> Vec<String> {
        crates.iter().flat_map(|sources| sources.upward(folder, layers)).collect()
    };
    LAYERS.iter().flat_map(of_folder).collect()
}

/// The code of every source, which paths borrow from.
struct Codes<'a>(Vec<(&'a File, String)>);

impl<'a> Codes<'a> {
    fn of(files: &'a [File]) -> Codes<'a> {
        let sources = files.iter().filter(|file| file.path.ends_with(".rs") && file.path.contains("/src/"));
        Codes(sources.map(|file| (file, only_code(&file.text))).collect())
    }

    fn crates(&self) -> impl Iterator<Item = Crate<'_>> {
        let names: BTreeSet<&str> = self.0.iter().filter_map(|(file, _)| file.crate_name()).collect();
        names.into_iter().map(|name| self.one(&format!("crates/{name}/src/")))
    }

    fn one(&self, folder: &str) -> Crate<'_> {
        let mut sources = BTreeMap::new();
        let mut for_tests = Vec::new();
        for (file, code) in &self.0 {
            let Some(inside) = file.path.strip_prefix(folder) else { continue };
            let (tokens, module) = (tokens(code), module_of(inside));
            for_tests.extend(test_modules(&tokens).into_iter().map(|name| [&module[..], &[name]].concat()));
            let mut imports = imports(&tokens, &module);
            imports.retain(|import| !import.in_tests);
            sources.insert(module.clone(), Source { file, module, imports });
        }
        sources.retain(|module, _| !for_tests.iter().any(|one| module.starts_with(one)));
        Crate(sources)
    }
}

impl<'a> Crate<'a> {
    /// The file that has what a path names: the longest module in it, or the one that this imports it from.
    fn target(&self, names: &[&'a str], depth: usize) -> Option<&[&'a str]> {
        // Two files that import a name from each other would be followed for ever.
        const DEEPEST: usize = 8;
        let length = (0..=names.len()).rev().find(|length| self.0.contains_key(&names[..*length]))?;
        let source = &self.0[&names[..length]];
        let further = names.get(length).filter(|_| depth < DEEPEST).and_then(|name| {
            let is_it = |import: &&Import<'_>| import.names.len() > 1 && import.names.last() == Some(name);
            let import = source.imports.iter().find(is_it)?;
            let whole = [&import.names[..], &names[length + 1..]].concat();
            (whole != names).then(|| self.target(&whole, depth + 1)).flatten()
        });
        Some(further.unwrap_or(&source.module))
    }

    fn edges(&self, source: &Source<'a>) -> Vec<Edge<'a>> {
        let edges = source.imports.iter().filter_map(|import| {
            let to = self.target(&import.names, 0)?.to_vec();
            (to != source.module).then_some(Edge { line: import.line, to })
        });
        edges.collect()
    }

    fn circles(&self) -> Vec<String> {
        let is_family = |one: &[&str], other: &[&str]| one.starts_with(other) || other.starts_with(one);
        let mut graph: BTreeMap<&[&str], Vec<Edge<'a>>> = BTreeMap::new();
        for (module, source) in &self.0 {
            let edges = self.edges(source).into_iter().filter(|edge| !is_family(module, &edge.to));
            graph.insert(module, edges.collect());
        }
        let mut complaints = Vec::new();
        while let Some(circle) = circle_in(&graph) {
            let names: Vec<String> = circle.iter().map(|(module, _)| module.join("::")).collect();
            let what = format!("circle of imports: {} → {}", names.join(" → "), names[0]);
            let (from, first) = &circle[0];
            let edges = graph.get_mut(&from[..]).expect("a module of the circle");
            let Edge { line, to } = edges.swap_remove(*first);
            edges.retain(|edge| edge.to != to);
            complaints.push(self.0[from].file.complain(line, &what));
        }
        complaints
    }

    fn upward(&self, folder: &str, layers: &[&str]) -> Vec<String> {
        let mut complaints = Vec::new();
        for source in self.0.values() {
            let Some(entry) = entry_of(&source.file.path, folder) else { continue };
            let Some(layer) = layers.iter().position(|name| *name == entry) else {
                complaints.push(
                    source.file.complain(1, &format!("`{entry}` has no layer in LAYERS of the tidy test")),
                );
                continue;
            };
            for edge in self.edges(source) {
                let to = entry_of(&self.0[&edge.to].file.path, folder);
                let Some(above) = to.and_then(|to| layers.iter().position(|name| *name == to)) else {
                    continue;
                };
                if above > layer {
                    let what = format!("`{entry}` imports from `{}`, which is above it", layers[above]);
                    complaints.push(source.file.complain(edge.line, &what));
                }
            }
        }
        complaints
    }
}

/// The entry of a folder that a file is or is in, without its ending.
fn entry_of<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    let inside = path.strip_prefix(folder)?;
    let entry = inside.split('/').next()?;
    let entry = entry.strip_suffix(".rs").unwrap_or(entry);
    (inside != path && !["lib", "main"].contains(&entry)).then_some(entry)
}

/// Some circle: its modules, each with the index of the edge to the next.
fn circle_in<'a>(graph: &BTreeMap<&[&'a str], Vec<Edge<'a>>>) -> Option<Vec<(Vec<&'a str>, usize)>> {
    // A module that no circle passes loses its edges, until only circles and the ways between them are left.
    let mut alive: BTreeSet<&[&str]> = graph.keys().copied().collect();
    loop {
        let leads_on = |module: &&[&str]| graph[*module].iter().any(|edge| alive.contains(&edge.to[..]));
        let kept: BTreeSet<&[&str]> = alive.iter().copied().filter(|module| leads_on(module)).collect();
        if kept.len() == alive.len() {
            break;
        }
        alive = kept;
    }
    let mut passed: Vec<(Vec<&str>, usize)> = Vec::new();
    let mut here = alive.first()?.to_vec();
    loop {
        if let Some(start) = passed.iter().position(|(module, _)| *module == here) {
            return Some(passed.split_off(start));
        }
        let edges = &graph[&here[..]];
        let next = edges.iter().position(|edge| alive.contains(&edge.to[..]))?;
        passed.push((here, next));
        here = edges[next].to.clone();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(texts: &[(&str, &str)]) -> Vec<File> {
        let file = |(path, text): &(&str, &str)| File {
            path: format!("crates/a/src/{path}"),
            text: (*text).to_owned(),
        };
        texts.iter().map(file).collect()
    }

    #[test]
    fn a_circle_is_found_once() {
        let found = circles(&files(&[
            ("lib.rs", "mod b; mod c; mod d;"),
            ("b.rs", "//! x\nuse crate::c::C;"),
            ("c.rs", "use crate::d::D;"),
            ("d.rs", "fn f() { crate::b::f() }"),
        ]));
        assert_eq!(found, ["crates/a/src/b.rs:2: circle of imports: b → c → d → b"]);
    }

    #[test]
    fn a_parent_and_its_children_are_no_circle_and_neither_are_tests() {
        let found = circles(&files(&[
            ("b.rs", "mod c; mod d; use c::C; #[cfg(test)] mod tests;"),
            ("b/c.rs", "use super::B; #[cfg(test)] mod tests { use crate::b::d::D; }"),
            ("b/d.rs", "use super::c::C;"),
            ("b/tests.rs", "use super::d::D;"),
        ]));
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn a_name_that_a_parent_exports_is_followed() {
        let found = circles(&files(&[
            ("b.rs", "mod c; mod d; pub use c::C; pub use d::D;"),
            ("b/c.rs", "use super::D;"),
            ("b/d.rs", "use super::C;"),
        ]));
        assert_eq!(found.len(), 1, "{found:?}");
    }

    #[test]
    fn an_import_of_a_higher_layer_is_found() {
        let files = files(&[("low.rs", "use crate::high::inner::H;"), ("high/inner.rs", ""), ("new.rs", "")]);
        let codes = Codes::of(&files);
        let found: Vec<String> =
            codes.crates().flat_map(|one| one.upward("crates/a/src/", &["low", "high"])).collect();
        assert_eq!(
            found,
            [
                "crates/a/src/low.rs:1: `low` imports from `high`, which is above it",
                "crates/a/src/new.rs:1: `new` has no layer in LAYERS of the tidy test",
            ]
        );
    }
}
