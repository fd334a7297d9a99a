//! Refuses an import between modules of the crate `sctp` that MAY_USE does not allow, and between the parts of an
//! association that ROOMS does not allow.

use std::ops::ControlFlow;

use crate::code::{Token, only_code, tokens};
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
pub fn arrows_back(file: &File) -> Vec<String> {
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
    let uses = uses(&tokens(&code), &module);
    let back = uses.iter().filter(|used| !is_allowed(used, name, allowed));
    back.map(|used| file.complain(used.line, &complaint(name, allowed, used.name))).collect()
}

/// Complaints about a source file of a part of an association that sees another part.
pub fn doors_forced(file: &File) -> Vec<String> {
    let Some(module) = module_path(&file.path) else { return Vec::new() };
    let ["association", room, ..] = module[..] else { return Vec::new() };
    let Some((_, allowed)) = ROOMS.iter().find(|(name, _)| *name == room) else { return Vec::new() };
    let code = only_code(&file.text);
    let uses = uses_below(&tokens(&code), &module, &["association"]);
    let is_room = |name: &str| ROOMS.iter().any(|(room, _)| *room == name);
    let forced = uses.iter().filter(|used| {
        is_room(used.name) && used.name != room && !allowed.contains(&used.name) && !used.in_tests
    });
    forced
        .map(|used| {
            let what = format!("`{room}` sees `{}`: what both have to do with is in `session`", used.name);
            file.complain(used.line, &what)
        })
        .collect()
}

fn is_allowed(used: &Use<'_>, name: &str, allowed: &[&str]) -> bool {
    used.name == name || allowed.contains(&used.name) || (used.name == FOR_TESTS && used.in_tests)
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

/// `crates/sctp/src/path/table.rs` is `path`, `table`; a `mod.rs` is its directory.
fn module_path(path: &str) -> Option<Vec<&str>> {
    let inside = path.strip_prefix("crates/sctp/src/")?.strip_suffix(".rs")?;
    Some(inside.strip_suffix("/mod").unwrap_or(inside).split('/').collect())
}

/// A name directly below the root of the crate, used somewhere.
#[derive(Debug, PartialEq)]
struct Use<'a> {
    line: usize,
    name: &'a str,
    in_tests: bool,
}

/// Every use by `crate::` or `super::` of a name below the root, in the file of the module `module`.
fn uses<'a>(tokens: &[Token<'a>], module: &[&'a str]) -> Vec<Use<'a>> {
    uses_below(tokens, module, &[])
}

/// Like [`uses`], of a name directly below the module `base`.
fn uses_below<'a>(tokens: &[Token<'a>], module: &[&'a str], base: &[&str]) -> Vec<Use<'a>> {
    let mut uses = Vec::new();
    let mut here = Place::at(module);
    for (index, token) in tokens.iter().enumerate() {
        here.pass(token.text, &tokens[..index]);
        let names = match token.text {
            // What a macro names is found from the crates that use it.
            "crate" if tokens[..index].last().is_none_or(|before| before.text != "$") => {
                below(&tokens[index + 1..], base)
            }
            "super" if !follows_super(&tokens[..index]) => {
                above(&tokens[index..], here.modules.len().saturating_sub(base.len()))
            }
            _ => Vec::new(),
        };
        let in_tests = here.modules.contains(&"tests");
        uses.extend(names.iter().map(|name| Use { line: name.line, name: name.text, in_tests }));
    }
    uses
}

/// The modules around a token: those of the file, and those opened within it.
struct Place<'a> {
    modules: Vec<&'a str>,
    opened_at: Vec<usize>,
    depth: usize,
}

