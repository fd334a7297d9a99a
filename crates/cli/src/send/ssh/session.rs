//! A run of ssh: the receiver that it starts, and the end of both.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use anabranch_net::Key;
use tokio::io::AsyncWriteExt as _;
use tokio::process::{Child, ChildStdin};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::command::SshCommand;
use super::output::{NotReady, Ready, RemoteOutput};
use crate::failure::{Failure, RemoteFailure};

/// A receiver on another host, which ends when this is dropped.
#[derive(Debug)]
pub(super) struct Session {
    child: Child,
    /// The end of this input ends the receiver.
    input: Option<ChildStdin>,
    /// Shows the output of the receiver.
    output: JoinHandle<()>,
    host: String,
}

impl Session {
    /// Starts the receiver, gives it the key, and waits until it listens.
    ///
    /// # Errors
    /// ssh cannot be started or connect, or the receiver does not start in time.
    pub(super) async fn start(command: &SshCommand, key: &Key) -> Result<(Session, Ready), Failure> {
        Session::start_within(PATIENCE, command, key).await
    }

    async fn start_within(
        patience: Duration,
        command: &SshCommand,
        key: &Key,
    ) -> Result<(Session, Ready), Failure> {
        let host = &command.place.host;
        let mut started = command.start();
        let started = started.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = started.map_err(|error| not_started(command, &error))?;
        let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Failure::System(io::Error::other("ssh has no standard input and output")));
        };
        // If ssh has ended, its status tells why.
        let _ = input.write_all(format!("{}\n", *key.reveal()).as_bytes()).await;
        let mut output = RemoteOutput::new(output, host, key.reveal());
        match timeout(patience, output.ready()).await {
            Ok(Ok(ready)) => {
                let output = tokio::spawn(async move { output.show_rest().await });
                let host = host.clone();
                Ok((Session { child, input: Some(input), output, host }, ready))
            }
            Ok(Err(NotReady::Ended)) => Err(ended_early(command, child).await.into()),
            Ok(Err(NotReady::Garbage)) => Err(failure(format!(
                "{host} printed much else than what `anabranch recv` prints: does its shell run another command at login?"
            ))),
            Err(_) => Err(failure(format!(
                "`anabranch recv` on {host} was not ready within {} s: try `ssh {}` alone",
                patience.as_secs(),
                command.place.destination
            ))),
        }
    }

    /// Returns true if ssh still runs.
    pub(super) fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Waits until the receiver has ended by itself, after all files.
    ///
    /// # Errors
    /// It failed.
    pub(super) async fn ended(mut self) -> Result<(), RemoteFailure> {
        let status = timeout(GRACE, self.child.wait()).await;
        let host = self.host.clone();
        let _ = timeout(GRACE, &mut self.output).await;
        match status {
            Ok(Ok(status)) if status.success() => Ok(()),
            Ok(Ok(status)) => Err(RemoteFailure {
                message: format!("`anabranch recv` on {host} failed after the transfer ({})", told(status)),
                status: status.code(),
            }),
            // All files are stored and verified there.
            _ => {
                self.end().await;
                Ok(())
            }
        }
    }

    /// Ends the receiver, and ssh.
    pub(super) async fn end(mut self) {
        self.output.abort();
        drop(self.input.take());
        if timeout(SHORT_GRACE, self.child.wait()).await.is_err() {
            let _ = self.child.kill().await;
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.output.abort();
    }
}

fn not_started(command: &SshCommand, error: &io::Error) -> Failure {
    let program = command.program();
    failure(match error.kind() {
        io::ErrorKind::NotFound => {
            format!(
                "there is no program {program:?} here: install OpenSSH, or name another with --ssh or ANABRANCH_SSH"
            )
        }
        _ => format!("cannot start {program:?}: {error}"),
    })
}

/// The failure of a receiver that ended before it was ready.
async fn ended_early(command: &SshCommand, mut child: Child) -> RemoteFailure {
    let status = timeout(GRACE, child.wait()).await.ok().and_then(Result::ok);
    let host = &command.place.host;
    let code = status.and_then(|status| status.code());
    let message = match code {
        Some(255) => {
            format!("ssh could not connect to {host}: `ssh {}` must work first", command.place.destination)
        }
        Some(126 | 127) => format!(
            "anabranch is not found on {host}: install it there, or name the program with --remote-program PATH"
        ),
        Some(2) => format!(
            "`anabranch recv` on {host} did not start, for the reason it printed; if that is an unexpected argument, the \
             program there is older than this one ({}): update it",
            env!("CARGO_PKG_VERSION")
        ),
        _ => {
            let how = status.map_or_else(|| "its output was closed".to_owned(), told);
            format!("`anabranch recv` on {host} ended before it was ready ({how})")
        }
    };
    RemoteFailure { message, status: code }
}

fn failure(message: String) -> Failure {
    RemoteFailure { message, status: None }.into()
}

/// An exit status in words.
fn told(status: ExitStatus) -> String {
    status.to_string()
}

/// The time in which the receiver must be ready, with the time to type a password.
const PATIENCE: Duration = Duration::from_secs(120);
/// The time in which a receiver that has all files must end.
const GRACE: Duration = Duration::from_secs(10);
/// The time in which ssh must end once its input has.
const SHORT_GRACE: Duration = Duration::from_secs(3);

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::arguments::{Arguments, Command, Receiver};

    #[tokio::test]
    async fn a_receiver_that_is_never_ready_has_a_time_limit() {
        let line = ["anabranch", "send", "a", "localhost:", "--ssh", "sh -c cat"];
        let arguments = Arguments::try_parse_from(line).expect("a good line");
        let Command::Send(send) = arguments.command else { panic!("another command") };
        let Ok((_, Receiver::Started(place))) = send.parts() else { panic!("another receiver") };
        let command = SshCommand::to(place, &send).expect("a command");
        let key = Key::from_bytes([7; 16]);
        let started = Session::start_within(Duration::from_millis(100), &command, &key).await;
        let told = started.expect_err("cat prints the key, and no addresses").to_string();
        assert!(told.contains("was not ready within 0 s: try `ssh localhost` alone"), "{told}");
    }
}
