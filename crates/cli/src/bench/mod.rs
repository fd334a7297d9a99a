//! `anabranch bench`: measures what the paths to another host carry. It knows which end is wanted; what the two say
//! to each other is the test protocol's.

mod client;
mod dialogue;
mod document;
mod exchange;
mod intervals;
mod measured;
mod names;
mod pour;
mod route;
mod serve;
mod table;

use crate::arguments::BenchArguments;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::report::Outcome;

/// Runs the command.
///
/// # Errors
/// What went wrong before anything was measured.
pub async fn run(arguments: &BenchArguments, interrupt: &mut Interrupt) -> Result<Outcome, Failure> {
    if arguments.serve {
        serve::run(arguments, interrupt).await
    } else {
        client::run(arguments, interrupt).await
    }
}
