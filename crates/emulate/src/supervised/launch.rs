//! Executes another program in the place of this process; it ends with the process that requested it.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use nix::unistd::{Pid, getppid};

use super::signals::unblock;

/// Executes the program in place of this one; returns only if that fails.
pub(super) fn launch(parent: Pid, words: &[OsString]) -> ExitCode {
    let Some((program, arguments)) = words.split_first() else { return ExitCode::from(NOT_FOUND) };
    let prepared = set_pdeathsig(Signal::SIGKILL).map_err(io::Error::from).and_then(|()| unblock());
    // The end of a parent before this point would not be reported.
    let error = match prepared {
        Ok(()) if getppid() != parent => return ExitCode::FAILURE,
        Ok(()) => Command::new(program).args(arguments).exec(),
        Err(error) => error,
    };
    super::tell(&format!("cannot run {program:?}: {error}"));
    ExitCode::from(if error.kind() == io::ErrorKind::NotFound { NOT_FOUND } else { NOT_RUN })
}

/// The exit status that shells, `env` and `timeout` use for a missing program.
const NOT_FOUND: u8 = 127;
const NOT_RUN: u8 = 126;
