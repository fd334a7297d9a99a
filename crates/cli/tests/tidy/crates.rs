//! Refuses a dependency of a crate that MAY_DEPEND_ON does not allow.

use crate::manifest::{Dependency, dependencies, is_manifest, ours};
use crate::workspace::File;

/// Each crate and the crates it may depend on. A row names only rows above it: arrows point up the page.
const MAY_DEPEND_ON: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("files", &[]),
    ("diagnose", &["base"]),
    ("sctp", &["base"]),
    ("link", &["base"]),
    ("wireless", &["base", "link"]),
    ("policies", &["base", "sctp"]),
    ("conformance", &["base", "sctp", "policies"]),
    ("scenario", &["base", "sctp", "policies", "link", "wireless"]),
    ("traces", &["base", "scenario"]),
    ("models", &["base"]),
    ("net", &["base", "sctp"]),
    ("transfer", &["base", "net"]),
    ("bench", &["base", "net", "diagnose"]),
    ("probe", &["base", "net", "diagnose"]),
    ("nets", &[]),
    ("transparent", &["nets"]),
    ("forward", &["base", "net", "nets"]),
    ("planner", &["base", "sctp", "policies", "models"]),
    ("emulate", &["base", "sctp", "link", "scenario"]),
    ("sim", &["base", "sctp", "policies", "link", "wireless", "scenario", "models", "planner"]),
    ("twin", &["base", "sctp", "link", "scenario", "sim", "diagnose"]),
    (
        "observe",
        &["base", "files", "sctp", "link", "wireless", "scenario", "models", "planner", "sim", "diagnose"],
    ),
    ("lab", &["base", "files", "scenario", "planner", "sim"]),
    ("runs", &["base", "files", "scenario", "planner", "sim"]),
    ("comparisons", &["base", "link", "scenario", "planner", "sim", "runs"]),
    (
        "studies",
        &["base", "files", "link", "wireless", "scenario", "models", "planner", "sim", "runs", "comparisons"],
    ),
    ("py", &["base", "scenario", "models", "planner", "sim", "observe", "lab", "studies"]),
    (
        "cli",
        &[
            "base",
            "files",
            "sctp",
            "scenario",
            "models",
            "net",
            "transfer",
            "bench",
            "diagnose",
            "probe",
            "twin",
            "transparent",
            "forward",
            "planner",
            "emulate",
            "sim",
            "observe",
            "lab",
            "studies",
            "traces",
        ],
    ),
];

/// Complaints about the arrows of a crate's manifest.
pub(crate) fn arrows_back(file: &File) -> Vec<String> {
    let Some(name) = file.crate_name().filter(|_| is_manifest(file)) else { return Vec::new() };
    let Some(allowed) = row(name) else {
        return vec![
            file.complain(1, &format!("`{name}` has no row in MAY_DEPEND_ON of the tidy test: give it one")),
        ];
    };
    dependencies(&file.text)
        .iter()
        .filter_map(|found| complaint(name, allowed, found).map(|what| file.complain(found.line, &what)))
        .collect()
}

/// A test may also need a crate that stands beside or below, but none that would depend on what is tested.
fn complaint(name: &str, allowed: &[&str], found: &Dependency) -> Option<String> {
    let other = ours(&found.package)?;
    let wrong = if found.for_tests { other == name || needs(other, name) } else { !allowed.contains(&other) };
    wrong.then(|| {
        let kind = if found.for_tests { "tests of " } else { "" };
        let ways = if allowed.is_empty() { "no crate of ours".to_owned() } else { allowed.join(", ") };
        format!("arrow that points back: {kind}`{name}` → `{other}`; from `{name}` arrows go only to {ways}")
    })
}

/// Returns true if `user` depends on `used`, itself or through others.
fn needs(user: &str, used: &str) -> bool {
    row(user).is_some_and(|allowed| allowed.iter().any(|other| *other == used || needs(other, used)))
}

fn row(name: &str) -> Option<&'static [&'static str]> {
    MAY_DEPEND_ON.iter().find(|(row, _)| *row == name).map(|(_, allowed)| *allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(name: &str, manifest: &str) -> Vec<String> {
        arrows_back(&File { path: format!("crates/{name}/Cargo.toml"), text: manifest.to_owned() })
    }

    #[test]
    fn the_table_has_no_circle() {
        for (index, (name, allowed)) in MAY_DEPEND_ON.iter().enumerate() {
            let above = |other: &&str| MAY_DEPEND_ON[..index].iter().any(|(row, _)| row == other);
            assert!(allowed.iter().all(above), "{name}");
        }
    }

    #[test]
    fn an_arrow_that_points_back_is_found() {
        assert_eq!(
            complaints(
                "sctp",
                "[dependencies]\nanabranch-base.workspace = true\nanabranch-net.workspace = true\n"
            ),
            [
                "crates/sctp/Cargo.toml:3: arrow that points back: `sctp` → `net`; from `sctp` arrows go only to base"
            ]
        );
        assert_eq!(complaints("base", "[build-dependencies]\nanabranch-link = \"1\"\n").len(), 1);
    }

    #[test]
    fn an_arrow_that_points_on_is_not() {
        assert!(
            complaints("net", "[dependencies]\nanabranch-sctp.workspace = true\nbytes = \"1\"\n").is_empty()
        );
        assert!(complaints("net", "[dependencies]\n# anabranch-sim.workspace = true\n").is_empty());
    }

    #[test]
    fn a_test_may_look_aside_but_not_up() {
        assert!(complaints("link", "[dev-dependencies]\nanabranch-sctp.workspace = true\n").is_empty());
        assert_eq!(complaints("base", "[dev-dependencies]\nanabranch-cli.workspace = true\n").len(), 1);
        assert_eq!(complaints("sctp", "[dev-dependencies]\nanabranch-sim.workspace = true\n").len(), 1);
    }

    #[test]
    fn a_crate_without_a_row_is_refused() {
        assert_eq!(complaints("mystery", "[dependencies]\n").len(), 1);
    }
}
