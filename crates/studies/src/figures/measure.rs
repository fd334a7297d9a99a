//! From a record to values: runs the scenarios, reads each run, and computes what follows from curves.

use super::FigureError;
use super::figure::{Figure, Panel, ValueSource};
use super::results::{Metric, Results};
use super::run_values::RunValues;
use crate::grid::{GridError, GridPoint};
use crate::kept_runs::KeptRuns;
use crate::stopwatch;

/// Runs all scenarios of a record that are not in `kept`, each once however often it stands there, and takes the values
/// in the panels' order.
///
/// # Errors
/// A scenario that cannot be run, a transfer that does not end, or a run that cannot be kept.
pub(super) fn measure(figure: &Figure, kept: &mut KeptRuns<RunValues>) -> Result<Results, FigureError> {
    let grid = grid_of(figure);
    let runs = kept.values::<FigureError>(&grid)?;
    let of_scenario = |panel: &Panel, scenario: &str| {
        let selection = point(panel, scenario);
        let found = grid.iter().position(|point| *point == selection);
        found.map_or(&[][..], |index| &runs[index][..])
    };
    let mut results = Results::default();
    for panel in &figure.panels {
        for series in &panel.series {
            for (x, source) in &series.points {
                if kept.watch().is_interrupted() {
                    return Err(GridError::Interrupted.into());
                }
                match source {
                    ValueSource::Run(scenario) => {
                        let runs = of_scenario(panel, scenario);
                        take_runs(&mut results, figure.id, (panel, series.name, *x), runs)?;
                    }
                    ValueSource::Computed(computed) => {
                        let one = |run: &RunValues| (computed.compute)(run, &computed.with);
                        let values = of_scenario(panel, &computed.scenario).iter().map(one);
                        let values = values.collect::<Result<Vec<f64>, FigureError>>()?;
                        results.add(panel.name, series.name, panel.metric, *x, values);
                    }
                    ValueSource::Given(_, values) => {
                        results.add(panel.name, series.name, panel.metric, *x, values.clone());
                    }
                    ValueSource::Observed(observed) => {
                        let values = observed.values(1..panel.seeds + 1)?;
                        results.add(panel.name, series.name, panel.metric, *x, values);
                    }
                    ValueSource::Timed(work) => {
                        let time = stopwatch::milliseconds(|| (work.run)(&work.with))?;
                        results.add(panel.name, series.name, panel.metric, *x, vec![time]);
                    }
                    ValueSource::Gain { of, over } => {
                        let values = gain(&results, *of, *over, *x);
                        results.add(panel.name, series.name, panel.metric, *x, values);
                    }
                    ValueSource::Sum(both) => {
                        let values = sum(&results, *both, *x);
                        results.add(panel.name, series.name, panel.metric, *x, values);
                    }
                }
            }
        }
    }
    Ok(results)
}

/// The runs of a record that can be kept, each once.
pub(crate) fn grid_of(figure: &Figure) -> Vec<GridPoint> {
    let mut grid: Vec<GridPoint> = Vec::new();
    for panel in &figure.panels {
        for scenario in scenarios(panel) {
            let point = point(panel, scenario);
            if !grid.contains(&point) {
                grid.push(point);
            }
        }
    }
    grid
}

fn scenarios(panel: &Panel) -> impl Iterator<Item = &String> {
    panel.series.iter().flat_map(|series| &series.points).filter_map(|(_, source)| match source {
        ValueSource::Run(scenario) => Some(scenario),
        ValueSource::Computed(computed) => Some(&computed.scenario),
        ValueSource::Given(..)
        | ValueSource::Gain { .. }
        | ValueSource::Sum(_)
        | ValueSource::Observed(_)
        | ValueSource::Timed(_) => None,
    })
}

fn point(panel: &Panel, scenario: &str) -> GridPoint {
    GridPoint { scenario: scenario.to_owned(), seeds: 1..panel.seeds + 1 }
}

fn take_runs(
    results: &mut Results,
    figure: &'static str,
    at: (&Panel, &'static str, f64),
    runs: &[RunValues],
) -> Result<(), FigureError> {
    let (panel, series, x) = at;
    let is_timed = panel.metric == Metric::Time;
    // Seeds are counted from 1.
    let undone = (1..).zip(runs).find(|(_, run)| is_timed && run.time.is_none());
    if let Some((seed, run)) = undone {
        let RunValues { delivered, seconds, .. } = *run;
        return Err(FigureError::Incomplete { figure, series, x, seed, delivered, seconds });
    }
    for metric in [panel.metric].iter().chain(&OF_EVERY_RUN) {
        results.add(panel.name, series, *metric, x, runs.iter().map(|run| run.read(*metric)).collect());
    }
    Ok(())
}

/// The metrics that are read from every run.
const OF_EVERY_RUN: [Metric; 5] = [
    Metric::Throughput,
    Metric::SacksByTimer,
    Metric::SharedSacks,
    Metric::FastRetransmits,
    Metric::Timeouts,
];

/// A curve of throughput, by its panel and its series.
type Curve = (&'static str, &'static str);

/// Empty where one of the two was not measured.
fn sum(results: &Results, [one, other]: [Curve; 2], x: f64) -> Vec<f64> {
    let value = |(panel, series): Curve| results.point(panel, series, Metric::Throughput, x);
    let Some((one, other)) = value(one).zip(value(other)) else { return Vec::new() };
    one.values().iter().zip(other.values()).map(|(one, other)| one + other).collect()
}

/// Empty where one of the two was not measured. Both are in Mbit/s of whole packets, or both in kbit/s.
fn gain(results: &Results, of: Curve, over: Curve, x: f64) -> Vec<f64> {
    let in_unit = |(panel, series): Curve, metric| results.point(panel, series, metric, x);
    let value = |of| in_unit(of, Metric::Throughput).or_else(|| in_unit(of, Metric::Kilobits));
    let Some((above, below)) = value(of).zip(value(over)) else { return Vec::new() };
    above.ratios_to(below).values().iter().map(|ratio| 100.0 * (ratio - 1.0)).collect()
}
