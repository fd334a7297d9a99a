//! Every row of tests/oracle/models/policies.open.csv: two paths under the dynamic, the static and the borrowing
//! policy, ours and the table's both simulated.

use anabranch_models::{PathParameters, RoundLoss, TimeoutBounds};
use anabranch_planner::policies::{Policy, SharedBuffer};
use rand_chacha::ChaCha12Rng;
use rand_core::SeedableRng;

/// Forty batches of 500 simulated seconds, in view of the table's standard errors of at most 0.4 %.
const BATCHES: u32 = 40;
const BATCH: f64 = 500.0;
/// The seconds left out at the beginning.
const WARM_UP: f64 = 50.0;

/// The paths' throughput in packets/s, with its standard error.
fn simulated(paths: &[PathParameters], buffer: u32, policy: Policy, seed: u64) -> (f64, f64) {
    let mut shared =
        SharedBuffer::new(paths, buffer, policy, RoundLoss::Independent).expect("a row has an answer");
    let mut random = ChaCha12Rng::seed_from_u64(seed);
    shared.run(WARM_UP, &mut random);
    let batches: Vec<f64> = (0..BATCHES).map(|_| shared.run(BATCH, &mut random).throughput()).collect();
    let mean = batches.iter().sum::<f64>() / f64::from(BATCHES);
    let squares: f64 = batches.iter().map(|batch| (batch - mean).powi(2)).sum();
    (mean, (squares / f64::from(BATCHES * (BATCHES - 1))).sqrt())
}

#[test]
fn every_policy_carries_what_the_table_says() {
    let table = include_str!("../../../tests/oracle/models/policies.open.csv");
    let (mut checked, mut wrong) = (0, Vec::new());
    for (seed, line) in (1..).zip(table.lines().skip(1)) {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |column: usize| cells[column].parse::<f64>().expect("a number");
        let path = |first: usize| PathParameters {
            rate: number(first),
            delay: number(first + 1),
            loss: number(first + 2),
            timeout: TimeoutBounds::WALLACE_SHAMI,
        };
        let (paths, buffer) = ([path(0), path(3)], number(6) as u32);
        let limits: Vec<u32> = cells[7].split(';').map(|limit| limit.parse().expect("a limit")).collect();
        let policies =
            [(Policy::Dynamic, 9), (Policy::Static(limits.clone()), 11), (Policy::Borrowing(limits), 13)];
        for (policy, column) in policies {
            let (mean, error) = simulated(&paths, buffer, policy.clone(), seed);
            let (expected, its_error) = (number(column), number(column + 1));
            let tolerance = 4.0 * error.hypot(its_error) + 0.005 * expected;
            if (mean - expected).abs() > tolerance {
                wrong
                    .push(format!("{policy:?}: {mean} ± {error} against {expected} ± {its_error} in {line}"));
            }
            assert!(error < 0.005 * mean, "{mean} ± {error} says little");
            checked += 1;
        }
    }
    assert!(wrong.is_empty(), "{} of {checked} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(checked, 3 * 36);
}
