//! The core's adversary against ends that read SACKs by path sequence numbers.
#![allow(dead_code, unused_imports, reason = "the adversary of the core has more parts than are used here")]

#[path = "../../sctp/tests/adversary/mod.rs"]
mod adversary;
#[path = "../../sctp/tests/hostile/mod.rs"]
mod hostile;
#[path = "../../sctp/tests/pair/mod.rs"]
mod pair;
#[path = "../../sctp/tests/walk/mod.rs"]
mod walk;

use adversary::{Scene, Tally, plan, play};
use anabranch_policies::{ipcc, registry};
use pair::{Reading, Variant};

#[test]
fn under_any_attack_honest_data_arrive_once() {
    let variant = Variant { registry, prepare: ipcc::choose, exempts_by_path: true };
    for seed in 0..100 {
        let (scene, acts) = plan(seed);
        let scene = Scene { variant, ..scene };
        if let Err(fault) = play(&scene, &acts, uncounted, &mut Tally::default()) {
            panic!("seed {seed}: {fault}\n{scene:?}\n{acts:#?}");
        }
    }
}

/// The core's own test counts what memory packets cost.
fn uncounted() -> Reading {
    Reading { allocations: 0, bytes: 0, held: 0, nanoseconds: 0 }
}
