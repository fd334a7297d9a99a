//! The Monte Carlo of rounds against the Markov chain, ours and the tables of another, and at its ends.

use anabranch_models::rounds::{FinishedRound, RoundOutcome, RoundProcess};
use anabranch_models::{Halving, LimitedPath, Markov, ModelError, PathParameters, RoundLoss, TimeoutBounds};
use rand_chacha::ChaCha12Rng;
use rand_core::SeedableRng;

const BATCHES: u32 = 50;

/// The rate per second of each count that `counted` returns for a round, with its standard error by batches.
fn per_second<const N: usize>(
    process: &mut RoundProcess,
    rounds: u32,
    seed: u64,
    counted: impl Fn(&FinishedRound) -> [f64; N],
) -> [(f64, f64); N] {
    let mut random = ChaCha12Rng::seed_from_u64(seed);
    let mut batch = || {
        let mut sums = ([0.0; N], 0.0);
        for _ in 0..rounds / BATCHES {
            let round = process.step(&mut random);
            process.grow_whole();
            sums.0.iter_mut().zip(counted(&round)).for_each(|(sum, count)| *sum += count);
            sums.1 += round.duration;
        }
        sums
    };
    let batches: Vec<([f64; N], f64)> = (0..BATCHES).map(|_| batch()).collect();
    let time: f64 = batches.iter().map(|(_, time)| time).sum();
    std::array::from_fn(|place| {
        let mean = batches.iter().map(|(counts, _)| counts[place]).sum::<f64>() / time;
        let squares: f64 = batches.iter().map(|(counts, time)| (counts[place] - mean * time).powi(2)).sum();
        (mean, (squares * f64::from(BATCHES) / f64::from(BATCHES - 1)).sqrt() / time)
    })
}

/// Delivered packets a second, with its standard error.
fn throughput(process: &mut RoundProcess, rounds: u32, seed: u64) -> (f64, f64) {
    per_second(process, rounds, seed, |round| [f64::from(round.delivered)])[0]
}

fn limited(limit: u32, loss: f64) -> LimitedPath {
    let path = PathParameters { rate: 1750.0, delay: 0.04, loss, timeout: TimeoutBounds::WALLACE_SHAMI };
    LimitedPath { path, limit }
}

struct Row {
    loss: RoundLoss,
    halving: Halving,
    limited: LimitedPath,
    delivered: f64,
}

/// A row of the table: the columns of markov.open.csv up to the delivered rate.
fn row(line: &str) -> Option<Row> {
    let cells: Vec<&str> = line.split(',').collect();
    let number = |column: usize| cells.get(column)?.parse::<f64>().ok();
    let loss = if cells[0] == "corr" { RoundLoss::Correlated } else { RoundLoss::Independent };
    let halving = if cells[1] == "floor" { Halving::Floor } else { Halving::Ceil };
    let timeout = TimeoutBounds { min: number(7)?, max: number(6)? };
    let path = PathParameters { rate: number(4)?, delay: number(5)?, loss: number(3)?, timeout };
    let limited = LimitedPath { path, limit: number(2)? as u32 };
    Some(Row { loss, halving, limited, delivered: number(8)? })
}

#[test]
fn rounds_played_with_dice_carry_what_the_table_says() {
    let table = include_str!("../../../tests/oracle/models/markov.open.csv");
    let rows = table.lines().skip(1).map(|line| row(line).expect("a full row"));
    let lossy: Vec<Row> = rows.filter(|row| row.limited.path.loss > 0.0 && row.delivered > 0.0).collect();
    let small = lossy.iter().filter(|row| row.limited.limit <= 5).step_by(61);
    let (mut checked, mut heavy) = (0, 0);
    for (seed, row) in (1..).zip(small.chain(lossy.iter().step_by(83))) {
        // Losses are so rare that a window's history is longer than the simulation.
        if row.limited.path.loss < 1e-4 {
            continue;
        }
        let mut process = RoundProcess::new(&row.limited, row.loss, row.halving).unwrap();
        let (mean, error) = throughput(&mut process, 1_000_000, seed);
        let about = format!("{:?} {:?} {:?}", row.loss, row.halving, row.limited);
        assert!(
            (mean - row.delivered).abs() <= 4.0 * error,
            "{about}: {mean} ± {error} against {}",
            row.delivered
        );
        checked += 1;
        heavy += u32::from(row.limited.path.loss >= 0.1);
    }
    assert!(checked >= 50 && heavy >= 5, "{checked} rows, {heavy} of much loss");
}

