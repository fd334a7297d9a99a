//! `anabranch bench`: measures the goodput of the paths to another host.

mod client;
mod client_order;
mod each;
mod intervals;
mod messages;
mod route;
mod serve;
mod table;

pub(crate) use messages::{not_agreed, not_ended};
pub(crate) use table::shown_rate;

use crate::arguments::BenchArguments;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::report::Outcome;

/// Runs the command.
///
/// # Errors
/// What failed before anything was measured.
pub(crate) async fn run(arguments: &BenchArguments, interrupt: &mut Interrupt) -> Result<Outcome, Failure> {
    match (arguments.serve, arguments.each) {
        (true, _) => serve::run(arguments, interrupt).await,
        (false, true) => each::run(arguments, interrupt).await,
        (false, false) => client::run(arguments, interrupt).await,
    }
}
