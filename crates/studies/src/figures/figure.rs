//! A figure as a record: the scenarios that are run, the curves that are drawn, and the claims about it.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::FigureError;
use super::by_seed::BySeed;
use super::claim::Claim;

/// A figure of a paper, of one or several panels.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Its name in the atlas.
    pub id: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// What was fixed before anything was run.
    pub params: Vec<(&'static str, String)>,
    /// What is run or computed; a panel of gains comes after the panels that it compares.
    pub panels: Vec<Panel>,
    /// The claims about it.
    pub claims: Vec<Claim>,
}

/// Curves over one axis.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Its letter or word; empty if it is the only one.
    pub name: &'static str,
    /// What it shows.
    pub title: String,
    /// The axis.
    pub axis: Axis,
    /// The quantity that its curves show.
    pub metric: Metric,
    /// Its curves.
    pub series: Vec<FigureCurve>,
    /// How many seeds each simulated point has.
    pub seeds: u64,
    /// What stands beside the curves in its table.
    pub beside: &'static [SideColumn],
}

/// A panel's axis: what it shows, its unit, and how a drawing spaces it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// In words.
    pub label: &'static str,
    /// How values lie on it.
    pub spacing: Spacing,
}

/// How values lie on an axis.
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
    /// What it shows.
    pub name: &'static str,
    /// Where on the axis, and where the value there comes from.
    pub points: Vec<(f64, ValueSource)>,
}

/// Where the values of a point come from.
#[derive(Clone, Debug)]
pub enum ValueSource {
    /// From this scenario, run with each seed.
    Run(String),
    /// Known values: a model's, which is the same for every seed, or those of another program's runs.
    Given(Vec<f64>),
    /// 100 (A / B − 1) of two curves of earlier panels, at the same place, seed by seed (M-MET-6). Each is named by its
    /// panel and its series.
    Gain {
        /// A.
        of: (&'static str, &'static str),
        /// B.
        over: (&'static str, &'static str),
    },
    /// The milliseconds that this work takes on this machine.
    Timed(WorkItem),
}

/// Something to compute, for the time that it takes.
#[derive(Clone, Debug)]
pub struct WorkItem {
    /// How.
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
    /// How many SACKs of the first waited for their timer.
    SacksByTimer,
    /// The share of the first's SACKs that acknowledged chunks of several paths.
    SharedSacks,
}

/// A quantity that is read from a run, or computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Metric {
    /// The transfer's time, in seconds.
    Time,
    /// Data delivered once and in order, in Mbit/s of whole packets, as models count it.
    Throughput,
    /// How much one of two exceeds the other, in percent.
    Gain,
    /// A path's window limit, in packets.
    Limit,
    /// How many combinations a search tries.
    Combinations,
    /// How many states a chain has.
    States,
    /// Milliseconds of this machine's time.
    SolveTime,
    /// How many SACKs left because their delay ran out.
    SacksByTimer,
    /// The share of the SACKs received that acknowledged chunks of more than one path.
    SharedSacks,
    /// How many chunks were marked lost by missing reports.
    FastRetransmits,
    /// How often T3-rtx expired.
    Timeouts,
}

/// The values of all panels: `y[panel, series, metric][x]`, one value a seed.
#[derive(Clone, Debug, Default)]
pub struct Results {
    curves: BTreeMap<(&'static str, &'static str, Metric), BTreeMap<AxisValue, BySeed>>,
}

/// A place on an axis: a number, in the numbers' order.
#[derive(Clone, Copy, Debug)]
struct AxisValue(f64);

/// Points of a curve.
#[derive(Clone, Debug)]
pub struct CurvePoints {
    /// The panel's name.
    pub panel: &'static str,
    /// The series' name.
    pub series: &'static str,
    /// The quantity.
    pub metric: Metric,
    /// Where; several places stand for their mean.
    pub x: Vec<f64>,
}

impl Results {
    /// Takes the values of one point.
    pub fn add(
        &mut self,
        panel: &'static str,
        series: &'static str,
        metric: Metric,
        x: f64,
        values: Vec<f64>,
    ) {
        if let Some(sample) = BySeed::new(values) {
            self.curves.entry((panel, series, metric)).or_default().insert(AxisValue::at(x), sample);
        }
    }

    /// A point of a curve; `None` where nothing was measured.
    pub fn point(
        &self,
        panel: &'static str,
        series: &'static str,
        metric: Metric,
        x: f64,
    ) -> Option<&BySeed> {
        self.curves.get(&(panel, series, metric))?.get(&AxisValue::at(x))
    }

    /// Where a curve has points, in their order.
    pub fn axis(&self, panel: &'static str, series: &'static str, metric: Metric) -> Vec<f64> {
        let curve = self.curves.get(&(panel, series, metric));
        curve.map(|points| points.keys().map(|place| place.0).collect()).unwrap_or_default()
    }

    /// The mean over some points, seed by seed; `None` where one was not measured.
    pub fn at(&self, at: &CurvePoints) -> Option<BySeed> {
        let points = at.x.iter().map(|x| self.point(at.panel, at.series, at.metric, *x));
        BySeed::average(&points.collect::<Option<Vec<&BySeed>>>()?)
    }
}

impl Panel {
    /// Its curves' places, each once, in their order.
    pub fn places(&self) -> Vec<f64> {
        let mut places: Vec<f64> =
            self.series.iter().flat_map(|series| &series.points).map(|(x, _)| *x).collect();
        places.sort_by(f64::total_cmp);
        places.dedup();
        places
    }
}

impl Metric {
    /// What it is, and its unit.
    pub fn label(self) -> &'static str {
        match self {
            Metric::Time => "transfer time in s",
            Metric::Throughput => "throughput in Mbit/s of whole packets",
            Metric::Gain => "difference in %",
            Metric::Limit => "window limit in packets",
            Metric::Combinations => "combinations tried",
            Metric::States => "states",
            Metric::SolveTime => "milliseconds of one core",
            Metric::SacksByTimer => "SACKs by timer",
            Metric::SharedSacks => "share of SACKs of several paths",
            Metric::FastRetransmits => "chunks marked lost by missing reports",
            Metric::Timeouts => "time-outs",
        }
    }
}

impl AxisValue {
    /// −0 and 0 are one place.
    fn at(x: f64) -> AxisValue {
        AxisValue(x + 0.0)
    }
}

impl PartialEq for AxisValue {
    fn eq(&self, other: &AxisValue) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for AxisValue {}

impl PartialOrd for AxisValue {
    fn partial_cmp(&self, other: &AxisValue) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for AxisValue {
    fn cmp(&self, other: &AxisValue) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}
