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
    if let "forward" | "status" = command.get_name() {
        variables.push(("RUNTIME_DIRECTORY, XDG_RUNTIME_DIR", RUNTIME_FOLDERS));
    }
    if let "forward" | "recv" | "send" | "bench" = command.get_name() {
        variables.push(("NOTIFY_SOCKET, WATCHDOG_USEC", SUPERVISOR));
        variables.push(("JOURNAL_STREAM", JOURNAL));
        variables.push(("CREDENTIALS_DIRECTORY", CREDENTIALS));
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
    if let "forward" | "status" = command.get_name() {
        files.push(("forward-PID.sock", SOCKET));
    }
    if is_about(command, "config") {
        files.push(("FILE after --config", OPTIONS));
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
const SUPERVISOR: &str = "systemd sets them for a service: the socket that is told of its start, state and end, and the time \
                          after which a silent service is ended.";
const JOURNAL: &str = "systemd sets it for a service. Where standard error is the journal, each line has its priority, and a \
                       new key is not printed.";
const CREDENTIALS: &str =
    "systemd sets it for a service: a key file there may be readable by an access control list.";
const RUNTIME_FOLDERS: &str = "The folder of the sockets for `anabranch status`: the one that systemd gives to a service, else \
                               `anabranch` in that of the user's session.";
const SOCKET: &str = "The socket at which the `anabranch forward` of process PID answers `anabranch status`, in \
                      $RUNTIME_DIRECTORY, $XDG_RUNTIME_DIR/anabranch, /run/anabranch for root, or a folder \
                      `anabranch-UID` for temporary files.";
const PART: &str = "The data of an incomplete file, `NAME.part`, and its state, `NAME.part.json`. They are \
                    kept when a transfer is interrupted, which continues from there when the file is sent \
                    again.";
const OPTIONS: &str =
    "A TOML file whose keys are the long names of the command's options. service.md describes it.";
const KEY_FILE: &str = "The key, 32 hexadecimal digits. Only its owner may have the right to read or change \
                        it: `(umask 077; openssl rand -hex 16 > FILE)` creates one.";
const SCENARIO: &str = "A TOML file that describes links, events and flows. scenarios.md describes every \
                        key.";
