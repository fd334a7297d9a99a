//! Runs many scenarios, each with many seeds, on all cores.

use std::ops::Range;

use anabranch_planner::live;
use anabranch_scenario::{NoFiles, Scenario, Source};
use anabranch_sim::{Run, RunResult, Watch};
use indicatif::{ParallelProgressIterator, ProgressBar, ProgressStyle};
use rayon::prelude::*;

/// One scenario and the seeds it is run with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GridPoint {
    /// The scenario file's text.
    pub scenario: String,
    /// The seed of each replication.
    pub seeds: Range<u64>,
}

/// A point whose text is not a scenario, or cannot be run: a mistake in the study.
#[derive(Debug, thiserror::Error)]
#[error("{what}\nin the scenario\n{scenario}")]
pub struct GridError {
    what: String,
    scenario: String,
}

/// Runs every point with each of its seeds, and shows the progress on a terminal. The results stand in the order of the
/// points and of their seeds, and do not depend on the number of cores.
///
/// # Errors
/// The first point that cannot be run.
pub fn run(points: &[GridPoint]) -> Result<Vec<Vec<RunResult>>, GridError> {
    let scenarios = points.iter().map(parse).collect::<Result<Vec<Scenario>, GridError>>()?;
    let jobs: Vec<(usize, u64)> = points
        .iter()
        .enumerate()
        .flat_map(|(index, point)| point.seeds.clone().map(move |seed| (index, seed)))
        .collect();
    let results: Vec<RunResult> = jobs
        .par_iter()
        .with_max_len(1)
        .progress_with(progress(jobs.len()))
        .map(|&(index, seed)| match Run::new(&scenarios[index], seed, Watch::default()) {
            Ok(run) => Ok(run.to_end()),
            Err(error) => Err(fault(&points[index], &error)),
        })
        .collect::<Result<_, GridError>>()?;
    let mut results = results.into_iter();
    Ok(points.iter().map(|point| results.by_ref().take(point.seeds.clone().count()).collect()).collect())
}

fn parse(point: &GridPoint) -> Result<Scenario, GridError> {
    let source = Source::new("study.toml", point.scenario.as_str());
    Scenario::parse(&source, &NoFiles, &[], &live::registry()).map_err(|error| fault(point, &error))
}

fn fault(point: &GridPoint, what: &dyn std::fmt::Display) -> GridError {
    GridError { what: what.to_string(), scenario: point.scenario.clone() }
}

/// A bar on a terminal, nothing elsewhere.
fn progress(length: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} runs, {eta} to go");
    ProgressBar::new(length as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const UDP: &str = "[run]\ntime = \"1 s\"\n[[link]]\nname = \"a\"\nrate = \"1 Mbit/s\"\nloss = 0.5\n[[flow]]\n\
        protocol = \"udp\"\ntraffic = { kind = \"cbr\", rate = \"100 kbit/s\", message = \"100 B\" }\n";

    #[test]
    fn results_stand_in_the_order_of_points_and_seeds() {
        let point = |seeds| GridPoint { scenario: UDP.to_owned(), seeds };
        let results = run(&[point(5..8), point(1..2)]).expect("it can be run");
        let seeds: Vec<Vec<u64>> =
            results.iter().map(|runs| runs.iter().map(|run| run.seed).collect()).collect();
        assert_eq!(seeds, [vec![5, 6, 7], vec![1]]);
    }

    #[test]
    fn a_mistake_in_a_study_is_shown_with_its_scenario() {
        let error =
            run(&[GridPoint { scenario: "[[links]]".to_owned(), seeds: 1..2 }]).expect_err("no scenario");
        assert!(error.to_string().contains("[[links]]"), "{error}");
    }
}
