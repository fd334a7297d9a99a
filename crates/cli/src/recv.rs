//! `anabranch recv`: listens (or dials, see [`fetch`]), receives files and reports the result.

use anabranch_net::{Association, Endpoint, Security};
use anabranch_sctp::config::Config;
use anabranch_transfer::{
    Destination, Overwrite, ReceiveFilesError, Transfer, hex, is_output, receive_files,
};
use serde_json::{Value, json};

use crate::arguments::RecvArguments;
use crate::endpoint;
use crate::failure::{Failure, list, printable};
use crate::fetch;
use crate::interrupt::Interrupt;
use crate::key::{self, Listening};
use crate::links::charges;
use crate::live::{INTERRUPTED, dismiss, watched};
use crate::notice;
use crate::peer::{Partner, Peer};
use crate::ready::{self, LineTarget, OtherEnd};
use crate::report::{Outcome, TransferDocument, shortened, table, there_already};
use crate::settings;
use crate::succession::{self, Stay, interrupted};
use crate::transfer::{FileCounts, Progress, follow, not_received};
use crate::unreadable_peers;
use crate::view::ProgressView;
use anabranch_net::Clock;
use anabranch_net::monitor::{DataDirection, PathMonitor};

/// Runs the command.
///
/// # Errors
/// What went wrong before anything was received, and Ctrl-C while nothing was.
pub async fn run(arguments: &RecvArguments, interrupt: &mut Interrupt) -> Result<Outcome, Failure> {
    if !arguments.from.is_empty() {
        return fetch::run(arguments, interrupt).await;
    }
    let config = settings::with(settings::for_tools(), &arguments.settings)?;
    let listening = key::to_listen(&arguments.secrecy, interrupt).await?;
    ready::check(&listening, &arguments.output)?;
    let destination = destination(arguments)?;
    let endpoint = endpoint::to_listen(&arguments.listen, &config, &listening.security).await?;
    ready::tell(&endpoint, &arguments.listen, &listening, spoken(arguments), SENDER);
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
    let (mut next, mut broken_off, mut told) = (None, None, Vec::new());
    loop {
        let association = match next.take() {
            Some(association) => association,
            None => tokio::select! {
                accepted = endpoint.accept() => accepted
                    .ok_or_else(|| Failure::System(std::io::Error::other("the sockets were closed")))?,
                () = interrupt.pressed() => return interrupted(broken_off),
                    never = unreadable_peers::tell(endpoint, arguments.output, &mut told) => match never {},
            },
        };
        let peer = peer_of(&association, security);
        let run = ReceiveRun { arguments, resolved, peer: &peer, destination: destination.clone() };
        let files = receive_files(&association, destination.clone());
        let receiving = run.run(&association, files, interrupt);
        tokio::pin!(receiving);
        let came = tokio::select! {
            came = &mut receiving => came,
            () = succession::successor(endpoint, &association, &mut next, Stay::of(arguments.keep)) => receiving.await,
        };
        match came {
            ReceiveOutcome::Nothing(why) => tell_of_nothing(&peer, why.as_ref(), arguments),
            ReceiveOutcome::Transfer(outcome) if matches!(outcome.failure, Some(Failure::Interrupted)) => {
                if let Some(newcomer) = next {
                    newcomer.abort(INTERRUPTED);
                }
                return Ok(outcome);
            }
            ReceiveOutcome::Transfer(outcome) | ReceiveOutcome::Broken { outcome, .. } if arguments.keep => {
                outcome.show(arguments.result_output());
            }
            // The one transfer that was asked for is still to come; what went to standard output cannot be taken back.
            ReceiveOutcome::Broken { outcome, is_something_kept }
                if (next.is_some() || is_something_kept) && !is_output(&arguments.dir) =>
            {
                if let Some(failure) = &outcome.failure {
                    failure.tell();
                }
                if next.is_none() && !arguments.output.quiet {
                    notice::tell("still listening; the same command on the sender continues the transfer");
                }
                broken_off = Some(outcome);
            }
            ReceiveOutcome::Transfer(outcome) | ReceiveOutcome::Broken { outcome, .. } => return Ok(outcome),
        }
    }
}

