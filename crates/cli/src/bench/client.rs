//! The client: connects, agrees with the server, runs the test, says what came of it. It knows the order of these
//! steps; each is done elsewhere.

use anabranch_base::Duration;
use anabranch_cli::bench_protocol::{Ask, Limits, Report};
use anabranch_net::Endpoint;
use serde_json::{Value, json};

use super::dialogue::{self, Paced, limits_of, usual_length};
use super::document::Document;
use super::exchange::{Test, exchange};
use super::intervals::Intervals;
use super::measured::{Measured, Role};
use super::route::{Connected, Route};
use super::table;
use super::verdict::{Alone, Run, Verdict, judge};
use crate::arguments::BenchArguments;
use crate::failure::{Failure, list};
use crate::interrupt::Interrupt;
use crate::key;
use crate::live::farewell;
use crate::report::Outcome;
use crate::settings;

/// Runs the client.
///
/// # Errors
/// What went wrong before anything was measured.
pub async fn run(arguments: &BenchArguments, interrupt: &mut Interrupt) -> Result<Outcome, Failure> {
    let route = Route::of(arguments).await?;
    let resolved = resolved(arguments, &route);
    let (measured, failure) = measure(&route, arguments, None, interrupt).await?;
    let verdict = judged(&measured, &route, &[]);
    let summary = format!("{}\n{}", table::summary(&measured), table::verdict(&verdict, &[], &measured));
    let document = Document::of(&measured, resolved).judged(verdict);
    Ok(Outcome { document: Some(document.into()), summary, failure })
}

/// What held the test back, by what is known of each path alone; of both directions, the client's.
pub fn judged(measured: &Measured, route: &Route, alone: &[Alone]) -> Verdict {
    let (first, _) = measured.ways();
    let is_ours = Role::sending(first.way) == Role::Client;
    let busy = |report: Option<&Report>| report.map_or(0.0, |report| rate_of(report.cpu_s, report.seconds));
    let run = Run {
        goodput_bps: first.goodput_bps(),
        offered_bps: measured.ask.rate.map(|rate| rate.bits_per_second() as f64),
        unsent_messages: first.unsent_messages(),
        receive_buffer_bytes: first.receiver.map(|report| report.receive_buffer_limit_bytes),
        send_buffer_bytes: is_ours.then(|| route.config.send_buffer.get()),
        scheduler: is_ours.then(|| route.config.scheduler.clone()),
        cpu_share: busy(first.sender).max(busy(first.receiver)),
        paths: first.paths,
    };
    judge(&run, alone)
}

fn rate_of(taken: f64, seconds: f64) -> f64 {
    if seconds > 0.0 { taken / seconds } else { 0.0 }
}

/// One test over `route`, and why it did not end as agreed if it did not. `label` says which of several it is.
///
/// # Errors
/// What went wrong before it began.
pub async fn measure(
    route: &Route,
    arguments: &BenchArguments,
    label: Option<String>,
    interrupt: &mut Interrupt,
) -> Result<(Measured, Option<Failure>), Failure> {
    let endpoint = route.bind()?;
    let result = test(&endpoint, route, arguments, label, interrupt).await;
    // However it ended: a server that does not hear of that is busy with nobody.
    farewell(&endpoint).await;
    result
}

/// The same with sockets.
async fn test(
    endpoint: &Endpoint,
    route: &Route,
    arguments: &BenchArguments,
    label: Option<String>,
    interrupt: &mut Interrupt,
) -> Result<(Measured, Option<Failure>), Failure> {
    let connected = route.connect(endpoint, interrupt).await?;
    let here = limits_of(&route.config);
    let opened = tokio::select! {
        opened = open(&connected, arguments, &here) => opened,
        () = interrupt.pressed() => Err(Failure::Interrupted),
    };
    let Connected { association, peer } = connected;
    let (ask, clock_error) = opened.inspect_err(|failure| association.abort(&failure.to_string()))?;
    let test = Test { ask, role: Role::Client, receive_buffer_limit: here.receive_buffer };
    let mut intervals = Intervals::new(ask.interval, Some(arguments.output), label);
    let ended = exchange(&association, &peer, test, &mut intervals, interrupt).await;
    if ended.failure.is_none() {
        // Everything was said: how the goodbye goes changes nothing.
        let _ = tokio::time::timeout(GOODBYE, association.close()).await;
    }
    let (ours, theirs, rows) = (ended.ours, ended.theirs, intervals.into_rows());
    Ok((Measured { ask, clock_error, role: Role::Client, ours, theirs, rows }, ended.failure))
}

/// Agrees with the server on a test; also by how much the clocks' difference may be wrong.
async fn open(
    connected: &Connected,
    arguments: &BenchArguments,
    here: &Limits,
) -> Result<(Ask, Duration), Failure> {
    let Connected { association, peer } = connected;
    let greeting = dialogue::greet(association, peer).await?;
    let ask = wanted(arguments, &greeting.limits, here, greeting.offset.nanos);
    ask.check(here).map_err(|why| Failure::Arguments(format!("this end cannot do that: {why}")))?;
    dialogue::ask(association, peer, ask).await?;
    Ok((ask, greeting.offset.error))
}

/// What the command line asks for, in messages that the receiving end can take.
fn wanted(arguments: &BenchArguments, there: &Limits, here: &Limits, offset_ns: i64) -> Ask {
    let direction = arguments.direction();
    let paced = if arguments.bitrate.is_some() { Paced::Yes } else { Paced::No };
    let message = usual_length(arguments.length, paced, there.message.min(here.message));
    Ask {
        direction,
        duration: arguments.time,
        message,
        rate: arguments.bitrate,
        interval: arguments.interval,
        offset_ns,
    }
}

/// The settings as used.
pub fn resolved(arguments: &BenchArguments, route: &Route) -> Value {
    json!({
        "to": list(&route.to),
        "via": arguments.via,
        "each": arguments.each,
        "time_s": arguments.time.as_secs_f64(),
        "interval_s": arguments.interval.as_secs_f64(),
        "direction": arguments.direction().word(),
        "bitrate_bps": arguments.bitrate.map(anabranch_base::BitRate::bits_per_second),
        "security": key::word(&route.security),
        "sctp": settings::resolved(&route.config),
    })
}

/// How long is waited for the last word.
const GOODBYE: std::time::Duration = std::time::Duration::from_secs(2);
