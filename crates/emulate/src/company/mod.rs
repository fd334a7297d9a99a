//! The programs in an enclosure: a command on the near side, servers on the far side; how they begin and end.
//!
//! Three processes stand between a user and the command: the one that lets the links work; a supervisor, which adopts
//! all that the command leaves behind and ends it; and, for a moment, a launcher, which asks the kernel to end the
//! program with its supervisor and then becomes it. So nothing stays, whichever of them is killed.

mod descendants;
mod launch;
mod servers;
mod signals;
mod supervise;

use std::ffi::{OsStr, OsString};
use std::io;
use std::process::{Command, ExitCode, Stdio};

use anabranch_base::Duration;
use nix::sys::prctl::set_child_subreaper;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::WaitStatus;
use nix::unistd::Pid;

use crate::enclosure::{Enclosure, Side};
use descendants::{kill_all, reap};
use launch::launch;
use signals::Signals;
use supervise::{Duty, supervise};

/// What is to be run.
#[derive(Clone, Debug)]
pub struct Job {
    /// A program and its arguments, on the near side.
    pub command: Vec<OsString>,
    /// Shell lines on the far side, which begin first and end when the command has.
    pub lines: Vec<OsString>,
    /// Whether the command's standard output is this process's.
    pub output: CommandOutput,
}

/// Where a command's standard output goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandOutput {
    /// To this process's.
    Output,
    /// To this process's standard error: its output belongs to others.
    Error,
}

/// Signals are held from here on, so that no thread of this process is ended by one. Comes first.
#[derive(Debug)]
pub struct Doorkeeper {
    signals: Signals,
}

/// A command at work.
#[derive(Debug)]
pub struct Company {
    signals: Signals,
    supervisor: Pid,
}

impl Doorkeeper {
    /// Holds signals; before any thread is begun.
    ///
    /// # Errors
    /// Whatever the system says.
    pub fn hold() -> io::Result<Doorkeeper> {
        Ok(Doorkeeper { signals: Signals::hold()? })
    }
}

impl Company {
    /// Begins.
    ///
    /// # Errors
    /// Whatever the system says. A command that cannot be run is none: it ends with 126 or 127.
    pub fn begin(doorkeeper: Doorkeeper, enclosure: &Enclosure, job: &Job) -> io::Result<Company> {
        set_child_subreaper(true)?;
        let [near, far] = [Side::Near, Side::Far].map(|side| enclosure.namespace(side).path());
        let mut supervisor = Command::new(OURSELVES);
        supervisor.arg(SUPERVISE).arg(std::process::id().to_string()).arg(&far).arg(&near);
        supervisor.arg(job.lines.len().to_string()).args(&job.lines).args(&job.command);
        supervisor.envs(variables(enclosure));
        if job.output == CommandOutput::Error {
            supervisor.stdout(Stdio::from(io::stderr()));
        }
        let child = supervisor.spawn()?;
        Ok(Company { signals: doorkeeper.signals, supervisor: Pid::from_raw(child.id().cast_signed()) })
    }

    /// Waits for the command's end, not longer than `span`, and hands signals on to it meanwhile. Says how it ended:
    /// 128 and its number for a signal.
    ///
    /// # Errors
    /// Whatever the system says.
    pub fn wait(&self, span: Option<Duration>) -> io::Result<Option<u8>> {
        let Some(received) = self.signals.next(span)? else { return Ok(None) };
        if received.signal == Signal::SIGCHLD {
            return Ok(reap().iter().flatten().find_map(|ended| self.status_of(*ended)));
        }
        // A terminal sends it to all of its programs itself.
        if received.from.is_some() {
            let _ = kill(self.supervisor, received.signal);
        }
        Ok(None)
    }

    fn status_of(&self, ended: WaitStatus) -> Option<u8> {
        match ended {
            WaitStatus::Exited(who, status) if who == self.supervisor => {
                Some(u8::try_from(status).unwrap_or(u8::MAX))
            }
            WaitStatus::Signaled(who, signal, _) if who == self.supervisor => Some(128 + signal as u8),
            _ => None,
        }
    }
}

impl Drop for Company {
    fn drop(&mut self) {
        kill_all();
    }
}

/// What a process has to do that was begun by a [`Company`] of this same program, and how that ends; `None` for all
/// other processes. A program that has a company asks for it first.
pub fn duty(words: &[OsString]) -> Option<ExitCode> {
    let (stage, rest) = words.get(1..)?.split_first()?;
    if stage == LAUNCH {
        return Some(launch(process(rest.first()?)?, &rest[1..]));
    }
    if stage == SUPERVISE {
        return Some(match supervise(&duty_of(rest)?) {
            Ok(status) => ExitCode::from(status),
            Err(error) => {
                eprintln!("anabranch: cannot run anything among the links: {error}");
                ExitCode::FAILURE
            }
        });
    }
    None
}

fn duty_of(words: &[OsString]) -> Option<Duty> {
    let [parent, far, near, count, rest @ ..] = words else { return None };
    let (lines, command) = rest.split_at_checked(count.to_str()?.parse().ok()?)?;
    Some(Duty {
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

/// The variables that tell command and lines where they are.
fn variables(enclosure: &Enclosure) -> Vec<(&'static str, OsString)> {
    let net = |side| enclosure.namespace(side).path().into_os_string();
    vec![
        ("ANABRANCH_PATHS", list(enclosure.names())),
        ("ANABRANCH_NEAR", list(enclosure.addresses(Side::Near))),
        ("ANABRANCH_FAR", list(enclosure.addresses(Side::Far))),
        ("ANABRANCH_NEAR6", list(enclosure.addresses_v6(Side::Near))),
        ("ANABRANCH_FAR6", list(enclosure.addresses_v6(Side::Far))),
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
/// This program, also where its file has been replaced since it began.
const OURSELVES: &str = "/proc/self/exe";
