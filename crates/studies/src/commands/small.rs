//! `small`: prints what small messages cost.

use std::error::Error;
use std::process::ExitCode;

use anabranch_runs::printing::print;
use anabranch_studies::scale::StudyScale;
use anabranch_studies::small::table;

/// Messages of one byte to a packet's worth over one link, by profile and loss (docs/performance.md)
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
