//! The arguments of `sim`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;

use anabranch_sim::MOST_THREADS;
use clap::Args;

use super::{Output, Timing};

/// `anabranch sim`.
#[derive(Debug, Args)]
#[command(after_help = SIM_EXAMPLES)]
pub(crate) struct SimArguments {
    /// Scenario file; `-` reads standard input
    pub scenario: PathBuf,
    /// Change a value of the scenario, such as link.wifi.loss=0.01, sctp.scheduler=fill for all flows, or
    /// flow.main.sctp.scheduler=fill for one; `--set help` lists the keys, `--set help WORD` those with a word
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// Run with the policies of this program, which is built like examples/own-policy
    #[arg(long, value_name = "FILE")]
    pub policies: Option<PathBuf>,
    /// Number of independent replications; with `--until` their minimum number, at least 5
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub runs: Option<u64>,
    /// Seed of the first replication
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Replicate until each flow's goodput has this relative precision (95 % confidence; 5 to 10,000 runs)
    #[arg(long, value_name = "SHARE")]
    pub until: Option<Percentage>,
    /// Write a capture of the first replication for Wireshark, with one interface per path
    #[arg(long, value_name = "DIR")]
    pub pcap: Option<PathBuf>,
    /// Write tables of the first replication: paths, links and packets over time
    #[arg(long, value_name = "DIR")]
    pub trace: Option<PathBuf>,
    /// Write an HTML page with charts of the first replication
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Number of threads for replications (default: one per core, at most 1024); results do not depend on it
    #[arg(short = 'j', long, value_name = "N", value_parser = thread_number)]
    pub threads: Option<NonZeroUsize>,
    /// The computation times.
    #[command(flatten)]
    pub timing: Timing,
    /// The form of the output.
    #[command(flatten)]
    pub output: Output,
}

/// A share of a whole, written in per cent or as a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Percentage(pub f64);

impl SimArguments {
    /// The changes to the scenario, the settings first.
    pub(crate) fn changes(&self) -> Vec<String> {
        let seed = self.seed.map(|seed| format!("run.seed={seed}"));
        let runs = self.runs.map(|runs| format!("run.runs={runs}"));
        self.settings.iter().cloned().chain(seed).chain(runs).collect()
    }
}

/// Parses a number of threads.
pub(crate) fn thread_number(text: &str) -> Result<NonZeroUsize, String> {
    let number = text.parse::<NonZeroUsize>().map_err(|error| error.to_string())?;
    match number.get() {
        ..=MOST_THREADS => Ok(number),
        _ => Err(format!("at most {MOST_THREADS} threads; as many as there are cores are the fastest")),
    }
}

impl FromStr for Percentage {
    type Err = String;

    /// `2%`, `2 %` or `0.02`.
    fn from_str(text: &str) -> Result<Percentage, String> {
        let expected = || format!("{text:?} is not a share between 0 and 1: expected one such as 2% or 0.02");
        let (number, scale) = match text.trim().strip_suffix('%') {
            Some(percent) => (percent.trim(), 0.01),
            None => (text.trim(), 1.0),
        };
        let share = number.parse::<f64>().map_err(|_| expected())? * scale;
        if share > 0.0 && share < 1.0 { Ok(Percentage(share)) } else { Err(expected()) }
    }
}

const SIM_EXAMPLES: &str = "\
The same scenario and seed give the same numbers on every machine and with any --threads.

Examples:
  anabranch sim scenarios/wifi-lte.toml
  with more loss:        anabranch sim scenarios/wifi-lte.toml --set link.wifi.loss=0.02
  to 2 % precision:      anabranch sim scenarios/wifi-lte.toml --until 2%
  with charts:           anabranch sim scenarios/wifi-lte.toml --report run.html --pcap captures";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_percentages_or_numbers_between_zero_and_one() {
        let share = |text: &str| text.parse::<Percentage>().map(|share| share.0).ok();
        assert_eq!(["2%", "2 %", "0.02"].map(share), [Some(0.02); 3]);
        assert_eq!(["", "%", "0", "-1%", "100%", "nan", "inf"].map(share), [None; 7]);
    }
}
