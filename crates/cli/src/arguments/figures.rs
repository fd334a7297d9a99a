//! The arguments of `figures`.

use std::path::PathBuf;

use anabranch_studies::figures::selection;
use anabranch_studies::scale::StudyScale;
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};

use super::Output;

/// `anabranch figures`.
#[derive(Debug, Args)]
#[command(after_help = FIGURES_EXAMPLES)]
pub(crate) struct FiguresArguments {
    /// The subcommand.
    #[command(subcommand)]
    pub command: FiguresCommand,
}

/// The commands of `anabranch figures`.
#[derive(Debug, Subcommand)]
pub(crate) enum FiguresCommand {
    /// List every panel: its title, its place in the paper, and the verdict of the full scale
    List(ListArguments),
    /// Run figures, write their curves, and judge the claims about them
    Run(RunArguments),
    /// Judge figures by the runs that are kept, without running those that are missing
    Report(ReportArguments),
}

/// `anabranch figures list`.
#[derive(Clone, Copy, Debug, Args)]
#[command(after_help = LIST_EXAMPLES)]
pub(crate) struct ListArguments {
    /// The form of the output.
    #[command(flatten)]
    pub output: Output,
}

/// `anabranch figures run`.
#[derive(Clone, Debug, Args)]
#[command(after_help = RUN_EXAMPLES)]
pub(crate) struct RunArguments {
    /// Panels or figures, such as IY-F5a or WS-F5-F8, or `all`. The whole figure of a panel is run
    #[arg(value_name = "ID", required = true, value_parser = ids(), ignore_case = true, hide_possible_values = true)]
    pub ids: Vec<String>,
    /// The scale of the runs, and where they are kept.
    #[command(flatten)]
    pub study: StudyArguments,
    /// Run the sensitivity sets too: the same runs with one parameter changed at a time
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
pub(crate) struct ReportArguments {
    /// Panels or figures (default: all)
    #[arg(value_name = "ID", value_parser = ids(), ignore_case = true, hide_possible_values = true)]
    pub ids: Vec<String>,
    /// The scale of the runs that count, and where they are kept.
    #[command(flatten)]
    pub study: StudyArguments,
    /// The form of the output.
    #[command(flatten)]
    pub output: Output,
}

/// Which runs are made, and where they are kept.
#[derive(Clone, Debug, Args)]
pub(crate) struct StudyArguments {
    /// Folder for runs, curves and pages; a run that is kept there is not repeated
    #[arg(long = "out", value_name = "DIR", default_value = "figures")]
    pub dir: PathBuf,
    /// Scale of the runs; verdicts on the papers come from the full scale
    #[arg(long, value_enum, default_value = "full")]
    pub scale: StudyScale,
    /// At most N seeds per point, at least 2; verdicts are then provisional
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..))]
    pub seeds: Option<u64>,
}

impl FiguresArguments {
    /// The form in which the command's result is printed.
    pub(crate) fn output(&self) -> Output {
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

/// The name that selects every figure.
pub(crate) const ALL: &str = "all";

const FIGURES_EXAMPLES: &str = "\
The figures of five works on multipath transport, reproduced. docs/figures.md has the verdicts.

Examples:
  every panel:           anabranch figures list
  one figure:            anabranch figures run YE-F30
  its verdicts:          anabranch figures report";

const LIST_EXAMPLES: &str = "\
Examples:
  anabranch figures list
  for a script:          anabranch figures list --json";

const RUN_EXAMPLES: &str = "\
DIR/runs.csv keeps each run when it ends. For each scale, DIR has a folder with a table of each panel's
curves and a page for each figure. After Ctrl-C, the same command continues. All figures take hours.

Examples:
  anabranch figures run IY-F4
  in less time:          anabranch figures run IY-F5 --scale quick
  with drawings:         anabranch figures run YE-F26 YE-F30 --draw --out study";

const REPORT_EXAMPLES: &str = "\
Writes DIR/report-SCALE.md, and lists the runs that are missing.

Examples:
  anabranch figures report
  one figure:            anabranch figures report IY-F5 --out study";
