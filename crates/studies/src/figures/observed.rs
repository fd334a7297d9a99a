//! Values that are read from what a run shows on its way, and not from its result.

use std::ops::Range;

use anabranch_base::Duration;
use anabranch_scenario::Scenario;
use anabranch_sim::observe::Observation;
use anabranch_sim::{Run, RunProgress, Watch};
use rayon::prelude::*;

use crate::grid::{GridError, GridPoint, fault, parse};

/// A scenario whose runs are watched.
#[derive(Clone, Debug)]
pub struct ObservedRun {
    /// The scenario file's text.
    pub scenario: String,
    /// The observations.
    pub watch: Watch,
    /// Begins to look at a run of the scenario.
    pub reader: fn(&Scenario) -> Box<dyn Reader>,
}

/// Makes a value of what it sees.
pub trait Reader {
    /// The next observation, in order of time.
    fn take(&mut self, seen: &Observation);

    /// The value, at the end of the run.
    fn value(&self) -> f64;
}

impl ObservedRun {
    /// The values of the runs with these seeds, in their order, on all cores.
    ///
    /// # Errors
    /// The scenario cannot be run.
    pub fn values(&self, seeds: Range<u64>) -> Result<Vec<f64>, GridError> {
        let point = GridPoint { scenario: self.scenario.clone(), seeds: seeds.clone() };
        let scenario = parse(&point)?;
        let one = |seed| {
            let mut run = Run::new(&scenario, seed, self.watch).map_err(|error| fault(&point, &error))?;
            let mut reader = (self.reader)(&scenario);
            loop {
                let progress = run.advance(SLICE);
                run.take_observations().iter().for_each(|seen| reader.take(seen));
                if progress == RunProgress::Ended {
                    return Ok(reader.value());
                }
            }
        };
        seeds.into_par_iter().map(one).collect()
    }
}

/// The amount of simulated time that is looked at together: bounds the memory of what was seen.
const SLICE: Duration = Duration::from_secs(1);
