//! `anabranch recv`: listens, receives files and reports the result.

use anabranch_net::{Association, Endpoint, Security};
use anabranch_sctp::config::Config;
use anabranch_transfer::{Destination, Overwrite, hex, is_output, receive_files};
use serde_json::{Value, json};

use crate::arguments::RecvArguments;
use crate::endpoint;
use crate::failure::{Failure, list};
use crate::interrupt::Interrupt;
use crate::key::{self, Listening};
use crate::live::{INTERRUPTED, dismiss, watched};
use crate::peer::{Partner, Peer};
use crate::ready::{self, OtherEnd, Spoken};
use crate::report::{Outcome, TransferDocument, shortened, table, there_already};
use crate::settings;
use crate::transfer::{FileCounts, Progress, follow, not_received};
use crate::turns;
use crate::view::ProgressView;
use anabranch_net::Clock;
use anabranch_net::monitor::{DataDirection, PathMonitor};

/// Runs the command.
///
/// # Errors
/// What went wrong before anything was received, and Ctrl-C while nothing was.
pub async fn run(arguments: &RecvArguments, interrupt: &mut Interrupt) -> Result<Outcome, Failure> {
    let config = settings::with(settings::for_tools(), &arguments.settings)?;
    let listening = key::to_listen(&arguments.secrecy)?;
    ready::check(&listening, &arguments.output)?;
    let destination = destination(arguments)?;
    let endpoint = endpoint::to_listen(&arguments.listen, &config, &listening.security).await?;
    let sender = OtherEnd { place: "sender", command: "anabranch send FILE" };
    ready::tell(&endpoint, &arguments.listen, &listening, spoken(arguments), sender);
    let Listening { security, .. } = listening;
    let resolved = resolved(&config, &security, &endpoint, arguments);
    let ended = receive_all(&endpoint, &security, &destination, &resolved, arguments, interrupt).await;
    dismiss(&endpoint, &ended).await;
    ended
}

/// One transfer after another, as many as are wanted.
async fn receive_all(
    endpoint: &Endpoint,
    security: &Security,
    destination: &Destination,
    resolved: &Value,
    arguments: &RecvArguments,
    interrupt: &mut Interrupt,
) -> Result<Outcome, Failure> {
    let (mut next, mut broken_off) = (None, None);
    loop {
        let association = match next.take() {
            Some(association) => association,
            None => tokio::select! {
                accepted = endpoint.accept() => accepted
                    .ok_or_else(|| Failure::System(std::io::Error::other("the sockets were closed")))?,
                () = interrupt.pressed() => return interrupted(broken_off),
            },
        };
        let receiving = receive(&association, security, destination.clone(), resolved, arguments, interrupt);
        tokio::pin!(receiving);
        let came = tokio::select! {
            came = &mut receiving => came,
            () = turns::successor(endpoint, &association, &mut next) => receiving.await,
        };
        match came {
            // A peer connected and left, a port scan perhaps: that is not a transfer.
            Came::Nothing => {}
            Came::Transfer(outcome) if matches!(outcome.failure, Some(Failure::Interrupted)) => {
                if let Some(newcomer) = next {
                    newcomer.abort(INTERRUPTED);
                }
                return Ok(outcome);
            }
            Came::Transfer(outcome) | Came::Broken { outcome, .. } if arguments.keep => {
                outcome.print(arguments.result_output());
            }
            // The one transfer that was asked for is still to come; what went to standard output cannot be taken back.
            Came::Broken { outcome, is_something_kept }
                if (next.is_some() || is_something_kept) && !is_output(&arguments.dir) =>
            {
                if let Some(failure) = &outcome.failure {
                    failure.tell();
                }
                if next.is_none() && !arguments.output.quiet {
                    eprintln!("still listening; the same command on the sender continues the transfer");
                }
                broken_off = Some(outcome);
            }
            Came::Transfer(outcome) | Came::Broken { outcome, .. } => return Ok(outcome),
        }
    }
}

/// Ctrl-C while no sender is there: what came before, if anything, is still told.
fn interrupted(broken_off: Option<Outcome>) -> Result<Outcome, Failure> {
    let outcome = broken_off.ok_or(Failure::Interrupted)?;
    Ok(Outcome { failure: Some(Failure::Interrupted), ..outcome })
}

