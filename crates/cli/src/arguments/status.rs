//! The arguments of `status`.

use anabranch_base::Duration;
use clap::Args;

use super::{Output, quantity};

/// `anabranch status`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct StatusArguments {
    /// Print one JSON document on standard output; with --watch one on each line
    #[arg(long)]
    pub json: bool,
    /// Show the state again each SECONDS (default: 1), until Ctrl-C
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "1", value_parser = quantity::some_seconds)]
    pub watch: Option<Duration>,
    /// Show only the program with this process number
    #[arg(long, value_name = "PID")]
    pub pid: Option<u32>,
}

impl StatusArguments {
    /// The form of the result: of several documents each is one line.
    pub(crate) fn output(&self) -> Output {
        Output { json: self.json, json_lines: self.json && self.watch.is_some(), ..Output::default() }
    }
}

const EXAMPLES: &str = "\
Shows each `anabranch forward` of this user on this host: its links with what each was charged, its bonds and their
paths, the flows with the highest rates, and the totals since the start. Rates are those of one second, which the
answer takes. As root it also shows services, whose sockets are in /run/anabranch.

A program answers at a socket that its user and root may use: in $RUNTIME_DIRECTORY, in
$XDG_RUNTIME_DIR/anabranch, in /run/anabranch, or in a folder for temporary files.

Examples:
  once:                        anabranch status
  as it changes:               anabranch status --watch
  a line a minute, for a log:  anabranch status --json --watch 60 >> status.log
  one link's charge:           anabranch status --json | jq '.running[0].links'

Exit status: 0 success, 1 no program is running, 2 invalid input, 130 after Ctrl-C.";

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::arguments::{Arguments, Command};

    fn parsed(line: &str) -> Result<StatusArguments, String> {
        let words = ["anabranch", "status"].into_iter().chain(line.split_whitespace());
        match Arguments::try_parse_from(words).map(|arguments| arguments.command) {
            Ok(Command::Status(status)) => Ok(status),
            Ok(_) => Err("another command".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn a_watch_is_each_second_unless_it_is_said_otherwise() {
        let watch = |line| parsed(line).map(|status| status.watch);
        assert_eq!(watch(""), Ok(None));
        assert_eq!(watch("--watch"), Ok(Some(Duration::from_secs(1))));
        assert_eq!(watch("--watch 2.5 --json"), Ok(Some(Duration::from_millis(2_500))));
        assert!(watch("--watch 0").is_err_and(|error| error.contains("more than 0 s")));
        assert!(parsed("--json --watch").is_ok_and(|status| status.output().json_lines));
        assert!(parsed("--json").is_ok_and(|status| status.output().json && !status.output().json_lines));
    }
}
