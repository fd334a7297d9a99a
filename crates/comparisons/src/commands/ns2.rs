//! `ns2`: prints the comparison with ns-2's CMT module.

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use anabranch_runs::printing::{print, print_line};

use crate::ns2::{HoldingShare, Selection, Set, by_rule, compare, csv_text, outside, summary, verbose};

/// Our transfers beside ns-2's CMT module, point by point (docs/oracle.md)
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Only these sets
    #[arg(long = "set", value_enum)]
    sets: Vec<Set>,
    /// Only these figures, by their names in the tables
    #[arg(long = "figure", value_name = "NAME")]
    figures: Vec<String>,
    /// Seeds for each point with randomness
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    seeds: u64,
    /// Only every N-th point of a set
    #[arg(long, value_name = "N", default_value_t = 1)]
    every: usize,
    /// Ours with these rules of ns-2's, by their numbers in docs/oracle.md; `1,2` is `cmt.recovery = "ns2"`
    #[arg(long, value_name = "N,N", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=8))]
    rules: Vec<u32>,
    /// Print the table of ns-2's rules, added one by one, at six points of fig5
    #[arg(long, conflicts_with_all = ["sets", "figures", "every", "rules", "csv"])]
    by_rule: bool,
    /// Show every point, not only those outside
    #[arg(long)]
    verbose: bool,
    /// Write all points of each set to DIR/SET.csv
    #[arg(long, value_name = "DIR")]
    csv: Option<PathBuf>,
}

/// Runs it: 1 if a set misses its goal.
///
/// # Errors
/// A table that cannot be read or written, a point that cannot be run, or output that is not taken.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Box<dyn Error>> {
    if arguments.by_rule {
        print(&by_rule(arguments.seeds)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let selection = Selection {
        figures: arguments.figures.clone(),
        seeds: arguments.seeds,
        every: arguments.every,
        rules: arguments.rules.clone(),
    };
    let sets = if arguments.sets.is_empty() { &Set::ALL[..] } else { &arguments.sets };
    let mut is_reached = true;
    for &set in sets {
        let points = compare(set, &selection)?;
        if points.is_empty() {
            continue;
        }
        let (share, goal) = (HoldingShare::of(&points), set.goal(&selection.rules));
        is_reached &= share.value() >= goal;
        print_line(&format!("set {set:?}: {share} hold; the goal is {:.0}%", goal * 100.0))?;
        print(&summary(&points))?;
        let lines = if arguments.verbose { verbose(&points) } else { outside(&points) };
        print_line(&format!(
            "  {:<20} {:<64} {:>9} {:>9} {:>7} {:>6}",
            "figure", "point", "ours", "theirs", "ratio", "z"
        ))?;
        print_line(&lines)?;
        if let Some(directory) = &arguments.csv {
            std::fs::create_dir_all(directory)?;
            std::fs::write(directory.join(format!("{set:?}.csv").to_lowercase()), csv_text(&points)?)?;
        }
    }
    Ok(if is_reached { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
