//! The value of a buffer, and the effect of mistakes: throughput by buffer, the next packet, and enough packets.

use anabranch_models::{Markov, PathParameters, TimeoutBounds};
use anabranch_planner::{Mistake, PlanError, Problem, by_buffer, exact, marginal_gain, sensitivity};

fn path(rate: f64, delay: f64, loss: f64) -> PathParameters {
    PathParameters { rate, delay, loss, timeout: TimeoutBounds::WALLACE_SHAMI }
}

fn phone() -> [PathParameters; 3] {
    [path(1_750.0, 0.04, 1e-3), path(833.0, 0.05, 1e-2), path(83.3, 0.025, 1e-4)]
}

#[test]
fn one_program_gives_the_exact_optimum_of_every_buffer() {
    let model = Markov::default();
    let whole = by_buffer(&Problem::new(&phone(), 140, &model).unwrap()).unwrap();
    assert_eq!((whole.least(), whole.values().len()), (3, 138));
    for buffer in 3..=140 {
        let best = exact(&Problem::new(&phone(), buffer, &model).unwrap()).unwrap().throughput;
        let value = whole.throughput(buffer).unwrap();
        assert!((value - best).abs() <= 1e-12 * best, "{buffer}: {value} against {best}");
    }
    assert!((3..140).all(|buffer| whole.marginal(buffer).unwrap() >= 0.0));
    assert_eq!((whole.throughput(2), whole.throughput(141), whole.marginal(140)), (None, None, None));
}

#[test]
fn a_buffer_is_worth_its_next_packet_until_there_is_enough() {
    let model = Markov::default();
    let caps: u32 = phone().iter().map(PathParameters::cap).sum();
    let whole = by_buffer(&Problem::new(&phone(), caps, &model).unwrap()).unwrap();
    let now = marginal_gain(&phone(), 87, &model).unwrap();
    assert!((now.next_packet - whole.marginal(87).unwrap()).abs() < 1e-9 && now.next_packet > 1.0);
    assert!((now.most - whole.throughput(caps).unwrap()).abs() < 1e-9);
    let enough = (3..=caps).find(|&buffer| whole.throughput(buffer).unwrap() >= now.most * (1.0 - 1e-9));
    assert_eq!(Some(now.enough), enough);
    let plenty = marginal_gain(&phone(), 10_000, &model).unwrap();
    assert_eq!((plenty.next_packet, plenty.throughput, plenty.enough), (0.0, now.most, now.enough));
    let refused = marginal_gain(&phone(), 2, &model).unwrap_err();
    assert_eq!(refused, PlanError::BufferTooSmall { buffer: 2, paths: 3 });
}

#[test]
fn a_path_without_loss_needs_the_buffer_that_fills_it() {
    let clean = [path(1_750.0, 0.04, 0.0), path(833.0, 0.05, 0.0)];
    // b d + 1 = 71 and 42.65: the last packet of the second gains 0.65 of one.
    let whole = marginal_gain(&clean, 71 + 43 - 1, &Markov::default()).unwrap();
    assert_eq!(whole.enough, 71 + 43);
    assert!((whole.most - (1_750.0 + 833.0)).abs() < 1e-9, "{}", whole.most);
    assert!(whole.next_packet > 0.0 && whole.next_packet < 833.0 / 42.0);
}

#[test]
fn a_mistake_moves_the_limits_and_costs_something() {
    let (paths, model) = ([path(1_750.0, 0.04, 1e-3), path(1_667.0, 0.04, 1e-4)], Markov::default());
    let best = exact(&Problem::new(&paths, 87, &model).unwrap()).unwrap();
    let misplans = sensitivity(&paths, 87, &model).unwrap();
    assert_eq!(misplans.len(), 2 * Mistake::ALL.len());
    for (misplan, place) in misplans.iter().zip(0..) {
        assert_eq!((misplan.path, misplan.mistake), (place / 4, Mistake::ALL[place % 4]));
        assert!(misplan.limits.iter().sum::<u32>() <= 87);
        assert!((misplan.regret - (1.0 - misplan.throughput / best.throughput)).abs() < 1e-12);
        // Only a rate that is assumed too high raises a cap.
        assert!(misplan.mistake == Mistake::HigherRate || misplan.regret >= -1e-12, "{misplan:?}");
        assert!(misplan.regret < 0.1, "{misplan:?}");
    }
    assert!(misplans.iter().any(|misplan| misplan.limits != best.limits && misplan.regret > 0.0));
    let slower = &misplans[7];
    assert!(slower.limits[1] <= 55, "the limit of a path of 1,334 packets/s and 40 ms: {slower:?}");
}
