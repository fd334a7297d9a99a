//! Refuses a field of a closed part of the protocol that other files can reach: a part answers with values, so that it can be
//! read, changed and tested alone.

use crate::code::{Token, only_code, tokens};
use crate::workspace::File;

/// The parts of `sctp` whose fields are private. `make doors` counts the fields of all parts.
const CLOSED: &[&str] = &[
    "Association",
    "Session",
    "Sender",
    "PeerWindow",
    "Receiver",
    "PeerAddresses",
    "Outbox",
    "Log",
    "Endpoint",
    "PathTable",
    "Ends",
    "Liveness",
    "Gate",
    "Estimates",
    "Measured",
    "Reports",
    "LossState",
    "SendBuffer",
    "OutboundChunk",
];

/// Complaints about visible fields of closed parts, and about names that no struct has.
pub(crate) fn open_fields(files: &[File]) -> Vec<String> {
    let sources = files.iter().filter(|file| file.path.starts_with("crates/sctp/src/"));
    let mut complaints = Vec::new();
    let mut missing = CLOSED.to_vec();
    for file in sources.filter(|file| file.is_one_of(&["rs"])) {
        let code = only_code(&file.text);
        let tokens = tokens(&code);
        for name in CLOSED {
            let Some(fields) = fields(&tokens, name) else { continue };
            missing.retain(|other| other != name);
            let what = format!("`{name}` is a closed part: make the field private, and let a method answer");
            complaints.extend(visible(fields).map(|line| file.complain(line, &what)));
        }
    }
    complaints
        .extend(missing.iter().map(|name| format!("no struct of `sctp` is called `{name}`: see CLOSED")));
    complaints
}

/// Returns the tokens behind the name of the struct `name`, if the file declares it.
fn fields<'t, 'a>(tokens: &'t [Token<'a>], name: &str) -> Option<&'t [Token<'a>]> {
    let at = tokens.windows(2).position(|pair| pair[0].text == "struct" && pair[1].text == name)?;
    Some(&tokens[at + 2..])
}

/// The lines of the fields that are not private.
fn visible<'a>(fields: &'a [Token<'_>]) -> impl Iterator<Item = usize> + 'a {
    let mut depth = 0;
    let depths = fields.iter().map(move |token| {
        depth += match token.text {
            "{" | "(" | "[" => 1,
            "}" | ")" | "]" => -1,
            _ => 0,
        };
        (token, depth)
    });
    // Generics stand before the first bracket; the declaration ends with its last, or with a semicolon.
    let inside = depths.skip_while(|(_, depth)| *depth == 0).take_while(|(_, depth)| *depth > 0);
    inside.filter(|(token, depth)| token.text == "pub" && *depth == 1).map(|(token, _)| token.line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(source: &str) -> Vec<String> {
        let all = CLOSED.iter().filter(|name| !source.contains(&format!("struct {name}")));
        let others = all.map(|name| format!("struct {name} {{ field: u8 }}\n")).collect::<String>();
        let file = |path: &str, text: &str| File { path: path.to_owned(), text: text.to_owned() };
        let elsewhere = file("crates/sim/src/a.rs", "struct PathTable { pub field: u8 }");
        open_fields(&[file("crates/sctp/src/a.rs", source), file("crates/sctp/src/b.rs", &others), elsewhere])
    }

    #[test]
    fn a_field_that_others_see_is_refused() {
        let source =
            "pub struct PathTable {\n    paths: u8,\n    pub(super) samples: u8,\n    pub len: u8,\n}\n";
        let found = complaints(source);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("crates/sctp/src/a.rs:3: `PathTable`"), "{found:?}");
        assert!(found[1].starts_with("crates/sctp/src/a.rs:4: "), "{found:?}");
        assert_eq!(complaints("struct Gate<T>(pub T, u8);\npub struct Other { pub field: u8 }").len(), 1);
    }

    #[test]
    fn private_fields_and_what_is_public_beside_them_are_left_alone() {
        let source = "/// pub\nstruct PathTable { samples: Vec<[u8; 3]>, change: fn(u8) -> u8 }\n\
                      impl PathTable { pub fn new() {} }\npub struct Answer { pub value: u8 }";
        assert!(complaints(source).is_empty());
    }

    #[test]
    fn a_part_that_is_gone_leaves_the_list() {
        let found = open_fields(&[]);
        assert_eq!(found.len(), CLOSED.len());
        assert!(found[0].contains("`Association`"), "{found:?}");
    }
}
