//! `figures-check`: draws one in twenty of the committed points anew, and compares.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anabranch_runs::printing::{print_line, tell};
use anabranch_studies::figures::curve_table::{self, CurveRow};
use anabranch_studies::figures::session::drawn_anew;
use anabranch_studies::figures::{FIGURES, RunOptions};
use anabranch_studies::scale::StudyScale;

/// Points of the committed curves drawn anew, at full scale: the n-th of each so many
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The folder with the curves
    #[arg(default_value = "docs/figures")]
    folder: PathBuf,
    /// Of how many points one is drawn
    #[arg(long, value_name = "N", default_value = "20", value_parser = clap::value_parser!(u64).range(1..))]
    one_in: u64,
    /// Which one of each N: 0 for the first
    #[arg(long, value_name = "N", default_value = "0")]
    offset: u64,
}

/// Draws them, and says which differ.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Box<dyn Error>> {
    let mut options = RunOptions::of_scale(StudyScale::Full);
    let (mut seen, mut drawn, mut differing) = (0_u64, 0, 0);
    for figure in FIGURES {
        let record = figure.record(StudyScale::Full)?;
        for panel in &record.panels {
            let path = arguments.folder.join(curve_table::file_name(record.id, panel));
            let Some(rows) = read(&path)? else { continue };
            let mut chosen: Vec<CurveRow> = Vec::new();
            for row in rows.into_iter().filter(CurveRow::is_repeatable) {
                if seen % arguments.one_in == arguments.offset % arguments.one_in {
                    chosen.push(row);
                }
                seen += 1;
            }
            let points: Vec<(String, f64)> = chosen.iter().map(|row| (row.series.clone(), row.x)).collect();
            let anew = drawn_anew(figure, panel.name, &points, &mut options)?;
            for row in &chosen {
                drawn += 1;
                let found = anew.iter().find(|found| found.series == row.series && found.x == row.x);
                if !found.is_some_and(|found| row.is_same(found)) {
                    differing += 1;
                    let now = found.map_or_else(|| "not drawn any more".to_owned(), told);
                    let place = format!("{}: {} at {}", path.display(), row.series, row.x);
                    print_line(&format!("{place}: {} is {now}", told(row)))?;
                }
            }
        }
        tell(&format!("{}: {drawn} of {seen} points drawn so far", figure.id));
    }
    if seen == 0 {
        return Err(format!("there are no curves in {}", arguments.folder.display()).into());
    }
    print_line(&format!("{drawn} of {seen} points were drawn anew, {differing} differ"))?;
    Ok(if differing == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn read(path: &Path) -> Result<Option<Vec<CurveRow>>, Box<dyn Error>> {
    match fs::read_to_string(path) {
        Ok(text) => {
            Ok(Some(curve_table::read(&text).map_err(|error| format!("{}: {error}", path.display()))?))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("cannot read {}: {error}", path.display()).into()),
    }
}

fn told(row: &CurveRow) -> String {
    format!("{} ± {} of {}", row.mean, row.ci95, row.n)
}
