//! The arguments of `figures`. This module parses and does nothing else.

use std::path::PathBuf;

use anabranch_studies::figures::selection;
use anabranch_studies::scale::StudyScale;
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};

use super::Output;

/// `anabranch figures`.
#[derive(Debug, Args)]
#[command(after_help = FIGURES_EXAMPLES)]
pub struct FiguresArguments {
    /// The subcommand.
    #[command(subcommand)]
    pub command: FiguresCommand,
}

/// The commands of `anabranch figures`.
#[derive(Debug, Subcommand)]
pub enum FiguresCommand {
    /// List every panel: what it shows, where its work has it, and the verdict of the full scale
    List(ListArguments),
    /// Run figures, write their curves, and judge what is said of them
    Run(RunArguments),
    /// Judge figures by the runs that are kept, without running what is missing
    Report(ReportArguments),
}

/// `anabranch figures list`.
#[derive(Clone, Copy, Debug, Args)]
#[command(after_help = LIST_EXAMPLES)]
pub struct ListArguments {
    /// The form of the output.
    #[command(flatten)]
    pub output: Output,
}

/// `anabranch figures run`.
#[derive(Clone, Debug, Args)]
#[command(after_help = RUN_EXAMPLES)]
pub struct RunArguments {
    /// Panels or figures, such as IY-F5a or WS-F5-F8; `all` is every one. A panel's figure is run as a whole
    #[arg(value_name = "ID", required = true, value_parser = ids(), ignore_case = true, hide_possible_values = true)]
    pub ids: Vec<String>,
    /// Which runs are made, and where they are kept.
    #[command(flatten)]
    pub study: StudyArguments,
    /// Run the sensitivity sets too: the same with one thing changed at a time
    #[arg(long)]
    pub sensitivity: bool,
    /// Draw every panel as SVG
    #[arg(long)]
    pub draw: bool,
    /// The form of the output.
    #[command(flatten)]
    pub output: Output,
}

/// `anabranch figures report`.
#[derive(Clone, Debug, Args)]
#[command(after_help = REPORT_EXAMPLES)]
pub struct ReportArguments {
    /// Panels or figures (default: all)
    #[arg(value_name = "ID", value_parser = ids(), ignore_case = true, hide_possible_values = true)]
    pub ids: Vec<String>,
    /// Which runs count, and where they are kept.
    #[command(flatten)]
    pub study: StudyArguments,
    /// The form of the output.
    #[command(flatten)]
    pub output: Output,
}

/// Which runs are made, and where they are kept.
#[derive(Clone, Debug, Args)]
pub struct StudyArguments {
    /// Folder for runs, curves and pages; a run that is kept there is not made again
    #[arg(long = "out", value_name = "DIR", default_value = "figures")]
    pub dir: PathBuf,
    /// The scale: verdicts on the papers come from the full one
    #[arg(long, value_enum, default_value = "full")]
    pub scale: StudyScale,
    /// At most N seeds a point, at least 2: the verdicts then say that they are provisional
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..))]
    pub seeds: Option<u64>,
}

impl FiguresArguments {
    /// The form in which the command's result is printed.
    pub fn output(&self) -> Output {
        match &self.command {
            FiguresCommand::List(list) => list.output,
            FiguresCommand::Run(run) => run.output,
            FiguresCommand::Report(report) => report.output,
        }
    }
}

/// The names that may be given.
fn ids() -> PossibleValuesParser {
    let mut names: Vec<&'static str> = selection::known().chain([ALL]).collect();
    names.sort_unstable();
    names.dedup();
    PossibleValuesParser::new(names)
}

/// Stands for every figure.
pub const ALL: &str = "all";

const FIGURES_EXAMPLES: &str = "\
The figures of five works on multipath transport, run again: docs/figures.md has the verdicts.

Examples:
  what there is:         anabranch figures list
  one figure:            anabranch figures run YE-F30
  what came of it:       anabranch figures report";

const LIST_EXAMPLES: &str = "\
Examples:
  anabranch figures list
  for a script:          anabranch figures list --json";

const RUN_EXAMPLES: &str = "\
DIR has runs.csv, which keeps each run as it ends, and for each scale a folder with a table of each
panel's curves and a page of each figure. After Ctrl-C the same command continues. All figures take
hours.

Examples:
  anabranch figures run IY-F4
  soon, for a look:      anabranch figures run IY-F5 --scale quick
  with drawings:         anabranch figures run YE-F26 YE-F30 --draw --out study";

const REPORT_EXAMPLES: &str = "\
Writes DIR/report-SCALE.md, and says which runs are missing.

Examples:
  anabranch figures report
  of one figure:         anabranch figures report IY-F5 --out study";
