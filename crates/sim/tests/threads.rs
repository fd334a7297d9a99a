//! Runs that change threads.

use std::sync::mpsc::channel;

use crate::worlds::scenario;
use anabranch_base::Duration;
use anabranch_sim::{Run, RunProgress, Watch};

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
