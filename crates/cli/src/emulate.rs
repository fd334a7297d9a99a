//! `anabranch emulate`: emulates a scenario's links in real time, between sockets or interfaces.

#[cfg(target_os = "linux")]
mod command;
#[cfg(not(target_os = "linux"))]
#[path = "emulate/elsewhere.rs"]
mod command;
mod document;
mod status;
mod table;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use anabranch_base::Seed;
use anabranch_emulate::{Relay, RelayConfig};
use anabranch_scenario::Scenario;
use serde_json::json;

use crate::addresses::look_up_each;
use crate::arguments::EmulateArguments;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::notice;
use crate::report::{Outcome, print_line};
use crate::scenario::load_links;
use anabranch_net::Clock;

pub(crate) use command::run_command;
pub(crate) use command::run_if_spawned;
use status::Status;

/// Runs the relay until Ctrl-C, or for the given time.
///
/// # Errors
/// The scenario is invalid or has a flow that is only simulated, the numbers of addresses and paths differ, or a socket
/// cannot be opened.
pub(crate) async fn run(arguments: &EmulateArguments, interrupt: &mut Interrupt) -> Result<Outcome, Failure> {
    let loaded = load_links(&arguments.scenario, &arguments.changes(), interrupt).await?;
    let scenario = &loaded.scenario;
    refuse_appstripe(scenario)?;
    let relay = Relay::start(&RelayConfig {
        scenario,
        seed: Seed::from_number(scenario.run.seed),
        listen: listen(arguments, scenario).await?,
        to: look_up_each(&arguments.to).await?,
    });
    let relay = relay.map_err(|error| Failure::Bind(error.to_string()))?;
    print_addresses(arguments, scenario, &relay);
    let failure = wait(arguments, &relay, interrupt).await;
    let report = relay.stop();
    Ok(Outcome {
        document: Some(document::relayed(&loaded, &report)),
        summary: table::relayed(&report),
        failure,
        ..Outcome::default()
    })
}

/// Refuses AppStripe, which only the sender of a simulated flow implements.
fn refuse_appstripe(scenario: &Scenario) -> Result<(), Failure> {
    match scenario.flows.iter().find(|flow| flow.protocol.is_appstripe()) {
        None => Ok(()),
        Some(flow) => Err(Failure::Arguments(format!(
            "flow {:?} is AppStripe, which is only simulated: no real application sends it",
            flow.name
        ))),
    }
}

/// Prints the address of each path, on a line each.
fn print_addresses(arguments: &EmulateArguments, scenario: &Scenario, relay: &Relay) {
    let output = arguments.output;
    let paths = scenario.paths.iter().zip(relay.listen_addresses());
    if output.is_json() {
        let paths = paths.map(|(path, address)| json!({ "name": path.name, "listen": address.to_string() }));
        print_line(&json!({ "listening": paths.collect::<Vec<_>>() }).to_string());
        return;
    }
    if output.quiet {
        return;
    }
    for (path, address) in paths {
        print_line(&format!("{}: {address}", path.name));
    }
    notice::tell("The scenario's clock starts with the first datagram. Press Ctrl-C to stop.");
}

/// Waits until the given time or Ctrl-C. Returns the failure after Ctrl-C.
async fn wait(arguments: &EmulateArguments, relay: &Relay, interrupt: &mut Interrupt) -> Option<Failure> {
    let clock = Clock::start();
    let mut status = Status::new(arguments.output);
    status.show(relay.report());
    let mut ticks = tokio::time::interval(std::time::Duration::from_secs(1));
    // The first tick is at once.
    ticks.tick().await;
    let failure = loop {
        let left = arguments.time.map(|time| time.saturating_sub(clock.elapsed()));
        tokio::select! {
            () = interrupt.pressed() => break Some(Failure::Interrupted),
            () = sleep(left) => break None,
            _ = ticks.tick() => {
                let report = relay.report();
                if arguments.output.json_lines {
                    print_line(&document::line(&report).to_string());
                }
                status.show(report);
            }
        }
    };
    status.finish();
    failure
}

async fn sleep(span: Option<anabranch_base::Duration>) {
    match span {
        Some(span) => tokio::time::sleep(span.into()).await,
        None => std::future::pending().await,
    }
}

/// One address for each path: the given ones, else loopback with ports that the system chooses.
async fn listen(arguments: &EmulateArguments, scenario: &Scenario) -> Result<Vec<SocketAddr>, Failure> {
    if arguments.listen.is_empty() {
        let any_port = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
        return Ok(vec![any_port; scenario.paths.len()]);
    }
    look_up_each(&arguments.listen).await
}
