//! `anabranch emulate` with a command, on systems without network namespaces.

use std::ffi::OsString;
use std::process::ExitCode;

use crate::arguments::EmulateArguments;
use crate::failure::Failure;
use crate::report::Outcome;

/// No process has any other duty than its command line's.
pub fn duty(_: &[OsString]) -> Option<ExitCode> {
    None
}

/// Says that it cannot be, and what can.
pub fn run_enclosed(arguments: &EmulateArguments) -> ExitCode {
    let failure =
        Failure::Arguments("running a command among links needs Linux; use --to HOST:PORT".to_owned());
    Outcome::from(failure).print(arguments.result_output())
}
