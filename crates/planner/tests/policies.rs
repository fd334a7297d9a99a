//! The rules of window management in simulated rounds: invariants of the policies, and the order of paths.

use anabranch_models::{Markov, PathParameters, RoundLoss, TimeoutBounds};
use anabranch_planner::policies::{Policy, SharedBuffer};
use anabranch_planner::{PlanError, Problem, exact};
use proptest::prelude::*;
use rand_chacha::ChaCha12Rng;
use rand_core::SeedableRng;

fn path(rate: f64, delay: f64, loss: f64) -> PathParameters {
    PathParameters { rate, delay, loss, timeout: TimeoutBounds::WALLACE_SHAMI }
}

fn paths() -> impl Strategy<Value = Vec<PathParameters>> {
    let path = (10.0..3_000.0_f64, 0.0..0.1_f64, 0.0..0.3_f64)
        .prop_map(|(rate, delay, loss)| path(rate, delay, loss));
    prop::collection::vec(path, 1..5)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn no_policy_passes_the_buffer_a_cap_or_a_limit(
        paths in paths(), more in 0_u32..60, policy in 0..3, correlated: bool, seed: u64,
    ) {
        let buffer = paths.len() as u32 + more;
        let limits = vec![buffer / paths.len() as u32; paths.len()];
        let policy = match policy {
            0 => Policy::Dynamic,
            1 => Policy::Static(limits.clone()),
            _ => Policy::Borrowing(limits.clone()),
        };
        let loss = if correlated { RoundLoss::Correlated } else { RoundLoss::Independent };
        let mut shared = SharedBuffer::new(&paths, buffer, policy.clone(), loss).unwrap();
        let mut random = ChaCha12Rng::seed_from_u64(seed);
        for _ in 0..500 {
            let (_, round) = shared.step(&mut random);
            let windows = shared.windows();
            prop_assert!(round.delivered <= round.sent && round.duration > 0.0);
            prop_assert!(windows.iter().sum::<u32>() <= buffer, "{windows:?}");
            for ((window, path), limit) in windows.iter().zip(&paths).zip(&limits) {
                prop_assert!((1..=path.cap()).contains(window), "{windows:?}");
                prop_assert!(!matches!(policy, Policy::Static(_)) || window <= limit, "{windows:?}");
            }
        }
    }
}

#[test]
fn in_a_full_buffer_the_higher_rank_takes_all_but_a_packet_of_the_lower() {
    let paths = [path(500.0, 0.04, 0.0), path(1_000.0, 0.04, 0.0)];
    let windows = |policy| {
        let mut shared = SharedBuffer::new(&paths, 30, policy, RoundLoss::Independent).unwrap();
        shared.run(20.0, &mut ChaCha12Rng::seed_from_u64(1));
        shared.windows()
    };
    assert_eq!(windows(Policy::Dynamic), [1, 29]);
    assert_eq!(windows(Policy::Static(vec![10, 20])), [10, 20]);
    assert_eq!(windows(Policy::Static(vec![7, 8])), [7, 8]);
    // Below their limits both take back; where these leave room, either may have it.
    assert_eq!(windows(Policy::Borrowing(vec![10, 20])), [10, 20]);
    let borrowed = windows(Policy::Borrowing(vec![7, 8]));
    assert!(borrowed.iter().sum::<u32>() == 30 && borrowed[0] >= 7 && borrowed[1] >= 8, "{borrowed:?}");
}

#[test]
fn the_static_policy_carries_what_the_planner_says() {
    let paths = [path(1_750.0, 0.04, 1e-3), path(833.0, 0.04, 1e-2), path(400.0, 0.1, 3e-3)];
    let best = exact(&Problem::new(&paths, 87, &Markov::default()).unwrap()).unwrap();
    let policy = Policy::Static(best.limits.clone());
    let mut shared = SharedBuffer::new(&paths, 87, policy, RoundLoss::Independent).unwrap();
    let mut random = ChaCha12Rng::seed_from_u64(1);
    shared.run(50.0, &mut random);
    let throughput = shared.run(20_000.0, &mut random).throughput();
    // Some standard errors of 20,000 s, as in the policies' table.
    assert!((throughput / best.throughput - 1.0).abs() < 0.01, "{throughput} against {}", best.throughput);
}

#[test]
fn what_cannot_be_shared_says_why() {
    let refused = |count: usize, buffer, policy| {
        SharedBuffer::new(&vec![path(100.0, 0.1, 0.0); count], buffer, policy, RoundLoss::Independent)
            .map(|_| ())
            .unwrap_err()
    };
    assert_eq!(refused(0, 9, Policy::Dynamic), PlanError::NoPath);
    assert_eq!(refused(3, 2, Policy::Dynamic), PlanError::BufferTooSmall { buffer: 2, paths: 3 });
    let limits = refused(2, 9, Policy::Static(vec![9])).to_string();
    assert_eq!(limits, "1 window limits for 2 paths");
    let many = refused(2, 9, Policy::Borrowing(vec![5, 5]));
    assert_eq!(many, PlanError::NothingFits { least: 10, buffer: 9 });
    assert!(matches!(refused(2, 9, Policy::Static(vec![0, 5])), PlanError::Model(_)));
}
