//! Estimates the time of a sweep from the first moments of a few runs.

use anabranch_base::{Duration, Time};
use anabranch_sim::{Run, RunProgress, Watch};

use super::{Sweep, SweepError};

/// The work of all missing runs on one processor: some points are tried for `budget` in all, by a `clock` that returns
/// the program's running time. For transfers without a time limit the estimate is rather too long. `None` if nothing is
/// missing.
///
/// # Errors
/// A point that cannot be run.
pub fn estimate(
    sweep: &Sweep,
    budget: Duration,
    clock: fn() -> Duration,
) -> Result<Option<Duration>, SweepError> {
    let open: Vec<usize> = sweep.open.iter().copied().collect();
    let tried = evenly(open.len(), TRIED);
    let mut costs = Vec::new();
    for index in &tried {
        let cost = cost(sweep, sweep.jobs[open[*index]].point, budget / tried.len() as u64, clock)?;
        costs.push(cost);
    }
    let Some(sum) = costs.iter().copied().reduce(|sum, cost| sum + cost) else { return Ok(None) };
    let missing: u64 = open.iter().map(|job| sweep.jobs[*job].expected() - sweep.jobs[*job].counted()).sum();
    Ok(Some(sum / costs.len() as u64 * missing))
}

/// The time of one run of a point, from the part that `budget` allows.
fn cost(
    sweep: &Sweep,
    point: usize,
    budget: Duration,
    clock: fn() -> Duration,
) -> Result<Duration, SweepError> {
    let (scenario, _) = sweep.read(point)?;
    let begun = clock();
    let mut run = Run::new(&scenario, sweep.seed, Watch::default())
        .map_err(|error| SweepError::Build { settings: String::new(), error })?;
    let mut progress = RunProgress::Running;
    while progress == RunProgress::Running && clock().saturating_sub(begun) < budget {
        progress = run.advance(SLICE);
    }
    let wall = clock().saturating_sub(begun);
    let simulated = run.now().since(Time::ZERO);
    if progress == RunProgress::Ended || simulated.is_zero() {
        return Ok(wall);
    }
    let all = run.limit().since(Time::ZERO).as_secs_f64() / simulated.as_secs_f64();
    Ok(Duration::from_nanos((wall.as_nanos() as f64 * all) as u64))
}

/// At most `most` of `count` indices, evenly spaced.
fn evenly(count: usize, most: usize) -> Vec<usize> {
    let tried = count.min(most);
    (0..tried).map(|index| index * count.saturating_sub(1) / tried.saturating_sub(1).max(1)).collect()
}

const TRIED: usize = 5;
/// The simulated time between two readings of the clock.
const SLICE: Duration = Duration::from_millis(50);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_tried_far_apart() {
        assert_eq!(evenly(100, 5), [0, 24, 49, 74, 99]);
        assert_eq!(evenly(3, 5), [0, 1, 2]);
        assert_eq!((evenly(1, 5), evenly(0, 5)), (vec![0], vec![]));
    }
}
