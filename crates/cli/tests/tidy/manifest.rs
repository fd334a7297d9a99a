//! Reads the dependencies of a `Cargo.toml`, and refuses one without a reason in ARCHITECTURE.md. It reads as much TOML as
//! manifests use.

use crate::workspace::File;

/// One dependency of a manifest.
#[derive(Debug, PartialEq)]
pub(crate) struct Dependency {
    /// The line it stands in, from 1.
    pub line: usize,
    /// The package, also where the manifest gives it another name.
    pub package: String,
    /// True if only tests, examples and benches need it.
    pub for_tests: bool,
}

/// The dependencies: normal, for tests and builds, for one target, of the workspace.
pub(crate) fn dependencies(manifest: &str) -> Vec<Dependency> {
    let mut found = Vec::new();
    let mut section = String::new();
    let mut open_brackets = 0_usize;
    for (index, text) in manifest.lines().enumerate() {
        let text = text.split('#').next().unwrap_or_default().trim();
        let line = index + 1;
        let begins_here = open_brackets == 0 && !text.is_empty();
        if begins_here && text.starts_with('[') {
            section = text.trim_matches(['[', ']']).to_owned();
            found.extend(named_by_section(&section, line));
            continue;
        }
        if begins_here && section.ends_with("dependencies") {
            let for_tests = section.ends_with("dev-dependencies");
            found.push(Dependency { line, package: package(text), for_tests });
        }
        open_brackets += text.matches(['[', '{']).count();
        open_brackets = open_brackets.saturating_sub(text.matches([']', '}']).count());
    }
    found
}

/// Complaints about dependencies that are not ours and stand in no table of `architecture`.
pub(crate) fn without_reason(file: &File, architecture: &str) -> Vec<String> {
    if !is_manifest(file) {
        return Vec::new();
    }
    let foreign = dependencies(&file.text).into_iter().filter(|found| ours(&found.package).is_none());
    foreign
        .filter(|found| !has_row(architecture, &found.package))
        .map(|found| {
            let package = &found.package;
            file.complain(
                found.line,
                &format!(
                    "`{package}` has no row in a table of ARCHITECTURE.md: add \"| `{package}` | reason |\""
                ),
            )
        })
        .collect()
}

/// Returns true if this is a manifest of cargo.
pub(crate) fn is_manifest(file: &File) -> bool {
    file.path == "Cargo.toml" || file.path.ends_with("/Cargo.toml")
}

/// The directory in `crates/` of a package that is ours.
pub(crate) fn ours(package: &str) -> Option<&str> {
    package.strip_prefix("anabranch-").or_else(|| (package == EXAMPLE).then_some(EXAMPLE))
}

/// `[dependencies.NAME]` is a section of its own.
fn named_by_section(section: &str, line: usize) -> Option<Dependency> {
    let (kind, name) = section.rsplit_once('.')?;
    kind.ends_with("dependencies").then(|| Dependency {
        line,
        package: name.trim_matches('"').to_owned(),
        for_tests: kind.ends_with("dev-dependencies"),
    })
}

/// The package of a line `NAME = …` or `NAME.workspace = true`; `package = "…"` in it rules.
fn package(text: &str) -> String {
    let renamed = text.split_once("package").and_then(|(_, rest)| rest.trim_start().strip_prefix('='));
    let name = match renamed {
        Some(value) => value.split('"').nth(1),
        None => text.split(['.', '=', ' ']).next(),
    };
    name.unwrap_or_default().trim_matches('"').to_owned()
}

fn has_row(architecture: &str, package: &str) -> bool {
    let cell = format!("`{package}`");
    let mut rows = architecture.lines().filter_map(|line| line.strip_prefix('|'));
    rows.any(|row| row.split('|').next().is_some_and(|first| first.contains(&cell)))
}

/// The example whose policies the module for Python has too.
const EXAMPLE: &str = "own-policy";

#[cfg(test)]
mod tests {
    use super::*;

    fn found(manifest: &str) -> Vec<(usize, String, bool)> {
        dependencies(manifest).into_iter().map(|found| (found.line, found.package, found.for_tests)).collect()
    }

    #[test]
    fn every_kind_of_section_is_read() {
        let manifest = "[package]\nname = \"x\"\n[dependencies]\na.workspace = true\nb = \"1\" # why\n\n\
                        [dev-dependencies]\nc = { version = \"1\" }\n[target.'cfg(unix)'.dependencies]\nd = \"1\"\n\
                        [dependencies.e]\nversion = \"1\"\n[features]\nf = []\n";
        let expected = [(4, "a", false), (5, "b", false), (8, "c", true), (10, "d", false), (11, "e", false)];
        assert_eq!(found(manifest), expected.map(|(line, name, tests)| (line, name.to_owned(), tests)));
    }

    #[test]
    fn a_package_is_found_behind_another_name() {
        let manifest = "[dependencies]\nnet = { package = \"anabranch-net\", path = \"../net\" }\n";
        assert_eq!(found(manifest), [(2, "anabranch-net".to_owned(), false)]);
    }

    #[test]
    fn a_list_over_several_lines_is_one_dependency() {
        let manifest =
            "[dependencies]\na = { version = \"1\", features = [\n  \"b\",\n  \"c\",\n] }\nd = \"1\"\n";
        assert_eq!(found(manifest).iter().map(|found| found.0).collect::<Vec<_>>(), [2, 6]);
    }

    #[test]
    fn a_reason_is_a_row_of_a_table() {
        let text = "[workspace.dependencies]\nanabranch-base = { path = \"b\" }\nbytes = \"1\"\n".to_owned();
        let file = File { path: "Cargo.toml".to_owned(), text };
        assert!(without_reason(&file, "| `bytes` | shares buffers |").is_empty());
        let complaints = without_reason(&file, "we use `bytes` | and `bytes-more` |\n| other | `bytes` |");
        assert!(
            complaints.len() == 1 && complaints[0].starts_with("Cargo.toml:3: `bytes`"),
            "{complaints:?}"
        );
    }
}
