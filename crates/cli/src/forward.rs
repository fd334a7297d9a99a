//! `anabranch forward`: carries the connections of programs over all links.

mod clients;
mod dialing;
mod ends;
mod listening;
mod ports;

use anabranch_base::Duration;
use anabranch_net::Config;
use anabranch_sctp::config::StreamScheduler;

use crate::arguments::ForwardArguments;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::key;
use crate::report::{self, Outcome};
use crate::settings;
use ends::LocalEnd;

/// Runs the command until Ctrl-C.
///
/// # Errors
/// Sockets that cannot be opened, invalid input, and Ctrl-C.
pub(crate) async fn run(arguments: &ForwardArguments, interrupt: &mut Interrupt) -> Result<Outcome, Failure> {
    arguments.check().map_err(Failure::Arguments)?;
    if let (Some(file), Some(name)) = (&arguments.clients, &arguments.add_client) {
        let key = clients::add(file, name)?;
        report::print_line(&format!("{}={}", key::VARIABLE, *key.reveal()));
        return Ok(Outcome::default());
    }
    let config = settings::with(profile(), &arguments.settings)?;
    ports::permit_many();
    let end = LocalEnd::open(arguments).await?;
    if arguments.to.is_empty() {
        listening::run(arguments, &config, end, interrupt).await
    } else {
        dialing::run(arguments, &config, end, interrupt).await
    }
}

/// The tools' profile, with a stream for each flow.
fn profile() -> Config {
    let tools = settings::for_tools();
    let mut failover = tools.failover;
    // An association outlives ten minutes without any link: with at most 4 s between attempts, 300 of them take longer.
    failover.association_max = MOST_ERRORS;
    let mut rto = tools.rto;
    rto.max = LONGEST_TIMEOUT;
    Config {
        stream_credits: true,
        outbound_streams: u16::MAX,
        inbound_streams: u16::MAX,
        // An echo does not wait behind a bulk flow: the flows share the windows.
        interleaving: true,
        stream_scheduler: StreamScheduler::FairBandwidth,
        partial_reliability: true,
        failover,
        rto,
        ..tools
    }
}

const MOST_ERRORS: u32 = 400;
/// A link that returns is used within this time.
const LONGEST_TIMEOUT: Duration = Duration::from_secs(4);
