//! The server: waits for clients, runs their tests one at a time, says what came of each. It knows the order of these
//! steps; each is done elsewhere.

use anabranch_base::Duration;
use anabranch_cli::bench_protocol::{Limits, Server};
use anabranch_net::{Association, Endpoint, Security};
use anabranch_sctp::config::Config;
use serde_json::{Value, json};

use super::dialogue::{self, limits_of};
use super::document::Document;
use super::exchange::{Test, exchange};
use super::intervals::Intervals;
use super::measured::{Measured, Role};
use super::table;
use crate::arguments::BenchArguments;
use crate::clock;
use crate::endpoint;
use crate::failure::{Failure, list};
use crate::interrupt::Interrupt;
use crate::key::{self, Listening};
use crate::live::{dismiss, turn_away};
use crate::peer::{Partner, Peer};
use crate::ready::{self, Spoken};
use crate::report::Outcome;
use crate::settings;

/// Runs the server until Ctrl-C, or one test is over where no more are wanted.
///
/// # Errors
/// What went wrong before anybody came, and Ctrl-C while nobody was there.
pub async fn run(arguments: &BenchArguments, interrupt: &mut Interrupt) -> Result<Outcome, Failure> {
    let config = settings::with(settings::for_tools(), &arguments.settings)?;
    let listening = key::to_listen(&arguments.secrecy)?;
    ready::check(&listening, &arguments.output)?;
    let endpoint = endpoint::to_listen(&arguments.listen, &config, &listening.security).await?;
    ready::tell(&endpoint, &listening, Spoken::by(&arguments.output), "other host", "anabranch bench");
    let Listening { security, .. } = listening;
    let resolved = resolved(&config, &security, &endpoint, arguments);
    let limits = limits_of(&config);
    let ended = serve_all(&endpoint, &security, &limits, &resolved, arguments, interrupt).await;
    dismiss(&endpoint, &ended).await;
    ended
}

/// One test after another, as many as are wanted.
async fn serve_all(
    endpoint: &Endpoint,
    security: &Security,
    limits: &Limits,
    resolved: &Value,
    arguments: &BenchArguments,
    interrupt: &mut Interrupt,
) -> Result<Outcome, Failure> {
    loop {
        let association = tokio::select! {
            accepted = endpoint.accept() => accepted,
            () = interrupt.pressed() => return Err(Failure::Interrupted),
        };
        let Some(association) = association else {
            return Err(Failure::System(std::io::Error::other("the sockets were closed")));
        };
        let outcome = tokio::select! {
            // A client that comes when all is said must not be told otherwise.
            biased;
            outcome = serve(&association, security, limits, resolved, interrupt) => outcome,
            never = turn_away(endpoint, "test") => match never {},
        };
        // The client closes when it has heard all; whoever comes next need not wait for that.
        let goodbye = tokio::spawn(goodbye(association));
        match outcome {
            // Somebody connected and left, a port scan perhaps: that was no test.
            None => {}
            Some(outcome) if arguments.once || matches!(outcome.failure, Some(Failure::Interrupted)) => {
                let _ = goodbye.await;
                return Ok(outcome);
            }
            Some(outcome) => {
                outcome.print(arguments.result_output());
            }
        }
    }
}

/// One client's test; `None` where it left without asking for one.
async fn serve(
    association: &Association,
    security: &Security,
    limits: &Limits,
    resolved: &Value,
    interrupt: &mut Interrupt,
) -> Option<Outcome> {
    let mut remote: Vec<_> = association.paths().iter().map(|path| path.addresses.remote).collect();
    remote.dedup();
    let peer = Peer::new(remote, security, Partner::Tests);
    let server = Server::new(clock::machine(), *limits);
    let asked = tokio::select! {
        asked = dialogue::answer(association, &peer, server) => asked,
        () = interrupt.pressed() => Err(Failure::Interrupted),
    };
    let ask = match asked {
        Ok(ask) => ask?,
        // It is told why, and closes when it has heard that.
        Err(failure @ Failure::Refused(_)) => return Some(failure.into()),
        Err(failure) => {
            association.abort(&failure.to_string());
            return Some(failure.into());
        }
    };
    let test = Test { ask, role: Role::Server, receive_buffer_limit: limits.receive_buffer };
    let mut intervals = Intervals::new(ask.interval, None, None);
    let ended = exchange(association, &peer, test, &mut intervals, interrupt).await;
    let measured = Measured {
        ask,
        clock_error: Duration::ZERO,
        role: Role::Server,
        ours: ended.ours,
        theirs: ended.theirs,
        rows: intervals.into_rows(),
    };
    let summary = format!("test of {peer}\n{}", table::summary(&measured));
    let document = Document::of(&measured, resolved.clone());
    Some(Outcome { document: Some(document.into()), summary, failure: ended.failure })
}

/// Waits for the client's farewell, but not for ever.
async fn goodbye(association: Association) {
    let _ = tokio::time::timeout(GOODBYE, association.closed()).await;
}

fn resolved(config: &Config, security: &Security, endpoint: &Endpoint, arguments: &BenchArguments) -> Value {
    json!({
        "listen": list(&endpoint.local_addresses()),
        "once": arguments.once,
        "security": key::word(security),
        "sctp": settings::resolved(config),
    })
}

/// How long is waited for the client's farewell.
const GOODBYE: std::time::Duration = std::time::Duration::from_secs(5);
