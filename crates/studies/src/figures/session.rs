//! Figures one after another, as programs run them: which, at which scale, with which runs kept, and what is written of each.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::claim_table;
use super::curve_table::{self, CurveRow};
use super::figure::{Figure, ValueSource};
use super::measure::{grid_of, measure};
use super::selection::Selection;
use super::{
    FigureEntry, FigureError, FigureResult, RunOptions, judge, judge_default, judge_sensitivity, report,
    sensitivity, svg,
};
use crate::scale::StudyScale;

/// A figure with its sensitivity set.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The figure as it stands by default.
    pub headline: FigureResult,
    /// With one thing changed at a time.
    pub members: Vec<FigureResult>,
}

/// Which members of the sensitivity sets are run.
#[derive(Clone, Copy, Debug)]
pub enum Members<'m> {
    /// None.
    None,
    /// Those with one of these in their names; all for an empty list.
    Named(&'m [String]),
}

/// A file that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {error}", path.display())]
pub struct WriteError {
    /// Which.
    pub path: PathBuf,
    /// Why.
    pub error: io::Error,
}

/// The runs that a folder lacks of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    /// Nothing: it can be judged without a run.
    Nothing,
    /// So many runs.
    Runs(usize),
    /// Values that come from runs in progress, or from a clock, which no folder keeps.
    NotKept,
}

/// Runs what is not kept of a figure, and judges it.
///
/// # Errors
/// A scenario that cannot be run, a run that cannot be kept, a transfer that does not end, or the watch wants no more.
pub fn judged(
    selection: &Selection,
    options: &mut RunOptions,
    members: Members<'_>,
) -> Result<Judged, FigureError> {
    let headline = judge_default(selection, options)?;
    let members = match members {
        Members::None => Vec::new(),
        Members::Named(names) => {
            let is_wanted =
                |member: &str| names.is_empty() || names.iter().any(|name| member.contains(name.as_str()));
            judge_sensitivity(selection, options, is_wanted)?
        }
    };
    Ok(Judged { headline, members })
}

/// Judges a figure by what is kept, without a run; what is lacking where that is not possible.
///
/// # Errors
/// A record that cannot be computed, or the watch wants no more.
pub fn judged_by_kept(
    selection: &Selection,
    options: &mut RunOptions,
) -> Result<Result<FigureResult, Lack>, FigureError> {
    let record = selection.record(options.scale)?;
    match lack_of(&record, options) {
        Lack::Nothing => judge(record, "default", options).map(Ok),
        lack => Ok(Err(lack)),
    }
}

/// The number of runs that are missing of a figure.
///
/// # Errors
/// A record that cannot be computed.
pub fn lacks(selection: &Selection, options: &RunOptions) -> Result<usize, FigureError> {
    let mut record = selection.record(options.scale)?;
    options.cap(&mut record);
    Ok(options.kept.lacks(&grid_of(&record)))
}

fn lack_of(record: &Figure, options: &RunOptions) -> Lack {
    let mut capped = record.clone();
    options.cap(&mut capped);
    let points = record.panels.iter().flat_map(|panel| &panel.series).flat_map(|series| &series.points);
    let is_seen = |source: &ValueSource| matches!(source, ValueSource::Observed(_) | ValueSource::Timed(_));
    match options.kept.lacks(&grid_of(&capped)) {
        0 if points.clone().any(|(_, source)| is_seen(source)) => Lack::NotKept,
        0 => Lack::Nothing,
        missing => Lack::Runs(missing),
    }
}

/// Draws these points anew, at full scale, each a series and a place of a panel.
///
/// # Errors
/// As [`judged`].
pub fn drawn_anew(
    figure: &FigureEntry,
    panel: &str,
    points: &[(String, f64)],
    options: &mut RunOptions,
) -> Result<Vec<CurveRow>, FigureError> {
    let selection: Vec<(&str, &str, f64)> =
        points.iter().map(|(series, x)| (panel, series.as_str(), *x)).collect();
    let figure = figure.record(StudyScale::Full)?.reduced_to(&selection);
    let results = measure(&figure, &mut options.kept)?;
    let result = FigureResult { setting: "default", figure, results, findings: Vec::new() };
    let of_panel = result.figure.panels.iter().filter(|one| one.name == panel);
    Ok(of_panel.flat_map(|panel| curve_table::rows(&result, panel)).collect())
}

impl Judged {
    /// The page of the figure in Markdown, with its sensitivity set.
    pub fn page(&self, scale: StudyScale) -> String {
        report::figure(&self.headline, scale) + &sensitivity::section(&self.headline, &self.members)
    }
}

/// Writes the curves of each panel into the folder, a file each, with the columns beside them in another; which files.
///
/// # Errors
/// The folder or a file cannot be written.
pub fn write_curves(result: &FigureResult, folder: &Path) -> Result<Vec<PathBuf>, WriteError> {
    let files = result.figure.panels.iter().flat_map(|panel| {
        let name = curve_table::file_name(result.figure.id, panel);
        let beside = report::side_columns(result, panel);
        let beside = beside.map(|text| (folder.join(curve_table::beside_file_name(&name)), text));
        let curves = curve_table::text(&curve_table::rows(result, panel));
        std::iter::once((folder.join(name), curves)).chain(beside)
    });
    write_each(folder, files)
}

/// Writes the table of the claims into the folder; which file, none without claims.
///
/// # Errors
/// The folder or the file cannot be written.
pub fn write_claims(result: &FigureResult, folder: &Path) -> Result<Vec<PathBuf>, WriteError> {
    let rows = claim_table::rows(result);
    let name = claim_table::file_name(result.figure.id);
    let file = (!rows.is_empty()).then(|| (folder.join(name), claim_table::text(&rows)));
    write_each(folder, file)
}

/// Writes the table of the sensitivity set into the folder; which file, none without a set.
///
/// # Errors
/// The folder or the file cannot be written.
pub fn write_sensitivity(judged: &Judged, folder: &Path) -> Result<Vec<PathBuf>, WriteError> {
    let Judged { headline, members } = judged;
    let file = (!members.is_empty()).then(|| {
        let name = sensitivity::file_name(headline.figure.id);
        (folder.join(name), sensitivity::table(headline, members))
    });
    write_each(folder, file)
}

/// Draws each panel into the folder as SVG; which files.
///
/// # Errors
/// The folder or a file cannot be written, or what the drawing library says.
pub fn write_drawings(result: &FigureResult, folder: &Path) -> Result<Vec<PathBuf>, WriteError> {
    let drawn = result.figure.panels.iter().map(|panel| {
        let path = folder.join(svg::file_name(result.figure.id, panel));
        let text = svg::panel(result, panel).map_err(io::Error::other);
        text.map(|text| (path.clone(), text)).map_err(|error| WriteError { path, error })
    });
    write_each(folder, drawn.collect::<Result<Vec<_>, WriteError>>()?)
}

fn write_each(
    folder: &Path,
    files: impl IntoIterator<Item = (PathBuf, String)>,
) -> Result<Vec<PathBuf>, WriteError> {
    fs::create_dir_all(folder).map_err(|error| WriteError { path: folder.to_owned(), error })?;
    let write = |(path, text): (PathBuf, String)| match anabranch_files::write(&path, text) {
        Ok(()) => Ok(path),
        Err(error) => Err(WriteError { path, error }),
    };
    files.into_iter().map(write).collect()
}
