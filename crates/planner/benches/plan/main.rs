//! The processor time of planning: curves by the Markov model, and each method on the resulting problems.
//!
//! `cargo bench --package anabranch-planner --bench plan`; a word after `--` selects the rows that contain it.
#![allow(clippy::print_stdout, reason = "a benchmark prints its table")]

use std::hint::black_box;

use anabranch_models::{Markov, PathParameters, RoundLoss, TimeoutBounds};
use anabranch_planner::{
    Problem, StepSet, brute_force, by_buffer, exact, greedy, hull, marginal_gain, sensitivity, step,
};
use rustix::time::{ClockId, clock_gettime};

fn main() {
    let wanted = std::env::args().skip(1).find(|word| !word.starts_with('-')).unwrap_or_default();
    println!("\n| paths | buffer, packets | what | loss | median time, µs | evaluations |");
    println!("|---|---|---|---|---|---|");
    for loss in [RoundLoss::Independent, RoundLoss::Correlated] {
        let bench = Bench { model: Markov { loss, ..Markov::default() }, wanted: &wanted };
        bench.plans(2, 87);
        bench.plans(4, 699);
        bench.plans(16, 5_000);
        bench.plans(1_000, 100_000);
    }
}

struct Bench<'a> {
    model: Markov,
    wanted: &'a str,
}

/// The least CPU time for the repetitions of a row, in seconds.
const ENOUGH: f64 = 0.3;
const MOST_REPEATS: usize = 2_000;

impl Bench<'_> {
    /// The rows of one size, without those that would take minutes.
    fn plans(&self, count: usize, buffer: u32) {
        let paths = paths(count);
        let new = || Problem::new(&paths, buffer, &self.model).expect("a question with an answer");
        let problem = new();
        let row = |what: &str, solve: &dyn Fn() -> u64| self.row(count, buffer, what, solve);
        row("curves", &|| new().curves().len() as u64);
        row("exact", &|| exact(&problem).map_or(0, |found| found.evaluations));
        row("hull", &|| hull(&problem).allocation.evaluations);
        row("greedy", &|| greedy(&problem).evaluations);
        row("replan: curves + exact", &|| exact(&new()).map_or(0, |found| found.evaluations));
        if count <= 2 {
            row("brute-force", &|| brute_force(&problem).map_or(0, |found| found.evaluations));
            row("step 2", &|| step(&problem, 2, StepSet::Printed).map_or(0, |found| found.evaluations));
        }
        if count <= 16 {
            row("every buffer", &|| by_buffer(&problem).map_or(0, |values| values.values().len() as u64));
            row("marginal-gain", &|| {
                marginal_gain(&paths, buffer, &self.model).map_or(0, |gain| u64::from(gain.enough))
            });
            row("sensitivity", &|| {
                sensitivity(&paths, buffer, &self.model).map_or(0, |misplans| misplans.len() as u64)
            });
        }
    }

    fn row(&self, count: usize, buffer: u32, what: &str, solve: &dyn Fn() -> u64) {
        if !what.contains(self.wanted) {
            return;
        }
        let (mut times, mut evaluations) = (Vec::new(), 0);
        while times.len() < MOST_REPEATS && (times.len() < 3 || times.iter().sum::<f64>() < ENOUGH) {
            let begin = processor_seconds();
            evaluations = black_box(solve());
            times.push(processor_seconds() - begin);
        }
        times.sort_by(f64::total_cmp);
        let (median, loss) = (times[times.len() / 2] * 1e6, self.model.loss);
        println!("| {count} | {buffer} | {what} | {loss:?} | {median:.1} | {evaluations} |");
    }
}

/// Paths of different parameters that together would fill more than the buffer.
fn paths(count: usize) -> Vec<PathParameters> {
    let path = |index: usize| {
        let place = index as f64;
        PathParameters {
            rate: 1_750.0 * (1.0 + 0.37 * (place * 1.7).sin()) * (1.0 + (index % 4) as f64),
            delay: 0.08 + 0.05 * (index % 7) as f64,
            loss: [1e-3, 1e-4, 1e-2, 3e-3, 1e-5][index % 5],
            timeout: TimeoutBounds::WALLACE_SHAMI,
        }
    };
    (0..count).map(path).collect()
}

fn processor_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
