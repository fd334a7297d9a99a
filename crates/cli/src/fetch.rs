//! `anabranch recv --from`: dials a sender that listens, receives its files and reports the result.

use std::net::SocketAddr;

use anabranch_net::{Endpoint, Security};
use anabranch_sctp::config::Config;
use anabranch_transfer::{Destination, fetch_files};
use serde_json::{Value, json};

use crate::addresses;
use crate::arguments::RecvArguments;
use crate::connecting::connect;
use crate::endpoint;
use crate::failure::{Failure, list};
use crate::interrupt::Interrupt;
use crate::key;
use crate::links::Outlets;
use crate::live::farewell;
use crate::notice;
use crate::peer::{Partner, Peer};
use crate::recv::{ReceiveOutcome, ReceiveRun, destination};
use crate::report::Outcome;
use crate::settings;

/// Runs the command.
///
/// # Errors
/// What went wrong before anything was received.
pub async fn run(arguments: &RecvArguments, interrupt: &mut Interrupt) -> Result<Outcome, Failure> {
    let config = settings::with(settings::for_tools(), &arguments.settings)?;
    let security = key::to_send(&arguments.secrecy, interrupt).await?;
    let destination = destination(arguments)?;
    let from = addresses::look_up(&arguments.from).await?;
    let outlets = Outlets::to(&from, &arguments.via)?;
    let resolved = resolved(&config, &security, arguments, &list(&from.concat()));
    let endpoint = endpoint::to_connect(&outlets, &config, &security)?;
    let peer = Peer::new(from.concat(), &security, Partner::Server);
    let receiving =
        ReceiveRun { arguments, resolved: &resolved, peer: &peer, destination: destination.clone() };
    let ended = fetch(&endpoint, &from, &receiving, destination, interrupt).await;
    farewell(&endpoint).await;
    ended
}

/// Connects and receives.
async fn fetch(
    endpoint: &Endpoint,
    from: &[Vec<SocketAddr>],
    receiving: &ReceiveRun<'_>,
    destination: Destination,
    interrupt: &mut Interrupt,
) -> Result<Outcome, Failure> {
    let output = receiving.arguments.output;
    let association = connect(endpoint, from, receiving.peer, output, interrupt).await?;
    let files = fetch_files(&association, destination);
    match receiving.run(&association, files, interrupt).await {
        ReceiveOutcome::Nothing(failure) => {
            Err(failure.unwrap_or_else(|| Failure::PeerGone(format!("{} sent no file", receiving.peer))))
        }
        ReceiveOutcome::Broken { outcome, is_something_kept } => {
            if is_something_kept && !receiving.arguments.output.quiet {
                notice::tell("part of the file is kept; the same command continues the transfer");
            }
            Ok(outcome)
        }
        ReceiveOutcome::Transfer(outcome) => Ok(outcome),
    }
}

fn resolved(config: &Config, security: &Security, arguments: &RecvArguments, from: &str) -> Value {
    json!({
        "from": from,
        "via": arguments.via.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "dir": arguments.dir.display().to_string(),
        "force": arguments.force,
        "security": key::word(security),
        "sctp": settings::resolved(config),
    })
}
