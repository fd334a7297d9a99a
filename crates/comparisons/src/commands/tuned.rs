//! `tuned`: prints what the profile for real networks changes.

use std::error::Error;
use std::process::ExitCode;

use anabranch_runs::printing::print_line;
use anabranch_runs::scale::StudyScale;
use clap::ValueEnum;

use crate::tuned::{Subject, table};

/// A profile for real networks beside rfc9260: queues, shipped scenarios, false suspicions (docs/tuned.md)
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The scale of the study
    #[arg(long, value_enum, default_value = "full")]
    scale: StudyScale,
    /// Only this; all otherwise
    #[arg(long, value_enum)]
    only: Option<Subject>,
    /// The profile
    #[arg(long, default_value = "tuned-2")]
    profile: String,
}

/// Prints it.
///
/// # Errors
/// A scenario that cannot be run, or output that is not taken.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Box<dyn Error>> {
    for subject in Subject::value_variants() {
        if arguments.only.is_none_or(|only| only == *subject) {
            print_line(&table(*subject, &arguments.profile, arguments.scale)?)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
