//! What a command takes from its surroundings: variables and files. It knows them by the arguments that a command has.

use clap::Command;

/// The environment variables that matter to `command`, and what each does.
pub fn variables(command: &Command) -> Vec<(&'static str, &'static str)> {
    let mut variables = Vec::new();
    if is_about(command, "key_file") {
        variables.push(("ANABRANCH_KEY", KEY));
    }
    variables.push(("NO_COLOR", NO_COLOR));
    variables
}

/// The files that `command` reads or writes beside those that are named to it, and what each is.
pub fn files(command: &Command) -> Vec<(&'static str, &'static str)> {
    let mut files = Vec::new();
    if command.get_name() == "recv" {
        files.push(("DIR/NAME.part", PART));
    }
    if is_about(command, "key_file") {
        files.push(("FILE after --key-file", KEY_FILE));
    }
    if is_about(command, "scenario") {
        files.push(("SCENARIO", SCENARIO));
    }
    files
}

/// Whether `command`, or one of its commands, has this argument.
fn is_about(command: &Command, argument: &str) -> bool {
    command.get_arguments().any(|one| one.get_id() == argument)
        || command.get_subcommands().any(|command| is_about(command, argument))
}

const KEY: &str = "The key that both ends have, 32 hexadecimal digits, as `anabranch recv` prints it. A file after \
                   `--key-file` comes first.";
const NO_COLOR: &str = "If it is set and not empty, nothing is coloured.";
const PART: &str =
    "A file that is not whole yet. It gets its name when all of it is there and its SHA-256 is right.";
const KEY_FILE: &str = "The key, 32 hexadecimal digits. Nobody but its owner may read or change it: `(umask 077; openssl rand \
                        -hex 16 > FILE)` makes one.";
const SCENARIO: &str = "A TOML file that describes links, what happens to them, and who sends over them. The document \
                        scenarios.md has every key.";
