//! Reads signals from a file descriptor, with their sender, and determines which of them end a program.

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};

use anabranch_base::Duration;
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::unistd::Pid;

use crate::waiting::wait;

/// A queue of the signals that end programs or report children, until they are read.
#[derive(Debug)]
pub(super) struct Signals {
    file: SignalFd,
}

/// A signal that was received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ReceivedSignal {
    /// The number.
    pub signal: Signal,
    /// The sending process; `None` for the kernel, which sends those of terminals and children.
    pub from: Option<Pid>,
}

impl Signals {
    /// Blocks the signals of this thread, and of all threads and programs that it starts from now on.
    ///
    /// # Errors
    /// The error of the operating system.
    pub(super) fn block() -> io::Result<Signals> {
        let blockable = blockable();
        blockable.thread_block()?;
        let flags = SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC;
        Ok(Signals { file: SignalFd::with_flags(&blockable, flags)? })
    }

    /// Waits at most `span` for the next signal.
    ///
    /// # Errors
    /// The error of the operating system.
    pub(super) fn next(&self, span: Option<Duration>) -> io::Result<Option<ReceivedSignal>> {
        if let Some(received) = self.read()? {
            return Ok(Some(received));
        }
        wait(&[self.file.as_fd()], span);
        self.read()
    }

    /// Waits until `source` can be read. Returns the signal that ends programs, if one arrives first.
    ///
    /// # Errors
    /// The error of the operating system.
    pub(super) fn before(&self, source: BorrowedFd<'_>) -> io::Result<Option<Signal>> {
        loop {
            match self.read()? {
                Some(received) if received.signal != Signal::SIGCHLD => return Ok(Some(received.signal)),
                _ if wait(&[source, self.file.as_fd()], None)[0] => return Ok(None),
                _ => {}
            }
        }
    }

    fn read(&self) -> io::Result<Option<ReceivedSignal>> {
        let Some(found) = self.file.read_signal()? else { return Ok(None) };
        let number = i32::try_from(found.ssi_signo).unwrap_or_default();
        // A write beyond the limit of a file's size, which reports itself.
        if number == Signal::SIGXFSZ as i32 {
            return Ok(None);
        }
        // sigaction(2): a signal from a process has a code of zero or less.
        let from = (found.ssi_code <= 0).then(|| Pid::from_raw(found.ssi_pid.cast_signed()));
        Ok(Signal::try_from(number).ok().map(|signal| ReceivedSignal { signal, from }))
    }
}

/// Unblocks the signals, before this process executes another program.
///
/// # Errors
/// The error of the operating system.
pub(crate) fn unblock() -> io::Result<()> {
    Ok(blockable().thread_unblock()?)
}

/// Lets the signals of users end this process.
///
/// # Errors
/// The error of the operating system.
pub(crate) fn let_end() -> io::Result<()> {
    Ok(ENDING.into_iter().collect::<SigSet>().thread_unblock()?)
}

/// The signal by which the kernel informs the supervisor that its parent has ended.
pub(crate) const ORPHANED: Signal = Signal::SIGUSR1;
/// The signals by which users and terminals end programs.
const ENDING: [Signal; 4] = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT];

fn blockable() -> SigSet {
    ENDING.into_iter().chain([Signal::SIGCHLD, Signal::SIGXFSZ, ORPHANED]).collect()
}
