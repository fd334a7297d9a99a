//! A figure as a record: the scenarios that are run, the curves that are drawn, and the claims about it.

use super::FigureError;
use super::claim::Claim;
use super::observed::ObservedRun;
use super::results::Metric;
use super::run_values::RunValues;

/// A figure of a paper, of one or several panels.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The name.
    pub id: &'static str,
    /// The title.
    pub title: &'static str,
    /// The parameters, fixed before anything was run.
    pub params: Vec<(&'static str, String)>,
    /// The panels; a panel of gains comes after the panels that it compares.
    pub panels: Vec<Panel>,
    /// The claims about it.
    pub claims: Vec<Claim>,
}

/// Curves over one axis.
#[derive(Clone, Debug)]
pub struct Panel {
    /// The letter or word; empty if it is the only one.
    pub name: &'static str,
    /// The title.
    pub title: String,
    /// The axis.
    pub axis: Axis,
    /// The quantity that its curves show.
    pub metric: Metric,
    /// The curves.
    pub series: Vec<FigureCurve>,
    /// The number of seeds each simulated point has.
    pub seeds: u64,
    /// The columns beside the curves in its table.
    pub beside: &'static [SideColumn],
}

/// A panel's axis: what it shows, its unit, and how a drawing spaces it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// In words.
    pub label: &'static str,
    /// The spacing of values on it.
    pub spacing: Spacing,
}

/// The spacing of values on an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing {
    /// Linear.
    Even,
    /// Logarithmic: for values above 0.
    Logarithmic,
}

/// One curve.
#[derive(Clone, Debug)]
pub struct FigureCurve {
    /// The name.
    pub name: &'static str,
    /// Where on the axis, and where the value there comes from.
    pub points: Vec<(f64, ValueSource)>,
}

/// Where the values of a point come from.
#[derive(Clone, Debug)]
pub enum ValueSource {
    /// From this scenario, run with each seed.
    Run(String),
    /// A number that is computed from what each run of a scenario shows, seed by seed.
    Computed(ComputedValue),
    /// Known values: a model's, which is the same for every seed, those of another program's runs, or the paper's.
    Given(Origin, Vec<f64>),
    /// 100 (A / B − 1) of two curves of earlier panels, at the same place, seed by seed (M-MET-6). Each is named by its
    /// panel and its series.
    Gain {
        /// A.
        of: (&'static str, &'static str),
        /// B.
        over: (&'static str, &'static str),
    },
    /// The sum of the throughput of two curves of earlier panels, at the same place, seed by seed. Each is named by its
    /// panel and its series.
    Sum([(&'static str, &'static str); 2]),
    /// From what runs of a scenario show on their way, with each seed.
    Observed(ObservedRun),
    /// The milliseconds that this work takes on this machine.
    Timed(WorkItem),
}

/// The origin of a known value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A model or a rule, computed here.
    Model,
    /// ns-2, run by others: tests/oracle.
    Ns2,
    /// The paper.
    Paper,
}

/// A number from the values of a run.
#[derive(Clone, Debug)]
pub struct ComputedValue {
    /// The scenario file's text.
    pub scenario: String,
    /// The computation, in the panel's metric.
    pub compute: fn(&RunValues, &[f64]) -> Result<f64, FigureError>,
    /// With what beside the run.
    pub with: Vec<f64>,
}

/// Something to compute, for the time that it takes.
#[derive(Clone, Debug)]
pub struct WorkItem {
    /// The computation.
    pub run: fn(&[f64]) -> Result<f64, FigureError>,
    /// With what.
    pub with: Vec<f64>,
}

/// A column beside the curves of a table, about the first two of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SideColumn {
    /// Their ratio.
    Ratio,
    /// The time-outs of each.
    Timeouts,
    /// The number of SACKs of the first waited for their timer.
    SacksByTimer,
    /// The share of the first's SACKs that acknowledged chunks of several paths.
    SharedSacks,
}

impl Panel {
    /// Returns true if its values are of runs, or computed from some.
    pub(crate) fn is_simulated(&self) -> bool {
        let is_of_runs = |source: &ValueSource| match source {
            ValueSource::Run(_)
            | ValueSource::Computed(_)
            | ValueSource::Gain { .. }
            | ValueSource::Sum(_)
            | ValueSource::Observed(_) => true,
            ValueSource::Given(..) | ValueSource::Timed(_) => false,
        };
        self.series.iter().flat_map(|series| &series.points).any(|(_, source)| is_of_runs(source))
    }

    /// The curves' places, each once, in their order.
    pub fn places(&self) -> Vec<f64> {
        let mut places: Vec<f64> =
            self.series.iter().flat_map(|series| &series.points).map(|(x, _)| *x).collect();
        places.sort_by(f64::total_cmp);
        places.dedup();
        places
    }
}
