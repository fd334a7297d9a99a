//! The server: waits for clients, runs their tests one at a time, shows what each measured.

use anabranch_bench::protocol::ServerLimits;
use anabranch_bench::{AgreeError, BenchDocument, Exchange, answer, limits_of};
use anabranch_net::reason::REFUSED;
use anabranch_net::{Association, Endpoint, Security};
use anabranch_observe::Body;
use anabranch_sctp::config::Config;
use serde_json::{Value, json};

use super::client::run_test;
use super::intervals::Display;
use super::table;
use super::turn::{Turn, hosts_of};
use super::words::{not_agreed, not_ended};
use crate::arguments::BenchArguments;
use crate::endpoint;
use crate::failure::{Failure, list, printable};
use crate::interrupt::Interrupt;
use crate::key::{self, Listening};
use crate::live::{busy_with, dismiss, turn_away};
use crate::notice;
use crate::peer::{Partner, Peer};
use crate::ready::{self, LineTarget};
use crate::report::Outcome;
use crate::settings;
use crate::unreadable_peers;

/// Runs the server until Ctrl-C, or with `--once` until one client has had its test, or its tests of `--each`.
///
/// # Errors
/// What went wrong before a client came, and Ctrl-C while none was there.
pub async fn run(arguments: &BenchArguments, interrupt: &mut Interrupt) -> Result<Outcome, Failure> {
    let config = settings::with(settings::for_tools(), &arguments.settings)?;
    let listening = key::to_listen(&arguments.secrecy, interrupt).await?;
    ready::check(&listening, &arguments.output)?;
    let endpoint = endpoint::to_listen(&arguments.listen, &config, &listening.security).await?;
    ready::tell(&endpoint, &arguments.listen, &listening, LineTarget::by(&arguments.output), OTHER);
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
    limits: &ServerLimits,
    resolved: &Value,
    arguments: &BenchArguments,
    interrupt: &mut Interrupt,
) -> Result<Outcome, Failure> {
    let (mut turn, mut told) = (Turn::new(arguments.once), Vec::new());
    loop {
        let association = tokio::select! {
            accepted = endpoint.accept() => accepted,
            () = turn.over() => return Ok(turn.into_last()),
            () = interrupt.pressed() => return turn.interrupted(),
            never = unreadable_peers::tell(endpoint, arguments.output, &mut told) => match never {},
        };
        let Some(association) = association else {
            return Err(Failure::System(std::io::Error::other("the sockets were closed")));
        };
        let client = hosts_of(&association);
        if !turn.may_take(&client) {
            association.abort(&busy_with(WORK));
            continue;
        }
        turn.print_last(arguments.result_output());
        let outcome = tokio::select! {
            // A client that comes when all is said must not be told otherwise.
            biased;
            outcome = serve(&association, security, limits, resolved, arguments, interrupt) => outcome,
            never = turn_away(endpoint, WORK) => match never {},
        };
        // The client closes when it has heard all; the next client need not wait for that.
        let goodbye = tokio::spawn(goodbye(association));
        let is_interrupted = |outcome: &Outcome| matches!(outcome.failure, Some(Failure::Interrupted));
        match outcome {
            Some(outcome) if turn.is_last(&client) || is_interrupted(&outcome) => {
                let _ = goodbye.await;
                return Ok(outcome);
            }
            Some(outcome) => turn.keep(outcome, arguments.result_output()),
            None => turn.on_left(client),
        }
    }
}

/// One client's test; `None` where it left without asking for one.
async fn serve(
    association: &Association,
    security: &Security,
    limits: &ServerLimits,
    resolved: &Value,
    arguments: &BenchArguments,
    interrupt: &mut Interrupt,
) -> Option<Outcome> {
    let mut remote: Vec<_> = association.paths().iter().map(|path| path.addresses.remote).collect();
    remote.dedup();
    let peer = Peer::new(remote, security, Partner::Tests);
    let asked = tokio::select! {
        asked = answer(association, limits) => asked,
        () = interrupt.pressed() => return Some(give_up(association, Failure::Interrupted)),
    };
    let test = match asked {
        Ok(test) => test?,
        // The client is sent the reason, and closes when it has received it.
        Err(error @ AgreeError::RefusedHere(_)) => return Some(not_agreed(&peer, error).into()),
        Err(error) if error.is_of_no_test() => {
            turn_off(association, &peer, error, arguments);
            return None;
        }
        Err(error) => return Some(give_up(association, not_agreed(&peer, error))),
    };
    let mut exchange = Exchange::begin(association, test);
    let failure = run_test(&mut exchange, &mut Display::nothing(), interrupt).await;
    let failure = failure.err().map(|error| not_ended(association, &peer, error));
    let measured = exchange.measured();
    let summary = format!("test of {peer}\n{}", table::summary(&measured));
    let document = BenchDocument::of(&measured, resolved.clone());
    Some(Outcome { document: Some(Body::of(&document)), summary, failure })
}

/// Tells a peer that wants no test why it gets none, and the user.
fn turn_off(association: &Association, peer: &Peer, error: AgreeError, arguments: &BenchArguments) {
    let topic = if error.is_wrong_partner() { REFUSED } else { "test protocol: " };
    association.abort(&format!("{topic}{error}"));
    if !arguments.output.quiet {
        let failure = not_agreed(peer, error);
        notice::tell(&format!("{}; still listening", printable(&failure.to_string())));
    }
}

/// Sends the client the reason why there is no test.
fn give_up(association: &Association, failure: Failure) -> Outcome {
    association.abort(&failure.to_string());
    failure.into()
}

/// Waits for the client to close, but not for ever.
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

/// The word for the work, for a client that comes while another is served.
const WORK: &str = "test";
/// The time to wait for the client to close.
const GOODBYE: std::time::Duration = std::time::Duration::from_secs(5);

/// The command that the user of the listening end is told to run at the other end.
const OTHER: ready::OtherEnd =
    ready::OtherEnd { place: "other host", command: "anabranch bench", option: "--to" };
