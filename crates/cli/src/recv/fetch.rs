//! `anabranch recv --from`: dials a sender that listens, and receives its files.

use anabranch_transfer::fetch_files;
use serde_json::{Value, json};

use super::destination;
use super::receiving::{ReceiveOutcome, ReceiveRun};
use crate::arguments::RecvArguments;
use crate::dialing::{Dialer, Route};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::key;
use crate::notice;
use crate::peer::Partner;
use crate::report::Outcome;
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
    let route = Route::find(dialer, &arguments.from, &arguments.via).await?;
    let run = ReceiveRun { arguments, resolved: resolved(&route, arguments), destination };
    let received = route.dial(interrupt, async |sender, interrupt| {
        let files = fetch_files(&sender.association, run.destination.clone());
        match run.follow(&sender, files, interrupt).await {
            ReceiveOutcome::Nothing(Some(failure)) => Err(failure),
            ReceiveOutcome::Nothing(None) => Err(Failure::PeerGone(format!("{} sent no file", sender.peer))),
            ReceiveOutcome::Broken { outcome, is_something_kept } => {
                if is_something_kept && !arguments.output.quiet {
                    notice::tell("part of the file is kept; the same command continues the transfer");
                }
                Ok(outcome)
            }
            ReceiveOutcome::Transfer(outcome) => Ok(outcome),
        }
    });
    received.await
}

fn resolved(route: &Route, arguments: &RecvArguments) -> Value {
    json!({
        "from": route.hosts(),
        "via": arguments.via.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "dir": arguments.dir.display().to_string(),
        "force": arguments.force,
        "security": key::word(&route.dialer.security),
        "sctp": settings::resolved(&route.dialer.config),
    })
}
