//! `anabranch emulate` with a command, on systems without network namespaces.

use std::ffi::OsString;
use std::process::ExitCode;

use crate::arguments::EmulateArguments;
use crate::failure::Failure;
use crate::report::Outcome;

/// Does nothing: only Linux has processes that supervise a command.
pub(crate) fn run_if_spawned(_: &[OsString]) -> Option<ExitCode> {
    None
}

/// Fails, and names the alternative.
pub(crate) fn run_command(arguments: &EmulateArguments) -> ExitCode {
    let failure = Failure::Arguments(
        "running a command behind emulated links needs Linux; use --to HOST:PORT".to_owned(),
    );
    Outcome::from(failure).print(arguments.result_output())
}
