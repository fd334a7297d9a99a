//! Runs that change threads, and threads that share runs.

use std::num::NonZeroUsize;
use std::sync::mpsc::channel;

use crate::worlds::scenario;
use anabranch_base::Duration;
use anabranch_sim::{Plan, Run, RunProgress, Stop, Watch, Watcher, replicate};

/// Two paths with loss, timers of both kinds of transport, and a change in the middle.
const TEXT: &str = r#"
    [run]
    time = "20 s"
    [[link]]
    name = "a"
    rate = "4 Mbit/s"
    delay = "10 ms"
    loss = 0.01
    [[link]]
    name = "b"
    rate = "2 Mbit/s"
    delay = "25 ms"
    jitter = "2 ms"
    [[path]]
    name = "first"
    links = ["a"]
    [[path]]
    name = "second"
    links = ["b"]
    [[event]]
    at = "8 s"
    link = "a"
    rate = "1 Mbit/s"
    [[flow]]
    paths = ["first", "second"]
    [[flow]]
    name = "noise"
    protocol = "udp"
    paths = ["first"]
    traffic = { kind = "poisson", rate = "300 kbit/s", message = "500 B" }
"#;

fn is_send<T: Send>(_: &T) {}

#[test]
fn a_run_that_changes_threads_midway_has_the_same_result_and_observations() {
    let scenario = scenario(TEXT);
    let begin = || Run::new(&scenario, 7, Watch::ALL).expect("it can be run");
    let step = Duration::from_secs(1);

    let mut at_home = begin();
    let mut seen_at_home = Vec::new();
    while at_home.advance(step) == RunProgress::Running {
        seen_at_home.extend(at_home.take_observations());
    }
    seen_at_home.extend(at_home.take_observations());

    // Each second another thread has it.
    let mut away = begin();
    is_send(&away);
    let mut seen_away = Vec::new();
    let mut threads = 0;
    loop {
        let (give, take) = channel();
        let thread = std::thread::spawn(move || {
            let progress = away.advance(step);
            give.send((away, progress)).expect("somebody waits for it");
        });
        let (back, progress) = take.recv().expect("the thread ran it");
        thread.join().expect("it ended well");
        away = back;
        threads += 1;
        seen_away.extend(away.take_observations());
        if progress == RunProgress::Ended {
            break;
        }
    }
    assert_eq!(threads, 20);
    assert!(seen_at_home.len() > 10_000, "{}", seen_at_home.len());
    assert!(seen_at_home == seen_away, "what is seen differs");
    assert_eq!(at_home.finish(), away.finish());
}

#[test]
fn what_is_kept_of_replications_that_are_cancelled_is_nearly_all_that_ended() {
    let short = scenario(&TEXT.replace("20 s", "0.1 s").replace("8 s", "0.05 s"));
    let threads = 2;
    let plan = Plan { seed: 1, stop: Stop::After(1_000_000), threads: NonZeroUsize::new(threads) };
    let watcher = Watcher::new(|| Duration::ZERO);
    let kept = std::thread::scope(|scope| {
        scope.spawn(|| {
            while watcher.finished() < 40 {
                std::thread::yield_now();
            }
            watcher.call_off();
        });
        replicate(&short, plan, &watcher).expect("it can be run")
    });
    assert!(kept.is_cut_short, "also where it was cancelled between two runs");
    // A thread that is held up has its run open while the other one goes on.
    assert!(kept.runs.len() >= 20, "{} of {}", kept.runs.len(), watcher.finished());
    assert!(kept.runs.iter().map(|run| run.seed).eq(1..=kept.runs.len() as u64));
    assert!(
        kept.runs[..5]
            == replicate(&short, Plan { stop: Stop::After(5), ..plan }, &Watcher::new(|| Duration::ZERO))
                .expect("it can be run")
                .runs[..]
    );
}
