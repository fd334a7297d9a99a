//! `anabranch status` on a system without Unix sockets.

use crate::arguments::StatusArguments;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::report::Outcome;

/// Refuses.
///
/// # Errors
/// Always.
pub(crate) async fn run(_: &StatusArguments, _: &mut Interrupt) -> Result<Outcome, Failure> {
    let why = "`status` needs Unix sockets; `forward --metrics` works on this system too";
    Err(Failure::Arguments(why.to_owned()))
}
