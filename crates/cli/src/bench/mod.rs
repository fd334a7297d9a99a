//! `anabranch bench`: measures what the paths to another host carry. It knows which end is wanted; what the two say
//! to each other is the test protocol's.

mod client;
mod dialogue;
mod document;
mod each;
mod exchange;
mod intervals;
mod measured;
mod names;
mod pour;
mod route;
mod serve;
mod table;
mod verdict;

use crate::arguments::BenchArguments;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::report::Outcome;

/// Runs the command.
///
/// # Errors
/// What went wrong before anything was measured.
pub async fn run(arguments: &BenchArguments, interrupt: &mut Interrupt) -> Result<Outcome, Failure> {
    match (arguments.serve, arguments.each) {
        (true, _) => serve::run(arguments, interrupt).await,
        (false, true) => each::run(arguments, interrupt).await,
        (false, false) => client::run(arguments, interrupt).await,
    }
}
