//! The paths into its own crate that a Rust file names, in imports and within its code.

use std::collections::BTreeSet;

use crate::code::Token;

/// A path from the root of the crate.
#[derive(Debug, PartialEq)]
pub(crate) struct Import<'a> {
    /// The line of its first word, from 1.
    pub line: usize,
    /// The names; the last is `*` for all names of a module.
    pub names: Vec<&'a str>,
    /// True inside a module `tests` of the file.
    pub in_tests: bool,
}

/// The module of a file below `src`: `path/table.rs` is `path`, `table`, and the file of the crate has no names.
pub(crate) fn module_of(inside: &str) -> Vec<&str> {
    let names = inside.strip_suffix(".rs").unwrap_or(inside);
    if names == "lib" || names == "main" { Vec::new() } else { names.split('/').collect() }
}

/// The paths in the file of a module: those that begin with `crate`, `super`, `self` or a child of the module.
pub(crate) fn imports<'a>(tokens: &[Token<'a>], module: &[&'a str]) -> Vec<Import<'a>> {
    let children = children(tokens);
    let mut here = Place::at(module);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        here.pass(&tokens[..=at]);
        let Some((prefix, after)) = root(tokens, at, &here, &children) else {
            at += 1;
            continue;
        };
        let mut paths = Vec::new();
        at = follow(tokens, after, prefix, &mut paths);
        let in_tests = here.modules.contains(&"tests");
        found.extend(paths.into_iter().map(|(line, names)| Import { line, names, in_tests }));
    }
    found
}

/// The modules that a file declares for tests alone.
pub(crate) fn test_modules<'a>(tokens: &[Token<'a>]) -> Vec<&'a str> {
    const ATTRIBUTE: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let words: Vec<&str> = tokens.iter().map(|token| token.text).collect();
    let starts = words.windows(ATTRIBUTE.len()).enumerate().filter(|(_, window)| *window == ATTRIBUTE);
    let declared = starts.filter_map(|(at, _)| {
        let rest = &words[at + ATTRIBUTE.len()..];
        let keyword = rest.iter().take(5).position(|word| *word == "mod")?;
        let is_visibility = |word: &&str| ["pub", "(", "crate", "super", ")"].contains(word);
        rest[..keyword].iter().all(is_visibility).then(|| rest.get(keyword + 1).copied()).flatten()
    });
    declared.collect()
}

/// The modules that the file declares with files of their own.
fn children<'a>(tokens: &[Token<'a>]) -> BTreeSet<&'a str> {
    let declared = tokens.windows(3).filter(|three| three[0].text == "mod" && three[2].text == ";");
    declared.map(|three| three[1].text).collect()
}

/// The module at which the path that begins at a token starts, and the place of the `::` behind it.
fn root<'a>(
    tokens: &[Token<'a>],
    at: usize,
    here: &Place<'a>,
    children: &BTreeSet<&'a str>,
) -> Option<(Vec<&'a str>, usize)> {
    let is_colons = |at: usize| tokens.get(at).is_some_and(|token| token.text == "::");
    let before = at.checked_sub(1).map(|before| tokens[before].text);
    // `$crate` is found from the crates that use the macro; `pub(in crate::a)` imports nothing.
    if !is_colons(at + 1) || matches!(before, Some("::" | "." | "$" | "in")) {
        return None;
    }
    match tokens[at].text {
        "crate" => Some((Vec::new(), at + 1)),
        "self" => Some((here.modules.clone(), at + 1)),
        "super" => {
            let mut steps = 1;
            while is_colons(at + 2 * steps - 1) && tokens.get(at + 2 * steps)?.text == "super" {
                steps += 1;
            }
            let above = here.modules.len().checked_sub(steps)?;
            Some((here.modules[..above].to_vec(), at + 2 * steps - 1))
        }
        child if here.opened_at.is_empty() && children.contains(child) => {
            let mut prefix = here.modules.clone();
            prefix.push(child);
            Some((prefix, at + 1))
        }
        _ => None,
    }
}

/// Follows a path from a `::` to its ends, of which a group has several; the place behind it.
fn follow<'a>(
    tokens: &[Token<'a>],
    mut at: usize,
    mut names: Vec<&'a str>,
    found: &mut Vec<(usize, Vec<&'a str>)>,
) -> usize {
    let mut line = tokens.get(at).map_or(0, |token| token.line);
    while tokens.get(at).is_some_and(|token| token.text == "::") {
        let Some(next) = tokens.get(at + 1) else { break };
        match next.text {
            "{" => return follow_group(tokens, at + 2, &names, found),
            // The arguments of a generic function.
            "<" => break,
            name => {
                line = next.line;
                names.push(name);
                at += 2;
            }
        }
    }
    found.push((line, names));
    at
}

fn follow_group<'a>(
    tokens: &[Token<'a>],
    mut at: usize,
    names: &[&'a str],
    found: &mut Vec<(usize, Vec<&'a str>)>,
) -> usize {
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token.text {
            "}" => break,
            "," => {}
            // The other name of an item stands in for nothing.
            "as" => at += 1,
            "self" => found.push((token.line, names.to_vec())),
            name => {
                let longer = [names, &[name]].concat();
                if tokens.get(at).is_some_and(|next| next.text == "::") {
                    at = follow(tokens, at, longer, found);
                } else {
                    found.push((token.line, longer));
                }
            }
        }
    }
    at
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

    /// Passes the last of these tokens.
    fn pass(&mut self, passed: &[Token<'a>]) {
        let Some((token, before)) = passed.split_last() else { return };
        match token.text {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::{only_code, tokens};

    fn paths(inside: &str, source: &str) -> Vec<String> {
        let code = only_code(source);
        imports(&tokens(&code), &module_of(inside)).iter().map(|import| import.names.join(" ")).collect()
    }

    #[test]
    fn groups_are_taken_apart() {
        let source = "use crate::{\n seq::{Tsn, Ssn}, wire::data::{self, Data as D}, send::*};";
        assert_eq!(
            paths("path/table.rs", source),
            ["seq Tsn", "seq Ssn", "wire data", "wire data Data", "send *"]
        );
    }

    #[test]
    fn super_and_self_are_followed_from_where_they_stand() {
        assert_eq!(
            paths("path/table.rs", "use super::super::send::Queue; self::a::b();"),
            ["send Queue", "path table a b"]
        );
        assert_eq!(paths("path.rs", "mod tests { use super::send; } use super::seq;"), ["path send", "seq"]);
        assert_eq!(paths("path.rs", "fn f() { super::send::<T>(self.x) }"), ["send"]);
    }

    #[test]
    fn a_child_begins_a_path_and_another_name_does_not() {
        let source = "mod rtt; use rtt::Rtt; fn f() { rtt::of(std::mem::take(x), y.rtt) }";
        assert_eq!(paths("path.rs", source), ["path rtt Rtt", "path rtt of"]);
        assert!(paths("path.rs", "pub(in crate::path) fn f() { $crate::g!() }").is_empty());
    }

    #[test]
    fn modules_for_tests_are_found() {
        let code =
            only_code("#[cfg(test)]\nmod tests;\n#[cfg(test)] pub(crate) mod pair;\n#[cfg(unix)] mod a;");
        assert_eq!(test_modules(&tokens(&code)), ["tests", "pair"]);
    }
}