/// A peer came and offered no file, a port scan perhaps, or a program of another kind: that is not a transfer.
fn tell_of_nothing(peer: &Peer, why: Option<&Failure>, arguments: &RecvArguments) {
    if arguments.output.quiet {
        return;
    }
    let what = match why {
        Some(failure @ Failure::Garbage { .. }) => printable(&failure.to_string()),
        _ => format!("{peer} connected and disconnected without sending a file"),
    };
    notice::tell(&format!("{what}; still listening"));
}

/// The outcome of an association.
pub enum ReceiveOutcome {
    /// The peer left without offering a file, perhaps for this reason.
    Nothing(Option<Failure>),
    /// The sender left, or vanished, in the middle.
    Broken {
        /// The outcome until then.
        outcome: Outcome,
        /// True if the sender finds something of it here when it begins again.
        is_something_kept: bool,
    },
    /// A transfer, to its end.
    Transfer(Outcome),
}

/// Where files go, as the arguments say.
pub fn destination(arguments: &RecvArguments) -> Result<Destination, Failure> {
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

/// One transfer from a peer, whichever end dialled.
pub struct ReceiveRun<'a> {
    pub arguments: &'a RecvArguments,
    /// The settings, for the document.
    pub resolved: &'a Value,
    /// The sender.
    pub peer: &'a Peer,
    /// Where the files go.
    pub destination: Destination,
}

impl ReceiveRun<'_> {
    /// Follows `files` to its end.
    pub async fn run(
        &self,
        association: &Association,
        files: Transfer<'_, ReceiveFilesError>,
        interrupt: &mut Interrupt,
    ) -> ReceiveOutcome {
        let ReceiveRun { arguments, resolved, peer, destination } = self;
        let clock = Clock::start();
        let progress = Progress::new(clock);
        let mut monitor = PathMonitor::new(clock, DataDirection::Receiving);
        let mut view = ProgressView::new(arguments.output);
        let work = async { follow(files, &progress).await.map_err(|error| not_received(peer, error)) };
        let failure = watched(association, &mut monitor, &mut view, &progress, interrupt, work).await.err();
        let is_gone = matches!(
            failure,
            None | Some(
                Failure::PeerGone(_) | Failure::Busy(_) | Failure::Refused(_) | Failure::Garbage { .. }
            )
        );
        if is_gone && progress.tally() == FileCounts::default() && progress.current().is_none() {
            return ReceiveOutcome::Nothing(failure);
        }
        let mut summary = summary(&monitor, &progress, destination);
        if matches!(destination, Destination::Output(_)) && !arguments.output.quiet {
            // Standard output is the file's alone.
            notice::show(std::mem::take(&mut summary).trim_end());
        }
        let is_broken = matches!(failure, Some(Failure::PeerGone(_)));
        let document = Some(TransferDocument::new(&monitor, &progress, (*resolved).clone()).into());
        let outcome = Outcome { document, summary, failure };
        let is_something_kept = progress.is_something_kept();
        if is_broken {
            ReceiveOutcome::Broken { outcome, is_something_kept }
        } else {
            ReceiveOutcome::Transfer(outcome)
        }
    }
}

/// The peer that opened an association.
fn peer_of(association: &Association, security: &Security) -> Peer {
    let mut monitor = PathMonitor::new(Clock::start(), DataDirection::Receiving);
    monitor.update(association);
    Peer::new(monitor.remote_addresses(), security, Partner::Files)
}

/// Where the line to paste is printed: standard output may be for the file.
fn spoken(arguments: &RecvArguments) -> LineTarget {
    match LineTarget::by(&arguments.output) {
        LineTarget::Output if is_output(&arguments.dir) => LineTarget::Error,
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
    let charges = charges(monitor.links());
    format!("{}\n{charges}{files}{bytes} received in {seconds:.1} s, {rate}{there}\n", table(monitor, took))
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

/// The other end: the sender.
const SENDER: OtherEnd = OtherEnd { place: "sender", command: "anabranch send FILE", option: "--to" };
