//! `failover`: prints the table of stalls.

use std::error::Error;
use std::process::ExitCode;

use anabranch_runs::printing::print;
use anabranch_studies::failover::table;
use anabranch_studies::scale::StudyScale;

/// The time a transfer stands still when a path is cut, by what its sender does about it (docs/failover.md)
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The scale of the study
    #[arg(long, value_enum, default_value = "full")]
    scale: StudyScale,
}

/// Prints it.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Box<dyn Error>> {
    print(&table(arguments.scale)?)?;
    Ok(ExitCode::SUCCESS)
}
