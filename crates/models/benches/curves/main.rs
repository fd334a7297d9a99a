//! Measures how long the Markov model takes for the throughput at every limit up to the largest, beside the chain of
//! 120 packets solved state by state in the same run, and prints one table.
//!
//! `cargo bench --package anabranch-models --bench curves`; a word behind `--` keeps only the rows with it.
#![allow(clippy::print_stdout, reason = "a benchmark prints its table")]

use std::hint::black_box;

use anabranch_models::markov::dense::Chain;
use anabranch_models::{Halving, Markov, ModelError, PathParameters, RoundLoss, TimeoutBounds, WindowModel};
use rustix::time::{ClockId, clock_gettime};

const KINDS: [(&str, RoundLoss); 2] =
    [("independent", RoundLoss::Independent), ("correlated", RoundLoss::Correlated)];
const LIMITS: [u32; 5] = [87, 120, 1_000, 5_000, 30_000];
const LOSSES: [f64; 6] = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1];

/// The number of measurements of a row.
const REPEATS: usize = 9;
const SECONDS: f64 = 0.02;

/// The limit of the chain that is solved state by state.
const DENSE: u32 = 120;

fn main() -> Result<(), ModelError> {
    let wanted = std::env::args().skip(1).find(|word| !word.starts_with('-')).unwrap_or_default();
    println!(
        "| loss of a round | limit | p | curve, µs | in Python, µs | dense solve of {DENSE} alone, to this |"
    );
    println!("|---|---|---|---|---|---|");
    for (name, loss) in KINDS {
        let markov = Markov { loss, halving: Halving::Ceil };
        let dense =
            once(|| drop(black_box(Chain::new(&markov, &path(1e-3), DENSE).and_then(|chain| chain.rates()))));
        for limit in LIMITS {
            for probability in LOSSES {
                let row = format!("| {name} | {limit} | {probability:e} |");
                if row.contains(&wanted) {
                    markov.curve(&path(probability), limit)?;
                    let seconds =
                        median(|| drop(black_box(markov.curve(black_box(&path(probability)), limit))));
                    let (micros, known) = (seconds * 1e6, known(name, limit, probability));
                    println!("{row} {micros:.1} | {known} | {:.0} |", dense / seconds);
                }
            }
        }
        println!("| {name}, dense | {DENSE} | 1e-3 | {:.0} | – | 1 |", dense * 1e6);
    }
    Ok(())
}

/// The time of the same pass in Python, compiled by numba, on two cores of a virtual machine: this program should take
/// no more than twice as long. The figures for independent losses do not depend on p.
fn known(name: &str, limit: u32, loss: f64) -> &'static str {
    match (name, limit) {
        ("correlated", 87 | 120) => "30 to 100",
        ("correlated", 1_000) if loss == 1e-3 => "200",
        ("correlated", 1_000) if loss == 1e-5 => "600 to 4,000",
        ("correlated", 5_000) if loss == 1e-4 => "1,600",
        ("correlated", 5_000) if loss == 1e-6 => "25,000",
        ("correlated", 30_000) if loss == 1e-4 => "2,300",
        ("independent", 87) => "100 to 200",
        ("independent", 120) => "160",
        ("independent", 1_000) => "300",
        ("independent", 5_000) => "600 to 1,200",
        ("independent", 30_000) => "1,000",
        _ => "–",
    }
}

/// 21 Mbit/s and 40 ms.
fn path(loss: f64) -> PathParameters {
    PathParameters { rate: 1750.0, delay: 0.04, loss, timeout: TimeoutBounds::WALLACE_SHAMI }
}

/// The seconds of one call, the middle one of several repeats.
fn median(mut call: impl FnMut()) -> f64 {
    let calls = (SECONDS / REPEATS as f64 / once(&mut call)).ceil() as u32;
    let repeat = |_| once(|| (0..calls).for_each(|_| call())) / f64::from(calls);
    let mut repeats: Vec<f64> = (0..REPEATS).map(repeat).collect();
    repeats.sort_by(f64::total_cmp);
    repeats[REPEATS / 2]
}

/// The seconds of processor time that one call takes.
fn once(call: impl FnOnce()) -> f64 {
    let before = processor_seconds();
    call();
    processor_seconds() - before
}

fn processor_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
