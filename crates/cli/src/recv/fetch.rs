//! `anabranch recv --from`: dials a sender that listens, and receives its files.

use anabranch_transfer::{Destination, fetch_files, is_output};
use serde_json::{Value, json};

use super::destination;
use super::receiving::{ReceiveOutcome, ReceiveRun};
use crate::arguments::{RecvArguments, RetryLimit};
use crate::dialing::{Dialer, Route};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::key;
use crate::notice;
use crate::peer::Partner;
use crate::report::Outcome;
use crate::retry::{self, Attempt, Attempts};
use crate::settings;

/// Runs the command.
///
/// # Errors
/// What failed before anything was received.
pub(super) async fn run(arguments: &RecvArguments, interrupt: &mut Interrupt) -> Result<Outcome, Failure> {
    let config = settings::changed(settings::for_tools(), &arguments.settings)?;
    let security = key::to_dial(&arguments.secrecy, interrupt).await?;
    let destination = destination(arguments)?;
    let dialer = Dialer { config, security, mark: None, partner: Partner::Server, output: arguments.output };
    let fetch = Fetch { arguments, dialer, destination };
    retry::within(arguments.retry, arguments.output, fetch, interrupt).await
}

/// The fetch of all files from one sender.
struct Fetch<'a> {
    arguments: &'a RecvArguments,
    dialer: Dialer,
    destination: Destination,
}

impl Attempts for Fetch<'_> {
    async fn attempt(&mut self, interrupt: &mut Interrupt) -> Attempt {
        let Fetch { arguments, dialer, destination } = self;
        let route = match Route::find(dialer.clone(), &arguments.from, &arguments.via).await {
            Ok(route) => route,
            Err(failure) => return Attempt::failed(failure),
        };
        let resolved = resolved(&route, arguments);
        let run = ReceiveRun { arguments, resolved, destination: destination.clone() };
        let received = route.dial(interrupt, async |sender, interrupt| {
            let files = fetch_files(&sender.association, run.destination.clone());
            let received = run.follow(&sender, files, interrupt).await;
            Ok(of_sender(received, &sender.peer.to_string(), arguments))
        });
        received.await.unwrap_or_else(Attempt::failed)
    }
}

/// The attempt in which the sender answered.
fn of_sender(received: ReceiveOutcome, sender: &str, arguments: &RecvArguments) -> Attempt {
    // What was written to standard output cannot be taken back.
    let attempt = |outcome, has_moved| Attempt {
        outcome,
        has_connected: true,
        has_moved,
        is_last: has_moved && is_output(&arguments.dir),
    };
    match received {
        ReceiveOutcome::Nothing(Some(failure)) => attempt(Err(failure), false),
        ReceiveOutcome::Nothing(None) => {
            attempt(Err(Failure::PeerGone(format!("{sender} sent no file"))), false)
        }
        ReceiveOutcome::Broken { outcome, is_something_kept, has_moved } => {
            if is_something_kept && !arguments.output.quiet && arguments.retry.is_none() {
                notice::tell("part of the file is kept; the same command continues the transfer");
            }
            attempt(Ok(outcome), has_moved)
        }
        ReceiveOutcome::Transfer(outcome) => attempt(Ok(outcome), false),
    }
}

fn resolved(route: &Route, arguments: &RecvArguments) -> Value {
    json!({
        "from": route.hosts(),
        "via": arguments.via.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "retry": arguments.retry.as_ref().map(RetryLimit::to_string),
        "dir": arguments.dir.display().to_string(),
        "force": arguments.force,
        "security": key::word(&route.dialer.security),
        "sctp": settings::resolved(&route.dialer.config),
    })
}
