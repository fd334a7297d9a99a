//! The papers' figures: the scenarios that are run for them, and the verdicts on the papers' claims.

pub mod batch;
pub mod berp;
mod beside_ns2;
pub mod catalogue;
pub mod claim;
pub mod claim_table;
mod curve_statistics;
pub mod curve_table;
pub mod document;
mod entry;
pub mod figure;
pub(crate) mod iy;
mod list;
pub(crate) mod liu;
mod measure;
pub mod observed;
mod reduced;
pub mod report;
pub mod results;
pub(crate) mod run_values;
pub mod running_times;
pub mod selection;
pub mod sensitivity;
pub mod session;
pub(crate) mod stated;
pub mod svg;
pub mod verdict;
pub(crate) mod ws;
pub(crate) mod ye;

pub use anabranch_runs::by_seed;
pub use entry::{DecidedBy, FigureEntry, PanelEntry, SensitivitySet};
pub use list::FIGURES;

use anabranch_comparisons::ns2::TableError;
use anabranch_models::ModelError;
use anabranch_planner::PlanError;

use self::claim::{Claim, Finding, Weight};
use self::figure::Figure;
use self::results::Results;
use self::run_values::RunValues;
use self::selection::Selection;
use self::verdict::Standing;
use crate::grid::GridError;
use crate::kept_runs::{KeepError, KeptRuns};
use crate::scale::StudyScale;

/// The options of a run of figures.
#[derive(Debug)]
pub struct RunOptions {
    /// The scale.
    pub scale: StudyScale,
    /// The most seeds that a point has; `None` for those of the record.
    pub at_most: Option<u64>,
    /// The runs that need not be made again.
    pub kept: KeptRuns<RunValues>,
}

/// A figure with its results and verdicts.
#[derive(Clone, Debug)]
pub struct FigureResult {
    /// The setting that it was run with, in words.
    pub setting: &'static str,
    /// The record.
    pub figure: Figure,
    /// The measured values.
    pub results: Results,
    /// The claims' verdicts, in their order.
    pub findings: Vec<Finding>,
}

/// Why a figure has no outcome.
#[derive(Debug, thiserror::Error)]
pub enum FigureError {
    /// A scenario of the record cannot be run.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// A model has no answer for the record's parameters.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The planner has none.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A table of another program's numbers.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The values of a run cannot be kept.
    #[error(transparent)]
    Keep(#[from] KeepError),
    /// A transfer did not end.
    #[error(
        "{figure}: seed {seed} of {series} at {x} moved {delivered} bytes in {seconds} s and was not done"
    )]
    Incomplete {
        /// The record.
        figure: &'static str,
        /// The curve.
        series: &'static str,
        /// The place on the axis.
        x: f64,
        /// The run.
        seed: u64,
        /// The delivered bytes.
        delivered: u64,
        /// The time it ran.
        seconds: f64,
    },
}

/// A figure, or a part of it, with the default setting: its verdict is the headline.
///
/// # Errors
/// A record that cannot be computed, a scenario that cannot be run, a run that cannot be kept, or a transfer that does
/// not end.
pub fn judge_default(
    selection: impl Into<Selection>,
    options: &mut RunOptions,
) -> Result<FigureResult, FigureError> {
    judge(selection.into().record(options.scale)?, "default", options)
}

/// The figure with each member of its sensitivity set whose name `is_wanted`.
///
/// # Errors
/// As [`judge_default`].
pub(crate) fn judge_sensitivity(
    selection: &Selection,
    options: &mut RunOptions,
    is_wanted: impl Fn(&str) -> bool,
) -> Result<Vec<FigureResult>, FigureError> {
    let members = (selection.figure().sensitivity)(options.scale)?.into_iter();
    let members = members.filter(|(setting, _)| is_wanted(setting));
    members.map(|(setting, figure)| judge(selection.part_of(figure), setting, options)).collect()
}

/// Runs a record and judges its claims.
///
/// # Errors
/// As [`judge_default`].
pub fn judge(
    mut figure: Figure,
    setting: &'static str,
    options: &mut RunOptions,
) -> Result<FigureResult, FigureError> {
    let all_seeds: Vec<u64> = figure.panels.iter().map(|panel| panel.seeds).collect();
    options.cap(&mut figure);
    let results = measure::measure(&figure, &mut options.kept)?;
    let finding = |claim: &Claim| {
        let provisional = provisional(&figure, claim, options.scale, &all_seeds);
        Finding { provisional, ..claim.judge(&results) }
    };
    let findings = figure.claims.iter().map(finding).collect();
    Ok(FigureResult { setting, figure, results, findings })
}

/// The fewest seeds of the runs that decide about a claim, where these are fewer or smaller than those of the full scale,
/// at which a panel has `all_seeds`. Models have no seeds.
fn provisional(figure: &Figure, claim: &Claim, scale: StudyScale, all_seeds: &[u64]) -> Option<u64> {
    let named = claim.expression.panels();
    let panels = figure.panels.iter().zip(all_seeds);
    let simulated = panels.filter(|(panel, _)| named.contains(&panel.name) && panel.is_simulated());
    let fewer = simulated.filter(|(panel, all)| scale == StudyScale::Quick || panel.seeds < **all);
    fewer.map(|(panel, _)| panel.seeds).min()
}

impl RunOptions {
    /// The seeds at this scale, and nothing kept beyond the program's end.
    pub fn of_scale(scale: StudyScale) -> RunOptions {
        RunOptions { scale, at_most: None, kept: KeptRuns::in_memory() }
    }
}

impl RunOptions {
    /// Leaves each panel the seeds that are run.
    pub(crate) fn cap(&self, figure: &mut Figure) {
        let at_most = self.at_most.unwrap_or(u64::MAX);
        figure.panels.iter_mut().for_each(|panel| panel.seeds = panel.seeds.min(at_most));
    }
}

impl FigureError {
    /// Returns true if it is not an error, but the wish of who watched.
    pub fn is_interruption(&self) -> bool {
        matches!(self, FigureError::Grid(GridError::Interrupted))
    }
}

impl FigureResult {
    /// The worst verdict of the core claims about a panel; of all of them for an empty name. It is provisional if one of
    /// theirs is. `None` without one.
    pub fn standing(&self, panel: &str) -> Option<Standing> {
        let claims = self.figure.claims.iter().zip(&self.findings);
        let core = claims.filter(|(claim, _)| claim.weight == Weight::Core);
        let core = core.filter(|(claim, _)| panel.is_empty() || claim.panel == panel);
        let standings: Vec<Standing> = core.map(|(_, finding)| finding.standing()).collect();
        Standing::worst(&standings)
    }
}
