//! Signals that are read like input, with their sender, and which of them end a program.

use std::io;
use std::os::fd::AsFd as _;

use anabranch_base::Duration;
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::unistd::Pid;

use crate::waiting::wait;

/// The signals that end programs, and those that tell of children. They wait here until they are read.
#[derive(Debug)]
pub struct Signals {
    file: SignalFd,
}

/// A signal that came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// Which.
    pub signal: Signal,
    /// The process that sent it; `None` for the kernel, which sends those of terminals and children.
    pub from: Option<Pid>,
}

impl Signals {
    /// Lets them wait from now on: those of this thread, and of all that it begins from now on, other programs included.
    ///
    /// # Errors
    /// Whatever the system says.
    pub fn hold() -> io::Result<Signals> {
        let held = held();
        held.thread_block()?;
        let flags = SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC;
        Ok(Signals { file: SignalFd::with_flags(&held, flags)? })
    }

    /// Waits for the next, not longer than `span`.
    ///
    /// # Errors
    /// Whatever the system says.
    pub fn next(&self, span: Option<Duration>) -> io::Result<Option<Received>> {
        if let Some(received) = self.read()? {
            return Ok(Some(received));
        }
        wait(&[self.file.as_fd()], span);
        self.read()
    }

    fn read(&self) -> io::Result<Option<Received>> {
        let Some(found) = self.file.read_signal()? else { return Ok(None) };
        let number = i32::try_from(found.ssi_signo).unwrap_or_default();
        // sigaction(2): what comes from a process has a code of zero or less.
        let from = (found.ssi_code <= 0).then(|| Pid::from_raw(found.ssi_pid.cast_signed()));
        Ok(Signal::try_from(number).ok().map(|signal| Received { signal, from }))
    }
}

/// Lets none of them wait any more, before another program begins in the place of this one.
///
/// # Errors
/// Whatever the system says.
pub fn release() -> io::Result<()> {
    Ok(held().thread_unblock()?)
}

/// Tells the supervisor that its parent is gone.
pub const ORPHANED: Signal = Signal::SIGUSR1;

fn held() -> SigSet {
    let ending = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT];
    ending.into_iter().chain([Signal::SIGCHLD, ORPHANED]).collect()
}
