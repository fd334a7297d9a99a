//! Finds and ends the descendants of this process, whichever process started them.

use std::io;

use anabranch_base::Duration;
use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use super::signals::Signals;
use crate::clock::Clock;

/// Requests all to end, and kills those that do not within [`GRACE`]. This process must be their reaper.
///
/// # Errors
/// The error of the operating system for the signals.
pub(super) fn end(signals: &Signals) -> io::Result<()> {
    tell_all(Signal::SIGTERM);
    let clock = Clock::start();
    while reap().is_some() {
        let left = GRACE.saturating_sub(Duration::from_nanos(clock.now().as_nanos()));
        if left.is_zero() {
            break;
        }
        signals.next(Some(left.min(LOOK)))?;
    }
    kill_all();
    Ok(())
}

/// Kills all immediately.
pub(crate) fn kill_all() {
    // Processes whose parents end become children of this one.
    while reap().is_some() {
        tell_all(Signal::SIGKILL);
        let _ = waitpid(None, None);
    }
}

/// Reaps children that have ended. Returns the status of the last one, if any; `None` without children.
pub(crate) fn reap() -> Option<Vec<WaitStatus>> {
    let mut ended = Vec::new();
    loop {
        match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::StillAlive) => return Some(ended),
            Ok(status) => ended.push(status),
            Err(Errno::EINTR) => {}
            Err(_) => return (!ended.is_empty()).then_some(ended),
        }
    }
}

fn tell_all(signal: Signal) {
    for process in below(Pid::this()) {
        let _ = kill(process, signal);
    }
}

/// The descendants of `top`.
fn below(top: Pid) -> Vec<Pid> {
    let table = table();
    let mut found = vec![top];
    let mut looked_at = 0;
    while let Some(parent) = found.get(looked_at).copied() {
        looked_at += 1;
        found.extend(table.iter().filter(|(_, of)| *of == parent).map(|(process, _)| *process));
    }
    found.split_off(1)
}

/// Each process and its parent.
fn table() -> Vec<(Pid, Pid)> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    numbers
        .filter_map(|number| {
            let line = std::fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
            Some((Pid::from_raw(number), parent_in(&line)?))
        })
        .collect()
}

/// Parses the parent from number, name in parentheses, state, parent; a name may contain parentheses and blanks.
fn parent_in(line: &str) -> Option<Pid> {
    let (_, rest) = line.rsplit_once(')')?;
    rest.split_whitespace().nth(1)?.parse().ok().map(Pid::from_raw)
}

/// The time for a process to end on request.
const GRACE: Duration = Duration::from_secs(2);
/// The interval between reads of the table: no signal reports the end of a process that is not a child.
const LOOK: Duration = Duration::from_millis(50);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parent_is_found_whatever_its_child_is_called() {
        assert_eq!(parent_in("7 (a) b (c) S 3 7 7 0"), Some(Pid::from_raw(3)));
        assert_eq!(parent_in("7 (sh) S"), None);
        assert_eq!(parent_in(""), None);
    }

    #[test]
    fn a_child_and_its_child_are_below() {
        let mut shell = std::process::Command::new("sh");
        let shell = shell.args(["-c", "sleep 60 & echo; wait"]).stdout(std::process::Stdio::piped());
        let mut shell = shell.spawn().expect("there is sh");
        // Once the line has arrived, sleep runs as well.
        let mut line = [0];
        std::io::Read::read_exact(shell.stdout.as_mut().expect("piped"), &mut line).expect("a line");
        let number = Pid::from_raw(i32::try_from(shell.id()).expect("small"));
        let found = below(number);
        assert_eq!(found.len(), 1);
        assert!(below(Pid::this()).contains(&found[0]) && below(Pid::this()).contains(&number));
        let _ = kill(found[0], Signal::SIGKILL);
        shell.wait().expect("it ends without its child");
    }
}
