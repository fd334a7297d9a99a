//! `anabranch recv`: waits for a sender, or dials one that listens, and receives its files.

mod fetch;
mod receiving;

use std::ops::ControlFlow;

use anabranch_transfer::{Destination, Overwrite, is_output, receive_files};
use serde_json::json;

use crate::addresses;
use crate::arguments::{HostPort, RecvArguments};
use crate::failure::{Failure, printable};
use crate::interrupt::Interrupt;
use crate::key;
use crate::listening::{LineTarget, Listener, Newcomers, OtherEnd, Persistence, ReadyLine, Service};
use crate::notice;
use crate::peer::{Connected, Partner};
use crate::report::Outcome;
use crate::settings;
use receiving::{ReceiveOutcome, ReceiveRun};

/// Runs the command.
///
/// # Errors
/// What failed before anything was received, and Ctrl-C before anything was.
pub(crate) async fn run(arguments: &RecvArguments, interrupt: &mut Interrupt) -> Result<Outcome, Failure> {
    if !arguments.from.is_empty() {
        return fetch::run(arguments, interrupt).await;
    }
    let config = settings::changed(settings::measurable(settings::for_tools()), &arguments.settings)?;
    let key = key::to_listen(&arguments.secrecy, arguments.output, interrupt).await?;
    let destination = destination(arguments)?;
    let line = ReadyLine { other: SENDER, target: line_target(arguments) };
    let open = async |hosts: &[HostPort]| {
        Listener::open(hosts.into(), &config, &key, Partner::Files, line, arguments.output).await
    };
    let listener = match open(&arguments.listen).await {
        // The program that started this one learns the port.
        Err(Failure::Bind(_)) if arguments.attached && arguments.listen.is_empty() => {
            open(&addresses::any_ports()).await?
        }
        opened => opened?,
    };
    if arguments.attached {
        interrupt.watch_input()?;
    }
    let resolved = json!({
        "listen": listener.addresses(),
        "dir": arguments.dir.display().to_string(),
        "keep": arguments.keep,
        "force": arguments.force,
        "security": key::word(&key.security),
        "sctp": settings::resolved(&config),
    });
    let listener = if is_output(&arguments.dir) { listener } else { listener.storing_in(&arguments.dir) };
    let run = ReceiveRun { arguments, resolved, destination };
    listener.serve_all(Receiver { run, broken_off: None }, interrupt).await
}

/// Opens the directory for the files.
fn destination(arguments: &RecvArguments) -> Result<Destination, Failure> {
    if is_output(&arguments.dir) && (arguments.keep || arguments.output.is_json()) {
        return Err(Failure::Arguments(
            "--dir - writes a single file to standard output and cannot be used with --keep or --json"
                .to_owned(),
        ));
    }
    if is_output(&arguments.dir) && arguments.attached {
        return Err(Failure::Arguments(
            "--attached needs standard output: --dir - cannot be used".to_owned(),
        ));
    }
    let overwrite = if arguments.force { Overwrite::Always } else { Overwrite::Never };
    let destination = Destination::open(&arguments.dir, overwrite)?;
    Ok(destination.advising("use `anabranch recv --force` to replace it"))
}

/// Where the line to paste is printed: standard output may be for the file.
fn line_target(arguments: &RecvArguments) -> LineTarget {
    match LineTarget::by(arguments.output) {
        _ if arguments.attached => LineTarget::Object,
        LineTarget::Output if is_output(&arguments.dir) => LineTarget::Error,
        target => target,
    }
}

/// The place for the files of every sender.
struct Receiver<'a> {
    run: ReceiveRun<'a>,
    /// The latest transfer that began and was broken off.
    broken_off: Option<Outcome>,
}

impl Service for Receiver<'_> {
    type Served = ReceiveOutcome;

    async fn serve(&mut self, sender: &Connected, interrupt: &mut Interrupt) -> ReceiveOutcome {
        let files = receive_files(&sender.association, self.run.destination.clone());
        self.run.follow(sender, files, interrupt).await
    }

    async fn on_served(
        &mut self,
        sender: Connected,
        served: ReceiveOutcome,
        is_next_here: bool,
    ) -> ControlFlow<Result<Outcome, Failure>> {
        let arguments = self.run.arguments;
        let (outcome, is_to_continue) = match served {
            ReceiveOutcome::Nothing(why) => {
                self.report_nothing(&sender, why.as_ref());
                return ControlFlow::Continue(());
            }
            ReceiveOutcome::Broken { outcome, is_something_kept, .. } => {
                (outcome, is_next_here || is_something_kept)
            }
            ReceiveOutcome::Transfer(outcome) => (outcome, false),
        };
        if matches!(outcome.failure, Some(Failure::Interrupted)) {
            return ControlFlow::Break(Ok(outcome));
        }
        if arguments.keep {
            outcome.show(arguments.result_output());
            return ControlFlow::Continue(());
        }
        // What was written to standard output cannot be taken back.
        if !is_to_continue || is_output(&arguments.dir) {
            return ControlFlow::Break(Ok(outcome));
        }
        if let Some(failure) = &outcome.failure {
            failure.tell();
        }
        if !is_next_here && !arguments.output.quiet {
            notice::tell("still listening; the same command on the sender continues the transfer");
        }
        self.broken_off = Some(outcome);
        ControlFlow::Continue(())
    }

    fn on_interrupt(&mut self) -> Result<Outcome, Failure> {
        Outcome::interrupted(self.broken_off.take())
    }

    fn newcomers(&self) -> Newcomers {
        Newcomers::AfterTransfer(Persistence::of(self.run.arguments.keep))
    }
}

impl Receiver<'_> {
    /// Reports a peer that offered no file, such as a port scan or another kind of program.
    fn report_nothing(&self, sender: &Connected, why: Option<&Failure>) {
        if self.run.arguments.output.quiet {
            return;
        }
        let what = match why {
            Some(failure @ Failure::Garbage { .. }) => printable(&failure.to_string()),
            _ => format!("{} connected and disconnected without sending a file", sender.peer),
        };
        notice::tell(&format!("{what}; still listening"));
    }
}

const SENDER: OtherEnd = OtherEnd { place: "sender", command: "anabranch send FILE", option: "--to" };