/// What came of an association.
enum Came {
    /// The peer left without offering a file.
    Nothing,
    /// The sender left, or vanished, in the middle.
    Broken {
        /// What came until then.
        outcome: Outcome,
        /// Whether the sender finds something of it here when it begins again.
        is_something_kept: bool,
    },
    /// A transfer, to its end.
    Transfer(Outcome),
}

/// Where files go, as the arguments say.
fn destination(arguments: &RecvArguments) -> Result<Destination, Failure> {
    if is_output(&arguments.dir) && (arguments.keep || arguments.output.is_json()) {
        return Err(Failure::Arguments(
            "--dir - writes a single file to standard output and cannot be used with --keep or --json"
                .to_owned(),
        ));
    }
    let overwrite = if arguments.force { Overwrite::Always } else { Overwrite::Never };
    let destination = Destination::open(&arguments.dir, overwrite)?;
    Ok(destination.advising("use `anabranch recv --force` to replace it"))
}

/// One transfer.
async fn receive(
    association: &Association,
    security: &Security,
    destination: Destination,
    resolved: &Value,
    arguments: &RecvArguments,
    interrupt: &mut Interrupt,
) -> Came {
    let clock = Clock::start();
    let progress = Progress::new(clock);
    let mut monitor = PathMonitor::new(clock, DataDirection::Receiving);
    let mut view = ProgressView::new(arguments.output);
    monitor.update(association);
    let peer = Peer::new(monitor.remote_addresses(), security, Partner::Files);
    let receiving = receive_files(association, destination.clone());
    let work = async { follow(receiving, &progress).await.map_err(|error| not_received(&peer, error)) };
    let failure = watched(association, &mut monitor, &mut view, &progress, interrupt, work).await.err();
    let is_gone = matches!(failure, None | Some(Failure::PeerGone(_)));
    let is_nothing = is_gone && progress.tally() == FileCounts::default();
    if is_nothing && progress.current().is_none() {
        if !arguments.output.quiet {
            eprintln!("{peer} connected and disconnected without sending a file; still listening");
        }
        return Came::Nothing;
    }
    let mut summary = summary(&monitor, &progress, &destination);
    if matches!(destination, Destination::Output(_)) && !arguments.output.quiet {
        // Standard output is the file's alone.
        eprint!("{}", std::mem::take(&mut summary));
    }
    let is_broken = matches!(failure, Some(Failure::PeerGone(_)));
    let document = Some(TransferDocument::new(&monitor, &progress, resolved.clone()).into());
    let outcome = Outcome { document, summary, failure };
    let is_something_kept = progress.is_something_kept();
    if is_broken { Came::Broken { outcome, is_something_kept } } else { Came::Transfer(outcome) }
}

/// Where the line to paste is printed: standard output may be for the file.
fn spoken(arguments: &RecvArguments) -> Spoken {
    match Spoken::by(&arguments.output) {
        Spoken::Output if is_output(&arguments.dir) => Spoken::Error,
        spoken => spoken,
    }
}

fn summary(monitor: &PathMonitor, progress: &Progress, destination: &Destination) -> String {
    let took = progress.duration();
    let done = progress.done();
    let stored = done.iter().filter(|file| file.verdict.is_verified());
    let lines: Vec<String> = stored
        .map(|file| {
            let digest = file.digest.as_ref().map(hex).unwrap_or_default();
            format!("{}  {}  SHA-256 {digest}", destination.shown(&file.name), file.size.rounded())
        })
        .collect();
    let files: String = shortened(&lines, "files").map(|line| line + "\n").collect();
    let rate = progress.bytes().rate_over(took).unwrap_or_default();
    let bytes = progress.bytes().rounded();
    let seconds = took.as_secs_f64();
    let there = there_already(progress);
    format!("{}\n{files}{bytes} received in {seconds:.1} s, {rate}{there}\n", table(monitor, took))
}

fn resolved(config: &Config, security: &Security, endpoint: &Endpoint, arguments: &RecvArguments) -> Value {
    json!({
        "listen": list(&endpoint.local_addresses()),
        "dir": arguments.dir.display().to_string(),
        "keep": arguments.keep,
        "force": arguments.force,
        "security": key::word(security),
        "sctp": settings::resolved(config),
    })
}
