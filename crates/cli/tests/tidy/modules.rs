//! Refuses an import between modules of the crate `sctp` that MAY_USE does not allow, and between the parts of an
//! association that ROOMS does not allow.

use crate::code::{only_code, tokens};
use crate::imports::{Import, imports, module_of};
use crate::workspace::File;

/// Each module and the modules it may use. A row names only rows above it: arrows point up the page.
/// `send`, `receive` and `path` answer with values and never meet; `association` is where they do.
const MAY_USE: &[(&str, &[&str])] = &[
    ("seq", &[]),
    ("wire", &["seq"]),
    ("policy", &["seq", "wire"]),
    ("config", &["seq", "wire", "policy"]),
    ("send", &["seq", "wire", "policy", "config"]),
    ("receive", &["seq", "wire", "policy", "config"]),
    ("path", &["seq", "wire", "policy", "config"]),
    ("event", &["seq", "wire", "policy", "path"]),
    ("record", &["seq", "wire", "policy", "path"]),
    ("association", &["seq", "wire", "policy", "config", "send", "receive", "path", "event", "record"]),
    (
        "endpoint",
        &["seq", "wire", "policy", "config", "send", "receive", "path", "event", "record", "association"],
    ),
];

/// The folders of `association`, and those that each may use: the parts see the ground, and the session sees the parts.
const ROOMS: &[(&str, &[&str])] = &[
    ("ground", &[]),
    ("sender", &["ground"]),
    ("receiver", &["ground"]),
    ("peer_addresses", &["ground"]),
    ("session", &["ground", "sender", "receiver", "peer_addresses"]),
];

/// The pair of endpoints for tests may use everything; only tests may use it.
const FOR_TESTS: &str = "testing";

/// Complaints about the arrows of a source file of `sctp`.
pub(crate) fn arrows_back(file: &File) -> Vec<String> {
    let Some(module) = module_path(&file.path) else { return Vec::new() };
    let name = module[0];
    if ["lib", FOR_TESTS].contains(&name) {
        return Vec::new();
    }
    let Some(allowed) = row(name) else {
        return vec![
            file.complain(1, &format!("`{name}` has no row in MAY_USE of the tidy test: give it one")),
        ];
    };
    let code = only_code(&file.text);
    let imports = imports(&tokens(&code), &module);
    let back = imports.iter().filter_map(|import| {
        let used = import.names.first().filter(|used| !is_allowed(import, used, name, allowed))?;
        Some(file.complain(import.line, &complaint(name, allowed, used)))
    });
    back.collect()
}

/// Complaints about a source file of a part of an association that sees another part.
pub(crate) fn doors_forced(file: &File) -> Vec<String> {
    let Some(module) = module_path(&file.path) else { return Vec::new() };
    let ["association", room, ..] = module[..] else { return Vec::new() };
    let Some((_, allowed)) = ROOMS.iter().find(|(name, _)| *name == room) else { return Vec::new() };
    let code = only_code(&file.text);
    let is_room = |name: &str| ROOMS.iter().any(|(room, _)| *room == name);
    let forced = imports(&tokens(&code), &module).into_iter().filter_map(|import| {
        let ["association", used, ..] = import.names[..] else { return None };
        let is_forced = is_room(used) && used != room && !allowed.contains(&used) && !import.in_tests;
        let what = format!("`{room}` sees `{used}`: `session` composes the two");
        is_forced.then(|| file.complain(import.line, &what))
    });
    forced.collect()
}

fn is_allowed(import: &Import<'_>, used: &str, name: &str, allowed: &[&str]) -> bool {
    used == name || allowed.contains(&used) || (used == FOR_TESTS && import.in_tests)
}

fn complaint(name: &str, allowed: &[&str], used: &str) -> String {
    let ways = if allowed.is_empty() { "no other module".to_owned() } else { allowed.join(", ") };
    if row(used).is_some() || used == FOR_TESTS {
        format!("arrow that points back: `{name}` → `{used}`; from `{name}` arrows go only to {ways}")
    } else {
        format!("`crate::{used}` hides where its arrow points; name the module it comes from, one of {ways}")
    }
}

