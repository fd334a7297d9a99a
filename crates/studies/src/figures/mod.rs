//! The papers' figures: what is run for them, and the verdicts on what is said of them. It knows how to run a record,
//! and nothing of any one figure.

pub mod by_seed;
pub mod claim;
pub mod figure;
pub mod iy;
pub mod report;
pub mod svg;

use anabranch_sim::RunResult;
use anabranch_sim::result::{PathResult, SackResult};
use clap::ValueEnum;

use self::claim::{Finding, Verdict, Weight};
use self::figure::{Figure, Metric, Results};
use self::iy::Setting;
use crate::grid::{self, GridError, Point};
use crate::scale::Scale;

/// The figures there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Name {
    /// CMT and AppStripe without losses.
    #[value(name = "IY-F4")]
    IyF4,
    /// CMT and AppStripe under losses.
    #[value(name = "IY-F5")]
    IyF5,
    /// The same with a SACK for each packet.
    #[value(name = "IY-F6")]
    IyF6,
    /// Retransmissions over the other path.
    #[value(name = "IY-X1")]
    IyX1,
    /// CMT without one of its rules; no figure of the paper.
    #[value(name = "IY-A1")]
    IyA1,
}

/// What a figure came to.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The setting that it was run with.
    pub setting: Setting,
    /// The record.
    pub figure: Figure,
    /// What was measured.
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
    /// A transfer did not end.
    #[error(
        "{figure}: seed {seed} of {series} at {x} moved {delivered} bytes in {seconds} s and was not done"
    )]
    Incomplete {
        /// Its record.
        figure: &'static str,
        /// Its curve.
        series: &'static str,
        /// Its place on the axis.
        x: i32,
        /// The run.
        seed: u64,
        /// What was delivered.
        delivered: u64,
        /// How long it ran.
        seconds: f64,
    },
}

/// A figure with the default setting: its verdict is the headline.
///
/// # Errors
/// A scenario that cannot be run, or a transfer that does not end.
pub fn judge_default(name: Name, scale: Scale) -> Result<Outcome, FigureError> {
    judge(name.record(scale, iy::DEFAULT), iy::DEFAULT)
}

/// The figure with each member of its sensitivity set.
///
/// # Errors
/// A scenario that cannot be run, or a transfer that does not end.
pub fn judge_sensitivity(name: Name, scale: Scale) -> Result<Vec<Outcome>, FigureError> {
    name.sensitivity().map(|setting| judge(name.record(scale, *setting), *setting)).collect()
}

/// Runs a record and judges its claims.
fn judge(figure: Figure, setting: Setting) -> Result<Outcome, FigureError> {
    let results = measure(&figure)?;
    let findings = figure.claims.iter().map(|claim| claim.judge(&results)).collect();
    Ok(Outcome { setting, figure, results, findings })
}

fn measure(figure: &Figure) -> Result<Results, FigureError> {
    let mut places = Vec::new();
    let mut grid = Vec::new();
    for panel in &figure.panels {
        for series in &panel.series {
            for (x, scenario) in &series.points {
                places.push((panel.name, series.name, *x));
                grid.push(Point { scenario: scenario.clone(), seeds: 1..panel.seeds + 1 });
            }
        }
    }
    let mut results = Results::default();
    for ((panel, series, x), runs) in places.into_iter().zip(grid::run(&grid)?) {
        if let Some(run) = runs.iter().find(|run| time(run).is_none()) {
            return Err(incomplete(figure.id, series, x, run));
        }
        for metric in METRICS {
            results.add(panel, series, metric, x, runs.iter().map(|run| read(metric, run)).collect());
        }
    }
    Ok(results)
}

/// What is read of a run that is complete.
const METRICS: [Metric; 5] =
    [Metric::Time, Metric::SacksByTimer, Metric::SharedSacks, Metric::FastRetransmits, Metric::Timeouts];

fn read(metric: Metric, run: &RunResult) -> f64 {
    match metric {
        Metric::Time => time(run).unwrap_or(f64::NAN),
        Metric::SacksByTimer => sum_sacks(run, |sacks| sacks.sent_by_timer),
        Metric::SharedSacks => {
            let received = sum_sacks(run, |sacks| sacks.received);
            sum_sacks(run, |sacks| sacks.received_for_several_paths) / received.max(1.0)
        }
        Metric::FastRetransmits => sum_paths(run, |path| path.fast_retransmits),
        Metric::Timeouts => sum_paths(run, |path| path.timeouts),
    }
}

fn time(run: &RunResult) -> Option<f64> {
    run.flows.first()?.completion.map(anabranch_base::Duration::as_secs_f64)
}

fn sum_sacks(run: &RunResult, value: fn(SackResult) -> u64) -> f64 {
    run.flows.iter().filter_map(|flow| flow.sacks).map(value).sum::<u64>() as f64
}

fn sum_paths(run: &RunResult, value: fn(&PathResult) -> u64) -> f64 {
    run.flows.iter().flat_map(|flow| &flow.paths).map(value).sum::<u64>() as f64
}

fn incomplete(figure: &'static str, series: &'static str, x: i32, run: &RunResult) -> FigureError {
    FigureError::Incomplete {
        figure,
        series,
        x,
        seed: run.seed,
        delivered: run.flows.first().map_or(0, |flow| flow.delivered.get()),
        seconds: run.time.as_secs_f64(),
    }
}

impl Name {
    /// Its record.
    pub fn record(self, scale: Scale, setting: Setting) -> Figure {
        match self {
            Name::IyF4 => iy::zero_loss(scale, setting),
            Name::IyF5 => iy::delayed(scale, setting),
            Name::IyF6 => iy::immediate(scale, setting),
            Name::IyX1 => iy::alternate(scale, setting),
            Name::IyA1 => iy::ablation(scale, setting),
        }
    }

    /// The settings beside the default one. Where nothing is lost it does not matter which way; the last two records
    /// only report.
    fn sensitivity(self) -> impl Iterator<Item = &'static Setting> {
        iy::SENSITIVITY.iter().filter(move |setting| match self {
            Name::IyF4 => setting.lossy == iy::Lossy::Forward,
            Name::IyF5 | Name::IyF6 => true,
            Name::IyX1 | Name::IyA1 => false,
        })
    }
}

impl Outcome {
    /// The worst verdict of the core claims about a panel; of all of them for an empty name. `None` without one.
    pub fn verdict(&self, panel: &str) -> Option<Verdict> {
        let claims = self.figure.claims.iter().zip(&self.findings);
        let core = claims.filter(|(claim, _)| claim.weight == Weight::Core);
        let core = core.filter(|(claim, _)| panel.is_empty() || claim.panel == panel);
        core.map(|(_, finding)| finding.verdict).max()
    }
}
