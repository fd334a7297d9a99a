//! The arguments of `sweep`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;

use super::sim::thread_number;
use super::{Output, Percentage, Timing};

/// `anabranch sweep`.
#[derive(Debug, Args)]
#[command(after_help = SWEEP_EXAMPLES)]
pub(crate) struct SweepArguments {
    /// Scenario file; `-` reads standard input
    pub scenario: PathBuf,
    /// Values of a setting: a list, ranges A..B:N of N values (`A..B:N log`: in equal ratios), or both. One value is
    /// a change of all points. `--set help` lists the keys
    #[arg(long = "set", value_name = "KEY=V1,V2,…|A..B:N")]
    pub settings: Vec<String>,
    /// Combine the first values of all lists, then the second, and so on, instead of every value with every other
    #[arg(long)]
    pub zip: bool,
    /// Number of replications of each point; with `--until` their minimum number, at least 5
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub runs: Option<u64>,
    /// Seed of the first replication of each point
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Replicate each point until each flow's goodput has this relative precision (95 % confidence; 5 to 10,000 runs)
    #[arg(long, value_name = "SHARE")]
    pub until: Option<Percentage>,
    /// Directory for finished runs and the table; the same command with the same directory continues where it stopped
    #[arg(long, value_name = "DIR", required_unless_present = "dry_run")]
    pub out: Option<PathBuf>,
    /// Print the number of runs and an estimate of their time, without running them
    #[arg(long)]
    pub dry_run: bool,
    /// Number of threads (default: one per core, at most 1024); results do not depend on it
    #[arg(short = 'j', long, value_name = "N", value_parser = thread_number)]
    pub threads: Option<NonZeroUsize>,
    /// The computation times.
    #[command(flatten)]
    pub timing: Timing,
    /// The form of the output.
    #[command(flatten)]
    pub output: Output,
}

const SWEEP_EXAMPLES: &str = "\
Every point of the grid runs with the same seeds. DIR gets runs.parquet and runs.csv with one row per run, and
columns.csv with the unit and meaning of every column. A finished run is kept at once: after a crash or Ctrl-C it is
not repeated.

Examples:
  six points, 20 runs each:  anabranch sweep two.toml --set link.wifi.loss=0,0.01,0.02 \\
      --set flow.main.sctp.scheduler=fill,ecf --runs 20 --out losses
  to 2 % precision:  anabranch sweep two.toml --until 2% --out rates \\
      --set 'link.wifi.rate=5 Mbit/s..20 Mbit/s:4'
  how long it takes:  anabranch sweep two.toml --set link.wifi.loss=0..0.05:6 --dry-run";
