//! Many walks, one after another; the first that fails is shrunk and told.

#![allow(clippy::print_stdout, reason = "the harness keeps what a test prints")]

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use super::{Operation, Outcome, Setting, shrink, walk};

/// Runs the number of walks in `plan`, or those that the environment names.
pub(crate) fn take_all(count: u64, plan: impl Fn(u64) -> (Setting, Vec<Operation>)) {
    let number = |name: &str| std::env::var(name).ok().map(|value| value.parse::<u64>().expect("a number"));
    let seeds = match number("ANABRANCH_WALK") {
        Some(seed) => seed..seed + 1,
        None => 0..number("ANABRANCH_WALKS").unwrap_or(count),
    };
    let mut graceful = 0;
    let count = seeds.end - seeds.start;
    for seed in seeds {
        let (setting, operations) = plan(seed);
        match attempt(&setting, &operations) {
            Ok(outcome) => graceful += u64::from(outcome.is_graceful),
            Err(why) => {
                let short = shrink(&operations, |shorter| attempt(&setting, shorter).is_err());
                let why_short = attempt(&setting, &short).err().unwrap_or_default();
                panic!(
                    "walk {seed} failed: {why}\n{setting:?}\nshrunk to {short:#?}\nwhich fails: {why_short}"
                );
            }
        }
    }
    println!("{count} walks, {graceful} of them ended in order on both sides");
    assert!(count < 100 || graceful * 2 > count, "most walks should end in order: {graceful} of {count}");
}

thread_local! {
    /// True on a thread that takes a walk, whose panics are results.
    static IS_WALKING: Cell<bool> = const { Cell::new(false) };
}

/// A walk that fails panics, or says what is wrong.
fn attempt(setting: &Setting, operations: &[Operation]) -> Result<Outcome, String> {
    // The hook belongs to all tests of the program: it is replaced once, and asks which thread panics.
    static REPLACED: Once = Once::new();
    REPLACED.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !IS_WALKING.get() {
                usual(panic);
            }
        }));
    });
    IS_WALKING.set(true);
    let result = catch_unwind(AssertUnwindSafe(|| walk(setting, operations)));
    IS_WALKING.set(false);
    result.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        Err(text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default())
    })
}
