//! The supervisor of all programs in the namespaces: it starts them, passes signals on, and leaves none behind.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::process::{Command, Stdio};

use anabranch_base::Duration;
use nix::sched::{CloneFlags, setns};
use nix::sys::prctl::{set_child_subreaper, set_pdeathsig};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::WaitStatus;
use nix::unistd::{Pid, getppid};

use super::descendants::{end, kill_all, reap};
use super::servers::waiting;
use super::signals::{ORPHANED, ReceivedSignal, Signals};
use super::{LAUNCH, OURSELVES};
use crate::clock::Clock;

/// The arguments of the supervisor process.
#[derive(Debug)]
pub(super) struct SupervisorArguments {
    /// The process that started it.
    pub parent: Pid,
    /// The namespace of the lines.
    pub far: OsString,
    /// The namespace of the command.
    pub near: OsString,
    /// The shell lines, which start first and end last.
    pub lines: Vec<OsString>,
    /// A program and its arguments.
    pub command: Vec<OsString>,
}

/// Runs lines and command until the command ends, and returns its exit status.
///
/// # Errors
/// The error of the operating system.
pub(crate) fn supervise(arguments: &SupervisorArguments) -> io::Result<u8> {
    let signals = Signals::block()?;
    set_child_subreaper(true)?;
    set_pdeathsig(ORPHANED)?;
    let status = work(arguments, &signals);
    if is_orphan(arguments) {
        kill_all();
    } else {
        end(&signals)?;
    }
    status
}

fn work(arguments: &SupervisorArguments, signals: &Signals) -> io::Result<u8> {
    enter(&arguments.far)?;
    for line in &arguments.lines {
        begin(&["sh".into(), "-c".into(), line.clone()], ProgramKind::Line)?;
    }
    if let Some(signal) = wait_for_servers(arguments, signals)? {
        return Ok(after(signal));
    }
    enter(&arguments.near)?;
    let command = begin(&arguments.command, ProgramKind::Command)?;
    loop {
        let Some(received) = signals.next(None)? else { continue };
        match received.signal {
            Signal::SIGCHLD => {
                if let Some(status) = reap().iter().flatten().find_map(|ended| status_of(*ended, command)) {
                    return Ok(status);
                }
            }
            ORPHANED if is_orphan(arguments) => return Ok(after(Signal::SIGKILL)),
            ORPHANED => {}
            // A terminal sends it to the command itself.
            signal if received.from.is_some() => {
                let _ = kill(command, signal);
            }
            _ => {}
        }
    }
}

/// The kind of a started program: only the command gets standard input and output.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ProgramKind {
    Line,
    Command,
}

fn begin(words: &[OsString], kind: ProgramKind) -> io::Result<Pid> {
    let mut program = Command::new(OURSELVES);
    program.arg(LAUNCH).arg(std::process::id().to_string()).args(words);
    if kind == ProgramKind::Line {
        program.stdin(Stdio::null()).stdout(io::stderr());
    }
    let child = program.spawn()?;
    Ok(Pid::from_raw(child.id().cast_signed()))
}

/// Waits until there are as many sockets as lines, as for lines that are servers; only for a limited time, because
/// other lines open none. Returns the ending signal, if one arrives first.
fn wait_for_servers(arguments: &SupervisorArguments, signals: &Signals) -> io::Result<Option<Signal>> {
    let clock = Clock::start();
    while waiting() < arguments.lines.len() && Duration::from_nanos(clock.now().as_nanos()) < PATIENCE {
        match signals.next(Some(LOOK))? {
            None | Some(ReceivedSignal { signal: Signal::SIGCHLD, .. }) => {
                if !arguments.lines.is_empty() && reap().is_none() {
                    break;
                }
            }
            Some(received) => return Ok(Some(received.signal)),
        }
    }
    Ok(None)
}

/// The exit status of `process`, if it is the ended one.
fn status_of(ended: WaitStatus, process: Pid) -> Option<u8> {
    match ended {
        WaitStatus::Exited(pid, status) if pid == process => Some(u8::try_from(status).unwrap_or(u8::MAX)),
        WaitStatus::Signaled(pid, signal, _) if pid == process => Some(after(signal)),
        _ => None,
    }
}

/// The exit status of a program ended by a signal, as in shells.
fn after(signal: Signal) -> u8 {
    128 + signal as u8
}

fn is_orphan(arguments: &SupervisorArguments) -> bool {
    getppid() != arguments.parent
}

fn enter(network: &OsStr) -> io::Result<()> {
    Ok(setns(File::open(network)?, CloneFlags::CLONE_NEWNET)?)
}

/// The longest wait for servers.
const PATIENCE: Duration = Duration::from_secs(2);
const LOOK: Duration = Duration::from_millis(5);
