//! Anything can happen: lists of random operations and faults against a pair of endpoints. What was sent
//! arrives once, in order of its stream, unchanged, or the failure is reported; memory is bounded; every walk
//! ends.
//!
//! A failure prints its seed and the shortest list of operations that still fails; such lists are kept in
//! `shrunk_walks.rs`. `ANABRANCH_WALKS` says how many walks (2,000 by default, 1,000 with copies), `ANABRANCH_WALK`
//! names one.
#![allow(clippy::print_stdout, reason = "the harness keeps what a test prints")]

mod pair;
mod walk;

use std::borrow::Cow;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use anabranch_sctp::config::{Coupling, EcnUse};
use anabranch_sctp::policy::loss_detection::cmt::CmtRules;
use anabranch_sctp::policy::loss_detection::ipcc::IpccRules;
use pair::Middlebox;
use walk::{MarkSetting, Operation, Setting, plan, shrink, walk};

#[test]
fn whatever_happens_messages_arrive_once_and_in_order_or_the_failure_is_reported() {
    take_all(2_000, plan);
}

/// The same where chunks leave out of order, and copies of those in flight on other paths.
#[test]
fn whatever_happens_to_copies_messages_arrive_once_and_in_order_or_the_failure_is_reported() {
    take_all(1_000, |seed| {
        let (setting, operations) = plan(seed);
        let [scheduler, retransmission] = ["copying", "both"].map(Cow::Borrowed);
        let cmt = if seed % 2 == 0 { CmtRules::BY_DEPARTURE } else { setting.cmt };
        (Setting { scheduler, retransmission, cmt, ..setting }, operations)
    });
}

/// The same where queues mark packets, and where they mark packets of a peer whose marks do not come back.
#[test]
fn whatever_is_marked_messages_arrive_once_and_in_order_or_the_failure_is_reported() {
    take_all(1_000, |seed| {
        let (setting, operations) = plan(seed);
        let ecn = if seed % 2 == 0 { EcnUse::Echo } else { EcnUse::Cwr };
        let middlebox = [Middlebox::None, Middlebox::None, Middlebox::Bleach, Middlebox::Drop];
        let middlebox = middlebox[(seed / 2 % 4) as usize];
        let marking = [10, 200, 1_000][(seed % 3) as usize];
        let marks = MarkSetting { ecn, test: seed % 5 > 1, marking, middlebox };
        (Setting { marks, ..setting }, operations)
    });
}

/// The same under BBR, with queues that mark packets in every second walk.
#[test]
fn whatever_happens_under_bbr_messages_arrive_once_and_in_order_or_the_failure_is_reported() {
    take_all(1_000, |seed| {
        let (setting, operations) = plan(seed);
        let ecn = if seed % 2 == 0 { EcnUse::Off } else { EcnUse::Echo };
        let marks = MarkSetting { ecn, marking: 100, ..MarkSetting::NONE };
        (Setting { marks, congestion: "bbr", ..setting }, operations)
    });
}

/// The same with windows that grow together, under CUBIC, and where losses at an empty queue cut nothing.
#[test]
fn whatever_happens_to_coupled_windows_messages_arrive_once_and_in_order_or_the_failure_is_reported() {
    take_all(1_000, |seed| {
        let (setting, operations) = plan(seed);
        let (off, auto) = (Coupling::Off, Coupling::Auto);
        let together = ["lia", "olia", "balia", "berp", "cubic"].map(|control| (control, off));
        let found = [("reno", auto), ("cubic", auto), ("westwood", off), ("westwood", auto), ("bbr", auto)];
        let (congestion, coupled) = [&together[..], &found].concat()[(seed % 10) as usize];
        let ecn = if seed % 2 == 0 { EcnUse::Off } else { EcnUse::Echo };
        let marks = MarkSetting { ecn, marking: 100, ..MarkSetting::NONE };
        (Setting { marks, congestion, coupled, ..setting }, operations)
    });
}

/// The same by the path sequence numbers of IPCC; in every fourth walk, copies of chunks are in flight too, in two of
/// three the receive buffer has two levels, and in every second one SACKs report new gaps alone.
#[test]
fn whatever_happens_under_ipcc_messages_arrive_once_and_in_order_or_the_failure_is_reported() {
    take_all(1_500, |seed| {
        let (setting, operations) = plan(seed);
        let ipcc = Some(IpccRules { adjustment: seed % 3 > 0 });
        let (scheduler, retransmission) = match seed % 4 {
            0 => ("copying".into(), "both".into()),
            1 => ("window-regulated".into(), "alternate".into()),
            2 => ("primary".into(), "alternate".into()),
            _ => (setting.scheduler, setting.retransmission),
        };
        let second_level = [None, Some(3_000), Some(1 << 20)][(seed / 4 % 3) as usize];
        let ipcc = Setting { ipcc, cmt: CmtRules::NONE, scheduler, retransmission, ..setting };
        (Setting { second_level, has_new_gaps: seed / 12 % 2 == 1, ..ipcc }, operations)
    });
}

/// Runs the number of walks in `plan`, or those that the environment names.
fn take_all(count: u64, plan: impl Fn(u64) -> (Setting, Vec<Operation>)) {
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
    /// Whether this thread takes a walk, whose panics are results.
    static IS_WALKING: Cell<bool> = const { Cell::new(false) };
}

/// A walk that fails panics, or says what is wrong.
fn attempt(setting: &Setting, operations: &[Operation]) -> Result<walk::Outcome, String> {
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