#[test]
fn rounds_played_with_dice_happen_as_often_as_the_chain_says() {
    let is = |round: &FinishedRound, outcome| f64::from(u8::from(round.outcome == outcome));
    let settings = [
        (1, 0.2),
        (2, 0.05),
        (3, 0.3),
        (4, 0.01),
        (5, 0.1),
        (8, 0.02),
        (17, 0.5),
        (24, 0.003),
        (43, 0.01),
        (30, 0.1),
        (70, 0.05),
    ];
    for (seed, (limit, loss)) in (1..).zip(settings) {
        for (rule, halving) in [
            (RoundLoss::Independent, Halving::Ceil),
            (RoundLoss::Independent, Halving::Floor),
            (RoundLoss::Correlated, Halving::Ceil),
            (RoundLoss::Correlated, Halving::Floor),
        ] {
            let limited = limited(limit, loss);
            let mut process = RoundProcess::new(&limited, rule, halving).unwrap();
            let rates = Markov { loss: rule, halving }.rates(&limited.path, limit).unwrap();
            let expected = [rates.delivered, rates.sent, rates.timeouts, rates.fast_retransmits];
            let found = per_second(&mut process, 1_000_000, seed, |round| {
                let (timeouts, halvings) =
                    (is(round, RoundOutcome::Timeout), is(round, RoundOutcome::FastRetransmit));
                [f64::from(round.delivered), f64::from(round.sent), timeouts, halvings]
            });
            for ((mean, error), expected) in found.into_iter().zip(expected) {
                let about = format!("{rule:?} {halving:?} {limit} {loss}: {found:?} against {expected}");
                assert!((mean - expected).abs() <= 4.0 * error + 1e-12, "{about}");
            }
        }
    }
}

#[test]
fn one_packet_is_stop_and_wait() {
    // 1 / η = R(1) + Σ p^j min(2^(j − 1) O(1), Tmax), j from 1 on (models §1.3).
    for (loss, seed) in [(0.01, 1), (0.1, 2), (0.4, 3)] {
        let limited = limited(1, loss);
        let (round, timeout) = (limited.path.round(1.0), limited.path.timeout(1.0));
        let wait = |j: i32| loss.powi(j) * (f64::from(j - 1).exp2() * timeout).min(60.0);
        let expected = 1.0 / (round + (1..200).map(wait).sum::<f64>());
        let mut process = RoundProcess::new(&limited, RoundLoss::Independent, Halving::Ceil).unwrap();
        let (mean, error) = throughput(&mut process, 2_000_000, seed);
        assert!((mean - expected).abs() <= 4.0 * error, "{mean} ± {error} against {expected}");
        assert!(error < 0.02 * mean, "{error}");
    }
}

#[test]
fn without_loss_the_window_stays_at_its_limit() {
    let limited = limited(87, 0.0);
    let mut process = RoundProcess::new(&limited, RoundLoss::Correlated, Halving::Ceil).unwrap();
    let mut random = ChaCha12Rng::seed_from_u64(1);
    for _ in 0..86 {
        process.step(&mut random);
        process.grow_whole();
    }
    let (mean, error) = throughput(&mut process, 1_000, 1);
    assert!((mean - 87.0 / limited.path.round(87.0)).abs() < 1e-9 && error < 1e-9, "{mean} ± {error}");
}

#[test]
fn where_all_is_lost_nothing_arrives_and_no_wait_passes_its_bound() {
    let mut process = RoundProcess::new(&limited(87, 1.0), RoundLoss::Independent, Halving::Ceil).unwrap();
    // Time-outs double 5,000 times.
    let (mean, _) = throughput(&mut process, 5_000, 1);
    assert_eq!(mean, 0.0);
    assert_eq!(process.step(&mut ChaCha12Rng::seed_from_u64(1)).duration, 60.0);
}

#[test]
fn what_cannot_be_played_says_why() {
    let refused = |limited: LimitedPath| {
        RoundProcess::new(&limited, RoundLoss::Independent, Halving::Ceil).map(|_| ()).unwrap_err()
    };
    assert_eq!(refused(limited(0, 0.1)), ModelError::NoWindow);
    assert_eq!(refused(limited(1, 1.5)), ModelError::Loss(1.5));
    assert_eq!(refused(limited(u32::MAX, 0.1)), ModelError::TooLarge { limit: u32::MAX, largest: 1 << 20 });
}
