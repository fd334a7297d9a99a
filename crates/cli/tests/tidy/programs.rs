//! Refuses a file of tests that belongs to no test program. A crate whose manifest says `autotests = false` names its test
//! programs itself, so that a new file would be compiled by none, and its tests would silently not run.

use crate::workspace::{File, Workspace};

/// Complaints about files directly below the `tests/` of a crate that are neither a test program of its manifest nor a module of
/// one.
pub(crate) fn without_program(workspace: &Workspace) -> Vec<String> {
    let manifests = workspace.files().iter().filter(|file| {
        file.path.ends_with("/Cargo.toml") && file.text.lines().any(|line| line == "autotests = false")
    });
    manifests.flat_map(|manifest| of_crate(manifest, workspace.files())).collect()
}

fn of_crate(manifest: &File, files: &[File]) -> Vec<String> {
    let folder = manifest.path.trim_end_matches("Cargo.toml").to_owned() + "tests/";
    let stem = |file: &File| {
        let name = file.path.strip_prefix(&folder)?.strip_suffix(".rs")?;
        (!name.contains('/')).then(|| name.to_owned())
    };
    let roots: Vec<&File> = files
        .iter()
        .filter(|file| {
            stem(file).is_some_and(|name| has_line(&manifest.text, &format!("path = \"tests/{name}.rs\"")))
        })
        .collect();
    let is_module = |name: &str| roots.iter().any(|root| has_line(&root.text, &format!("mod {name};")));
    let orphans = files.iter().filter(|file| {
        stem(file).is_some_and(|name| !roots.iter().any(|root| root.path == file.path) && !is_module(&name))
    });
    orphans
        .map(|file| {
            file.complain(1, "no test program has it: add `mod` to one, or a `[[test]]` to Cargo.toml")
        })
        .collect()
}

fn has_line(text: &str, line: &str) -> bool {
    text.lines().any(|each| each == line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_a_program_or_a_module_of_one() {
        let file = |path: &str, text: &str| File { path: path.to_owned(), text: text.to_owned() };
        let manifest = file("crates/a/Cargo.toml", "autotests = false\n[[test]]\npath = \"tests/root.rs\"\n");
        let files = [
            file("crates/a/tests/root.rs", "mod used;\n"),
            file("crates/a/tests/used.rs", ""),
            file("crates/a/tests/used/part.rs", ""),
            file("crates/a/tests/orphan.rs", ""),
            file("crates/b/tests/orphan.rs", ""),
        ];
        let complaints = of_crate(&manifest, &files);
        assert_eq!(complaints.len(), 1, "{complaints:?}");
        assert!(complaints[0].contains("crates/a/tests/orphan.rs"), "{complaints:?}");
    }
}
