//! The program that is installed: the whole command line, with the shipped policies.

use std::process::ExitCode;

fn main() -> ExitCode {
    anabranch_cli::run(anabranch_cli::shipped_policies())
}
