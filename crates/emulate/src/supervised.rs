//! Runs programs in the two namespaces, a command on the near side and servers on the far side, and ends them.
//!
//! Three processes stand between a user and the command: the one that runs the links; a supervisor, which adopts all
//! processes that the command leaves behind and ends them; and, for a moment, a launcher, which makes the kernel end
//! the program with its supervisor and then executes the program. So no process is left behind, whichever of them is
//! killed.

mod descendants;
mod launch;
mod servers;
mod signals;
mod supervise;

use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::os::fd::BorrowedFd;
use std::process::{Command, ExitCode, Stdio};

use anabranch_base::Duration;
use nix::sys::prctl::set_child_subreaper;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::WaitStatus;
use nix::unistd::Pid;

use crate::namespaces::{NamespacePair, Side};
use descendants::{kill_all, reap};
use launch::launch;
use signals::Signals;
use supervise::{SupervisorArguments, supervise};

/// The programs to run.
#[derive(Clone, Debug)]
pub struct Job {
    /// The program and its arguments, on the near side.
    pub command: Vec<OsString>,
    /// The shell lines for the far side. They start before the command and are ended after it.
    pub lines: Vec<OsString>,
    /// The destination of the command's standard output.
    pub output: CommandOutput,
}

/// The destination of a command's standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandOutput {
    /// This process's standard output.
    Output,
    /// This process's standard error, because its standard output is used otherwise.
    Error,
}

/// Blocks the signals that would end a thread of this process. It must be created before any thread starts.
#[derive(Debug)]
pub struct BlockedSignals {
    signals: Signals,
}

/// A running command and its supervisor.
#[derive(Debug)]
pub struct SupervisedCommand {
    signals: Signals,
    supervisor: Pid,
}

impl BlockedSignals {
    /// Blocks the signals. Must be called before any thread starts.
    ///
    /// # Errors
    /// The error of the operating system.
    pub fn block() -> io::Result<BlockedSignals> {
        Ok(BlockedSignals { signals: Signals::block()? })
    }

    /// Waits until `source` can be read. Returns the number of a signal that would end the program, if one arrives
    /// first.
    ///
    /// # Errors
    /// The error of the operating system.
    pub fn before(&self, source: BorrowedFd<'_>) -> io::Result<Option<u8>> {
        Ok(self.signals.before(source)?.map(|signal| signal as u8))
    }
}

impl SupervisedCommand {
    /// Starts the servers and the command.
    ///
    /// # Errors
    /// The error of the operating system. A command that cannot be run is not an error here: it ends with 126 or 127.
    pub fn begin(
        blocked_signals: BlockedSignals,
        namespaces: &NamespacePair,
        job: &Job,
    ) -> io::Result<SupervisedCommand> {
        set_child_subreaper(true)?;
        let [near, far] = [Side::Near, Side::Far].map(|side| namespaces.namespace(side).path());
        let mut supervisor = Command::new(OURSELVES);
        supervisor.arg(SUPERVISE).arg(std::process::id().to_string()).arg(&far).arg(&near);
        supervisor.arg(job.lines.len().to_string()).args(&job.lines).args(&job.command);
        supervisor.envs(variables(namespaces));
        if job.output == CommandOutput::Error {
            supervisor.stdout(Stdio::from(io::stderr()));
        }
        let child = supervisor.spawn()?;
        Ok(SupervisedCommand {
            signals: blocked_signals.signals,
            supervisor: Pid::from_raw(child.id().cast_signed()),
        })
    }

    /// Waits at most `span` for the command to end, and passes signals on to it meanwhile. Returns its exit status:
    /// 128 plus the signal's number if a signal ended it.
    ///
    /// # Errors
    /// The error of the operating system.
    pub fn wait(&self, span: Option<Duration>) -> io::Result<Option<u8>> {
        let Some(received) = self.signals.next(span)? else { return Ok(None) };
        if received.signal == Signal::SIGCHLD {
            return Ok(reap().iter().flatten().find_map(|ended| self.status_of(*ended)));
        }
        // A terminal sends the signal to all of its programs itself.
        if received.from.is_some() {
            let _ = kill(self.supervisor, received.signal);
        }
        Ok(None)
    }

    fn status_of(&self, ended: WaitStatus) -> Option<u8> {
        match ended {
            WaitStatus::Exited(pid, status) if pid == self.supervisor => {
                Some(u8::try_from(status).unwrap_or(u8::MAX))
            }
            WaitStatus::Signaled(pid, signal, _) if pid == self.supervisor => Some(128 + signal as u8),
            _ => None,
        }
    }
}

impl Drop for SupervisedCommand {
    fn drop(&mut self) {
        kill_all();
    }
}

/// Lets signals end this process as usual, after the command has ended.
///
/// # Errors
/// The error of the operating system.
pub fn end_by_signals() -> io::Result<()> {
    signals::let_end()
}

/// Runs the supervisor or the launcher if this process was started as one by a [`SupervisedCommand`], and returns the
/// exit
/// status; `None` in all other processes. A program that uses [`SupervisedCommand`] must call this first in `main`.
pub fn run_if_spawned(words: &[OsString]) -> Option<ExitCode> {
    let (stage, rest) = words.get(1..)?.split_first()?;
    if stage == LAUNCH {
        return Some(launch(process(rest.first()?)?, &rest[1..]));
    }
    if stage == SUPERVISE {
        return Some(match supervise(&supervisor_arguments(rest)?) {
            Ok(status) => ExitCode::from(status),
            Err(error) => {
                tell(&format!("cannot run programs behind the links: {error}"));
                ExitCode::FAILURE
            }
        });
    }
    None
}

/// An error is ignored: the reader may be gone.
fn tell(what: &str) {
    let _ = writeln!(io::stderr(), "anabranch: {what}");
}

fn supervisor_arguments(words: &[OsString]) -> Option<SupervisorArguments> {
    let [parent, far, near, count, rest @ ..] = words else { return None };
    let (lines, command) = rest.split_at_checked(count.to_str()?.parse().ok()?)?;
    Some(SupervisorArguments {
        parent: process(parent)?,
        far: far.clone(),
        near: near.clone(),
        lines: lines.to_vec(),
        command: command.to_vec(),
    })
}

fn process(word: &OsStr) -> Option<Pid> {
    word.to_str()?.parse().ok().map(Pid::from_raw)
}

/// The environment variables with the names, addresses and namespaces of the paths.
fn variables(namespaces: &NamespacePair) -> Vec<(&'static str, OsString)> {
    let net = |side| namespaces.namespace(side).path().into_os_string();
    vec![
        ("ANABRANCH_PATHS", list(namespaces.names())),
        ("ANABRANCH_NEAR", list(namespaces.addresses(Side::Near))),
        ("ANABRANCH_FAR", list(namespaces.addresses(Side::Far))),
        ("ANABRANCH_NEAR6", list(namespaces.addresses_v6(Side::Near))),
        ("ANABRANCH_FAR6", list(namespaces.addresses_v6(Side::Far))),
        ("ANABRANCH_NEAR_NET", net(Side::Near)),
        ("ANABRANCH_FAR_NET", net(Side::Far)),
    ]
}

fn list<T: ToString>(items: impl Iterator<Item = T>) -> OsString {
    items.map(|item| item.to_string()).collect::<Vec<_>>().join(",").into()
}

/// The first argument of a supervisor, and of a launcher.
const SUPERVISE: &str = "emulate-supervise";
const LAUNCH: &str = "emulate-launch";
/// This program, even if its file has been replaced since it started.
const OURSELVES: &str = "/proc/self/exe";
