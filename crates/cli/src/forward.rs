//! `anabranch forward`: carries the connections of programs over all links.

mod clients;
mod config;
mod dialing;
mod ends;
mod listening;
mod memory;
mod monitor;
mod paths;
mod ports;
#[cfg_attr(not(target_os = "linux"), path = "forward/elsewhere.rs")]
mod transparent;

use crate::arguments::ForwardArguments;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::key;
use crate::notice;
use crate::report::{self, Outcome};
use crate::settings;
use crate::supervisor;
pub(crate) use config::with_file;
use ends::LocalEnd;
use transparent::Captured;

/// Runs the command until Ctrl-C.
///
/// # Errors
/// Sockets that cannot be opened, invalid input, and Ctrl-C.
pub(crate) async fn run(arguments: &ForwardArguments, interrupt: &mut Interrupt) -> Result<Outcome, Failure> {
    #[cfg(target_os = "linux")]
    if arguments.release {
        return transparent::release();
    }
    arguments.check().map_err(Failure::Arguments)?;
    if let Some(file) = arguments.config.as_ref().filter(|_| arguments.verbose) {
        notice::tell(&format!("options of {}", file.display()));
    }
    if let (Some(file), Some(name)) = (&arguments.clients, &arguments.add_client) {
        if notice::is_in_journal() {
            let why = "the new client's key would be shown in the journal, to all who may read it: run this in a terminal";
            return Err(Failure::Key(why.to_owned()));
        }
        let key = clients::add(file, name)?;
        report::print_line(&format!("{}={}", key::VARIABLE, *key.reveal()));
        return Ok(Outcome::default());
    }
    let base = settings::for_forward();
    let base = if arguments.to.is_empty() { settings::measurable(base) } else { base };
    let config = settings::changed(base, &arguments.settings)?;
    ports::permit_many();
    let (config, most_associations) = memory::shared(config, arguments.most_memory());
    let captured = Captured::open(arguments)?;
    let end = LocalEnd::open(arguments, most_associations, &captured).await?;
    let _answering = end.monitor().answer(arguments).await?;
    let monitor = end.monitor().clone();
    let _counted = supervisor::count_flows(move || monitor.open_flows());
    let ended = if arguments.to.is_empty() {
        listening::run(arguments, &config, end, captured.mark(), interrupt).await
    } else {
        dialing::run(arguments, &config, end, captured.mark(), interrupt).await
    };
    captured.close(arguments);
    ended
}
