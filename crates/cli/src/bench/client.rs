//! The client: connects, agrees on a test with the server, runs it, and shows the result.

use anabranch_base::Duration;
use anabranch_bench::{
    BenchDocument, Exchange, ExchangeError, Measured, TestRequest, agree, limits_of, summary_of,
};
use anabranch_diagnose::{Alone, Diagnosis, judge};
use anabranch_observe::Body;
use serde_json::{Value, json};

use super::intervals::Display;
use super::messages::{not_agreed, not_ended};
use super::route::BenchRoute;
use super::table;
use crate::arguments::BenchArguments;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::key;
use crate::labels::Labels;
use crate::links::charges;
use crate::peer::Connected;
use crate::remedies::option;
use crate::report::Outcome;
use crate::settings;

/// Runs the client.
///
/// # Errors
/// What failed before anything was measured.
pub(super) async fn run(arguments: &BenchArguments, interrupt: &mut Interrupt) -> Result<Outcome, Failure> {
    let route = BenchRoute::find(arguments, interrupt).await?;
    let resolved = resolved(arguments, &route);
    let (measured, failure) = measure(&route, arguments, None, interrupt).await?;
    let verdict = diagnosed(&measured, &route, &[]);
    let charges = charges(&measured.links);
    let summary =
        format!("{}\n{charges}{}", table::summary(&measured), table::verdict(&verdict, &[], &measured));
    let document = BenchDocument::of(&measured, resolved).judged(verdict);
    Ok(Outcome { document: Some(Body::of(&document)), summary, failure, ..Outcome::default() })
}

/// Diagnoses what limited the test, also from the tests of each path alone; of two directions, the client's. Paths have
/// their names of the tables.
pub(crate) fn diagnosed(measured: &Measured, route: &BenchRoute, alone: &[Alone]) -> Diagnosis {
    let mut run = summary_of(measured, &route.route.dialer.config);
    let mut alone = alone.to_vec();
    let labels = Labels::of_entries(&measured.directions().0.paths);
    let names = run.paths.iter_mut().map(|path| &mut path.name);
    labels.put_short(names.chain(alone.iter_mut().map(|alone| &mut alone.name)));
    judge(&run, &alone, option)
}

/// Runs one test over `route`, and returns the failure if it did not end as agreed. `label` is its name among several.
///
/// # Errors
/// What failed before it began.
pub(super) async fn measure(
    route: &BenchRoute,
    arguments: &BenchArguments,
    label: Option<String>,
    interrupt: &mut Interrupt,
) -> Result<(Measured, Option<Failure>), Failure> {
    let test = route
        .dial(interrupt, async |server, interrupt| test(&server, route, arguments, label, interrupt).await);
    test.await
}

async fn test(
    server: &Connected,
    route: &BenchRoute,
    arguments: &BenchArguments,
    label: Option<String>,
    interrupt: &mut Interrupt,
) -> Result<(Measured, Option<Failure>), Failure> {
    let Connected { association, peer, .. } = server;
    let here = limits_of(&route.route.dialer.config);
    let agreed = tokio::select! {
        agreed = agree(association, &here, request(arguments, route)) => {
            agreed.map_err(|error| not_agreed(peer, error))
        }
        () = interrupt.pressed() => Err(Failure::Interrupted),
    };
    let test = agreed.inspect_err(|failure| association.abort(&failure.to_string()))?;
    let mut display = Display::new(arguments.output, label);
    let mut exchange = Exchange::begin(association, test);
    let failure = run_test(&mut exchange, &mut display, interrupt).await;
    let failure = failure.err().map(|error| not_ended(association, peer, error));
    let measured = exchange.measured();
    if failure.is_none() {
        // Everything has been exchanged, so the end of the association does not matter.
        let _ = tokio::time::timeout(CLOSING, association.close()).await;
    }
    Ok((measured, failure))
}

/// Runs a test to its end. The error is `None` after Ctrl-C.
pub(crate) async fn run_test(
    exchange: &mut Exchange<'_>,
    display: &mut Display,
    interrupt: &mut Interrupt,
) -> Result<(), Option<ExchangeError>> {
    loop {
        let next = tokio::select! {
            next = exchange.next() => next.map_err(Some)?,
            () = interrupt.pressed() => return Err(None),
        };
        match next {
            Some(interval) => display.show(&interval),
            None => return Ok(()),
        }
    }
}

/// The test that the command line requests.
fn request(arguments: &BenchArguments, route: &BenchRoute) -> TestRequest {
    TestRequest {
        direction: arguments.direction(),
        duration: arguments.time,
        message: arguments.length,
        rate: arguments.bitrate,
        interval: arguments.interval,
        deadlines: route.deadlines,
    }
}

/// The arguments and settings of the test, for the document.
pub(super) fn resolved(arguments: &BenchArguments, route: &BenchRoute) -> Value {
    json!({
        "to": route.route.hosts(),
        "via": arguments.via.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "each": arguments.each,
        "time_s": arguments.time.as_secs_f64(),
        "interval_s": arguments.interval.as_secs_f64(),
        "direction": arguments.direction().word(),
        "bitrate_bps": arguments.bitrate.map(anabranch_base::BitRate::bits_per_second),
        "deadline_s": route.deadlines.map(|deadlines| deadlines.deadline.as_secs_f64()),
        "lifetime_s": arguments.lifetime.map(Duration::as_secs_f64),
        "unordered": arguments.unordered,
        "security": key::word(&route.route.dialer.security),
        "sctp": settings::resolved(&route.route.dialer.config),
    })
}

/// The time for the last messages.
const CLOSING: std::time::Duration = std::time::Duration::from_secs(2);
