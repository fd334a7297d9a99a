//! `blocking`: prints the table of receive-buffer blocking.

use std::error::Error;
use std::process::ExitCode;

use anabranch_runs::printing::print;
use anabranch_studies::blocking::table;
use anabranch_studies::scale::StudyScale;

/// Two unlike paths in one receive buffer, by its size, how it is split and how windows share it (docs/blocking.md)
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
