//! The environment variables and files of each command.

use clap::Command;

/// The environment variables of `command` with their descriptions.
pub(super) fn variables(command: &Command) -> Vec<(&'static str, &'static str)> {
    let mut variables = Vec::new();
    if is_about(command, "key_file") {
        variables.push(("ANABRANCH_KEY", KEY));
    }
    if is_about(command, "far") {
        variables.push(("ANABRANCH_NEAR, ANABRANCH_FAR", ENDS));
        variables.push(("ANABRANCH_FAR_NET", FAR_NET));
    }
    variables.push(("NO_COLOR", NO_COLOR));
    variables
}

/// The files of `command` with their descriptions.
pub(super) fn files(command: &Command) -> Vec<(&'static str, &'static str)> {
    let mut files = Vec::new();
    if command.get_name() == "recv" {
        files.push(("DIR/.anabranch-partial-UID/", PART));
    }
    if is_about(command, "key_file") {
        files.push(("FILE after --key-file", KEY_FILE));
    }
    if is_about(command, "scenario") {
        files.push(("SCENARIO", SCENARIO));
    }
    files
}

/// Returns true if `command` or a subcommand has this argument.
fn is_about(command: &Command, argument: &str) -> bool {
    command.get_arguments().any(|one| one.get_id() == argument)
        || command.get_subcommands().any(|command| is_about(command, argument))
}

const KEY: &str = "The key that both ends share, 32 hexadecimal digits, as `anabranch recv` prints it. A \
                   file given with `--key-file` takes precedence.";
const NO_COLOR: &str = "If set and not empty, messages have no colours.";
const ENDS: &str =
    "`emulate` sets them for COMMAND and LINE: the addresses of the paths at the near and at the far end.";
const FAR_NET: &str = "`emulate` sets it for COMMAND and LINE: the network namespace of the far ends, for \
                       nsenter.";
const PART: &str = "The data of an incomplete file, `NAME.part`, and its state, `NAME.part.json`. They are \
                    kept when a transfer is interrupted, which continues from there when the file is sent \
                    again.";
const KEY_FILE: &str = "The key, 32 hexadecimal digits. Only its owner may have the right to read or change \
                        it: `(umask 077; openssl rand -hex 16 > FILE)` creates one.";
const SCENARIO: &str = "A TOML file that describes links, events and flows. scenarios.md describes every \
                        key.";