impl<'a> Place<'a> {
    fn at(module: &[&'a str]) -> Place<'a> {
        Place { modules: module.to_vec(), opened_at: Vec::new(), depth: 0 }
    }

    fn pass(&mut self, token: &str, before: &[Token<'a>]) {
        match token {
            "{" => {
                self.depth += 1;
                if let [.., keyword, name] = before
                    && keyword.text == "mod"
                {
                    self.modules.push(name.text);
                    self.opened_at.push(self.depth);
                }
            }
            "}" => {
                if self.opened_at.last() == Some(&self.depth) {
                    self.opened_at.pop();
                    self.modules.pop();
                }
                self.depth = self.depth.saturating_sub(1);
            }
            _ => {}
        }
    }
}

fn follows_super(before: &[Token<'_>]) -> bool {
    matches!(before, [.., first, colons] if first.text == "super" && colons.text == "::")
}

/// What `super::super::…`, `depth` modules deep, uses below the root; nothing where it stays inside.
fn above<'a>(path: &[Token<'a>], depth: usize) -> Vec<Token<'a>> {
    let steps = path
        .chunks(2)
        .take_while(|step| matches!(step, [word, colons] if word.text == "super" && colons.text == "::"));
    let steps = steps.count();
    if steps < depth { Vec::new() } else { below_root(&path[2 * steps - 1..]) }
}

/// The names that follow the path `base` from the root of the crate; nothing where the tokens lead elsewhere.
fn below<'a>(after: &[Token<'a>], base: &[&str]) -> Vec<Token<'a>> {
    let Some((first, deeper)) = base.split_first() else { return below_root(after) };
    match after {
        [colons, name, rest @ ..] if colons.text == "::" && name.text == *first => below(rest, deeper),
        [colons, group, rest @ ..] if colons.text == "::" && group.text == "{" => {
            let items = first_of_each(rest).into_iter().filter(|item| item.text == *first);
            let starts =
                items.filter_map(|item| rest.iter().position(|token| std::ptr::eq(token.text, item.text)));
            starts.flat_map(|at| below(&rest[at + 1..], deeper)).collect()
        }
        _ => Vec::new(),
    }
}

/// The names that follow the root of the crate: `::a::b` has `a`, `::{a, b::{c, d}}` has `a` and `b`.
fn below_root<'a>(after: &[Token<'a>]) -> Vec<Token<'a>> {
    match after {
        [colons, group, rest @ ..] if colons.text == "::" && group.text == "{" => first_of_each(rest),
        [colons, name, ..] if colons.text == "::" => vec![*name],
        _ => Vec::new(),
    }
}

/// The first name of each item of a group, up to the bracket that closes it.
fn first_of_each<'a>(group: &[Token<'a>]) -> Vec<Token<'a>> {
    let mut names = Vec::new();
    let mut depth = 0_usize;
    let mut at_start = true;
    let _ = group.iter().try_for_each(|token| {
        match token.text {
            "}" if depth == 0 => return ControlFlow::Break(()),
            "}" => depth -= 1,
            "{" => depth += 1,
            "," if depth == 0 => at_start = true,
            _ if at_start => {
                at_start = false;
                names.push(*token);
            }
            _ => {}
        }
        ControlFlow::Continue(())
    });
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(path: &str, source: &str) -> Vec<String> {
        arrows_back(&File { path: format!("crates/sctp/src/{path}"), text: source.to_owned() })
    }

    fn used(path: &str, source: &str) -> Vec<String> {
        let path = format!("crates/sctp/src/{path}");
        let code = only_code(source);
        uses(&tokens(&code), &module_path(&path).unwrap()).iter().map(|used| used.name.to_owned()).collect()
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
    fn groups_are_taken_apart() {
        assert_eq!(
            used("path/table.rs", "use crate::{\n seq::{Tsn, Ssn}, wire::data::{self, Data}, send};"),
            ["seq", "wire", "send"]
        );
    }

    #[test]
    fn super_is_followed_up_to_the_root() {
        assert_eq!(used("path/table.rs", "use super::super::send::Queue; use super::rto;"), ["send"]);
        assert_eq!(used("path.rs", "use super::{send, seq::Tsn};"), ["send", "seq"]);
        assert_eq!(used("path.rs", "mod tests { use super::send; } use super::seq;"), ["seq"]);
        assert_eq!(used("path.rs", "mod tests { fn f() { super::super::send(); } }"), ["send"]);
        assert!(used("association/open.rs", "use super::send;").is_empty());
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
