//! The policies of this process, and other programs with further policies.
//!
//! Rust has no stable binary interface, so a policy cannot be loaded into a running program. A program with further
//! policies is the whole command line with another registry ([`run`](crate::run)), and `--policies` runs it instead of this
//! one.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use anabranch_planner::live;
use anabranch_scenario::Registry;

use crate::failure::Failure;
use crate::report;

static CHOSEN: OnceLock<Registry> = OnceLock::new();

/// Makes `registry` the policies of this process. The first call counts.
pub(crate) fn choose(registry: Registry) {
    let _ = CHOSEN.set(registry);
}

/// The policies of this process.
pub(crate) fn registry() -> Registry {
    CHOSEN.get_or_init(live::registry).clone()
}

/// Prints the version of the policies if another program asks for it. Returns true if so.
pub(crate) fn answer(words: &[OsString]) -> bool {
    let is_asked = words.get(1).is_some_and(|word| word == QUESTION);
    if is_asked {
        report::print_line(ANSWER);
        report::wait_until_printed();
    }
    is_asked
}

/// Replaces this process by `program`, with the same command line without `--policies`. Returns only if that fails.
pub(crate) fn hand_over(program: &Path, words: &[OsString]) -> Failure {
    let refused = |why: String| {
        Failure::Arguments(format!(
            "--policies {}: {why}. It is a program that calls anabranch_cli::run with its policies; \
             examples/own-policy is one",
            program.display()
        ))
    };
    let cannot_run = |error: io::Error| refused(format!("it cannot be run: {error}"));
    let file = match program.canonicalize() {
        Ok(file) => file,
        Err(error) => return cannot_run(error),
    };
    let asked = Command::new(&file).arg(QUESTION).stdin(Stdio::null()).stderr(Stdio::null()).output();
    match asked {
        Err(error) => cannot_run(error),
        Ok(answered) if answered.stdout.trim_ascii() != ANSWER.as_bytes() => {
            let said = String::from_utf8_lossy(&answered.stdout);
            match said.trim_ascii().strip_prefix(NAME) {
                Some(version) if !version.contains('\n') => {
                    refused(format!("it was built with{version}, and this is {VERSION}: build it again"))
                }
                _ => refused("it has no policies for this program".to_owned()),
            }
        }
        Ok(_) => cannot_run(Command::new(&file).args(without_policies(&words[1..])).exec()),
    }
}

/// The program that `--policies` names in a command line that is not parsed yet.
pub(crate) fn named(words: &[OsString]) -> Option<&OsStr> {
    let own = words.split(|word| word == "--").next()?;
    own.windows(2).find(|pair| pair[0] == OPTION).map(|pair| pair[1].as_os_str())
}

/// The words without `--policies FILE` and `--policies=FILE`.
fn without_policies(words: &[OsString]) -> Vec<&OsStr> {
    let mut kept = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word == OPTION {
            words.next();
        } else if !word.to_string_lossy().starts_with(&format!("{OPTION}=")) {
            kept.push(word.as_os_str());
        }
        if word == "--" {
            break;
        }
    }
    kept.extend(words.map(OsString::as_os_str));
    kept
}

const OPTION: &str = "--policies";
/// The first argument with which a program asks another for the version of its policies.
const QUESTION: &str = "--has-policies-for-anabranch";
const NAME: &str = "anabranch policies";
const VERSION: &str = env!("CARGO_PKG_VERSION");
const ANSWER: &str = concat!("anabranch policies ", env!("CARGO_PKG_VERSION"));

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(line: &str) -> String {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        without_policies(&words).join(OsStr::new(" ")).into_string().expect("text")
    }

    #[test]
    fn the_program_that_is_run_gets_all_other_words() {
        assert_eq!(kept("sim --policies a.out s.toml --json"), "sim s.toml --json");
        assert_eq!(kept("sim --policies=a.out s.toml"), "sim s.toml");
        assert_eq!(kept("sim -- --policies s.toml"), "sim -- --policies s.toml");
        let named = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            named(&words).map(OsStr::to_os_string)
        };
        assert_eq!(named("anabranch sim --policies a.out --set help"), Some("a.out".into()));
        assert_eq!(named("anabranch sim -- --policies a.out"), None);
    }

    #[test]
    fn another_kind_of_program_is_refused_with_the_reason() {
        let told = |program: &str| hand_over(Path::new(program), &["anabranch".into()]).to_string();
        assert!(told("/none/such").contains("it cannot be run: No such file"), "{}", told("/none/such"));
        assert!(told("/bin/true").contains("it has no policies for this program"), "{}", told("/bin/true"));
    }
}
