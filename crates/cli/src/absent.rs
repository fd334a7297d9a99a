//! The commands and options that the program of `make demo` leaves out: those whose crates take longest to compile.
//! They keep their place in `--help`, and refuse with one sentence that says which build has them.

use crate::failure::Failure;

/// The commands that are left out without the feature `full`.
pub const COMMANDS: [&str; 6] = ["scenario", "plan", "sweep", "figures", "completions", "manual"];

/// The refusal of a command or an option.
pub fn refusal(what: &str) -> Failure {
    Failure::Arguments(format!(
        "this program was built for `make demo`, without `{what}`: `make release` builds the whole program, \
         target/release/anabranch"
    ))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::arguments::Arguments;

    #[test]
    fn every_command_is_in_both_builds_or_left_out_by_name() {
        let built = ["demo", "sim", "predict", "compare", "emulate", "send", "recv", "bench"];
        let program = Arguments::command();
        let mut named: Vec<&str> = program.get_subcommands().map(clap::Command::get_name).collect();
        let mut expected: Vec<&str> = built.into_iter().chain(COMMANDS).collect();
        named.sort_unstable();
        expected.sort_unstable();
        assert_eq!(named, expected);
    }

    #[test]
    fn a_refusal_is_wrong_input_and_says_what_to_type() {
        let document = refusal("sweep").document();
        assert_eq!(document["kind"], "arguments");
        let message = document["message"].as_str().expect("a message");
        assert!(message.contains("without `sweep`: `make release`"), "{message}");
    }
}
