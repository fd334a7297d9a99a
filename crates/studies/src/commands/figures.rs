//! `figures`: prints the papers' figures and their verdicts.

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anabranch_runs::printing::{print, tell};
use anabranch_runs::stopwatch;
use anabranch_studies::figures::selection::{Selection, UnknownFigure};
use anabranch_studies::figures::session::{self, Members};
use anabranch_studies::figures::{FIGURES, FigureEntry, RunOptions, report, running_times};
use anabranch_studies::kept_runs::{KeptRuns, RunCounts, by_recorded_results};
use anabranch_studies::scale::StudyScale;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// The papers' figures, and verdicts on what is said of them (docs/figures.md)
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Only this figure; may be given several times
    #[arg(long, value_parser = figure_parser())]
    id: Vec<&'static FigureEntry>,
    /// The scale: verdicts on the papers come from the full one
    #[arg(long, value_enum, default_value = "full")]
    scale: StudyScale,
    /// At most N seeds a point, two at least: fewer than the verdicts are based on, and the tables say so
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..))]
    seeds: Option<u64>,
    /// Keep what every run gave in this folder, and make no run that is kept there: an interrupted study is continued
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Leave the sensitivity sets out
    #[arg(long, conflicts_with = "members")]
    default_only: bool,
    /// Of the sensitivity sets, only the members with this in their names; may be given several times
    #[arg(long = "member", value_name = "NAME")]
    members: Vec<String>,
    /// Draw every panel into this folder
    #[arg(long, value_name = "DIR")]
    svg: Option<PathBuf>,
    /// Write the curves of every panel and the sensitivity sets into this folder, a table each, and the time of each figure that was run whole
    #[arg(long, value_name = "DIR")]
    curves: Option<PathBuf>,
    /// Write every run's values to this file
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

/// Takes the names and aliases of all figures.
fn figure_parser() -> impl TypedValueParser<Value = &'static FigureEntry> {
    let value =
        |figure: &&FigureEntry| PossibleValue::new(figure.id).aliases(figure.aliases).help(figure.about);
    PossibleValuesParser::new(FIGURES.iter().map(value))
        .try_map(|name| FigureEntry::named(&name).ok_or(UnknownFigure { name }))
}

impl Arguments {
    /// Returns true if each figure is run as its verdict stands for it, and nothing else.
    fn is_whole_figure(&self) -> bool {
        self.default_only && self.scale == StudyScale::Full && self.seeds.is_none()
    }
}

/// Runs them, and prints each as it is done.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Box<dyn Error>> {
    let figures = if arguments.id.is_empty() { FIGURES } else { &arguments.id };
    let mut rows = report::CSV_HEAD.to_owned();
    let kept = match &arguments.out {
        Some(folder) => KeptRuns::in_folder(folder, &by_recorded_results())?,
        None => KeptRuns::in_memory(),
    };
    let mut options = RunOptions { scale: arguments.scale, at_most: arguments.seeds, kept };
    tell_of_rows(options.kept.counts());
    let members = if arguments.default_only { Members::None } else { Members::Named(&arguments.members) };
    for figure in figures.iter().copied() {
        let (begun, before) = (stopwatch::now(), options.kept.counts());
        let judged = session::judged(&Selection::whole(figure), &mut options, members)?;
        print(&judged.page(arguments.scale))?;
        if let Some(folder) = &arguments.svg {
            session::write_drawings(&judged.headline, folder)?;
        }
        let (after, elapsed) = (options.kept.counts(), stopwatch::now().since(begun));
        let (taken, made) = (after.taken - before.taken, after.made - before.made);
        if let Some(folder) = &arguments.curves {
            session::write_curves(&judged.headline, folder)?;
            session::write_claims(&judged.headline, folder)?;
            session::write_sensitivity(&judged, folder)?;
            if taken == 0 && arguments.is_whole_figure() {
                running_times::note(folder, figure, elapsed.processor)?;
            }
        }
        tell(&format!("{}: {taken} runs taken, {made} made; {elapsed}", judged.headline.figure.id));
        rows.extend([judged.headline].iter().chain(&judged.members).map(report::csv));
    }
    if let Some(file) = &arguments.csv {
        fs::write(file, rows).map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Reports the rows of the folder that are not used.
fn tell_of_rows(counts: RunCounts) {
    let RunCounts { foreign, damaged, .. } = counts;
    if foreign > 0 {
        tell(&format!("{foreign} kept runs are of a simulator with other behaviour, and are not used"));
    }
    if damaged > 0 {
        tell(&format!("{damaged} lines of kept runs are cut off or damaged, and are not used"));
    }
}
