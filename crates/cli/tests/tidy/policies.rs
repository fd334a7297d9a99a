//! Refuses code that compares a policy's name: what a policy needs, and what it means for others, its entry in the registry
//! and the policy itself say.

use crate::code::{Token, only_code, tokens};
use crate::workspace::File;

/// The fields that hold a policy's name.
const NAMES: &[&str] = &[
    "loss_detection",
    "congestion_control",
    "window_management",
    "loss_response",
    "scheduler",
    "retransmission",
    "fast_retransmission",
    "ack_timing",
    "cmt_ack_timing",
    "sack_content",
    "slow_start",
];
/// The largest distance between a comparison and the name: `.as_str()` and brackets are between them.
const NEAR: usize = 6;

/// Complaints about names of policies that a program compares. Tests may.
pub(crate) fn compared(file: &File) -> Vec<String> {
    if file.crate_name().is_none() || !file.path.contains("/src/") || !file.is_one_of(&["rs"]) {
        return Vec::new();
    }
    let code = only_code(&file.text);
    let code = code.split("#[cfg(test)]\nmod tests").next().unwrap_or(&code);
    let tokens = tokens(code);
    let is_call = |at: usize| tokens.get(at + 1).is_some_and(|next| next.text == "(");
    let is_field = |at: usize| tokens[at - 1].text == "." && NAMES.contains(&tokens[at].text) && !is_call(at);
    let fields = (1..tokens.len()).filter(|&at| is_field(at));
    let found = fields.filter(|&at| is_compared(&tokens, at)).map(|at| {
        let what = format!("`{}` is compared: ask the policy, or its entry in the registry", tokens[at].text);
        file.complain(tokens[at].line, &what)
    });
    found.collect()
}

fn is_compared(tokens: &[Token<'_>], at: usize) -> bool {
    let is_end = |token: &&Token<'_>| matches!(token.text, ";" | "{" | "}" | ",");
    let after: Vec<&str> = tokens[at + 1..]
        .iter()
        .take_while(|token| !is_end(token))
        .take(NEAR)
        .map(|token| token.text)
        .collect();
    let before = tokens[..at].iter().rev().take_while(|token| !is_end(token)).take(NEAR + 2);
    let mut before: Vec<&str> = before.map(|token| token.text).collect();
    before.reverse();
    let has = |words: &[&str]| {
        words.windows(2).any(|pair| matches!(pair, ["=" | "!", "="]))
            || words.iter().any(|word| matches!(*word, "match" | "matches" | "contains" | "starts_with"))
    };
    has(&after) || has(&before)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_refused(line: &str) -> bool {
        let text = format!("fn f() {{\n    {line}\n}}\n");
        !compared(&File { path: "crates/sim/src/lib.rs".to_owned(), text }).is_empty()
    }

    #[test]
    fn a_name_that_is_compared_is_refused_and_one_that_is_set_or_looked_up_is_not() {
        for line in [
            "if config.scheduler == \"fill\" {}",
            "if \"fill\" != config.scheduler {}",
            "match config.congestion_control.as_str() { _ => {} }",
            "let paced = BBR.contains(&self.congestion_control.as_str());",
            "let is = sctp.config.ack_timing.starts_with(\"dac\");",
            "let is = self.retransmission.as_str() == ASAP;",
        ] {
            assert!(is_refused(line), "{line}");
        }
        for line in [
            "config.scheduler = \"fill\".to_owned();",
            "\"fill\".clone_into(&mut config.scheduler);",
            "registry.schedulers.build(&config.scheduler, &rules)?;",
            "let longest = self.window + limits.scheduler;",
            "let names = (config.scheduler.clone(), a == b);",
            "match sctp.window_management(&registry) { _ => {} }",
        ] {
            assert!(!is_refused(line), "{line}");
        }
    }

    #[test]
    fn tests_may_compare_names() {
        let text = "#[cfg(test)]\nmod tests {\n    fn f() { assert!(config.scheduler == \"fill\"); }\n}\n"
            .to_owned();
        assert_eq!(compared(&File { path: "crates/sim/src/lib.rs".to_owned(), text }), Vec::<String>::new());
    }
}
