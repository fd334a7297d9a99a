//! The arguments of a command that this build leaves out.

use clap::Args;

use super::Output;

/// The commands that are left out without the feature `full`.
pub(crate) const ABSENT_COMMANDS: [&str; 9] =
    ["doctor", "forward", "status", "scenario", "plan", "sweep", "figures", "completions", "manual"];

/// Arguments of any kind.
#[derive(Debug, Args)]
#[command(after_help = ABSENT_EXAMPLES)]
pub(crate) struct AbsentArguments {
    /// The words of the command line.
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub words: Vec<String>,
}

impl AbsentArguments {
    /// The form in which the refusal is printed.
    pub(super) fn output(&self) -> Output {
        let is_given = |option: &str| self.words.iter().any(|word| word == option);
        Output { json: is_given("--json"), json_lines: is_given("--json-lines"), ..Output::default() }
    }
}

/// The command, marked in the list of commands if this build leaves it out.
#[cfg(not(feature = "full"))]
pub(super) fn marked(command: clap::Command) -> clap::Command {
    if !ABSENT_COMMANDS.contains(&command.get_name()) {
        return command;
    }
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    command.about(format!("{about} (not in this build)"))
}

const ABSENT_EXAMPLES: &str = "\
This program was built for `make demo`, without this command.

Examples:
  build the whole program:   make release
  and read its help:         target/release/anabranch --help";

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, Parser};

    use super::super::Arguments;
    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        absent: AbsentArguments,
    }

    #[test]
    fn a_command_that_is_left_out_takes_any_words_and_notices_json() {
        let output = |line: &str| {
            let line = Line::try_parse_from(line.split(' ')).expect("any words");
            line.absent.output()
        };
        assert!(output("sweep two.toml --set link.wifi.loss=0,0.01 --out losses --json").json);
        assert!(output("sweep --json-lines two.toml").json_lines);
        assert!(!output("figures run IY-F4 -q").is_json());
        assert!(!output("completions").is_json());
    }

    #[test]
    fn every_command_is_in_both_builds_or_left_out_by_name() {
        let built = ["demo", "sim", "predict", "compare", "emulate", "send", "recv", "bench"];
        let program = Arguments::command();
        let mut named: Vec<&str> = program.get_subcommands().map(clap::Command::get_name).collect();
        let mut expected: Vec<&str> = built.into_iter().chain(ABSENT_COMMANDS).collect();
        named.sort_unstable();
        expected.sort_unstable();
        assert_eq!(named, expected);
    }
}
