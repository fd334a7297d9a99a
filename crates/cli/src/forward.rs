//! `anabranch forward`: carries the connections of programs over all links.

mod clients;
mod dialing;
mod ends;
mod listening;
mod memory;
mod paths;
mod ports;

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
    let config = settings::with(settings::for_forward(), &arguments.settings)?;
    ports::permit_many();
    let (config, most_associations) = memory::shared(config, arguments.most_memory());
    let end = LocalEnd::open(arguments, most_associations).await?;
    if arguments.to.is_empty() {
        listening::run(arguments, &config, end, interrupt).await
    } else {
        dialing::run(arguments, &config, end, interrupt).await
    }
}
