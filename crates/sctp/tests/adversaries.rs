//! The project's own adversary. Two honest ends talk over links that lose, double and delay; an attacker guesses beside
//! them, repeats what it sees between them, forges, or is a peer that lies. Data of honest ends arrives once, in order
//! and unchanged, or the failure is reported; no packet causes more work, memory or answers than it may; every run
//! ends.
//!
//! A failure prints its seed and the shortest list of acts that still fails. `ANABRANCH_ADVERSARIES` says how many seeds
//! are played (a few hundred by default; then without a clock), `ANABRANCH_ADVERSARY_SEED` names one.
#![allow(clippy::print_stdout, reason = "the harness keeps what a test prints")]

mod adversary;
mod counting;
mod hostile;
mod pair;
mod walk;

use std::num::NonZero;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::available_parallelism;

use adversary::{Act, Class, Column, Fault, Guess, Lie, Past, Scene, Tally, plan, play};
use counting::{Counting, allocated, held};
use pair::Reading;
use rustix::time::{ClockId, clock_gettime};
use walk::shrink;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn under_any_attack_honest_data_arrive_once_and_costs_are_bounded() {
    let Played { tally, failures, .. } = plays();
    println!("{tally}");
    if let Some((seed, fault)) = failures.first() {
        panic!("{} plays failed, the first of them\n{}", failures.len(), report(*seed, fault));
    }
}

#[test]
fn every_move_every_type_of_chunk_and_every_state_occurs() {
    let Played { tally, .. } = plays();
    let guesses = Guess::ALL.iter().map(|guess| (Column::Move, format!("guess {guess:?}")));
    let repeats = Past::ALL.iter().map(|past| (Column::Move, format!("repeat {past:?}")));
    let lies = Lie::ALL.iter().map(|lie| (Column::Move, format!("lie {lie:?}")));
    let chunks = CHUNKS.iter().map(|chunk| (Column::Chunk, (*chunk).to_owned()));
    let states = hostile::STATES.iter().map(|state| (Column::State, format!("{state:?}")));
    for (column, what) in guesses.chain(repeats).chain(lies).chain(chunks).chain(states) {
        assert!(tally.of(column, &what) > 0 || is_chosen(), "{column:?}: {what} never occurs");
    }
}

/// Plays the requested seeds, once for all tests.
fn plays() -> &'static Played {
    static PLAYS: OnceLock<Played> = OnceLock::new();
    PLAYS.get_or_init(|| {
        let (one, many) = (number("ANABRANCH_ADVERSARY_SEED"), number("ANABRANCH_ADVERSARIES"));
        let seeds = one.map_or(0..many.unwrap_or(USUAL), |seed| seed..seed + 1);
        let threads = many.map_or(1, |_| available_parallelism().map_or(1, NonZero::get));
        let usual = std::panic::take_hook();
        if one.is_none() {
            std::panic::set_hook(Box::new(|_| {}));
        }
        let played = play_all(&seeds, threads);
        std::panic::set_hook(usual);
        played
    })
}

/// Returns true if the environment names seeds.
fn is_chosen() -> bool {
    number("ANABRANCH_ADVERSARY_SEED").or(number("ANABRANCH_ADVERSARIES")).is_some()
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|value| value.parse().expect("a number"))
}

/// The results of many plays.
#[derive(Default)]
struct Played {
    tally: Tally,
    failures: Vec<(u64, Fault)>,
}

/// Plays the seeds on `threads` threads; each play runs on one.
fn play_all(seeds: &Range<u64>, threads: usize) -> Played {
    let next = AtomicU64::new(seeds.start);
    let play_some = || {
        let mut played = Played::default();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                return played;
            }
            if seed > 0 && seed.is_multiple_of(1_000) {
                println!("{seed} seeds");
            }
            let (scene, acts) = plan(seed);
            match confirmed(&scene, &acts, &mut played.tally) {
                Err(fault) if fault.is_known() => {
                    played.tally.count(Column::Known, format!("{:?}", fault.class));
                }
                Err(fault) => {
                    println!("seed {seed}: {fault}");
                    played.failures.push((seed, fault));
                }
                Ok(()) => {}
            }
        }
    };
    let mut all = Played::default();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(play_some)).collect();
        for thread in threads {
            let Played { tally, failures } = thread.join().expect("a play that panics is caught");
            all.tally.add(&tally);
            all.failures.extend(failures);
        }
    });
    all.failures.sort_by_key(|(seed, _)| *seed);
    all
}

/// Repeats a play and returns its outcome. Only a time that is exceeded each of three times counts: processor time
/// includes what the machine does beside.
fn confirmed(scene: &Scene, acts: &[Act], tally: &mut Tally) -> Result<(), Fault> {
    let first = attempt(scene, acts, tally);
    (0..2).fold(first, |result, _| match &result {
        Err(fault) if fault.class == Class::Time => attempt(scene, acts, &mut Tally::default()),
        _ => result,
    })
}

/// A play that fails panics, or says what is wrong.
fn attempt(scene: &Scene, acts: &[Act], tally: &mut Tally) -> Result<(), Fault> {
    let read = if number("ANABRANCH_ADVERSARIES").is_some() { counts_and_time } else { counts };
    catch_unwind(AssertUnwindSafe(|| play(scene, acts, read, tally))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(Fault::new(Class::Panic, text.unwrap_or_default()))
    })
}

/// A failure with the shortest list of acts that still fails alike.
fn report(seed: u64, fault: &Fault) -> String {
    let (scene, acts) = plan(seed);
    let fails = |shorter: &[Act]| {
        let again = attempt(&scene, shorter, &mut Tally::default());
        again.is_err_and(|other| other.class == fault.class)
    };
    let short = shrink(&acts, fails);
    format!(
        "seed {seed}: {fault}\n{scene:?}\nshrunk to {short:#?}\nagain: ANABRANCH_ADVERSARY_SEED={seed} \
         cargo test --package anabranch-sctp --test adversaries"
    )
}

fn counts() -> Reading {
    let (counted, held) = (allocated(), held());
    Reading { allocations: counted.times, bytes: counted.bytes, held, nanoseconds: 0 }
}

/// The same with the processor's time, which differs between runs.
fn counts_and_time() -> Reading {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Reading { nanoseconds: time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64, ..counts() }
}

/// The usual number of seeds; they take about two seconds.
const USUAL: u64 = 300;
/// The types of chunks as the attacker writes them.
const CHUNKS: [&str; 21] = [
    "DATA",
    "INIT",
    "INIT-ACK",
    "SACK",
    "HEARTBEAT",
    "HEARTBEAT-ACK",
    "ABORT",
    "SHUTDOWN",
    "SHUTDOWN-ACK",
    "ERROR",
    "COOKIE-ECHO",
    "COOKIE-ACK",
    "ECNE",
    "CWR",
    "SHUTDOWN-COMPLETE",
    "PAD",
    "AUTH",
    "ASCONF",
    "ASCONF-ACK",
    "FORWARD-TSN",
    "UNKNOWN",
];
