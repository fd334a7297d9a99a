//! `anabranch demo`, as a person and as a script sees it.

mod program;

use std::sync::{Mutex, MutexGuard, PoisonError};

use program::{anabranch, run};

/// Two demonstrations at a time would share the processor, and their links would be slower than they say.
fn stage() -> MutexGuard<'static, ()> {
    static STAGE: Mutex<()> = Mutex::new(());
    STAGE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn the_demonstration_tells_what_happened() {
    let _stage = stage();
    let ended = run(&mut anabranch("demo")).expect(0);
    for part in
        ["Half-way, link B is cut", "Together, the two links of 80.0 Mbit/s", "Nothing is lost: the SHA-256"]
    {
        assert!(ended.stdout.contains(part), "{part}: {ended:?}");
    }
    assert!(
        ended.stderr.lines().filter(|line| line.contains("together")).count() >= 4,
        "lines on a pipe: {ended:?}"
    );
}

#[test]
fn the_demonstrations_document_shows_the_sum_of_two_links_and_the_cut() {
    let _stage = stage();
    let document = run(&mut anabranch("demo --json -q")).expect(0).json();
    assert_eq!(document["bytes"], 64_000_000);
    let demo = &document["demo"];
    let together = demo["goodput_before_cut_bps"].as_f64().expect("a rate");
    // More file than one link could carry, were there no headers.
    assert!(together > 80e6, "{document:#}");
    assert!(demo["cut_at_s"].as_f64().is_some_and(|at| at < document["seconds"].as_f64().expect("a time")));
    // Three time-outs, 0.2 + 0.4 + 0.8 s, and as much again for a busy machine.
    assert!(demo["stall_s"].as_f64().is_some_and(|stall| stall < 2.8), "{document:#}");
    let paths = document["paths"].as_array().expect("paths");
    assert_eq!((paths[0]["name"].as_str(), paths[1]["name"].as_str()), (Some("link A"), Some("link B")));
    assert!(paths[0]["carried_bytes"].as_u64() > paths[1]["carried_bytes"].as_u64(), "{document:#}");
}
