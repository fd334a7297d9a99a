//! From a record to values: runs the scenarios, reads each run, and computes what follows from curves.

use anabranch_base::Duration;
use anabranch_sim::RunResult;
use anabranch_sim::result::{PathResult, SackResult};

use super::FigureError;
use super::figure::{Figure, Panel, ValueSource};
use super::results::{Metric, Results};
use super::stopwatch;
use crate::grid::{self, GridPoint};

/// Runs all scenarios of a record, each once however often it stands there, and takes the values in the panels' order.
///
/// # Errors
/// A scenario that cannot be run, or a transfer that does not end.
pub fn measure(figure: &Figure) -> Result<Results, FigureError> {
    let mut grid: Vec<GridPoint> = Vec::new();
    for panel in &figure.panels {
        for scenario in scenarios(panel) {
            let point = point(panel, scenario);
            if !grid.contains(&point) {
                grid.push(point);
            }
        }
    }
    let runs = grid::run(&grid)?;
    let mut results = Results::default();
    for panel in &figure.panels {
        for series in &panel.series {
            for (x, source) in &series.points {
                match source {
                    ValueSource::Run(scenario) => {
                        let wanted = point(panel, scenario);
                        let found = grid.iter().position(|point| *point == wanted);
                        let runs = found.map_or(&[][..], |index| &runs[index]);
                        take_runs(&mut results, figure.id, (panel, series.name, *x), runs)?;
                    }
                    ValueSource::Given(values) => {
                        results.add(panel.name, series.name, panel.metric, *x, values.clone());
                    }
                    ValueSource::Timed(work) => {
                        let time = stopwatch::milliseconds(|| (work.run)(&work.with))?;
                        results.add(panel.name, series.name, panel.metric, *x, vec![time]);
                    }
                    ValueSource::Gain { of, over } => {
                        let values = gain(&results, *of, *over, *x);
                        results.add(panel.name, series.name, panel.metric, *x, values);
                    }
                }
            }
        }
    }
    Ok(results)
}

fn scenarios(panel: &Panel) -> impl Iterator<Item = &String> {
    panel.series.iter().flat_map(|series| &series.points).filter_map(|(_, source)| match source {
        ValueSource::Run(scenario) => Some(scenario),
        ValueSource::Given(_) | ValueSource::Gain { .. } | ValueSource::Timed(_) => None,
    })
}

fn point(panel: &Panel, scenario: &str) -> GridPoint {
    GridPoint { scenario: scenario.to_owned(), seeds: 1..panel.seeds + 1 }
}

fn take_runs(
    results: &mut Results,
    figure: &'static str,
    at: (&Panel, &'static str, f64),
    runs: &[RunResult],
) -> Result<(), FigureError> {
    let (panel, series, x) = at;
    let is_timed = panel.metric == Metric::Time;
    if let Some(run) = runs.iter().find(|run| is_timed && time(run).is_none()) {
        return Err(incomplete(figure, series, x, run));
    }
    for metric in [panel.metric].iter().chain(&OF_EVERY_RUN) {
        results.add(panel.name, series, *metric, x, runs.iter().map(|run| read(*metric, run)).collect());
    }
    Ok(())
}

/// The metrics that are read from every run.
const OF_EVERY_RUN: [Metric; 4] =
    [Metric::SacksByTimer, Metric::SharedSacks, Metric::FastRetransmits, Metric::Timeouts];

/// A curve of throughput, by its panel and its series.
type Curve = (&'static str, &'static str);

/// Empty where one of the two was not measured.
fn gain(results: &Results, of: Curve, over: Curve, x: f64) -> Vec<f64> {
    let value = |(panel, series): Curve| results.point(panel, series, Metric::Throughput, x);
    let Some((above, below)) = value(of).zip(value(over)) else { return Vec::new() };
    above.ratios_to(below).values().iter().map(|ratio| 100.0 * (ratio - 1.0)).collect()
}

fn read(metric: Metric, run: &RunResult) -> f64 {
    match metric {
        Metric::Time => time(run).unwrap_or(f64::NAN),
        Metric::Throughput => throughput(run),
        Metric::SacksByTimer => sum_sacks(run, |sacks| sacks.sent_by_timer),
        Metric::SharedSacks => {
            let received = sum_sacks(run, |sacks| sacks.received);
            sum_sacks(run, |sacks| sacks.received_for_several_paths) / received.max(1.0)
        }
        Metric::FastRetransmits => sum_paths(run, |path| path.fast_retransmits),
        Metric::Timeouts => sum_paths(run, |path| path.timeouts),
        // Not a value of a run: it is computed.
        Metric::Gain | Metric::Limit | Metric::Combinations | Metric::States | Metric::SolveTime => f64::NAN,
    }
}

fn time(run: &RunResult) -> Option<f64> {
    run.flows.first()?.completion.map(Duration::as_secs_f64)
}

/// Goodput counts the 1,452 bytes of user data in each packet of 1,500.
fn throughput(run: &RunResult) -> f64 {
    run.flows.iter().map(|flow| flow.goodput_bps).sum::<f64>() / 1e6 * 1500.0 / 1452.0
}

fn sum_sacks(run: &RunResult, value: fn(SackResult) -> u64) -> f64 {
    run.flows.iter().filter_map(|flow| flow.sacks).map(value).sum::<u64>() as f64
}

fn sum_paths(run: &RunResult, value: fn(&PathResult) -> u64) -> f64 {
    run.flows.iter().flat_map(|flow| &flow.paths).map(value).sum::<u64>() as f64
}

fn incomplete(figure: &'static str, series: &'static str, x: f64, run: &RunResult) -> FigureError {
    FigureError::Incomplete {
        figure,
        series,
        x,
        seed: run.seed,
        delivered: run.flows.first().map_or(0, |flow| flow.delivered.get()),
        seconds: run.time.as_secs_f64(),
    }
}
