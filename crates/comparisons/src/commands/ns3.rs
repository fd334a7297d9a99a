//! `ns3`: prints the comparison of our TCP with ns-3's.

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use anabranch_runs::printing::{print, print_line};

use crate::ns3::{GOAL, RowSelection, compare, csv_text, lines, share, summary};

/// Our TCP beside ns-3's under random loss, row by row (docs/oracle.md)
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Seeds for each row
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    seeds: u64,
    /// Only every N-th row
    #[arg(long, value_name = "N", default_value_t = 1)]
    every: usize,
    /// The measured time of each run
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    time: u64,
    /// Show every row, not only those outside
    #[arg(long)]
    verbose: bool,
    /// Write all rows to a file
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

/// Runs it: 1 if the goal is missed.
///
/// # Errors
/// A table that cannot be read or written, a row that cannot be run, or output that is not taken.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Box<dyn Error>> {
    let Arguments { seeds, every, time, verbose, .. } = *arguments;
    let judged = compare(RowSelection { seeds, every, seconds: time })?;
    let share = share(&judged);
    print_line(&format!(
        "TCP under loss: {:.1}% of {} rows hold; the goal is {:.0}%",
        share * 100.0,
        judged.len(),
        GOAL * 100.0
    ))?;
    print(&summary(&judged))?;
    print_line(&format!(
        "  {:<46} {:>8} {:>8} {:>8} {:>7} {:>9} {:>9}",
        "row", "ours", "theirs", "ci95", "ratio", "time-outs", "theirs"
    ))?;
    print(&lines(judged.iter().filter(|row| verbose || !row.holds())))?;
    if let Some(file) = &arguments.csv {
        std::fs::write(file, csv_text(&judged)?)?;
    }
    Ok(if share >= GOAL { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