fn row(name: &str) -> Option<&'static [&'static str]> {
    MAY_USE.iter().find(|(row, _)| *row == name).map(|(_, allowed)| *allowed)
}

/// `crates/sctp/src/path/table.rs` is `path`, `table`.
fn module_path(path: &str) -> Option<Vec<&str>> {
    let inside = path.strip_prefix("crates/sctp/src/")?.strip_suffix(".rs")?;
    if inside == "lib" { Some(vec!["lib"]) } else { Some(module_of(inside)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(path: &str, source: &str) -> Vec<String> {
        arrows_back(&File { path: format!("crates/sctp/src/{path}"), text: source.to_owned() })
    }

    #[test]
    fn the_table_has_no_circle() {
        for (index, (name, allowed)) in MAY_USE.iter().enumerate() {
            let above = |other: &&str| MAY_USE[..index].iter().any(|(row, _)| row == other);
            assert!(allowed.iter().all(above), "{name}");
        }
    }

    #[test]
    fn a_part_that_sees_another_is_found() {
        let forced = |path: &str, source: &str| {
            doors_forced(&File { path: format!("crates/sctp/src/{path}"), text: source.to_owned() }).len()
        };
        let sees = "use crate::association::receiver::Receiver;";
        assert_eq!(forced("association/sender/loss.rs", sees), 1);
        assert_eq!(forced("association/sender/loss.rs", "use super::super::{ground, session::Session};"), 1);
        assert_eq!(forced("association/ground.rs", "use super::sender::Sender;"), 1);
        let grouped = "use crate::{association::{ground, receiver::Receiver}, path};";
        assert_eq!(forced("association/sender/loss.rs", grouped), 1);
        assert_eq!(forced("association/sender/loss.rs", "use crate::association::ground::Ground;"), 0);
        assert_eq!(forced("association/session.rs", sees), 0);
        assert_eq!(forced("association/dispatch.rs", sees), 0, "it is around the session");
        assert_eq!(forced("association/sender.rs", "mod loss; use loss::Left;"), 0);
    }

    #[test]
    fn an_arrow_that_points_back_is_found() {
        assert_eq!(
            complaints("receive/gap.rs", "//! x\nuse crate::seq::Tsn;\nuse crate::send::Queue;\n"),
            ["crates/sctp/src/receive/gap.rs:3: arrow that points back: `receive` → `send`; \
              from `receive` arrows go only to seq, wire, policy, config"]
        );
        assert_eq!(complaints("policy/congestion/reno.rs", "fn f() { crate::path::Table::new(); }").len(), 1);
        assert_eq!(complaints("seq.rs", "pub use super::wire::Chunk;").len(), 1);
    }

    #[test]
    fn an_arrow_that_points_on_is_not() {
        assert!(
            complaints("association/session.rs", "use crate::{send::Queue, receive::Gaps, path, record};")
                .is_empty()
        );
        assert!(
            complaints("wire/sack.rs", "use crate::wire::chunk; use super::data; pub(crate) fn f() {}")
                .is_empty()
        );
    }

    #[test]
    fn an_arrow_in_a_comment_or_a_string_does_not_count() {
        assert!(
            complaints(
                "seq.rs",
                "// use crate::send::Queue;\n/* crate::send::Queue */ \"crate::send::Queue\""
            )
            .is_empty()
        );
    }

    #[test]
    fn a_name_of_the_root_hides_its_arrow() {
        assert_eq!(complaints("path/table.rs", "use crate::Association;").len(), 1);
        assert_eq!(complaints("path/table.rs", "use crate::*;").len(), 1);
    }

    #[test]
    fn only_tests_use_the_pair_for_tests() {
        assert!(complaints("association.rs", "mod tests { use crate::testing::Pair; }").is_empty());
        assert!(complaints("association/tests.rs", "use crate::testing::Pair;").is_empty());
        assert_eq!(complaints("association.rs", "mod tests {} use crate::testing::Pair;").len(), 1);
    }

    #[test]
    fn a_module_without_a_row_is_refused() {
        assert_eq!(complaints("mystery.rs", "").len(), 1);
        assert!(complaints("lib.rs", "pub use crate::association::Association;").is_empty());
    }
}
