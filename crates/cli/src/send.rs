//! `anabranch send`: opens the files, then dials a receiver, or waits for receivers that fetch them.

mod sending;
mod serve;

use anabranch_base::BitRate;
use anabranch_transfer::{Sources, send_files};
use serde_json::{Value, json};

use crate::arguments::SendArguments;
use crate::dialing::{Dialer, Route};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::key;
use crate::peer::Partner;
use crate::report::Outcome;
use crate::settings;
use sending::SendRun;

/// Runs the command.
///
/// # Errors
/// What failed before anything was sent.
pub(crate) async fn run(arguments: &SendArguments, interrupt: &mut Interrupt) -> Result<Outcome, Failure> {
    let sources = open(arguments)?;
    match &arguments.listen {
        Some(hosts) => serve::run(hosts, sources, arguments, interrupt).await,
        None => dial(sources, arguments, interrupt).await,
    }
}

/// Opens every named source before anything is sent: a wrong name must not break off a transfer.
fn open(arguments: &SendArguments) -> Result<Sources, Failure> {
    if arguments.name.is_some() && arguments.files.len() > 1 {
        return Err(Failure::Arguments("--name can be used with one FILE only".to_owned()));
    }
    Ok(Sources::find(&arguments.files, arguments.name.as_deref())?)
}

async fn dial(
    sources: Sources,
    arguments: &SendArguments,
    interrupt: &mut Interrupt,
) -> Result<Outcome, Failure> {
    let config = settings::changed(settings::for_tools(), &arguments.settings)?;
    let security = key::to_dial(&arguments.secrecy, interrupt).await?;
    let dialer = Dialer { config, security, mark: None, partner: Partner::Files, output: arguments.output };
    let route = Route::find(dialer, &arguments.to, &arguments.via).await?;
    let run = SendRun { arguments, resolved: resolved(&route, arguments), config: &route.dialer.config };
    let sent = route.dial(interrupt, async |receiver, interrupt| {
        let left_out = sending::left_out(&sources);
        let files = send_files(&receiver.association, sources, arguments.limit_rate);
        Ok(run.follow(&receiver, left_out, files, interrupt).await.outcome)
    });
    sent.await
}

fn resolved(route: &Route, arguments: &SendArguments) -> Value {
    json!({
        "to": route.hosts(),
        "via": arguments.via.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "limit_rate_bps": arguments.limit_rate.map(BitRate::bits_per_second),
        "security": key::word(&route.dialer.security),
        "sctp": settings::resolved(&route.dialer.config),
    })
}
